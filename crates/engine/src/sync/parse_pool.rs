//! Reads and parses the files of a sync on several threads.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use codecompass_embed::Embedder;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{ContentId, FileStat, SkipReason, VersionId};
use crate::parse::document;
use crate::progress::{Progress, Stage};
use crate::scan::{ListedFile, ReadOutcome, SourceReader};
use crate::store::read::lookup::FactLookup;
use crate::store::sqlite::versions::KnownContents;
use crate::store::write::new_version::NewVersion;

/// The outcome of reading a file.
pub(super) enum FileOutcome {
    New {
        version: Box<NewVersion>,
        stat: Option<FileStat>,
        is_parsed: bool,
    },
    Known {
        version: VersionId,
        stat: Option<FileStat>,
    },
    /// Too large to be indexed.
    Oversized,
    Vanished,
}

/// Stands for the content of a file that cannot be read; its stat changes with its permissions.
pub(super) const UNREADABLE: ContentId = ContentId([0; 20]);

/// The files to read, and what the store has at their paths.
#[derive(Clone, Copy)]
pub(super) struct Workload<'a> {
    pub files: &'a [ListedFile],
    pub known: &'a KnownContents,
    /// The data folder, if it holds facts of anything.
    pub stored: Option<&'a Path>,
    /// The model that makes vectors while files are parsed.
    pub embedder: Option<&'a dyn Embedder>,
    /// True if the tree is so large that its texts get filters for text searches.
    pub makes_trigrams: bool,
}

/// A message of [`read_and_parse`] to its consumer.
pub(super) enum ParseEvent<'a> {
    /// The threads are at work; nothing is done yet.
    Started,
    /// A file is done.
    Done(&'a ListedFile, FileOutcome),
}

/// Reads and parses files on several threads and hands the results to `consume` on this one, in any
/// order. The queue between them is bounded, so memory is bounded by the number of threads, not of
/// files.
pub(super) fn read_and_parse(
    engine: &Engine,
    workload: Workload<'_>,
    progress: &dyn Progress,
    consume: &mut dyn FnMut(ParseEvent<'_>) -> Result<()>,
) -> Result<()> {
    let Workload { files, known, stored, embedder, makes_trigrams } = workload;
    if files.is_empty() {
        return Ok(());
    }
    let threads = engine.config.index.threads.clamp(1, files.len());
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel(threads * 16);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, stop) = (&next, &stop);
            scope.spawn(move || {
                let recall = stored.and_then(|data| FactLookup::open(data, &engine.store));
                let context = WorkerContext { reader: engine.source.reader(), recall, embedder, makes_trigrams };
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let stopped = stop.load(Ordering::Relaxed);
                    if stopped || sender.send((file, work(engine, &context, file, known))).is_err() {
                        break;
                    }
                }
                if let (Some(recall), Some(data)) = (context.recall, stored) {
                    recall.end(data, &engine.store);
                }
            });
        }
        drop(sender);
        let mut consume_all = || {
            consume(ParseEvent::Started)?;
            for (done, (file, work)) in receiver.iter().enumerate() {
                if progress.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                consume(ParseEvent::Done(file, work))?;
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

/// The reader, store connection and model of one thread.
struct WorkerContext<'a> {
    reader: SourceReader,
    recall: Option<FactLookup>,
    embedder: Option<&'a dyn Embedder>,
    makes_trigrams: bool,
}

fn work(engine: &Engine, context: &WorkerContext<'_>, file: &ListedFile, known: &KnownContents) -> FileOutcome {
    let WorkerContext { reader, recall, embedder, makes_trigrams } = context;
    let config = &engine.config.index;
    let is_commit = matches!(reader, SourceReader::Objects(_));
    let lookup = |content: &ContentId| known.get(&(file.path.clone(), *content)).copied();
    match reader.read(&file.path, file.git_id, config) {
        ReadOutcome::Text(source) => {
            let stat = (source.settled && !is_commit).then_some(source.stat);
            match lookup(&source.content_id) {
                Some(version) => FileOutcome::Known { version, stat },
                None => {
                    let parse_limit = Duration::from_millis(config.parse_timeout_ms);
                    let context = document::ParseContext {
                        parse_limit,
                        recall: recall.as_ref(),
                        embedder: *embedder,
                        makes_trigrams: *makes_trigrams,
                    };
                    let (version, is_parsed) = document::prepare(&file.path, &source, &context);
                    FileOutcome::New { version: Box::new(version), stat, is_parsed }
                }
            }
        }
        // On disk such a file is not listed at all.
        ReadOutcome::Skipped { reason: SkipReason::TooLarge(_), .. } if is_commit => FileOutcome::Oversized,
        ReadOutcome::Skipped { reason, content_id, stat, settled } => {
            let stat = (settled && !is_commit).then_some(if content_id.is_some() { stat } else { file.stat });
            let content_id = content_id.unwrap_or(UNREADABLE);
            match lookup(&content_id) {
                Some(version) => FileOutcome::Known { version, stat },
                None => {
                    let version = document::without_facts(content_id, file.stat.size, &reason);
                    FileOutcome::New { version: Box::new(version), stat, is_parsed: true }
                }
            }
        }
        ReadOutcome::Vanished => FileOutcome::Vanished,
    }
}
