//! Brings a view up to date: a first index, an edit, a checkout of another branch.
//!
//! ```text
//! scan ──> plan ──> parse ──> store ──> publish ──> embed
//! list     what is  facts     one       manifest    missing
//!          new?               writer                vectors
//! ```
//!
//! Every sync runs through [`sync_view`]. `plan` compares the listing with the manifest, `publish`
//! does the rest under the writer's lock, with `parse_pool` reading and parsing on several threads.
//! The watcher enters the same function with a listing of what changed; `incremental` then spares
//! it what it remembers.

pub(crate) mod embed;
mod incremental;
mod options;
mod parse_pool;
mod plan;
mod publish;
mod staleness;

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::scan::Listing;
use crate::store::jobs;
use crate::store::{Merging, Snapshot};
use crate::sync::incremental::{IncrementalPlan, WatcherInput};
use crate::sync::plan::SyncPlan;
use crate::sync::publish::{Synced, apply_changes};

pub(crate) use crate::sync::incremental::Memory;
pub use crate::sync::options::{SyncLimit, SyncOptions, SyncReport};
pub(crate) use crate::sync::staleness::is_fresh;

/// Brings the engine's view up to date with what is on disk and returns the new snapshot.
pub fn sync(engine: &Engine, options: SyncOptions, progress: &dyn Progress) -> Result<(Snapshot, SyncReport)> {
    let Synced { snapshot, report, .. } = sync_view(engine, options, None, progress)?;
    Ok((snapshot.ok_or(Error::StoreRemoved)?, report))
}

/// Brings the view up to date for the watcher, which has listed what can have changed. The disk is
/// not waited for, but [later](crate::store::make_durable), and what is left to be
/// [merged](Merging) is the caller's to wait for.
pub(crate) fn sync_watched(
    engine: &Engine,
    listing: Arc<Listing>,
    memory: &mut Memory,
    progress: &dyn Progress,
) -> Result<(SyncReport, Option<Merging>)> {
    let watched = WatcherInput { listing, memory };
    let Synced { report, merging, .. } = sync_view(engine, SyncOptions::default(), Some(watched), progress)?;
    if !report.published {
        // Nothing calls for [rest](Memory::rest) then.
        memory.close();
    }
    Ok((report, merging))
}

/// Runs the pipeline, again when it meets an error that passes. `watched` is what the watcher
/// knows.
fn sync_view(
    engine: &Engine,
    options: SyncOptions,
    mut watched: Option<WatcherInput<'_>>,
    progress: &dyn Progress,
) -> Result<Synced> {
    retry(engine, options, progress, &mut |attempt| {
        let mut listing = None;
        // The watcher: the changed files are listed, and the manifest is remembered. No snapshot is
        // opened.
        if let Some(mut watched) = watched.take() {
            match watched.prepare(engine)? {
                IncrementalPlan::Current(report, manifest) => return Ok(watched.keep(report, manifest)),
                IncrementalPlan::Changed(prepared) => {
                    let published = apply_changes(engine, options, prepared, attempt, progress)?;
                    return Ok(watched.publish(engine, published));
                }
                IncrementalPlan::NeedsSnapshot => listing = Some(watched.listing),
            }
        }
        // Everybody else: scan and plan, ...
        let (snapshot, report) = match plan::prepare(engine, options, listing)? {
            SyncPlan::Current(snapshot, report) => (snapshot, report),
            // ... parse, store and publish, ...
            SyncPlan::Changed(prepared) => apply_changes(engine, options, prepared, attempt, progress)?.open(engine)?,
        };
        // ... embed.
        let (snapshot, report) = embed::embed_missing(engine, options, snapshot, report, progress)?;
        engine.store.touch(&snapshot, &engine.view_key());
        Ok(Synced { report, snapshot: Some(snapshot), merging: None })
    })
}

/// The number of times that a run which meets transient errors is tried.
const MAX_ATTEMPTS: u32 = 4;

/// Runs `run` until it succeeds or fails for good. Where nothing can be written, what is published
/// still answers as long as it is true.
fn retry(
    engine: &Engine,
    options: SyncOptions,
    progress: &dyn Progress,
    run: &mut dyn FnMut(u32) -> Result<Synced>,
) -> Result<Synced> {
    let mut attempt = 1;
    loop {
        match run(attempt) {
            Err(error) if error.is_transient() && attempt < MAX_ATTEMPTS => {
                jobs::pause_before(attempt, &|| progress.is_cancelled())?;
                attempt += 1;
            }
            Err(error @ (Error::DiskFull { .. } | Error::Unwritable { .. })) if !options.rebuild => {
                let published = engine.snapshot().ok().flatten().filter(|_| is_fresh(engine).is_ok_and(|fresh| fresh));
                let snapshot = published.ok_or(error)?;
                let report = SyncReport { reused: snapshot.paths().count(), ..SyncReport::of(snapshot.view()) };
                return Ok(Synced { report, snapshot: Some(snapshot), merging: None });
            }
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::progress::NoProgress;
    use crate::store::disk::layout;
    use crate::store::read::open;
    use crate::store::sqlite::manifest_copy::CachedManifest;
    use crate::store::sqlite::{db, meta};
    use crate::store::write::gc::Retention;
    use crate::store::{Compatibility, LOCK_TIMEOUT};

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

    /// Between a look at the view and the writer's lock, others may drop the view and make it
    /// again, up to the same generation.
    #[test]
    fn a_manifest_of_a_dropped_view_is_not_used() {
        let workspace = TestWorkspace::git("//- /a.py\ndef first(): pass\n//- /b.py\ndef other(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let commit = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let commit = commit.at_ref("HEAD~0").unwrap();
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let key = engine.view_key();
        let (snapshot, manifest) = open::open_with_manifest(&engine.store, &key).unwrap().unwrap();
        let generation = snapshot.view().generation;
        let known = CachedManifest { id: snapshot.manifest_id(), manifest };
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
