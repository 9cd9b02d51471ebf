//! Brings a view up to date. A first index, an edit, a checkout of another branch: all run through [`sync`].

pub(crate) mod embed;
pub(crate) mod incremental;
pub(crate) mod parse_pool;
pub(crate) mod staleness;

use std::path::Path;
use std::sync::Arc;

use codecompass_embed::Embedder;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{Head, Target, VersionId};
use crate::progress::{Progress, Stage};
use crate::scan::{ListedFile, Listing};
use crate::store::read::snapshot::{self, Known, Published, Snapshot};
use crate::store::sqlite::jobs::{self, JobLog, JobState};
use crate::store::sqlite::manifest::{InOrder, Manifest};
use crate::store::sqlite::manifest_copy;
use crate::store::sqlite::manifest_copy::KnownManifest;
use crate::store::sqlite::view::ViewRow;
use crate::store::vectors::Header;
use crate::store::write::writer::{Merging, NextEntry, Writer};
use crate::store::{GRACE, LOCK_TIMEOUT};
use crate::sync::parse_pool::{Step, UNREADABLE, Work, Workload, read_and_parse};
use crate::sync::staleness::{has_changed_more, has_gained, is_current, same_head};

pub(crate) use crate::sync::incremental::{Memory, sync_few};
pub(crate) use crate::sync::staleness::is_fresh;

/// How to sync.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncOptions {
    /// Build a new store from nothing and then replace the old one.
    pub rebuild: bool,
    /// Make vectors that are missing even if the model is slow; those of a fast one are always made.
    pub embed: bool,
    /// If more than this has changed, leave the published state as it is and say so in the report. Where nothing is published
    /// yet, this does not count.
    pub at_most: Option<SyncLimit>,
}

/// How much may have changed for a sync to be worth waiting for. What has to be parsed costs most by far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncLimit {
    /// Files whose content the store does not have.
    pub parsed: usize,
    /// Files whose content it has, as after a checkout of a branch that was indexed before, and files that are gone.
    pub recognised: usize,
}

impl SyncLimit {
    /// The published state is never changed.
    pub const NOTHING: SyncLimit = SyncLimit { parsed: 0, recognised: 0 };
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// The view's generation.
    pub generation: i64,
    /// Files of the view that have facts.
    pub files: usize,
    /// Definitions in them.
    pub symbols: usize,
    /// Contents parsed because they were never seen before.
    pub parsed: usize,
    /// Contents recognised without parsing.
    pub reused: usize,
    /// Paths that are no longer there.
    pub removed: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Whether a new generation was published.
    pub published: bool,
    /// Vectors made after the files were stored.
    pub embedded: usize,
    /// Vectors that could not be made then, and why.
    pub unembedded: Option<(usize, String)>,
    /// Whether files have changed that the snapshot does not know, because they are more than were allowed.
    pub is_stale: bool,
}

impl SyncReport {
    /// What the view holds, and nothing done.
    fn of(view: &ViewRow) -> SyncReport {
        SyncReport {
            generation: view.generation,
            files: view.totals.files.max(0) as usize,
            symbols: view.totals.symbols.max(0) as usize,
            ..SyncReport::default()
        }
    }
}

/// How often a run is tried that meets errors which pass.
const MAX_ATTEMPTS: u32 = 4;

/// Brings the engine's view up to date with what is on disk and returns the new snapshot.
pub fn sync(engine: &Engine, options: SyncOptions, progress: &dyn Progress) -> Result<(Snapshot, SyncReport)> {
    run(engine, options, None, progress)
}

