//! Keeps a view up to date while files are being edited.
//!
//! ```text
//! source ──> watch_set ──> dirty_tracker ──> worker ──> sync
//! events     matter?       dirty?            when?      the truth
//! ```
//!
//! A watcher is a trigger, never a source of truth: an event only marks the view dirty, and after a
//! short quiet the worker runs the one [`sync()`](crate::sync()), which lists everything, or what
//! can have changed where that is certain. Events that are lost, merged or too many can therefore
//! delay an answer, but not make it wrong. `linux` listens to inotify, `portable` to what other
//! systems have; where neither works the worker syncs every few seconds. [`Watcher::settle`] says,
//! on Linux, whether everything that was saved before the call is in the index, so that a question
//! need not look at the files. `leader` sees to it that one process syncs each view.

mod dirty_tracker;
mod event_coverage;
mod filesystem_kind;
mod leader;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "used on other systems, and tested here"))]
mod portable;
mod timing;
#[cfg(all(test, target_os = "linux"))]
mod wake_tests;
mod watch_set;
mod worker;

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::Target;
use crate::sync::SyncReport;
use crate::watch::dirty_tracker::DirtyTracker;

pub use crate::watch::dirty_tracker::{Settled, Ticket};
pub use crate::watch::leader::{LastSync, Running, ask_to_stop, folder, running, view_name};

/// The result of watching, or the reason why it is not possible.
type Watching<T> = std::result::Result<T, String>;

/// The way in which changes are noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The operating system reports changes.
    #[default]
    Watching,
    /// The files are looked at every few seconds.
    Polling,
}

impl Mode {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Watching => "watching",
            Mode::Polling => "polling",
        }
    }
}

/// The kind of process that owns a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A process that does nothing else; it heeds [`ask_to_stop`].
    Command,
    /// A server, with which it ends.
    Server,
}

impl Owner {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Owner::Command => "command",
            Owner::Server => "server",
        }
    }
}

/// Options of a watcher. Its delays are in [`WatchConfig`](crate::config::WatchConfig).
#[derive(Clone, Debug)]
pub struct Options {
    /// The kind of process that owns the watcher.
    pub owner: Owner,
    /// Do not listen to events, even where that works.
    pub polls: bool,
    /// Files outside the workspace that decide about syncs, such as the user's settings.
    pub deciding_files: Vec<PathBuf>,
    /// End when the root is gone for this long; otherwise wait for it for ever.
    pub gives_up_after: Option<Duration>,
    /// End when the store is removed; otherwise make it again.
    pub ends_with_store: bool,
}

impl Options {
    /// Returns the default options for a watcher of this owner.
    pub fn new(owner: Owner) -> Options {
        Options { owner, polls: false, deciding_files: Vec::new(), gives_up_after: None, ends_with_store: false }
    }
}

/// A message to the listener. The listener runs on the watcher's thread, which waits until it
/// returns.
#[derive(Clone, Debug)]
pub enum Event {
    /// Changes from now on will be seen; the first sync follows.
    Started {
        /// The number of watched directories.
        directories: usize,
        /// The way in which changes are noticed.
        mode: Mode,
    },
    /// The view is up to date.
    Synced {
        /// The result of the sync.
        report: SyncReport,
        /// The duration of the sync.
        took: Duration,
    },
    /// Events cannot be had; from now on the files are looked at every few seconds.
    Degraded {
        /// The reason, and the remedy.
        why: String,
    },
    /// A sync failed.
    Failed {
        /// The error.
        error: String,
        /// The time until the next attempt.
        retry_in: Duration,
    },
    /// The root is not there; the watcher waits for it.
    RootGone,
    /// The root is there again.
    RootBack,
    /// Another process stopped watching the view, and this watcher syncs it from now on.
    TookOver,
    /// The watcher has ended.
    Ended(End),
}

/// The reason why a watcher ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// [`Watcher::stop`] was called.
    Stopped,
    /// A process called [`ask_to_stop`].
    Asked,
    /// The root was gone for too long.
    RootGone,
    /// The store was removed.
    StoreRemoved,
    /// Trying again would not help.
    Failed(String),
}

/// The current state of a watcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchState {
    /// The way in which changes are noticed.
    pub mode: Mode,
    /// True if this watcher syncs the view; if not, another process does.
    pub leads: bool,
    /// The number of watched directories.
    pub directories: usize,
    /// True if the root is gone.
    pub root_is_gone: bool,
    /// The last sync of this watcher.
    pub last_sync: Option<LastSync>,
    /// The error since then.
    pub last_error: Option<String>,
    /// The reason why the watcher polls, if that was not asked for.
    pub why_polling: Option<String>,
    /// The reason why the watcher ended, if it has.
    pub ended: Option<End>,
}

impl WatchState {
    /// Returns whether the view is kept up to date, by this watcher or by the one that leads, as
    /// far as this one knows.
    pub fn keeps_up(&self) -> bool {
        let has_begun = self.last_sync.is_some() || (!self.leads && self.directories > 0);
        has_begun && self.last_error.is_none() && !self.root_is_gone && self.ended.is_none()
    }
}

