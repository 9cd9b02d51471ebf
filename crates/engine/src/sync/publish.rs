//! Parses what is new, stores it and publishes the view, all under the writer's lock.

use std::path::Path;
use std::sync::Arc;

use codecompass_embed::Embedder;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{Head, OversizedFile};
use crate::progress::{Progress, Stage};
use crate::scan::Listing;
use crate::store::jobs::{JobLog, JobMode, JobStart, JobState};
use crate::store::read::open;
use crate::store::read::open::{CachedView, PublishedFiles};
use crate::store::sqlite::manifest::Manifest;
use crate::store::sqlite::manifest_copy::{self, CachedManifest};
use crate::store::sqlite::view::ViewRow;
use crate::store::vectors::Header;
use crate::store::write::publish::NextEntry;
use crate::store::write::writer::Writer;
use crate::store::{GRACE, LOCK_TIMEOUT, Merging, Snapshot};
use crate::sync::options::{SyncOptions, SyncReport};
use crate::sync::parse_pool::{FileOutcome, ParseEvent, UNREADABLE, Workload, read_and_parse};
use crate::sync::plan::{self, Prepared, Work};

/// The result of a writer's run.
pub(super) struct Published {
    pub report: SyncReport,
    pub files: PublishedFiles,
    /// The view's manifest now, for the next sync.
    pub manifest: CachedManifest,
    /// Its lock is to be held until what was published is open: an import would put another state
    /// in its place.
    pub merging: Merging,
}

impl Published {
    /// Waits for merges and opens what was published.
    pub(super) fn open(self, engine: &Engine) -> Result<(Snapshot, SyncReport)> {
        let lock = self.merging.finish()?;
        let known = CachedView { published: Some(&self.files), ..CachedView::default() };
        let snapshot = open::open_known(&engine.store, &engine.view_key(), known)?;
        drop(lock);
        Ok((snapshot.ok_or(Error::StoreRemoved)?, self.report))
    }
}

/// The result of a sync.
pub(super) struct Synced {
    pub report: SyncReport,
    /// The new state; the watcher needs none.
    pub snapshot: Option<Snapshot>,
    /// Merges of the text index that the watcher waits for later.
    pub merging: Option<Merging>,
}

/// Takes the writer's lock and brings the view to what was prepared. The run is recorded as attempt
/// number `attempt`.
pub(super) fn apply_changes(
    engine: &Engine,
    options: SyncOptions,
    prepared: Prepared,
    attempt: u32,
    progress: &dyn Progress,
) -> Result<Published> {
    let mode = match &prepared.manifest {
        _ if options.rebuild => JobMode::Rebuild,
        Some(_) => JobMode::Incremental,
        None => JobMode::Full,
    };
    let head = prepared.head.clone();
    let head_commit = head.as_ref().and_then(|head| head.commit.as_deref());
    let mut job = JobLog::queue(&engine.store, &engine.view_key(), JobStart { attempt, mode, head_commit });
    let outcome = write(engine, options, prepared, &mut job, progress);
    job.end(outcome.as_ref().map(|published| published.report.changed));
    outcome
}

fn write(
    engine: &Engine,
    options: SyncOptions,
    prepared: Prepared,
    job: &mut JobLog,
    progress: &dyn Progress,
) -> Result<Published> {
    let Prepared { mut listing, head, manifest, defer_fsync } = prepared;
    let mut writer = if options.rebuild {
        engine.store.rebuilder(&engine.config.index, LOCK_TIMEOUT, progress)?
    } else {
        engine.store.writer(&engine.config.index, LOCK_TIMEOUT, progress)?
    };
    if writer.has_waited() {
        // The files may have changed while another process was writing.
        listing = Arc::new(engine.list()?);
    }
    let embedder = engine.embedder();
    if let Some(embedder) = &embedder {
        writer.use_model(Header::of(embedder.as_ref()));
    }
    let run = Run { engine, head: head.as_ref(), embedder: embedder.as_deref(), defer_fsync, progress };
    let outcome = run.execute(&mut writer, &listing, manifest, job);
    if !engine.store.is_current(&writer)? {
        match &outcome {
            Ok(_) => engine.store.adopt(&writer)?,
            Err(_) => engine.store.discard(&writer),
        }
    }
    let (report, files, manifest) = outcome?;
    if report.published {
        writer.collect_if_due(&engine.retention(GRACE));
    }
    let totals = SyncReport::of(&writer.published_view(&engine.view_key())?);
    let report = SyncReport { generation: totals.generation, files: totals.files, symbols: totals.symbols, ..report };
    Ok(Published { report, files, manifest, merging: writer.close()? })
}

/// Above this many files the text index gets its full memory budget and threads.
const BULK_FILES: usize = 50;

/// Values that stay the same while the writer is locked.
struct Run<'a> {
    engine: &'a Engine,
    head: Option<&'a Head>,
    embedder: Option<&'a dyn Embedder>,
    defer_fsync: bool,
    progress: &'a dyn Progress,
}

