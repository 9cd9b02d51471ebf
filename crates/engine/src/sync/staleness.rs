//! Checks whether a view matches the files on disk.

use std::collections::HashSet;

use crate::engine::Engine;
use crate::error::Result;
use crate::model::{ContentId, Head, SkipReason, Target, VersionId};
use crate::scan::{self, ListedFile, Listing, ReadOutcome};
use crate::store::read::open;
use crate::store::read::snapshot::Snapshot;
use crate::store::sqlite::manifest::{Manifest, ManifestEntry};
use crate::store::sqlite::view::ViewRow;
use crate::sync::options::SyncLimit;
use crate::sync::parse_pool::UNREADABLE;

/// Returns whether the published state of the engine's view is what is on disk now.
pub(crate) fn is_fresh(engine: &Engine) -> Result<bool> {
    let open = || Snapshot::open(&engine.store, &engine.view_key());
    if matches!(engine.target, Target::Commit { .. }) {
        return open()?.map_or(Ok(false), |snapshot| Ok(!blobs_fetched_since(engine, &snapshot)?));
    }
    let Some(state) = open::peek(&engine.store, &engine.view_key())? else {
        // If it is damaged, opening all of it says so.
        return open().map(|_| false);
    };
    let manifest = state.manifest(None)?.manifest;
    let listing = engine.list()?;
    if listing.files.len() != manifest.len()
        || !same_oversized(&listing, &state.view)
        || !same_head(&state.view, engine.head()?.as_ref())
    {
        return Ok(false);
    }
    let mut snapshot = None;
    let mut known = manifest.in_order();
    for file in &listing.files {
        let Some(entry) = known.get(&file.path) else { return Ok(false) };
        if entry.stat == Some(file.stat) {
            continue;
        }
        // A file that was only touched, or written just before the last sync, must be read to know.
        if snapshot.is_none() {
            snapshot = open()?.filter(|snapshot| snapshot.view().generation == state.view.generation);
        }
        let Some(snapshot) = &snapshot else { return Ok(false) };
        if !holds(engine, snapshot, &file.path, entry.version)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether contents of a commit that were missing from a partial clone have been fetched
/// since its view was published.
pub(super) fn blobs_fetched_since(engine: &Engine, snapshot: &Snapshot) -> Result<bool> {
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

/// Returns whether the content on disk is the one of `version`.
fn holds(engine: &Engine, snapshot: &Snapshot, path: &str, version: VersionId) -> Result<bool> {
    let Some(now) = content_of(engine, path) else { return Ok(false) };
    Ok(snapshot.file_info(version)?.content_id == now.0)
}

/// The content on disk; `None` when the file is gone.
fn content_of(engine: &Engine, path: &str) -> Option<ContentId> {
    match scan::read(&engine.workspace.root, path, &engine.config.index) {
        ReadOutcome::Text(source) => Some(source.content_id),
        ReadOutcome::Skipped { content_id, .. } => Some(content_id.unwrap_or(UNREADABLE)),
        ReadOutcome::Vanished => None,
    }
}

/// Returns whether more is not what the manifest knows than `most` allows.
pub(super) fn has_changed_more(
    engine: &Engine,
    snapshot: &Snapshot,
    listing: &Listing,
    manifest: &Manifest,
    most: SyncLimit,
) -> Result<bool> {
    let mut entries = manifest.in_order();
    let known = listing.files.iter().filter(|file| entries.get(&file.path).is_some()).count();
    let mut entries = manifest.in_order();
    let mut changed = SyncLimit { parsed: 0, recognised: manifest.len() - known };
    let is_more = |changed: SyncLimit| changed.parsed > most.parsed || changed.recognised > most.recognised;
    for file in &listing.files {
        if is_more(changed) {
            break;
        }
        let entry = entries.get(&file.path);
        if entry.is_some_and(|entry| entry.stat == Some(file.stat)) {
            continue;
        }
        match change(engine, snapshot, file, entry.map(|entry| entry.version))? {
            SyncAction::None => {}
            SyncAction::Recognised => changed.recognised += 1,
            SyncAction::Parsed => changed.parsed += 1,
        }
    }
    Ok(is_more(changed))
}

/// The work of a sync for one file.
enum SyncAction {
    None,
    Recognised,
    Parsed,
}

/// Returns the work of a sync for a file whose stat says that it may have changed since it was
/// `before`.
fn change(engine: &Engine, snapshot: &Snapshot, file: &ListedFile, before: Option<VersionId>) -> Result<SyncAction> {
    let known = |content: &ContentId| snapshot.known_version(&file.path, content);
    let by_git = file.git_id.as_ref().map(known).transpose()?.flatten();
    let found = match by_git.filter(|(_, size)| *size == file.stat.size) {
        Some((version, _)) => Some(version),
        // A file that was only touched, or written just before the last sync, must be read to know.
        None => match content_of(engine, &file.path) {
            Some(now) => known(&now)?.map(|(version, _)| version),
            None => None,
        },
    };
    Ok(match found {
        Some(version) if before == Some(version) => SyncAction::None,
        Some(_) => SyncAction::Recognised,
        None => SyncAction::Parsed,
    })
}

/// True when every listed file is the one the manifest knows, and the manifest knows no other.
pub(super) fn is_current(listing: &Listing, manifest: &Manifest) -> bool {
    let unchanged = |(file, (path, entry)): (&ListedFile, (&str, &ManifestEntry))| {
        file.path == path && entry.stat == Some(file.stat)
    };
    listing.files.len() == manifest.len() && listing.files.iter().zip(manifest.iter()).all(unchanged)
}

/// True when the view knows the listed files that are too large, and no others.
pub(super) fn same_oversized(listing: &Listing, view: &ViewRow) -> bool {
    listing.oversized().eq(view.oversized.iter().map(|file| file.path.as_str()))
}

pub(super) fn same_head(view: &ViewRow, head: Option<&Head>) -> bool {
    let (reference, commit) = head.map_or((None, None), |head| (head.reference.as_deref(), head.commit.as_deref()));
    view.head_ref.as_deref() == reference && view.head_commit.as_deref() == commit
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::progress::NoProgress;
    use crate::sync::{SyncOptions, SyncReport, sync};

    /// A file that is too large is no part of the manifest; the view still knows of it.
    #[test]
    fn large_files_come_and_go() {
        let workspace = TestWorkspace::plain("//- /a.py\nA = 1\n");
        let mut config = Config::default();
        config.index.max_file_bytes = 100;
        let engine = Engine::open(&workspace.root(), &workspace.home(), config).unwrap();
        let sync = || {
            let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
            let oversized: Vec<String> = snapshot.oversized_paths().map(str::to_string).collect();
            (report.published, oversized.join(" "))
        };
        assert_eq!(sync(), (true, String::new()));
        workspace.write("large.py", &"A = 1\n".repeat(100));
        assert!(!is_fresh(&engine).unwrap());
        assert_eq!(sync(), (true, "large.py".into()));
        workspace.write("large.py", &"A = 1\n".repeat(200));
        assert!(is_fresh(&engine).unwrap());
        assert_eq!(sync(), (false, "large.py".into()));
        workspace.write("large.py", "A = 1\n");
        assert_eq!(sync(), (true, String::new()));
    }

    #[test]
    fn what_the_store_has_is_counted_apart() {
        let workspace = TestWorkspace::git("//- /a.py\nA = 1\n//- /b.py\nB = 1\n");
        workspace.run_git(&["checkout", "--quiet", "-b", "other"]);
        for number in 0..8 {
            workspace.write(&format!("many/f{number}.py"), &format!("N{number} = 1\n"));
        }
        workspace.write("a.py", "A = 2\n");
        workspace.remove("b.py");
        workspace.commit("many");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let sync = |parsed, recognised| -> SyncReport {
            let at_most = Some(SyncLimit { parsed, recognised });
            sync(&engine, SyncOptions { at_most, ..SyncOptions::default() }, &NoProgress).unwrap().1
        };
        sync(0, 0);
        workspace.run_git(&["checkout", "--quiet", "main"]);
        let report = sync(9, 9);
        assert_eq!((report.is_stale, report.parsed, report.removed), (false, 2, 8), "the first state of this branch");

        // Nothing has to be parsed: eight files come, one is another, one goes.
        workspace.run_git(&["checkout", "--quiet", "other"]);
        assert!(sync(1000, 9).is_stale && sync(0, 0).is_stale);
        let report = sync(0, 10);
        assert_eq!((report.is_stale, report.published, report.parsed), (false, true, 0));
        // Something has: what it was before does not count as well.
        workspace.write("a.py", "A = 3\n");
        workspace.write("new.py", "NEW = 1\n");
        assert!(sync(1, 1000).is_stale);
        let report = sync(2, 0);
        assert_eq!((report.is_stale, report.parsed), (false, 2));
        // What was only touched is no change, and what is put back is known.
        workspace.write("new.py", "NEW = 1\n");
        assert!(!sync(0, 0).is_stale);
        workspace.write("a.py", "A = 1\n");
        assert!(sync(5, 0).is_stale);
        assert_eq!((sync(0, 1).is_stale, is_fresh(&engine).unwrap()), (false, true));
    }
}