fn run(
    engine: &Engine,
    options: SyncOptions,
    mut listing: Option<Arc<Listing>>,
    progress: &dyn Progress,
) -> Result<(Snapshot, SyncReport)> {
    let mut attempt = 1;
    let outcome = loop {
        let outcome = bring_up_to_date(engine, options, listing.take(), attempt, progress)
            .and_then(|(snapshot, report)| embed_rest(engine, options, snapshot, report, progress));
        match outcome {
            Err(error) if error.is_transient() && attempt < MAX_ATTEMPTS => {
                jobs::pause_before(attempt, &|| progress.is_cancelled())?;
                attempt += 1;
            }
            outcome => break outcome,
        }
    };
    match outcome {
        Ok((snapshot, report)) => {
            engine.store.touch(&snapshot, &engine.view_key());
            Ok((snapshot, report))
        }
        // Where nothing can be written, what is there still answers as long as it is true.
        Err(error @ (Error::DiskFull { .. } | Error::Unwritable { .. })) if !options.rebuild => {
            let published = engine.snapshot().ok().flatten().filter(|_| is_fresh(engine).is_ok_and(|fresh| fresh));
            let answer = |snapshot: Snapshot| {
                let report = SyncReport { reused: snapshot.paths().count(), ..SyncReport::of(&snapshot.view) };
                (snapshot, report)
            };
            published.map(answer).ok_or(error)
        }
        outcome => outcome,
    }
}

fn bring_up_to_date(
    engine: &Engine,
    options: SyncOptions,
    listing: Option<Arc<Listing>>,
    attempt: u32,
    progress: &dyn Progress,
) -> Result<(Snapshot, SyncReport)> {
    let is_commit = matches!(engine.target, Target::Commit { .. });
    // A commit never changes: once published, its view stays true, but for what this clone did not have then.
    if is_commit
        && !options.rebuild
        && let Some(snapshot) = engine.snapshot()?
        && !has_gained(engine, &snapshot)?
    {
        let report = SyncReport { reused: snapshot.paths().count(), ..SyncReport::of(&snapshot.view) };
        return Ok((snapshot, report));
    }
    let unhurried = listing.is_some();
    let listing = listing.map_or_else(|| engine.list().map(Arc::new), Ok)?;
    let head = engine.head()?;
    let mut known = None;
    if !options.rebuild
        && let Some((snapshot, manifest)) = snapshot::open_with_manifest(&engine.store, &engine.view_key())?
    {
        if !is_commit && is_current(&listing, &manifest) && same_head(&snapshot.view, head.as_ref()) {
            let report = SyncReport { reused: listing.files.len(), ..SyncReport::of(&snapshot.view) };
            return Ok((snapshot, report));
        }
        if let Some(most) = options.at_most.filter(|_| !is_commit) {
            let is_stale = has_changed_more(engine, &snapshot, (&listing, &manifest), most)?;
            if is_stale || most == SyncLimit::NOTHING {
                let report = SyncReport { is_stale, ..SyncReport::of(&snapshot.view) };
                return Ok((snapshot, report));
            }
        }
        known = Some(KnownManifest { of: snapshot.manifest_is_of(), manifest });
    }
    let mut job = JobLog::queue(&engine.store, &engine.view_key(), attempt);
    let found = Found { listing, head, known, unhurried };
    let outcome = put_in_order(engine, options, found, &mut job, progress).and_then(|written| {
        let Written { report, published, merging, .. } = written;
        let lock = merging.finish()?;
        let known = Known { published: Some(&published), ..Known::default() };
        let snapshot = snapshot::open_known(&engine.store, &engine.view_key(), known)?;
        drop(lock);
        let snapshot = snapshot.ok_or_else(|| Error::InvalidInput("the store vanished while it was written".into()))?;
        Ok((snapshot, report))
    });
    job.end(outcome.as_ref().err());
    outcome
}

/// What was found before the writer's lock was asked for.
struct Found {
    listing: Arc<Listing>,
    head: Option<Head>,
    known: Option<KnownManifest>,
    unhurried: bool,
}

/// What was written.
struct Written {
    report: SyncReport,
    published: Published,
    /// The view's manifest now, for who syncs again soon.
    known: KnownManifest,
    /// Its lock is to be held until what was published is open: an import would put another state in its place.
    merging: Merging,
}

