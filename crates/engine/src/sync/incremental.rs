//! Incremental sync for the watcher: the changed paths are known, and no snapshot is returned.
//! Reuses the manifest that the previous run left in memory.

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::Result;
use crate::scan::Listing;
use crate::store::read::open;
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::sqlite::manifest_copy::{self, CachedManifest};
use crate::store::time::{DAY, now};
use crate::sync::options::SyncReport;
use crate::sync::plan::Prepared;
use crate::sync::publish::{Published, Synced};
use crate::sync::staleness::{is_current, same_head, same_oversized};

/// State of the last sync that the watcher keeps for the next.
#[derive(Default)]
pub(crate) struct Memory {
    /// The manifest, which is used if nothing was published since.
    known: Option<CachedManifest>,
    /// Connections that are still open.
    pool: Arc<ConnectionPool>,
}

impl Memory {
    /// Returns the engine with what is remembered.
    pub(crate) fn equip(&self, engine: Engine) -> Engine {
        engine.with_pool(Arc::clone(&self.pool))
    }

    /// Closes what is open.
    pub(super) fn close(&self) {
        self.pool.clear();
    }

    /// Writes the manifest down for readers in other processes and closes what is open: nothing is
    /// to be synced for a while.
    pub(crate) fn rest(&self) {
        self.known.iter().for_each(manifest_copy::keep);
        self.close();
    }
}

/// The watcher's listing and memory when a sync begins.
pub(super) struct WatcherInput<'a> {
    pub listing: Arc<Listing>,
    pub memory: &'a mut Memory,
}

/// The work of an incremental sync.
pub(super) enum IncrementalPlan {
    /// Nothing; this is the manifest.
    Current(SyncReport, CachedManifest),
    /// Bring the view to this.
    Changed(Prepared),
    /// More than can be done without a snapshot: there is none yet, vectors are missing, or its use
    /// is to be noted.
    NeedsSnapshot,
}

impl WatcherInput<'_> {
    /// Compares the listing with the manifest, which is read only if the remembered one is not true
    /// any more.
    pub(super) fn prepare(&mut self, engine: &Engine) -> Result<IncrementalPlan> {
        let known = self.memory.known.take();
        let head = engine.head()?;
        let Some(state) = open::peek(&engine.store, &engine.view_key())? else {
            return Ok(IncrementalPlan::NeedsSnapshot);
        };
        if state.lacks_vectors && engine.embedder().is_some_and(|embedder| embedder.is_fast()) {
            return Ok(IncrementalPlan::NeedsSnapshot);
        }
        let known = state.manifest(known)?;
        let is_same = same_oversized(&self.listing, &state.view) && same_head(&state.view, head.as_ref());
        if is_same && is_current(&self.listing, &known.manifest) {
            // What is watched is in use, though nothing changes.
            if now() - state.view.used_at >= DAY {
                return Ok(IncrementalPlan::NeedsSnapshot);
            }
            let report = SyncReport { reused: self.listing.files.len(), ..SyncReport::of(&state.view) };
            state.end(&engine.store);
            return Ok(IncrementalPlan::Current(report, known));
        }
        state.end(&engine.store);
        let listing = Arc::clone(&self.listing);
        Ok(IncrementalPlan::Changed(Prepared { listing, head, manifest: Some(known), defer_fsync: true }))
    }

    /// Remembers the manifest that is still true.
    pub(super) fn keep(self, report: SyncReport, manifest: CachedManifest) -> Synced {
        self.memory.known = Some(manifest);
        Synced { report, snapshot: None, merging: None }
    }

    /// Remembers what was published, here and where snapshots stay open.
    pub(super) fn publish(self, engine: &Engine, published: Published) -> Synced {
        let Published { report, files, manifest, merging } = published;
        if let Some(cache) = &engine.snapshot_cache {
            cache.note(&engine.store, &engine.view_key(), files);
        }
        self.memory.known = Some(manifest);
        Synced { report, snapshot: None, merging: Some(merging) }
    }
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::progress::NoProgress;
    use crate::store::disk::layout;
    use crate::store::sqlite::manifest::Manifest;
    use crate::store::sqlite::{db, view};
    use crate::sync;
    use crate::sync::{SyncOptions, sync_watched};

    fn stored(engine: &Engine) -> Manifest {
        let data = layout::current_data(engine.store_root()).unwrap().unwrap();
        let db = db::open(&data).unwrap();
        let row = view::find(&db, &engine.view_key()).unwrap().unwrap();
        view::manifest(&db, &row).unwrap()
    }

    #[test]
    fn what_is_remembered_is_what_is_stored() {
        let workspace = TestWorkspace::git("//- /a.py\ndef first(): pass\n//- /b.py\ndef other(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let mut memory = Memory::default();
        let engine = memory.equip(engine);
        let mut go = |engine: &Engine| {
            let (report, _) = sync_watched(engine, Arc::new(engine.list().unwrap()), &mut memory, &NoProgress).unwrap();
            if let Some(known) = &memory.known {
                assert_eq!(known.manifest, stored(engine));
                assert_eq!(known.id.generation, report.generation);
                // Connections stay open only after a publish, since `Memory::rest` closes them
                // then.
                let file = db::file(&known.id.data);
                let pool = memory.pool.take(&file);
                assert_eq!(pool.is_some(), report.published);
                pool.into_iter().for_each(|db| memory.pool.put(&file, db));
            }
            (report, memory.known.is_some())
        };
        // The first one is not a matter of few files.
        assert_eq!((go(&engine).0.generation, go(&engine).1), (1, true));
        workspace.write("a.py", "def edited(): pass\n");
        workspace.write("new/c.py", "def created(): pass\n");
        let (report, is_known) = go(&engine);
        assert_eq!((report.generation, report.files, report.parsed, is_known), (2, 3, 2, true));
        workspace.remove("b.py");
        let (report, _) = go(&engine);
        assert_eq!((report.generation, report.files, report.removed), (3, 2, 1));
        assert!(!go(&engine).0.published);

        // Another process publishes in between.
        workspace.write("a.py", "def by_another(): pass\n");
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        workspace.write("d.py", "def fourth(): pass\n");
        let (report, is_known) = go(&engine);
        assert_eq!((report.generation, report.files, is_known), (5, 3, true));
        workspace.run_git(&["add", "."]);
        workspace.commit("all");
        assert!(!go(&engine).0.published);
        let head = open::peek(&engine.store, &engine.view_key()).unwrap().unwrap().view.head_commit;
        assert_eq!(head, engine.head().unwrap().unwrap().commit);
        // Another index in the place of the one that is remembered.
        sync(&engine, SyncOptions { rebuild: true, ..SyncOptions::default() }, &NoProgress).unwrap();
        workspace.write("d.py", "def fifth(): pass\n");
        assert_eq!(go(&engine).0.files, 3);
        let (snapshot, report) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        assert!(!report.published);
        assert_eq!(snapshot.symbols_named("fifth").unwrap().len(), 1);
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
    }
}
