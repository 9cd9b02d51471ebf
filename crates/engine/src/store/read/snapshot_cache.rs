//! Snapshots that stay open between queries, for a process that answers many: the next query need
//! not open and read again what no writer has changed.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::files;
use crate::model::ViewKey;
use crate::store::disk::layout;
use crate::store::handle::Store;
use crate::store::read::open;
use crate::store::read::open::{CachedView, PublishedFiles};
use crate::store::read::snapshot::{Snapshot, ViewState};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::db;

/// The most idle snapshots of one state; more are closed.
const MOST_IDLE: usize = 8;

/// The open snapshots of a process, by store and view. `take` never returns one that a writer, in
/// this process or another, has changed anything behind.
#[derive(Default)]
pub struct SnapshotCache {
    views: Mutex<Views>,
}

/// By the root of the store and the view.
type Views = HashMap<(PathBuf, ViewKey), Arc<Mutex<View>>>;

/// The newest state of a view that was asked for.
struct View {
    probe: Option<ChangeProbe>,
    /// The data version that the probe read before the state was opened.
    version: i64,
    state: Option<Arc<ViewState>>,
    idle: Vec<Snapshot>,
    /// The files that this process published since, if known.
    published: Option<PublishedFiles>,
    used: Instant,
}

/// Tells whether anybody has written to a database. In no transaction, so that it sees all there
/// is.
struct ChangeProbe {
    data: PathBuf,
    /// Tells its file from a later one at the same path.
    number: Option<(u64, u64)>,
    db: Db,
}

impl SnapshotCache {
    /// The last published state of a view; `None` when there is none. It should be given back.
    pub(crate) fn take(&self, store: &Store, key: &ViewKey) -> Result<Option<Snapshot>> {
        let view = Arc::clone(self.views().entry((store.root().to_path_buf(), key.clone())).or_insert_with(View::new));
        // Others who want the same view wait until it is open, and then need not open it.
        let mut view = locked(&view);
        view.used = Instant::now();
        let Some(data) = layout::current_data(store.root())? else {
            view.close();
            return Ok(None);
        };
        let version = view.version_of(&data);
        if version.is_some_and(|version| version == view.version) {
            if let Some(snapshot) = view.idle.pop() {
                return Ok(Some(snapshot));
            }
            if let Some(state) = &view.state
                && let Ok(Some(snapshot)) = Snapshot::of(state)
            {
                return Ok(Some(snapshot));
            }
        }
        // What it was helps to open what it is now.
        let (before, published) = (view.state.take(), view.published.take());
        let db = view.idle.pop().and_then(|snapshot| snapshot.into_connection().ok());
        view.idle.clear();
        let known = CachedView {
            published: published.as_ref(),
            before: before.as_deref(),
            db: Cell::new(db),
            keeps_contents: true,
        };
        let snapshot = open::open_known(store, key, known)?;
        if let (Some(snapshot), Some(version)) = (&snapshot, version)
            && snapshot.data() == data
        {
            (view.version, view.state) = (version, Some(Arc::clone(snapshot.state())));
        }
        Ok(snapshot)
    }

    /// Notes what was published of a view, for the next who asks, if anybody has.
    pub(crate) fn note(&self, store: &Store, key: &ViewKey, published: PublishedFiles) {
        let view = self.views().get(&(store.root().to_path_buf(), key.clone())).cloned();
        if let Some(view) = view {
            locked(&view).published = Some(published);
        }
    }

    /// Keeps a snapshot for the next question, unless it is one of before.
    pub(crate) fn return_snapshot(&self, store: &Store, snapshot: Snapshot) {
        let name = (store.root().to_path_buf(), snapshot.key().clone());
        let Some(view) = self.views().get(&name).cloned() else { return };
        let mut view = locked(&view);
        view.used = Instant::now();
        let is_newest = view.state.as_ref().is_some_and(|state| Arc::ptr_eq(state, snapshot.state()));
        if is_newest && view.idle.len() < MOST_IDLE {
            view.idle.push(snapshot);
        }
    }

    /// Closes the snapshots of views that were not asked for during `close_after`: an open one
    /// keeps the database from cleaning up behind it. What was decoded is kept until
    /// `forget_after`. Returns whether anything is still kept.
    pub fn close_unused(&self, close_after: Duration, forget_after: Duration) -> bool {
        let mut views = self.views();
        // One that is locked is in use.
        views.retain(|_, view| {
            view.try_lock().map_or(true, |mut view| {
                let unused = view.used.elapsed();
                if unused >= close_after {
                    view.idle.clear();
                }
                unused < forget_after
            })
        });
        !views.is_empty()
    }

