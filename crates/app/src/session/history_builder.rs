//! The history of a workspace, read in the background of a server or watcher.
//!
//! A thread of lower priority reads it after the first sync, and looks again after each one for
//! commits that are new. No call waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use codecompass_engine::{Engine, Error as EngineError, Progress, Stage, history};

use super::background;

/// The progress of the thread: commits done, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryProgress {
    pub done: usize,
    pub total: usize,
}

/// The thread that reads the history of one workspace. It ends with this value.
pub struct HistoryBuilder {
    shared: Arc<BuilderShare>,
}

#[derive(Default)]
struct BuilderShare {
    state: Mutex<BuilderState>,
    changed: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
struct BuilderState {
    /// There may be something to read.
    is_wanted: bool,
    /// The progress of the work that is going on.
    progress: Option<HistoryProgress>,
}

impl HistoryBuilder {
    /// Starts the thread. `make_engine` opens the workspace with its settings as they are then.
    pub fn start(make_engine: impl Fn() -> Result<Engine, EngineError> + Send + 'static) -> HistoryBuilder {
        let shared = Arc::new(BuilderShare::default());
        let own = Arc::clone(&shared);
        let run = move || {
            background::yield_to_others();
            while own.wait() {
                if let Ok(engine) = make_engine() {
                    read(engine, &own);
                }
                own.state().progress = None;
            }
        };
        // Without a thread, questions read the history themselves.
        let _ = std::thread::Builder::new().name("history".into()).spawn(run);
        let builder = HistoryBuilder { shared };
        builder.look();
        builder
    }

    /// Makes the thread look for new commits.
    pub fn look(&self) {
        self.shared.state().is_wanted = true;
        self.shared.changed.notify_all();
    }

    /// Returns the progress of the work that is going on.
    pub fn progress(&self) -> Option<HistoryProgress> {
        self.shared.state().progress
    }
}

impl Drop for HistoryBuilder {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
    }
}

fn read(engine: Engine, shared: &BuilderShare) {
    let mut config = engine.config().clone();
    if !config.history.background {
        return;
    }
    // One thread leaves the other cores to calls and syncs.
    config.history.threads = Some(1);
    // Whatever went wrong, a question meets it, too, and says so.
    let _ = history::build_history(&engine.with_config(config), shared);
}

impl BuilderShare {
    /// Waits until there is something to do; false at the end.
    fn wait(&self) -> bool {
        let is_idle = |state: &mut BuilderState| !state.is_wanted && !self.is_over.load(Ordering::Relaxed);
        let mut state = self.changed.wait_while(self.state(), is_idle).unwrap_or_else(PoisonError::into_inner);
        state.is_wanted = false;
        !self.is_over.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, BuilderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for BuilderShare {
    fn report(&self, stage: Stage, done: usize, total: usize) {
        if matches!(stage, Stage::History | Stage::Changes) {
            self.state().progress = Some(HistoryProgress { done, total });
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}
