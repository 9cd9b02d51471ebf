//! Makes the vectors that indexing did not make on the way: those of a slow model, those that an
//! unreachable one still owes, and all of them after the model was changed.
//!
//! Batches are committed one by one, so that a run which is interrupted goes on where it was.

use codecompass_embed::{Document, Embedded, Embedder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{ContentId, VersionId};
use crate::progress::{Progress, Stage};
use crate::store::facts::shared_items::Item;
use crate::store::vectors::{Header, QuantizedVector};
use crate::store::write::writer::Writer;
use crate::store::{LOCK_TIMEOUT, Snapshot};
use crate::sync::options::{SyncLimit, SyncOptions, SyncReport};

/// Documents after which a batch is committed.
const BATCH: usize = 2_000;

/// The share of a view's documents that have vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Search documents of the view.
    pub documents: usize,
    /// Those with a vector.
    pub embedded: usize,
}

/// Counts the documents of the snapshot's view and those that have a vector of this model.
pub(crate) fn coverage(snapshot: &Snapshot, embedder: &dyn Embedder) -> Result<Coverage> {
    let documents = snapshot.view().totals.chunks.max(0) as usize;
    let missing = missing(snapshot, embedder)?.map_or(0, |missing| missing.total);
    Ok(Coverage { documents, embedded: documents.saturating_sub(missing) })
}

/// Makes the vectors that documents of the view lack, if there are any. The answers of words do not
/// wait for them: when they cannot be made, that is no error.
pub(super) fn embed_missing(
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
    if missing(&snapshot, embedder.as_ref())?.is_none() {
        return Ok((snapshot, report));
    }
    let mut writer = match engine.store.writer(&engine.config.index, LOCK_TIMEOUT, progress) {
        Ok(writer) => writer,
        Err(Error::DiskFull { .. } | Error::Unwritable { .. }) => return Ok((snapshot, report)),
        Err(error) => return Err(error),
    };
    // Others may have published, or made them, while we waited.
    drop(snapshot);
    let snapshot = engine.snapshot()?.ok_or(Error::StoreRemoved)?;
    let Some(missing) = missing(&snapshot, embedder.as_ref())? else { return Ok((snapshot, report)) };
    let total = missing.total;
    let filled = fill(engine, embedder.as_ref(), &snapshot, missing, &mut writer, progress);
    if filled.is_err() {
        writer.abandon();
    }
    let Filled { made, problem } = filled?;
    let unembedded = problem.map(|problem| (total.saturating_sub(made), problem));
    let _lock = writer.finish()?;
    let snapshot = engine.snapshot()?.ok_or(Error::StoreRemoved)?;
    Ok((snapshot, SyncReport { embedded: made, unembedded, ..report }))
}

/// The result of a run of the model.
struct Filled {
    made: usize,
    /// The reason why the other vectors were not made.
    problem: Option<String>,
}

/// The documents of a view without vectors.
struct Missing {
    /// Per file: its documents without a vector and which chunk of the file each is.
    files: Vec<(VersionId, Vec<(Item, u32)>)>,
    /// The number of vectors that each unfinished version should have, and the number it has.
    by_origin: FxHashMap<VersionId, (u32, u32)>,
    total: usize,
}

/// Finds the documents of the snapshot's view that have no vector of this model; `None` when all
/// have one.
fn missing(snapshot: &Snapshot, embedder: &dyn Embedder) -> Result<Option<Missing>> {
    let mut by_origin = snapshot.unembedded(Header::of(embedder))?;
    if by_origin.is_empty() {
        return Ok(None);
    }
    let mut present: FxHashSet<Item> = FxHashSet::default();
    if let Some(vectors) = snapshot.vectors()?.filter(|vectors| vectors.header == Header::of(embedder)) {
        for item in (0..vectors.len()).map(|row| vectors.item(row)) {
            if let Some((_, found)) = by_origin.get_mut(&item.origin) {
                *found += u32::from(present.insert(item));
            }
        }
    }
    let mut files = Vec::new();
    let mut total = 0;
    for (_, version) in snapshot.files() {
        let documents = snapshot.documents_of(*version)?;
        let lacking = |item: &Item| by_origin.contains_key(&item.origin) && !present.contains(item);
        let lacking: Vec<(Item, u32)> = documents.items().zip(0..).filter(|(item, _)| lacking(item)).collect();
        total += lacking.len();
        if !lacking.is_empty() {
            files.push((*version, lacking));
        }
    }
    Ok((total > 0).then_some(Missing { files, by_origin, total }))
}