    fn views(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl View {
    fn new() -> Arc<Mutex<View>> {
        let used = Instant::now();
        Arc::new(Mutex::new(View { probe: None, version: 0, state: None, idle: Vec::new(), published: None, used }))
    }

    fn close(&mut self) {
        (self.probe, self.state, self.published) = (None, None, None);
        self.idle.clear();
    }

    /// A number that changes with every commit of another connection to the database of `data`.
    fn version_of(&mut self, data: &Path) -> Option<i64> {
        let number = || std::fs::metadata(data.join("index.db")).ok().map(|metadata| files::file_identity(&metadata));
        let is_same = |probe: &ChangeProbe| probe.data == data && probe.number == number();
        if !self.probe.as_ref().is_some_and(is_same) {
            self.close();
            let number = number();
            self.probe = Some(ChangeProbe { data: data.to_path_buf(), number, db: db::open_for_reading(data).ok()? });
        }
        self.probe.as_ref()?.db.query_row("PRAGMA data_version", [], |row| row.get(0)).ok()
    }
}

fn locked(view: &Mutex<View>) -> MutexGuard<'_, View> {
    view.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::sync;
    use crate::sync::{Memory, SyncOptions, sync_watched};

    fn engine(workspace: &TestWorkspace) -> Engine {
        Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap()
    }

    /// An engine that has been asked once, and the data folder that answered.
    fn asked_once(workspace: &TestWorkspace) -> (Engine, PathBuf) {
        let asking = engine(workspace).with_snapshot_cache(Arc::default());
        sync(&engine(workspace), SyncOptions::default(), &NoProgress).unwrap();
        let snapshot = asking.snapshot().unwrap().unwrap();
        let data = snapshot.data().to_path_buf();
        asking.return_snapshot(snapshot);
        (asking, data)
    }

    fn paths(snapshot: &Snapshot) -> Vec<String> {
        snapshot.paths().map(str::to_string).collect()
    }

    #[test]
    fn what_nobody_changed_is_not_opened_again() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n");
        let kept = Arc::new(SnapshotCache::default());
        let asking = engine(&workspace).with_snapshot_cache(Arc::clone(&kept));
        assert!(asking.snapshot().unwrap().is_none());
        sync(&engine(&workspace), SyncOptions::default(), &NoProgress).unwrap();

        let first = asking.snapshot().unwrap().unwrap();
        let state = Arc::clone(first.state());
        // Two at the same time read the same state by connections of their own.
        let second = asking.snapshot().unwrap().unwrap();
        assert!(Arc::ptr_eq(second.state(), &state));
        asking.return_snapshot(first);
        asking.return_snapshot(second);
        assert!(Arc::ptr_eq(asking.snapshot().unwrap().unwrap().state(), &state));

        workspace.write("b.py", "def second(): pass\n");
        let late = asking.snapshot().unwrap().unwrap();
        sync(&engine(&workspace), SyncOptions::default(), &NoProgress).unwrap();
        // A snapshot that was taken before stays as it is; the next one sees what was published.
        assert_eq!(paths(&late), ["a.py"]);
        let next = asking.snapshot().unwrap().unwrap();
        assert_eq!(paths(&next), ["a.py", "b.py"]);
        asking.return_snapshot(late);
        assert_eq!(paths(&asking.snapshot().unwrap().unwrap()), ["a.py", "b.py"]);

        asking.return_snapshot(next);
        let long = Duration::from_secs(3600);
        assert!(kept.close_unused(long, long));
        let state = Arc::clone(asking.snapshot().unwrap().unwrap().state());
        assert!(kept.close_unused(Duration::ZERO, long));
        assert!(Arc::ptr_eq(asking.snapshot().unwrap().unwrap().state(), &state), "what was decoded is still there");
        assert!(!kept.close_unused(Duration::ZERO, Duration::ZERO));
    }

    #[test]
    #[cfg_attr(windows, ignore = "Windows keeps files that are open")]
    fn a_store_that_is_replaced_is_opened_again() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n");
        let (asking, data) = asked_once(&workspace);
        sync(&engine(&workspace), SyncOptions { rebuild: true, ..SyncOptions::default() }, &NoProgress).unwrap();
        assert_ne!(asking.snapshot().unwrap().unwrap().data(), data);
        std::fs::remove_dir_all(asking.store_root()).unwrap();
        assert!(asking.snapshot().unwrap().is_none());
    }

    #[test]
    #[cfg_attr(windows, ignore = "Windows keeps files that are open")]
    fn a_store_in_the_place_of_another_is_not_taken_for_it() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n");
        let (asking, data) = asked_once(&workspace);
        std::fs::remove_dir_all(asking.store_root()).unwrap();
        workspace.write("b.py", "def second(): pass\n");
        sync(&engine(&workspace), SyncOptions::default(), &NoProgress).unwrap();
        let after = asking.snapshot().unwrap().unwrap();
        assert_eq!((after.data().to_path_buf(), paths(&after)), (data, vec!["a.py".to_string(), "b.py".to_string()]));
    }

    #[test]
    fn what_a_watcher_published_is_what_is_read() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n//- /b.py\ndef other(): pass\n");
        let asking = engine(&workspace).with_snapshot_cache(Arc::default());
        sync(&asking, SyncOptions::default(), &NoProgress).unwrap();
        let mut memory = Memory::default();
        for number in 0..12 {
            asking.return_snapshot(asking.snapshot().unwrap().unwrap());
            workspace.write("a.py", &format!("def number_{number}(): pass\n"));
            if number % 3 == 0 {
                workspace.write(&format!("c{number}.py"), "def more(): pass\n");
            }
            let listing = Arc::new(asking.list().unwrap());
            sync_watched(&asking, listing, &mut memory, &NoProgress).unwrap();
            let (kept, fresh) = (asking.snapshot().unwrap().unwrap(), engine(&workspace).snapshot().unwrap().unwrap());
            assert_eq!(kept.files(), fresh.files());
            assert_eq!(kept.symbols_named(&format!("number_{number}")).unwrap().len(), 1);
            assert_eq!(kept.symbols_named(&format!("number_{}", number - 1)).unwrap().len(), 0);
            let names = |snapshot: &Snapshot| {
                let version = snapshot.version_at("a.py").unwrap();
                let outline = snapshot.outline(version).unwrap();
                outline.definitions.iter().map(|definition| definition.name.clone()).collect::<Vec<_>>()
            };
            assert_eq!(names(&kept), names(&fresh));
            asking.return_snapshot(kept);
        }
    }
}