/// Hears what a watcher tells.
type Listener = Box<dyn Fn(Event) + Send>;
/// Opens the engine anew, so that a watcher follows settings and roots that were made again.
type MakeEngine = Box<dyn Fn() -> Result<Engine> + Send>;

/// State shared by the worker, the event source and the [`Watcher`].
struct Shared {
    tracker: DirtyTracker,
    state: Mutex<WatchState>,
    /// The folder for cookies.
    folder: Mutex<PathBuf>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A watcher at work. It ends when it is dropped.
pub struct Watcher {
    shared: Arc<Shared>,
    thread: Mutex<Option<WorkerThread>>,
}

/// The thread of a watcher. `ended` is disconnected when its work is done and all its resources are
/// freed.
struct WorkerThread {
    handle: JoinHandle<()>,
    ended: Receiver<()>,
}

/// The time that [`Watcher::stop`] waits for the thread. A cancelled sync stops soon, also while it
/// waits for another process; a thread that takes longer is left behind, and ends by itself.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// Starts a watcher of the files on disk. `make_engine` is called for every sync. Fails when there
/// is no engine now, or nothing to watch; everything later is told to `listener` and shows in
/// [`Watcher::state`].
pub fn start(
    make_engine: impl Fn() -> Result<Engine> + Send + 'static,
    options: Options,
    listener: impl Fn(Event) + Send + 'static,
) -> Result<Watcher> {
    start_by(timing::Clocks::real(), make_engine, options, listener)
}

/// Starts a watcher with the given clocks.
fn start_by(
    clocks: timing::Clocks,
    make_engine: impl Fn() -> Result<Engine> + Send + 'static,
    options: Options,
    listener: impl Fn(Event) + Send + 'static,
) -> Result<Watcher> {
    let engine = make_engine()?;
    if matches!(engine.target(), Target::Commit { .. }) {
        return Err(Error::InvalidInput("there are no files to watch: this is a commit, which never changes".into()));
    }
    let shared = Arc::new(Shared {
        tracker: DirtyTracker::default(),
        state: Mutex::default(),
        folder: Mutex::new(folder(engine.store_root())),
    });
    let worker =
        worker::Worker::new(Box::new(make_engine), options, Box::new(listener), shared.clone(), clocks, &engine);
    let (running, ended) = mpsc::channel();
    let work = move || {
        // Dropped last, also when the worker panics.
        let _running: Sender<()> = running;
        worker.run();
    };
    let handle = std::thread::Builder::new()
        .name("watch".into())
        .spawn(work)
        .map_err(|error| Error::InvalidInput(format!("cannot start a thread: {error}")))?;
    Ok(Watcher { shared, thread: Mutex::new(Some(WorkerThread { handle, ended })) })
}

impl Watcher {
    /// Returns the current state of the watcher.
    pub fn state(&self) -> WatchState {
        self.shared.state().clone()
    }

    /// Returns whether everything that was saved before this call is in the index. Only Linux can
    /// tell; see the module `linux` for what it rests on. Writes through memory maps, and through
    /// hard links outside the workspace, are not seen.
    pub fn settle(&self, timeout: Duration) -> Settled {
        let folder = self.shared.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.shared.tracker.settle(&folder, timeout)
    }

    /// Waits until [`Watcher::settle`] no longer says `Dirty`, at most for `timeout`.
    pub fn wait(&self, timeout: Duration) -> Settled {
        let start = Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            match self.settle(left) {
                Settled::Dirty if !left.is_zero() => self.shared.tracker.wait_for_sync(left),
                settled => return settled,
            }
        }
    }

    /// Waits until everything that was saved before this call is in the index, at most for
    /// `timeout`, and makes the watcher sync at once if it is not. What is saved later is not
    /// waited for, so that any number of callers share a sync. `Dirty` where that took too long, or
    /// where another process is the one that syncs.
    pub fn catch_up(&self, timeout: Duration) -> Settled {
        if !self.shared.state().leads {
            return self.settle(timeout);
        }
        let folder = self.shared.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.shared.tracker.catch_up(&folder, timeout)
    }

    /// Returns a ticket to be taken before a sync that is not the watcher's own, and passed to
    /// [`Watcher::confirm`] after it.
    pub fn ticket(&self) -> Ticket {
        self.shared.tracker.ticket()
    }

    /// Tells that a sync that began after `ticket` was taken brought the view to `generation`. This
    /// makes the view clean for a watcher that does not lead, and saves one that does a sync.
    pub fn confirm(&self, ticket: Ticket, generation: i64) {
        self.shared.tracker.confirm(ticket, generation);
    }

    /// Makes the watcher sync soon, as after an event.
    pub fn poke(&self) {
        self.shared.tracker.content_changed();
    }

    /// Ends the watcher and frees its lock. A sync under way is cancelled.
    pub fn stop(&self) {
        self.shared.tracker.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(WorkerThread { handle, ended }) = thread else { return };
        if ended.recv_timeout(STOP_PATIENCE) == Err(RecvTimeoutError::Disconnected) {
            // A panic there has been told already, by itself.
            let _ = handle.join();
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Milliseconds since 1970.
fn since_epoch(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
}