/// A document whose vector is to be made.
struct Waiting<'a> {
    item: Item,
    path: &'a str,
    text: String,
}

/// Makes vectors. What the model fails on is tried again by the next run; a model that fails on all
/// documents it was handed is not asked again by this one.
fn fill(
    engine: &Engine,
    embedder: &dyn Embedder,
    snapshot: &Snapshot,
    missing: Missing,
    writer: &mut Writer,
    progress: &dyn Progress,
) -> Result<Filled> {
    let Missing { files, mut by_origin, total } = missing;
    let (mut made, mut in_batch, mut problem) = (0, 0, None);
    progress.report(Stage::Embedding, 0, total);
    writer.use_model(Header::of(embedder));
    writer.begin()?;
    let mut waiting = Vec::new();
    let (last, at_once) = (files.len().saturating_sub(1), embedder.at_once().max(1));
    'files: for (at, (version, lacking)) in files.iter().enumerate() {
        read_into(engine, snapshot, *version, lacking, &mut waiting)?;
        // Files are small and requests are dear, so several files go together.
        while waiting.len() >= at_once || (at == last && !waiting.is_empty()) {
            let part: Vec<Waiting<'_>> = waiting.drain(..at_once.min(waiting.len())).collect();
            let documents: Vec<Document<'_>> =
                part.iter().map(|waiting| Document { path: waiting.path, text: &waiting.text }).collect();
            let Embedded { vectors, problem: failed } =
                embedder.embed_possible(&documents, &|| progress.is_cancelled());
            let mut done = 0;
            for (waiting, vector) in part.iter().zip(&vectors) {
                let Some(vector) = vector else { continue };
                writer.add_vector(waiting.item, &QuantizedVector::new(vector))?;
                if let Some((_, found)) = by_origin.get_mut(&waiting.item.origin) {
                    *found += 1;
                }
                done += 1;
            }
            if progress.is_cancelled() {
                writer.end_batch()?;
                return Err(Error::Cancelled);
            }
            problem = problem.or(failed.map(|error| error.to_string()));
            if done == 0 {
                break 'files;
            }
            made += done;
            in_batch += done;
            progress.report(Stage::Embedding, made, total);
            if in_batch >= BATCH {
                writer.end_batch()?;
                writer.begin()?;
                in_batch = 0;
            }
        }
    }
    let mut whole: Vec<VersionId> =
        by_origin.into_iter().filter(|(_, (wanted, found))| found >= wanted).map(|(origin, _)| origin).collect();
    whole.sort_unstable();
    writer.note_embedded(&whole)?;
    writer.end_batch()?;
    Ok(Filled { made, problem })
}

/// Reads the documents of a file that have no vector. What is no longer there as it was indexed
/// gets its vectors when it is indexed again.
fn read_into<'a>(
    engine: &Engine,
    snapshot: &'a Snapshot,
    version: VersionId,
    lacking: &[(Item, u32)],
    waiting: &mut Vec<Waiting<'a>>,
) -> Result<()> {
    let Some(path) = snapshot.path_of(version) else { return Ok(()) };
    let content = ContentId::from_slice(&snapshot.file_info(version)?.content_id);
    let Some(text) = engine.source.text(path, content, &engine.config.index) else { return Ok(()) };
    let outline = snapshot.outline(version)?;
    for (item, chunk) in lacking {
        let span = outline.chunks.get(*chunk as usize).map(|chunk| chunk.span);
        let text = span.and_then(|span| text.get(span.start_byte as usize..span.end_byte as usize)).unwrap_or("");
        waiting.push(Waiting { item: *item, path, text: text.to_string() });
    }
    Ok(())
}