/// Takes the writer's lock and brings the view up to date.
fn put_in_order(
    engine: &Engine,
    options: SyncOptions,
    found: Found,
    job: &mut JobLog,
    progress: &dyn Progress,
) -> Result<Written> {
    let Found { mut listing, head, known, unhurried } = found;
    let mut writer = match options.rebuild {
        true => engine.store.rebuilder(&engine.config.index, LOCK_TIMEOUT, progress)?,
        false => engine.store.writer(&engine.config.index, LOCK_TIMEOUT, progress)?,
    };
    if writer.has_waited() {
        // The files may have changed while another process was writing.
        listing = Arc::new(engine.list()?);
    }
    let embedder = engine.embedder();
    if let Some(embedder) = &embedder {
        writer.use_model(Header::of(embedder.as_ref()));
    }
    let run = Run { engine, head: head.as_ref(), embedder: embedder.as_deref(), unhurried, progress };
    let outcome = run.execute(&mut writer, &listing, known, job);
    if !engine.store.is_current(&writer)? {
        match &outcome {
            Ok(_) => engine.store.adopt(&writer)?,
            Err(_) => engine.store.discard(&writer),
        }
    }
    let Outcome { report, published, known } = outcome?;
    if report.published {
        writer.collect_if_due(&engine.retention(GRACE));
    }
    let finish = |writer: Writer| -> Result<Written> {
        let view = writer.published_view(&engine.view_key())?;
        let totals = SyncReport::of(&view);
        let report =
            SyncReport { generation: totals.generation, files: totals.files, symbols: totals.symbols, ..report };
        Ok(Written { report, published, known, merging: writer.close()? })
    };
    finish(writer)
}

/// Makes the vectors that documents of the view lack, if there are any. The answers of words do not wait for them: when they
/// cannot be made, that is no error.
fn embed_rest(
    engine: &Engine,
    options: SyncOptions,
    snapshot: Snapshot,
    report: SyncReport,
    progress: &dyn Progress,
) -> Result<(Snapshot, SyncReport)> {
    let may_write = !report.is_stale && options.at_most != Some(SyncLimit::NOTHING);
    let embedder = engine.embedder().filter(|embedder| may_write && (embedder.is_fast() || options.embed));
    let Some(embedder) = embedder else {
        return Ok((snapshot, report));
    };
    if embed::missing(&snapshot, embedder.as_ref())?.is_none() {
        return Ok((snapshot, report));
    }
    let mut writer = match engine.store.writer(&engine.config.index, LOCK_TIMEOUT, progress) {
        Ok(writer) => writer,
        Err(Error::DiskFull { .. } | Error::Unwritable { .. }) => return Ok((snapshot, report)),
        Err(error) => return Err(error),
    };
    // Others may have published, or made them, while we waited.
    drop(snapshot);
    let reopen = || -> Result<Snapshot> {
        let snapshot = engine.snapshot()?;
        snapshot.ok_or_else(|| Error::InvalidInput("the store vanished while it was written".into()))
    };
    let snapshot = reopen()?;
    let Some(missing) = embed::missing(&snapshot, embedder.as_ref())? else { return Ok((snapshot, report)) };
    let total = missing.total;
    let filled = embed::fill(engine, embedder.as_ref(), &snapshot, missing, &mut writer, progress);
    if filled.is_err() {
        writer.abandon();
    }
    let embed::Filled { made, problem } = filled?;
    let unembedded = problem.map(|problem| (total.saturating_sub(made), problem));
    let _lock = writer.finish()?;
    Ok((reopen()?, SyncReport { embedded: made, unembedded, ..report }))
}

/// What stays the same while the writer is locked.
struct Run<'a> {
    engine: &'a Engine,
    head: Option<&'a Head>,
    embedder: Option<&'a dyn Embedder>,
    unhurried: bool,
    progress: &'a dyn Progress,
}

