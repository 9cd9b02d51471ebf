//! Brings a view up to date. A first index, an edit, a checkout of another branch: all run through [`sync`].

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use crate::document;
use crate::error::{Error, Result};
use crate::model::{ContentId, FileStat, VersionId};
use crate::scan::{self, Head, ListedFile, Listing, ReadOutcome};
use crate::store::jobs;
use crate::store::snapshot::{self, Snapshot};
use crate::store::view::{Entry, Manifest, ViewRow};
use crate::store::writer::{NewVersion, NextEntry, Writer};
use crate::{Engine, PATIENCE};

/// What a sync is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another process, with this id, is writing.
    Waiting(u32),
    /// Reading and parsing files.
    Indexing,
    /// Making the new state visible.
    Publishing,
}

/// Hears how a sync goes and may stop it.
pub trait Progress: Sync {
    /// `done` of `total` files are stored.
    fn report(&self, stage: Stage, done: usize, total: usize);
    /// Asked often; `true` ends the sync with [`Error::Cancelled`], leaving the published state as it was.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Says nothing and never cancels.
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _: Stage, _: usize, _: usize) {}
}

/// How to sync.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncOptions {
    /// Build a new store from nothing and then replace the old one.
    pub rebuild: bool,
}

/// What a sync did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// Files of the view.
    pub files: usize,
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
}

/// Brings the engine's view up to date with what is on disk and returns the new snapshot.
pub fn sync(engine: &Engine, options: SyncOptions, progress: &dyn Progress) -> Result<(Snapshot, SyncReport)> {
    match bring_up_to_date(engine, options, progress) {
        // Where nothing can be written, what is there still answers as long as it is true.
        Err(error @ (Error::DiskFull { .. } | Error::Unwritable { .. })) if !options.rebuild => {
            let published = engine.snapshot().ok().flatten().filter(|_| is_fresh(engine).is_ok_and(|fresh| fresh));
            let files = published.as_ref().map_or(0, |snapshot| snapshot.paths().count());
            let report = SyncReport { files, reused: files, ..SyncReport::default() };
            published.map(|snapshot| (snapshot, report)).ok_or(error)
        }
        outcome => outcome,
    }
}

fn bring_up_to_date(
    engine: &Engine,
    options: SyncOptions,
    progress: &dyn Progress,
) -> Result<(Snapshot, SyncReport)> {
    let mut listing = scan::list(&engine.workspace, &engine.config.index)?;
    let head = scan::head(&engine.workspace)?;
    if !options.rebuild
        && let Some((snapshot, manifest)) = snapshot::open_with_manifest(&engine.store, &engine.workspace)?
        && is_current(&listing, &manifest)
        && same_head(&snapshot, head.as_ref())
    {
        let files = listing.files.len();
        return Ok((snapshot, SyncReport { files, reused: files, ..SyncReport::default() }));
    }
    let mut waited = false;
    let mut on_wait = |pid| {
        waited = true;
        progress.report(Stage::Waiting(pid), 0, 0);
    };
    let mut writer = match options.rebuild {
        true => engine.store.rebuilder(&engine.config.index, PATIENCE, &mut on_wait)?,
        false => engine.store.writer(&engine.config.index, PATIENCE, &mut on_wait)?,
    };
    if waited {
        // The files may have changed while another process was writing.
        listing = scan::list(&engine.workspace, &engine.config.index)?;
    }
    let outcome = run(engine, &mut writer, listing, head.as_ref(), progress);
    if options.rebuild {
        match &outcome {
            Ok(_) => engine.store.adopt(&writer)?,
            Err(_) => engine.store.discard(&writer),
        }
    }
    let report = outcome.map_err(|error| engine.store.locate(error))?;
    writer.finish().map_err(|error| engine.store.locate(error))?;
    let snapshot = Snapshot::open(&engine.store, &engine.workspace)?;
    let snapshot = snapshot.ok_or_else(|| Error::InvalidInput("the store vanished while it was written".into()))?;
    Ok((snapshot, report))
}

