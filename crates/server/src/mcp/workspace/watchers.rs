//! Watches the workspaces that are served, so that a question need not look at the files when
//! nothing was saved.
//!
//! A watcher starts when the first sync of its workspace is over, and stops when its workspace is
//! closed. So does the thread that reads the history, which looks for new commits after each sync.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codecompass_app::session::history_builder::{HistoryBuilder, HistoryProgress};
use codecompass_app::session::{CallControl, Session};
use codecompass_app::terminal::output;
use codecompass_engine::watch::{self, Event, Options, Owner, Watcher};
use codecompass_engine::{Engine, Error as EngineError, SnapshotCache};

use super::Workspace;

/// The watchers by root.
pub struct Watchers {
    by_root: Mutex<HashMap<PathBuf, Arc<Watcher>>>,
    /// The threads that read the histories of workspaces.
    histories: Mutex<HashMap<PathBuf, Arc<HistoryBuilder>>>,
    /// True if there are to be any.
    wanted: bool,
    quiet: bool,
    /// The cache in which calls find what the watchers have published.
    kept: Arc<SnapshotCache>,
}

impl Watchers {
    pub fn new(wanted: bool, quiet: bool, kept: Arc<SnapshotCache>) -> Watchers {
        Watchers { by_root: Mutex::default(), histories: Mutex::default(), wanted, quiet, kept }
    }

    /// Starts to watch a workspace, if that is wanted and possible; without it, every question
    /// looks at the files.
    pub fn start(&self, workspace: &Workspace) {
        let history = self.read_history(workspace);
        if !self.wanted || self.of(&workspace.root).is_some() {
            return;
        }
        let (quiet, root) = (self.quiet, workspace.root.clone());
        let history = Arc::downgrade(&history);
        let listener = move |event: Event| {
            if matches!(event, Event::Synced { .. })
                && let Some(history) = history.upgrade()
            {
                history.look();
            }
            if let Event::Degraded { why } = event
                && !quiet
            {
                output::note(&format!("{}: {why}", root.display()));
            }
        };
        if let Ok(watcher) = watch::start(self.engines(workspace), Options::new(Owner::Server), listener) {
            self.by_root().insert(workspace.root.clone(), Arc::new(watcher));
        }
    }

    /// Returns a function that opens the engine of a workspace.
    fn engines(&self, workspace: &Workspace) -> impl Fn() -> Result<Engine, EngineError> + Send + 'static {
        let context = workspace.context(CallControl::new(|_, _, _| {}).with_kept(Arc::clone(&self.kept)), true);
        move || {
            let session = Session::open_checkout(&context);
            session.map(|session| session.engine).map_err(|error| EngineError::InvalidInput(error.message))
        }
    }

    /// Reads the history of a workspace in the background, or looks for new commits.
    pub fn read_history(&self, workspace: &Workspace) -> Arc<HistoryBuilder> {
        let mut histories = self.histories();
        if let Some(history) = histories.get(&workspace.root) {
            history.look();
            return Arc::clone(history);
        }
        let history = Arc::new(HistoryBuilder::start(self.engines(workspace)));
        histories.insert(workspace.root.clone(), Arc::clone(&history));
        history
    }

    /// The progress of the thread that reads the history of the workspace at `root`.
    pub fn history_progress(&self, root: &Path) -> Option<HistoryProgress> {
        self.histories().get(root).and_then(|history| history.progress())
    }

    /// The watcher of the workspace at `root`.
    pub fn of(&self, root: &Path) -> Option<Arc<Watcher>> {
        self.by_root().get(root).cloned()
    }

    /// Stops the watchers of all roots but those that `is_open` knows.
    pub fn keep(&self, is_open: impl Fn(&Path) -> bool) {
        let mut by_root = self.by_root();
        let closed: Vec<PathBuf> = by_root.keys().filter(|root| !is_open(root)).cloned().collect();
        let stopped: Vec<_> = closed.iter().filter_map(|root| by_root.remove(root)).collect();
        drop(by_root);
        self.histories().retain(|root, _| is_open(root));
        // They end with the last call that holds them, which may take a moment; another thread
        // waits for that.
        std::thread::spawn(move || drop(stopped));
    }

    fn histories(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<HistoryBuilder>>> {
        self.histories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn by_root(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Watcher>>> {
        self.by_root.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
