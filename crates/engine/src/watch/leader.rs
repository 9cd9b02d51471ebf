//! Elects the one watcher per view that syncs it. Files in the store's folder `watch` show other
//! processes which one leads.
//!
//! ```text
//! watch/VIEW.lock     held by the watcher that leads; its content is the process id
//! watch/VIEW.state    its state, rewritten after each sync; valid only while the lock is held
//! watch/VIEW.stop     asks it to end
//! watch/cookie-…      made and removed to learn whether all events have come
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::Result;
use crate::files;
use crate::watch::dirty_tracker::COOKIE;
use crate::watch::{Mode, Owner, WatchState, since_epoch};

/// The extension of the file with the state of a watcher.
const STATE: &str = "state";

/// The last successful sync of a watcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastSync {
    /// The time of its end, in milliseconds since 1970.
    pub at_ms: u64,
    /// Its duration in milliseconds.
    pub took_ms: u64,
    /// The generation of the view.
    pub generation: i64,
    /// Files of the view.
    pub files: usize,
}

/// The watcher that syncs a view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Its process; 0 when it has not said so yet.
    pub pid: u32,
    /// The kind of process that owns it: `command` or `server`.
    pub owner: String,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
    /// `watching` or `polling`; `starting` before it is known.
    pub mode: String,
    /// The reason why it polls, if that was not asked for.
    pub why_polling: Option<String>,
    /// The number of watched directories.
    pub directories: usize,
    /// True if it waits for the root to come back.
    pub root_is_gone: bool,
    /// Its last sync.
    pub last_sync: Option<LastSync>,
    /// The error since then.
    pub last_error: Option<String>,
}

impl Running {
    /// Returns whether it has brought the view up to date, and nothing keeps it from doing so
    /// again.
    pub fn keeps_up(&self) -> bool {
        self.last_sync.is_some() && self.last_error.is_none() && !self.root_is_gone
    }
}

/// Returns the folder in which watchers of a store keep their files.
pub fn folder(store_root: &Path) -> PathBuf {
    store_root.join("watch")
}

/// Returns the stem of the names of files about the view of the engine's checkout, whatever commit
/// the engine is asked about.
pub fn view_name(engine: &Engine) -> String {
    let workspace = engine.workspace();
    let mut hasher = blake3::Hasher::new();
    hasher.update(workspace.kind.as_str().as_bytes()).update(b"\n");
    hasher.update(workspace.root.as_os_str().as_encoded_bytes());
    hasher.finalize().to_hex()[..16].to_string()
}

/// The watcher that syncs the engine's checkout now, if there is one.
pub fn running(engine: &Engine) -> Option<Running> {
    let (folder, view) = (folder(engine.store_root()), view_name(engine));
    let lock_file = folder.join(format!("{view}.lock"));
    // What a dead process has left is recognised by the lock, whatever its id means now.
    let lock = File::open(&lock_file).map(|file| file.try_lock_shared());
    if !matches!(lock, Ok(Err(TryLockError::WouldBlock))) {
        return None;
    }
    let told = fs::read(folder.join(format!("{view}.{STATE}"))).ok();
    let told: Option<Running> = told.and_then(|text| serde_json::from_slice(&text).ok());
    let pid = files::lock_holder(&lock_file);
    // Where locks keep others from reading, the process id is only in the other file.
    match told.filter(|told| pid == 0 || told.pid == pid) {
        Some(told) => Some(told),
        None => Some(Running { pid, mode: "starting".into(), ..Running::default() }),
    }
}

/// Asks the watcher that syncs the engine's checkout to end. Only one that an own process serves
/// does.
pub fn ask_to_stop(engine: &Engine) -> Result<()> {
    let folder = folder(engine.store_root());
    let file = folder.join(format!("{}.stop", view_name(engine)));
    // Removed first, so that it is made now in any case: that is what shows.
    let _ = fs::remove_file(&file);
    File::create(&file).map(drop).map_err(|source| files::unwritable(&folder, source))
}

