//! Whether a view is what is on disk.

use std::collections::HashSet;

use super::work::UNREADABLE;
use crate::Engine;
use crate::error::Result;
use crate::model::{SkipReason, Target, VersionId};
use crate::scan::{self, Head, ListedFile, Listing, ReadOutcome};
use crate::store::snapshot::{self, Snapshot};
use crate::store::view::Manifest;

/// Whether the published state of the engine's view is what is on disk now.
pub(crate) fn is_fresh(engine: &Engine) -> Result<bool> {
    let Some((snapshot, manifest)) = snapshot::open_with_manifest(&engine.store, &engine.view_key())? else {
        return Ok(false);
    };
    if matches!(engine.target, Target::Commit { .. }) {
        return Ok(!has_gained(engine, &snapshot)?);
    }
    let listing = engine.list()?;
    if listing.files.len() != manifest.len() || !same_head(&snapshot, engine.head()?.as_ref()) {
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

/// Whether contents of a commit that were missing from a partial clone have been fetched since its view was published.
pub(super) fn has_gained(engine: &Engine, snapshot: &Snapshot) -> Result<bool> {
    if !scan::is_partial_clone(&engine.workspace)? {
        return Ok(false);
    }
    let without_facts = snapshot.skipped_versions()?.into_iter();
    let missing: HashSet<String> =
        without_facts.filter(|(_, code)| code == "unreadable").map(|(path, _)| path).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let reader = engine.source.reader();
    let can_be_read = |file: &ListedFile| {
        let outcome = reader.read(&file.path, file.git_id, &engine.config.index);
        !matches!(outcome, ReadOutcome::Vanished | ReadOutcome::Skipped { reason: SkipReason::Unreadable(_), .. })
    };
    Ok(engine.list()?.files.iter().filter(|file| missing.contains(&file.path)).any(can_be_read))
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

/// Whether more than `most` files are not what the manifest knows.
pub(super) fn has_changed_more(
    engine: &Engine,
    snapshot: &Snapshot,
    (listing, manifest): (&Listing, &Manifest),
    most: usize,
) -> Result<bool> {
    let known = listing.files.iter().filter(|file| manifest.get(&file.path).is_some()).count();
    let removed = manifest.len() - known;
    let mut changed = removed + (listing.files.len() - known);
    if changed > most {
        return Ok(true);
    }
    for file in &listing.files {
        let Some(entry) = manifest.get(&file.path).filter(|entry| entry.stat != Some(file.stat)) else { continue };
        // A file that was only touched, or written just before the last sync, must be read to know.
        changed += usize::from(!holds(engine, snapshot, &file.path, entry.version)?);
        if changed > most {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True when every listed file is the one the manifest knows, and the manifest knows no other.
pub(super) fn is_current(listing: &Listing, manifest: &Manifest) -> bool {
    let unchanged = |file: &ListedFile| manifest.get(&file.path).is_some_and(|entry| entry.stat == Some(file.stat));
    listing.files.len() == manifest.len() && listing.files.iter().all(unchanged)
}

pub(super) fn same_head(snapshot: &Snapshot, head: Option<&Head>) -> bool {
    let (reference, commit) = head.map_or((None, None), |head| (head.reference.as_deref(), head.commit.as_deref()));
    snapshot.view.head_ref.as_deref() == reference && snapshot.view.head_commit.as_deref() == commit
}
