//! `watch`: what it says about itself, and about watchers in other processes.

use codecompass_engine::watch::{End, Event, LastSync, Mode, Running};
use serde::Serialize;

use super::sync::SyncCounts;
use super::watcher::WatcherView;

/// The answer of `watch --background`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WatchStartAnswer {
    /// False if a process was watching already.
    #[serde(rename = "started")]
    pub is_new: bool,
    pub pid: u32,
}

/// The answer of `watch --stop`.
#[derive(Clone, Debug, Serialize)]
pub struct WatchStopAnswer {
    #[serde(rename = "stopped")]
    is_stopped: bool,
    pid: Option<u32>,
    pub message: String,
}

impl WatchStopAnswer {
    pub fn stopped(pid: u32) -> WatchStopAnswer {
        WatchStopAnswer { is_stopped: true, pid: Some(pid), message: format!("stopped process {pid}") }
    }

    pub fn not_stopped(message: String) -> WatchStopAnswer {
        WatchStopAnswer { is_stopped: false, pid: None, message }
    }
}

/// The answer of `watch --status`.
#[derive(Clone, Debug, Serialize)]
pub struct WatchStatusAnswer {
    #[serde(flatten)]
    pub watcher: WatcherView,
    pub root: String,
    /// The log of a background process, if there is one.
    pub log: Option<String>,
    #[serde(flatten)]
    pub running: Option<WatcherDetails>,
}

/// A running watcher, besides its process and mode.
#[derive(Clone, Debug, Serialize)]
pub struct WatcherDetails {
    owner: String,
    pub since_ms: u64,
    directories: usize,
    pub why_polling: Option<String>,
    root_is_gone: bool,
    pub last_error: Option<String>,
    pub last_sync: Option<LastSync>,
}

impl From<Running> for WatcherDetails {
    fn from(running: Running) -> WatcherDetails {
        WatcherDetails {
            owner: running.owner,
            since_ms: running.since_ms,
            directories: running.directories,
            why_polling: running.why_polling,
            root_is_gone: running.root_is_gone,
            last_error: running.last_error,
            last_sync: running.last_sync,
        }
    }
}

/// An event of a watcher, one line of `watch --json`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WatchEvent {
    Started {
        mode: &'static str,
        directories: usize,
    },
    Synced {
        #[serde(flatten)]
        counts: SyncCounts,
        took_ms: u64,
    },
    Degraded {
        mode: &'static str,
        why: String,
    },
    Failed {
        error: String,
        retry_in_ms: u64,
    },
    RootGone,
    RootBack,
    TookOver,
    Ended {
        reason: &'static str,
        error: Option<String>,
    },
}

impl From<&Event> for WatchEvent {
    fn from(event: &Event) -> WatchEvent {
        match event {
            Event::Started { directories, mode } => {
                WatchEvent::Started { mode: mode.as_str(), directories: *directories }
            }
            Event::Synced { report, took } => {
                WatchEvent::Synced { counts: SyncCounts::from(report), took_ms: took.as_millis() as u64 }
            }
            Event::Degraded { why } => WatchEvent::Degraded { mode: Mode::Polling.as_str(), why: why.clone() },
            Event::Failed { error, retry_in } => {
                WatchEvent::Failed { error: error.clone(), retry_in_ms: retry_in.as_millis() as u64 }
            }
            Event::RootGone => WatchEvent::RootGone,
            Event::RootBack => WatchEvent::RootBack,
            Event::TookOver => WatchEvent::TookOver,
            Event::Ended(end) => {
                let (reason, error) = match end {
                    End::Stopped | End::Asked => ("stopped", None),
                    End::RootGone => ("root_gone", None),
                    End::StoreRemoved => ("store_removed", None),
                    End::Failed(error) => ("failed", Some(error.clone())),
                };
                WatchEvent::Ended { reason, error }
            }
        }
    }
}