impl Run<'_> {
    /// Plan, parse, store, publish. `known` is the view's manifest, if it was read already.
    fn execute(
        &self,
        writer: &mut Writer,
        listing: &Listing,
        known: Option<KnownManifest>,
        job: &mut JobLog,
    ) -> Result<Outcome> {
        // Only now nobody else can change the store.
        let (view, before) = writer.view(&self.engine.view_key(), known)?;
        let has_published =
            job.last(&self.engine.view_key()).map_or(view.generation > 0, |job| job.state == JobState::Published);
        let left = if has_published { Manifest::default() } else { writer.left_by_interrupted(view.id)? };
        let plan = plan(writer, listing, [&before, &left], &self.engine.target)?;
        job.run(view.generation, plan.unknown.len());
        if self.unhurried && plan.unknown.len() <= BULK_FILES {
            writer.hurry_not()?;
        }
        let outcome = self.store_and_publish(writer, &view, &before, plan, job);
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
        plan: Plan,
        job: &mut JobLog,
    ) -> Result<Outcome> {
        let total = plan.unknown.len();
        let mut report = SyncReport { reused: plan.known.len(), ..SyncReport::default() };
        let mut next = plan.known;
        let known_contents = writer.known_contents(plan.unknown.iter().map(|file| file.path.as_str()))?;
        writer.begin()?;
        let (first, mut done) = (writer.next_version(), 0);
        self.progress.report(Stage::Indexing, 0, total);
        let stored = writer.stored_data().map(Path::to_path_buf);
        let embedder = self.embedder.filter(|embedder| embedder.is_fast());
        let work = Workload { files: &plan.unknown, known: &known_contents, stored: stored.as_deref(), embedder };
        read_and_parse(self.engine, work, self.progress, &mut |step| {
            let (file, outcome) = match step {
                // The first file is being parsed meanwhile.
                Step::Started => return writer.warm_up(total > BULK_FILES),
                Step::Done(file, outcome) => (file, outcome),
            };
            done += 1;
            job.progress(done);
            match outcome {
                Work::New { version, stat, is_parsed } => {
                    report.unreadable += usize::from(version.content_id == UNREADABLE);
                    let version = writer.put(&file.path, *version)?;
                    next.push(NextEntry { path: file.path.clone(), version, stat });
                    *if is_parsed { &mut report.parsed } else { &mut report.reused } += 1;
                }
                Work::Known { version, stat } => {
                    next.push(NextEntry { path: file.path.clone(), version, stat });
                    report.reused += 1;
                }
                Work::Vanished => return Ok(()),
            }
            if let Some(NextEntry { path, version, stat }) = next.last() {
                writer.note_read(path, *version, *stat)?;
            }
            writer.save_if_due(view.id).map(|_| ())
        })?;
        self.progress.report(Stage::Publishing, total, total);
        job.validate();
        writer.validate(first)?;
        next.sort_by(|a, b| a.path.cmp(&b.path));
        let mut known = before.in_order();
        let added = next.iter().filter(|entry| known.get(&entry.path).is_none()).count();
        report.removed = before.len() + added - next.len();
        report.published = writer.publish(view, before, &next, self.head)?;
        let known = writer.manifest_of(before, &next, view, report.published)?;
        if !self.unhurried {
            manifest_copy::keep(&known);
        }
        let published = Published {
            data: known.of.data.clone(),
            generation: known.of.generation,
            view_epoch: known.of.view_epoch,
            files: next.into_iter().map(|entry| (entry.path, entry.version)).collect(),
        };
        Ok(Outcome { report, published, known })
    }
}

/// What a run did.
struct Outcome {
    report: SyncReport,
    published: Published,
    /// The whole manifest, for who wants to go on from there.
    known: KnownManifest,
}

/// Which listed files are known, and which must be read.
struct Plan {
    known: Vec<NextEntry>,
    unknown: Vec<ListedFile>,
}

/// Longer lists of a commit's files are compared with everything the store has at once.
const SCAN_FROM: usize = 16;

