//! Watches the workspaces that are served, so that a question need not look at the files when
//! nothing was saved.
//!
//! A watcher starts when the first sync of its workspace is over, and stops when its workspace is
//! closed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codecompass_engine::watch::{self, Event, Options, Owner, Watcher};
use codecompass_engine::{Error as EngineError, SnapshotCache};

use super::Workspace;
use crate::session::{CallControl, Session};
use crate::terminal::output;

/// The watchers by root.
pub(crate) struct Watchers {
    by_root: Mutex<HashMap<PathBuf, Arc<Watcher>>>,
    /// True if there are to be any.
    wanted: bool,
    quiet: bool,
    /// The cache in which calls find what the watchers have published.
    kept: Arc<SnapshotCache>,
}

impl Watchers {
    pub(crate) fn new(wanted: bool, quiet: bool, kept: Arc<SnapshotCache>) -> Watchers {
        Watchers { by_root: Mutex::default(), wanted, quiet, kept }
    }

    /// Starts to watch a workspace, if that is wanted and possible; without it, every question
    /// looks at the files.
    pub(crate) fn start(&self, workspace: &Workspace) {
        if !self.wanted || self.of(&workspace.root).is_some() {
            return;
        }
        let context = workspace.context(CallControl::new(|_, _, _| {}).with_kept(Arc::clone(&self.kept)), true);
        let make_engine = move || {
            let session = Session::open_checkout(&context);
            session.map(|session| session.engine).map_err(|error| EngineError::InvalidInput(error.message))
        };
        let (quiet, root) = (self.quiet, workspace.root.clone());
        let listener = move |event: Event| {
            if let Event::Degraded { why } = event
                && !quiet
            {
                output::note(&format!("{}: {why}", root.display()));
            }
        };
        if let Ok(watcher) = watch::start(make_engine, Options::new(Owner::Server), listener) {
            self.by_root().insert(workspace.root.clone(), Arc::new(watcher));
        }
    }

    /// The watcher of the workspace at `root`.
    pub(crate) fn of(&self, root: &Path) -> Option<Arc<Watcher>> {
        self.by_root().get(root).cloned()
    }

    /// Stops the watchers of all roots but those that `is_open` knows.
    pub(crate) fn keep(&self, is_open: impl Fn(&Path) -> bool) {
        let mut by_root = self.by_root();
        let closed: Vec<PathBuf> = by_root.keys().filter(|root| !is_open(root)).cloned().collect();
        let stopped: Vec<_> = closed.iter().filter_map(|root| by_root.remove(root)).collect();
        drop(by_root);
        // They end with the last call that holds them, which may take a moment; another thread
        // waits for that.
        std::thread::spawn(move || drop(stopped));
    }

    fn by_root(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Watcher>>> {
        self.by_root.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