/// The files of one view.
pub(super) struct LeaderFiles {
    folder: PathBuf,
    view: String,
    since_ms: u64,
    lock: Option<File>,
}

impl LeaderFiles {
    /// Makes the folder; the lock is not taken yet.
    pub(super) fn at(engine: &Engine) -> Result<LeaderFiles> {
        let folder = folder(engine.store_root());
        fs::create_dir_all(&folder).map_err(|source| files::unwritable(&folder, source))?;
        let leader =
            LeaderFiles { folder, view: view_name(engine), since_ms: since_epoch(SystemTime::now()), lock: None };
        leader.remove_old_cookies();
        Ok(leader)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn is_for(&self, engine: &Engine) -> bool {
        self.folder == folder(engine.store_root()) && self.view == view_name(engine)
    }

    pub(super) fn stop_file(&self) -> String {
        format!("{}.stop", self.view)
    }

    pub(super) fn lock_file(&self) -> String {
        format!("{}.lock", self.view)
    }

    /// Returns whether this watcher leads.
    pub(super) fn leads(&self) -> bool {
        self.lock.is_some()
    }

    /// Takes the lock if no other process holds it; `true` when it was taken just now.
    pub(super) fn try_lead(&mut self) -> Result<bool> {
        if self.leads() {
            return Ok(false);
        }
        let unwritable = |source: io::Error| files::unwritable(&self.folder, source);
        let path = self.path("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(source)) => return Err(unwritable(source)),
        }
        file.set_len(0).and_then(|()| file.write_all(std::process::id().to_string().as_bytes())).map_err(unwritable)?;
        // What was asked of the former leader is not asked of this one.
        let _ = fs::remove_file(self.path("stop"));
        let _ = fs::remove_file(self.path(STATE));
        self.since_ms = since_epoch(SystemTime::now());
        self.lock = Some(file);
        Ok(true)
    }

    /// Returns whether the folder was removed, or the lock is no longer the one that others see.
    pub(super) fn is_gone(&self) -> bool {
        !self.folder.is_dir() || self.lock.as_ref().is_some_and(|lock| !is_at(lock, &self.path("lock")))
    }

    /// Returns whether a request to stop lies there; it is taken away.
    pub(super) fn takes_stop(&self) -> bool {
        self.leads() && fs::remove_file(self.path("stop")).is_ok()
    }

    /// Writes the state of the leader for other processes. Errors are ignored.
    pub(super) fn tell(&self, owner: Owner, state: &WatchState) {
        if !self.leads() || self.is_gone() {
            return;
        }
        let told = Running {
            pid: std::process::id(),
            owner: owner.as_str().into(),
            since_ms: self.since_ms,
            mode: state.mode.as_str().into(),
            why_polling: state.why_polling.clone().filter(|_| state.mode == Mode::Polling),
            directories: state.directories,
            root_is_gone: state.root_is_gone,
            last_sync: state.last_sync.clone(),
            last_error: state.last_error.clone(),
        };
        let new = self.path("state.new");
        let written = serde_json::to_vec(&told).map_err(io::Error::from).and_then(|text| fs::write(&new, text));
        let _ = written.and_then(|()| fs::rename(&new, self.path(STATE)));
    }

    fn path(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.view))
    }

    /// Cookies live for a moment; older ones are of processes that died.
    fn remove_old_cookies(&self) {
        const OLD: Duration = Duration::from_secs(60);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let is_cookie = entry.file_name().to_string_lossy().starts_with(COOKIE);
            let age = entry.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
            if is_cookie && age.is_ok_and(|age| age.is_ok_and(|age| age > OLD)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Returns whether the open file is the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    let (open, there) = (file.metadata(), path.metadata());
    matches!((open, there), (Ok(open), Ok(there)) if files::file_identity(&open) == files::file_identity(&there))
}

impl Drop for LeaderFiles {
    fn drop(&mut self) {
        if self.leads() && !self.is_gone() {
            let _ = fs::remove_file(self.path(STATE));
        }
    }
}
