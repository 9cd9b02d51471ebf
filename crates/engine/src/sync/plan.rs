//! The work of a sync, found by comparing the listing with the manifest.

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Result;
use crate::model::{Head, Target, VersionId};
use crate::scan::{ListedFile, Listing};
use crate::store::Snapshot;
use crate::store::read::open;
use crate::store::sqlite::manifest::{InOrder, Manifest};
use crate::store::sqlite::manifest_copy::CachedManifest;
use crate::store::write::publish::NextEntry;
use crate::store::write::writer::Writer;
use crate::sync::options::{SyncLimit, SyncOptions, SyncReport};
use crate::sync::staleness::{blobs_fetched_since, has_changed_more, is_current, same_head, same_oversized};

/// The state of the target, found before the writer's lock is asked for.
pub(super) struct Prepared {
    pub listing: Arc<Listing>,
    pub head: Option<Head>,
    /// The view's manifest, if it was read already.
    pub manifest: Option<CachedManifest>,
    /// True if the disk is not waited for.
    pub defer_fsync: bool,
}

/// The work of a sync of a whole listing.
pub(super) enum SyncPlan {
    /// Nothing, or nothing that the options allow.
    Current(Snapshot, SyncReport),
    /// Bring the view to this.
    Changed(Prepared),
}

/// Lists what the target holds, unless `listing` says it, and compares it with what was published
/// last.
pub(super) fn prepare(engine: &Engine, options: SyncOptions, listing: Option<Arc<Listing>>) -> Result<SyncPlan> {
    let is_commit = matches!(engine.target, Target::Commit { .. });
    // A commit never changes: once published, its view stays true, but for what this clone did not
    // have then.
    if is_commit
        && !options.rebuild
        && let Some(snapshot) = engine.snapshot()?
        && !blobs_fetched_since(engine, &snapshot)?
    {
        let report = SyncReport { reused: snapshot.paths().count(), ..SyncReport::of(snapshot.view()) };
        return Ok(SyncPlan::Current(snapshot, report));
    }
    let defer_fsync = listing.is_some();
    let listing = listing.map_or_else(|| engine.list().map(Arc::new), Ok)?;
    let head = engine.head()?;
    let mut manifest = None;
    if !options.rebuild
        && let Some((snapshot, published)) = open::open_with_manifest(&engine.store, &engine.view_key())?
    {
        let is_same = |view| same_oversized(&listing, view) && same_head(view, head.as_ref());
        if !is_commit && is_current(&listing, &published) && is_same(snapshot.view()) {
            let report = SyncReport { reused: listing.files.len(), ..SyncReport::of(snapshot.view()) };
            return Ok(SyncPlan::Current(snapshot, report));
        }
        if let Some(limit) = options.at_most.filter(|_| !is_commit) {
            let is_stale = has_changed_more(engine, &snapshot, &listing, &published, limit)?;
            if is_stale || limit == SyncLimit::NOTHING {
                let report = SyncReport { is_stale, ..SyncReport::of(snapshot.view()) };
                return Ok(SyncPlan::Current(snapshot, report));
            }
        }
        manifest = Some(CachedManifest { id: snapshot.manifest_id(), manifest: published });
    }
    Ok(SyncPlan::Changed(Prepared { listing, head, manifest, defer_fsync }))
}

/// The listed files: those whose content is known, and those that must be read.
pub(super) struct Work {
    pub known: Vec<NextEntry>,
    pub unknown: Vec<ListedFile>,
}

/// Longer lists of a commit's files are compared with everything the store has at once.
const SCAN_FROM: usize = 16;

/// Tells known files from those that must be read; `known` are the published manifest and what a
/// run that died had read.
pub(super) fn work(writer: &mut Writer, listing: &Listing, known: [&Manifest; 2], target: &Target) -> Result<Work> {
    let mut work = Work { known: Vec::with_capacity(listing.files.len()), unknown: Vec::new() };
    let is_commit = matches!(target, Target::Commit { .. });
    let all = if is_commit && listing.files.len() > SCAN_FROM { Some(writer.all_versions()?) } else { None };
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
            Some((version, stat)) => work.known.push(NextEntry { path: file.path.clone(), version, stat }),
            None => work.unknown.push(file.clone()),
        }
    }
    Ok(work)
}

/// Returns the version of a file whose content is known without reading it.
fn recognise(writer: &Writer, file: &ListedFile, known: &mut [InOrder<'_>; 2]) -> Result<Option<VersionId>> {
    let mut entries = known.iter_mut().filter_map(|manifest| manifest.get(&file.path));
    if let Some(entry) = entries.find(|entry| entry.stat == Some(file.stat)) {
        return Ok(Some(entry.version));
    }
    let Some(git_id) = &file.git_id else { return Ok(None) };
    // Line-end conversion, LFS and other filters make a clean file differ from its blob; they
    // change its size, too.
    let known = writer.known_version(&file.path, git_id)?;
    Ok(known.filter(|(_, size)| *size == file.stat.size).map(|(version, _)| version))
}