/// `known` are the published manifest and what a run that died had read.
fn plan(writer: &mut Writer, listing: &Listing, known: [&Manifest; 2], target: &Target) -> Result<Plan> {
    let mut plan = Plan { known: Vec::with_capacity(listing.files.len()), unknown: Vec::new() };
    let is_commit = matches!(target, Target::Commit { .. });
    let all = match is_commit && listing.files.len() > SCAN_FROM {
        true => Some(writer.all_versions()?),
        false => None,
    };
    let mut known = known.map(Manifest::in_order);
    for file in &listing.files {
        let known = match (target, &file.git_id) {
            (Target::Checkout, _) => recognise(writer, file, &mut known)?.map(|version| (version, Some(file.stat))),
            (Target::Commit { .. }, Some(id)) => {
                let version = match &all {
                    Some(all) => writer.noted_path(&file.path).and_then(|path| all.get(&(path, *id)).copied()),
                    None => writer.known_version(&file.path, id)?.map(|(version, _)| version),
                };
                version.map(|version| (version, None))
            }
            (Target::Commit { .. }, None) => None,
        };
        match known {
            Some((version, stat)) => plan.known.push(NextEntry { path: file.path.clone(), version, stat }),
            None => plan.unknown.push(file.clone()),
        }
    }
    Ok(plan)
}

/// The version of a file whose content is known without reading it.
fn recognise(writer: &Writer, file: &ListedFile, known: &mut [InOrder<'_>; 2]) -> Result<Option<VersionId>> {
    let mut entries = known.iter_mut().filter_map(|manifest| manifest.get(&file.path));
    if let Some(entry) = entries.find(|entry| entry.stat == Some(file.stat)) {
        return Ok(Some(entry.version));
    }
    let Some(git_id) = &file.git_id else { return Ok(None) };
    // Line-end conversion, LFS and other filters make a clean file differ from its blob; they change its size, too.
    let known = writer.known_version(&file.path, git_id)?;
    Ok(known.filter(|(_, size)| *size == file.stat.size).map(|(version, _)| version))
}

/// Above this many files the text index gets its full memory budget and threads.
const BULK_FILES: usize = 50;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::progress::NoProgress;
    use crate::store::Compatibility;
    use crate::store::disk::layout;
    use crate::store::sqlite::{db, meta};
    use crate::store::write::gc::Retention;

    #[test]
    fn an_outdated_index_is_replaced() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let old = layout::current_data(engine.store.root()).unwrap().unwrap();
        meta::set(&db::open(&old).unwrap(), "facts_version", db::FACTS - 1).unwrap();

        assert!(engine.snapshot().unwrap().is_none());
        assert_eq!(engine.compatibility().unwrap(), Compatibility::ReindexRequired);
        assert_eq!(engine.collect_garbage(Duration::ZERO).unwrap().removed_versions, 0);

        let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        assert_eq!((report.parsed, snapshot.paths().count()), (1, 1));
        assert_eq!(engine.compatibility().unwrap(), Compatibility::Compatible);
        assert!(!old.exists(), "the old data folder is removed");
    }

    /// Between a look at the view and the writer's lock, others may drop the view and make it again, up to the same
    /// generation.
    #[test]
    fn a_manifest_of_a_dropped_view_is_not_used() {
        let workspace = TestWorkspace::git("//- /a.py\ndef first(): pass\n//- /b.py\ndef other(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let commit = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let commit = commit.at_ref("HEAD~0").unwrap();
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let key = engine.view_key();
        let (snapshot, manifest) = snapshot::open_with_manifest(&engine.store, &key).unwrap().unwrap();
        let generation = snapshot.view.generation;
        let known = KnownManifest { of: snapshot.manifest_is_of(), manifest };
        drop(snapshot);

        let mut writer = engine.store.writer(&engine.config.index, LOCK_TIMEOUT, &NoProgress).unwrap();
        writer.db().execute("UPDATE view SET used_at = 0", []).unwrap();
        let retention = Retention { in_use: vec![commit.view_key()], ..engine.retention(Duration::ZERO) };
        assert_eq!(writer.collect_garbage(&retention).unwrap().dropped_views.len(), 1);
        drop(writer);
        workspace.write("a.py", "def second(): pass\n");
        let (_, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        assert_eq!((report.generation, report.parsed), (generation, 2));

        let writer = engine.store.writer(&engine.config.index, LOCK_TIMEOUT, &NoProgress).unwrap();
        let (row, manifest) = writer.view(&key, Some(known)).unwrap();
        assert_eq!(row.generation, generation);
        assert_eq!(manifest, crate::store::sqlite::view::manifest(writer.db(), &row).unwrap());
    }
}