/// Whether the published state of the engine's view is what is on disk now.
pub(crate) fn is_fresh(engine: &Engine) -> Result<bool> {
    let Some((snapshot, manifest)) = snapshot::open_with_manifest(&engine.store, &engine.workspace)? else {
        return Ok(false);
    };
    let listing = scan::list(&engine.workspace, &engine.config.index)?;
    if listing.files.len() != manifest.len() || !same_head(&snapshot, scan::head(&engine.workspace)?.as_ref()) {
        return Ok(false);
    }
    for file in &listing.files {
        let Some(entry) = manifest.get(&file.path) else { return Ok(false) };
        // A file that was only touched, or written just before the last sync, must be read to know.
        if entry.stat != Some(file.stat) && !holds(engine, &snapshot, &file.path, entry.version)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the content on disk is the one of `version`.
fn holds(engine: &Engine, snapshot: &Snapshot, path: &str, version: VersionId) -> Result<bool> {
    let now = match scan::read(&engine.workspace.root, path, &engine.config.index) {
        ReadOutcome::Text(source) => source.content_id,
        ReadOutcome::Skipped { content_id, .. } => content_id.unwrap_or(UNREADABLE),
        ReadOutcome::Vanished => return Ok(false),
    };
    Ok(snapshot.file_info(version)?.content_id == now.0)
}

/// True when every listed file is the one the manifest knows, and the manifest knows no other.
fn is_current(listing: &Listing, manifest: &Manifest) -> bool {
    let unchanged = |file: &ListedFile| manifest.get(&file.path).is_some_and(|entry| entry.stat == Some(file.stat));
    listing.files.len() == manifest.len() && listing.files.iter().all(unchanged)
}

fn same_head(snapshot: &Snapshot, head: Option<&Head>) -> bool {
    let (reference, commit) = head.map_or((None, None), |head| (head.reference.as_deref(), head.commit.as_deref()));
    snapshot.view.head_ref.as_deref() == reference && snapshot.view.head_commit.as_deref() == commit
}

/// Scan, parse, store, publish; the writer is locked for all of it.
fn run(
    engine: &Engine,
    writer: &mut Writer,
    listing: Listing,
    head: Option<&Head>,
    progress: &dyn Progress,
) -> Result<SyncReport> {
    // The store is looked at only now that nobody else can change it.
    let (view, before) = writer.view(engine.workspace.kind, &engine.workspace.root.to_string_lossy())?;
    let plan = plan(writer, &listing, &before)?;
    let job = jobs::start(writer.db(), view.id, plan.unknown.len())?;
    let outcome = store_and_publish(engine, writer, &view, &before, plan, head, progress);
    if let Err(error) = &outcome {
        writer.abandon();
        let _ = jobs::end(writer.db(), job, view.id, Some(&error.to_string()));
    } else {
        jobs::end(writer.db(), job, view.id, None)?;
    }
    outcome
}

/// Which listed files are known, and which must be read.
struct Plan {
    known: Vec<NextEntry>,
    unknown: Vec<ListedFile>,
}

fn plan(writer: &mut Writer, listing: &Listing, before: &Manifest) -> Result<Plan> {
    let mut plan = Plan { known: Vec::with_capacity(listing.files.len()), unknown: Vec::new() };
    for file in &listing.files {
        match recognise(writer, file, before.get(&file.path))? {
            Some(version) => plan.known.push(NextEntry { path: file.path.clone(), version, stat: Some(file.stat) }),
            None => plan.unknown.push(file.clone()),
        }
    }
    Ok(plan)
}

/// The version of a file whose content is known without reading it.
fn recognise(writer: &mut Writer, file: &ListedFile, entry: Option<&Entry>) -> Result<Option<VersionId>> {
    if let Some(entry) = entry.filter(|entry| entry.stat == Some(file.stat)) {
        return Ok(Some(entry.version));
    }
    let Some(git_id) = &file.git_id else { return Ok(None) };
    // Line-end conversion, LFS and other filters make a clean file differ from its blob; they change its size, too.
    let known = writer.known_version(&file.path, git_id)?;
    Ok(known.filter(|(_, size)| *size == file.stat.size).map(|(version, _)| version))
}

fn store_and_publish(
    engine: &Engine,
    writer: &mut Writer,
    view: &ViewRow,
    before: &Manifest,
    plan: Plan,
    head: Option<&Head>,
    progress: &dyn Progress,
) -> Result<SyncReport> {
    let total = plan.unknown.len();
    let mut report = SyncReport { reused: plan.known.len(), ..SyncReport::default() };
    let mut next = plan.known;
    let known_contents = known_contents(writer, &plan.unknown)?;
    writer.begin(total > BULK_FILES)?;
    progress.report(Stage::Indexing, 0, total);
    let stored = read_and_parse(engine, &plan.unknown, &known_contents, progress, &mut |file, outcome| {
        match outcome {
            Work::New { version, stat } => {
                report.unreadable += usize::from(version.content_id == UNREADABLE);
                let version = writer.put(&file.path, *version)?;
                next.push(NextEntry { path: file.path.clone(), version, stat });
                report.parsed += 1;
            }
            Work::Known { version, stat } => {
                next.push(NextEntry { path: file.path.clone(), version, stat });
                report.reused += 1;
            }
            Work::Vanished => {}
        }
        Ok(())
    });
    stored?;
    progress.report(Stage::Publishing, total, total);
    next.sort_by(|a, b| a.path.cmp(&b.path));
    report.files = next.len();
    report.removed = before.len() + next.iter().filter(|entry| !before.contains_key(&entry.path)).count() - next.len();
    report.published = writer.publish(view, before, &next, head)?;
    Ok(report)
}

/// Above this many files the text index gets its full memory budget and threads.
const BULK_FILES: usize = 50;

/// What became of one file.
enum Work {
    New { version: Box<NewVersion>, stat: Option<FileStat> },
    Known { version: VersionId, stat: Option<FileStat> },
    Vanished,
}

/// Stands for the content of a file that cannot be read; its stat changes with its permissions.
const UNREADABLE: ContentId = ContentId([0; 20]);

/// Contents that the store already has at the paths to be read.
type KnownContents = HashMap<(String, ContentId), VersionId>;

fn known_contents(writer: &Writer, files: &[ListedFile]) -> Result<KnownContents> {
    let mut known = HashMap::new();
    let sql =
        "SELECT v.content_id, v.version_id FROM file_version v JOIN path p ON p.path_id = v.path_id WHERE p.path = ?1";
    let mut statement = writer.db().prepare_cached(sql)?;
    for file in files {
        let mut rows = statement.query([&file.path])?;
        while let Some(row) = rows.next()? {
            let content: Vec<u8> = row.get(0)?;
            if let Some(content) = ContentId::from_slice(&content) {
                known.insert((file.path.clone(), content), VersionId(row.get(1)?));
            }
        }
    }
    Ok(known)
}

/// Reads and parses `files` on several threads and hands the results to `consume` on this one, in any order. The queue
/// between them is bounded, so memory is bounded by the number of threads, not of files.
fn read_and_parse(
    engine: &Engine,
    files: &[ListedFile],
    known: &KnownContents,
    progress: &dyn Progress,
    consume: &mut dyn FnMut(&ListedFile, Work) -> Result<()>,
) -> Result<()> {
    let threads = engine.config.index.threads.clamp(1, files.len().max(1));
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel(threads * 16);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, stop) = (&next, &stop);
            scope.spawn(move || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stop.load(Ordering::Relaxed) || sender.send((file, work(engine, file, known))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut consume_all = || {
            for (done, (file, work)) in receiver.iter().enumerate() {
                if progress.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                consume(file, work)?;
                progress.report(Stage::Indexing, done + 1, files.len());
            }
            Ok(())
        };
        let outcome = consume_all();
        stop.store(true, Ordering::Relaxed);
        // Threads blocked on a full queue wake up when the receiver goes.
        drop(receiver);
        outcome
    })
}

fn work(engine: &Engine, file: &ListedFile, known: &KnownContents) -> Work {
    let config = &engine.config.index;
    let lookup = |content: &ContentId| known.get(&(file.path.clone(), *content)).copied();
    match scan::read(&engine.workspace.root, &file.path, config) {
        ReadOutcome::Text(source) => {
            let stat = source.settled.then_some(source.stat);
            match lookup(&source.content_id) {
                Some(version) => Work::Known { version, stat },
                None => {
                    let limit = Duration::from_millis(config.parse_timeout_ms);
                    Work::New { version: Box::new(document::prepare(&file.path, &source, limit)), stat }
                }
            }
        }
        ReadOutcome::Skipped { reason, content_id, stat, settled } => {
            let stat = settled.then_some(if content_id.is_some() { stat } else { file.stat });
            let content_id = content_id.unwrap_or(UNREADABLE);
            match lookup(&content_id) {
                Some(version) => Work::Known { version, stat },
                None => {
                    Work::New { version: Box::new(document::without_facts(content_id, file.stat.size, &reason)), stat }
                }
            }
        }
        ReadOutcome::Vanished => Work::Vanished,
    }
}