type PublishOutcome = (SyncReport, PublishedFiles, CachedManifest);

impl Run<'_> {
    /// Plans, parses, stores and publishes. `manifest` is the view's, if it was read already.
    fn execute(
        &self,
        writer: &mut Writer,
        listing: &Listing,
        manifest: Option<CachedManifest>,
        job: &mut JobLog,
    ) -> Result<PublishOutcome> {
        // Only now is the store locked against other writers.
        let (view, before) = writer.view(&self.engine.view_key(), manifest)?;
        let has_published =
            job.last(&self.engine.view_key()).map_or(view.generation > 0, |job| job.state == JobState::Published);
        let left = if has_published { Manifest::default() } else { writer.left_by_interrupted(view.id)? };
        let work = plan::work(writer, listing, [&before, &left], &self.engine.target)?;
        job.run(view.generation, work.unknown.len());
        if self.defer_fsync && work.unknown.len() <= BULK_FILES {
            writer.defer_fsync()?;
        }
        let oversized = listing.oversized().map(|path| OversizedFile { path: path.to_string(), content: None });
        let outcome = self.store_and_publish(writer, &view, &before, work, oversized.collect(), job);
        if outcome.is_err() {
            writer.abandon();
        }
        outcome
    }

    fn store_and_publish(
        &self,
        writer: &mut Writer,
        view: &ViewRow,
        before: &Manifest,
        work: Work,
        mut oversized: Vec<OversizedFile>,
        job: &mut JobLog,
    ) -> Result<PublishOutcome> {
        let mut report = SyncReport { reused: work.known.len(), ..SyncReport::default() };
        let mut next = work.known;
        let total = work.unknown.len();
        let known_contents = writer.known_contents(work.unknown.iter().map(|file| file.path.as_str()))?;
        writer.begin()?;
        let (first, mut done) = (writer.next_version(), 0);
        self.progress.report(Stage::Indexing, 0, total);
        let stored = writer.stored_data().map(Path::to_path_buf);
        let embedder = self.embedder.filter(|embedder| embedder.is_fast());
        let makes_trigrams = report.reused + total >= self.engine.config.index.trigrams_from_files;
        let (files, stored) = (work.unknown.as_slice(), stored.as_deref());
        let workload = Workload { files, known: &known_contents, stored, embedder, makes_trigrams };
        read_and_parse(self.engine, workload, self.progress, &mut |step| {
            let (file, outcome) = match step {
                // The first file is being parsed meanwhile.
                ParseEvent::Started => return writer.warm_up(total > BULK_FILES),
                ParseEvent::Done(file, outcome) => (file, outcome),
            };
            done += 1;
            job.progress(done);
            match outcome {
                FileOutcome::New { version, stat, is_parsed } => {
                    report.unreadable += usize::from(version.content_id == UNREADABLE);
                    let version = writer.put(&file.path, *version)?;
                    next.push(NextEntry { path: file.path.clone(), version, stat });
                    *if is_parsed { &mut report.parsed } else { &mut report.reused } += 1;
                }
                FileOutcome::Known { version, stat } => {
                    next.push(NextEntry { path: file.path.clone(), version, stat });
                    report.reused += 1;
                }
                FileOutcome::Oversized => {
                    oversized.push(OversizedFile { path: file.path.clone(), content: file.git_id });
                    return Ok(());
                }
                FileOutcome::Vanished => return Ok(()),
            }
            if let Some(NextEntry { path, version, stat }) = next.last() {
                writer.note_read(path, *version, *stat)?;
            }
            writer.save_if_due(view.id).map(|_| ())
        })?;
        self.progress.report(Stage::Publishing, total, total);
        job.validate();
        writer.validate(first)?;
        self.publish(writer, view, before, next, oversized, report)
    }

    fn publish(
        &self,
        writer: &mut Writer,
        view: &ViewRow,
        before: &Manifest,
        mut next: Vec<NextEntry>,
        mut oversized: Vec<OversizedFile>,
        mut report: SyncReport,
    ) -> Result<PublishOutcome> {
        next.sort_by(|a, b| a.path.cmp(&b.path));
        oversized.sort_by(|a, b| a.path.cmp(&b.path));
        let mut known = before.in_order();
        let (mut added, mut modified) = (0, 0);
        for entry in &next {
            match known.get(&entry.path) {
                None => added += 1,
                Some(before) => modified += usize::from(before.version != entry.version),
            }
        }
        report.removed = before.len() + added - next.len();
        report.changed = added + modified + report.removed;
        report.published = writer.publish(view, before, &next, &oversized, self.head)?;
        let manifest = writer.manifest_of(before, &next, view, report.published)?;
        if !self.defer_fsync {
            manifest_copy::keep(&manifest);
        }
        let files = PublishedFiles {
            data: manifest.id.data.clone(),
            generation: manifest.id.generation,
            view_epoch: manifest.id.view_epoch,
            files: next.into_iter().map(|entry| (entry.path, entry.version)).collect(),
        };
        Ok((report, files, manifest))
    }
}
