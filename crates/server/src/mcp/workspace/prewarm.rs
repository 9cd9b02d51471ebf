//! Brings every workspace up to date in the background, from the moment the server starts and when
//! a call leaves much to index, and tells how far that is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codecompass_app::session::background;
use codecompass_app::session::{CallControl, Session};
use codecompass_app::terminal::output;
use codecompass_engine::{Progress as _, Stage, SyncOptions};

use super::Workspace;
use super::watchers::Watchers;

/// The progress of a sync in the background: files or pieces done, of how many. Both are 0 before
/// they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub done: usize,
    pub total: usize,
    /// True if it is not the first one of this server.
    pub is_refresh: bool,
}

/// Syncs in the background at the same time; others wait for their turn.
const MAX_BACKGROUND_SYNCS: usize = 2;

/// The syncs in the background that are still running, or wait for their turn, by root.
pub struct Prewarmer {
    /// They begin where the first sync of a workspace ends.
    pub watchers: Watchers,
    running: Mutex<HashMap<PathBuf, Figures>>,
    changed: Condvar,
    at_work: Mutex<usize>,
    turn: Condvar,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Prewarmer {
    pub fn new(watchers: Watchers) -> Prewarmer {
        Prewarmer {
            watchers,
            running: Mutex::default(),
            changed: Condvar::new(),
            at_work: Mutex::default(),
            turn: Condvar::new(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Starts the first sync of a workspace.
    pub fn start(self: &Arc<Self>, workspace: &Workspace, quiet: bool) {
        self.begin(workspace, quiet, false);
    }

    /// Starts another sync, of what was left to the background.
    pub fn refresh(self: &Arc<Self>, workspace: &Workspace) {
        self.begin(workspace, true, true);
    }

    fn begin(self: &Arc<Self>, workspace: &Workspace, quiet: bool, is_refresh: bool) {
        let root = workspace.root.clone();
        match self.running().entry(root.clone()) {
            Entry::Occupied(_) => return,
            Entry::Vacant(slot) => slot.insert(Figures { is_refresh, ..Figures::default() }),
        };
        let (prewarmer, heard, listener_root) = (Arc::clone(self), Arc::clone(self), root.clone());
        let (watched, of) = (Arc::clone(self), workspace.clone());
        let control = CallControl::new(move |stage, done, total| {
            if matches!(stage, Stage::Indexing | Stage::Embedding) {
                heard.running().insert(listener_root.clone(), Figures { done, total, is_refresh });
                heard.changed.notify_all();
            }
        });
        let (context, directory) = (workspace.context(control, quiet), workspace.directory.clone());
        let sync = move || {
            background::yield_to_others();
            prewarmer.take_turn();
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
                // What is left to the background is always the files on disk.
                let session = if is_refresh { Session::open_checkout(&context)? } else { Session::open(&context)? };
                session.with_repair(|| session.sync(SyncOptions::default()))
            }));
            // Whatever went wrong, the next call meets it, too, and returns it to its client.
            if let Ok(Err(error)) = outcome {
                output::note(&format!("cannot index {}: {}", directory.display(), error.message));
            }
            prewarmer.end_turn();
            prewarmer.end(&root);
        };
        let sync_and_watch = move || {
            // Calls wait for a watcher, so that its thread must not come from one that yields.
            let is_done = std::thread::spawn(sync).join().is_ok();
            if is_refresh {
                drop(watched.watchers.read_history(&of));
            } else if is_done {
                watched.watchers.start(&of);
            }
        };
        let thread = std::thread::Builder::new().name("warm".into());
        if thread.spawn(sync_and_watch).is_err() {
            self.end(&workspace.root);
        }
    }

    /// Returns whether the workspace at `root` is in the warm set: no sync of it is left to the
    /// background, and a watcher keeps it up to date.
    pub fn is_warm(&self, root: &Path) -> bool {
        self.figures(root).is_none() && self.watchers.of(root).is_some_and(|watcher| watcher.state().keeps_up())
    }

    /// Counts a call that asks the index of the workspace at `root`: a hit if it is warm when the
    /// call comes, else a miss.
    pub fn count_call(&self, root: &Path) {
        let counter = if self.is_warm(root) { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls that found their workspace warm, and those that did not.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    /// Returns the progress of the sync of the workspace at `root`; `None` when none is running.
    pub fn figures(&self, root: &Path) -> Option<Figures> {
        self.running().get(root).copied()
    }

    /// Waits until the sync is over, at most for `patience`; gives what [`Prewarmer::figures`]
    /// would give then.
    pub fn wait(&self, root: &Path, patience: Duration, control: &CallControl) -> Option<Figures> {
        /// So often cancellation is looked at.
        const STEP: Duration = Duration::from_millis(100);
        let start = Instant::now();
        let mut running = self.running();
        loop {
            let figures = *running.get(root)?;
            let left = patience.saturating_sub(start.elapsed());
            if left.is_zero() || control.is_cancelled() {
                return Some(figures);
            }
            if figures.total > 0 {
                control.report(Stage::Indexing, figures.done, figures.total);
            }
            running = self.changed.wait_timeout(running, left.min(STEP)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn take_turn(&self) {
        let at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at_work = self
            .turn
            .wait_while(at_work, |count| *count >= MAX_BACKGROUND_SYNCS)
            .unwrap_or_else(PoisonError::into_inner);
        *at_work += 1;
    }

    fn end_turn(&self) {
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.turn.notify_one();
    }

    fn end(&self, root: &Path) {
        self.running().remove(root);
        self.changed.notify_all();
    }

    fn running(&self) -> MutexGuard<'_, HashMap<PathBuf, Figures>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_at_once() {
        let prewarmer = Arc::new(Prewarmer::new(Watchers::new(false, true, Arc::default())));
        let most = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let (prewarmer, most) = (Arc::clone(&prewarmer), Arc::clone(&most));
                std::thread::spawn(move || {
                    prewarmer.take_turn();
                    most.fetch_max(*prewarmer.at_work.lock().unwrap(), std::sync::atomic::Ordering::SeqCst);
                    std::thread::yield_now();
                    prewarmer.end_turn();
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!((1..=MAX_BACKGROUND_SYNCS).contains(&most.load(std::sync::atomic::Ordering::SeqCst)));
        assert_eq!(*prewarmer.at_work.lock().unwrap(), 0);
    }

    #[test]
    fn waiting_ends() {
        let prewarmer = Prewarmer::new(Watchers::new(false, true, Arc::default()));
        let control = CallControl::new(|_, _, _| {});
        assert_eq!(prewarmer.wait(Path::new("/a"), Duration::from_secs(60), &control), None);
        let figures = Figures { done: 3, total: 10, is_refresh: false };
        prewarmer.running().insert("/a".into(), figures);
        assert_eq!(prewarmer.wait(Path::new("/a"), Duration::from_millis(20), &control), Some(figures));
        assert_eq!(prewarmer.wait(Path::new("/b"), Duration::from_secs(60), &control), None);
        control.cancel();
        assert_eq!(prewarmer.wait(Path::new("/a"), Duration::from_secs(60), &control), Some(figures));
        prewarmer.end(Path::new("/a"));
        assert_eq!(prewarmer.figures(Path::new("/a")), None);
        // No watcher runs here, so nothing is warm.
        prewarmer.count_call(Path::new("/a"));
        assert_eq!((prewarmer.is_warm(Path::new("/a")), prewarmer.hits_and_misses()), (false, (0, 1)));
    }
}
