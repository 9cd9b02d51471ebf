//! The process that keeps the index of a checkout up to date, as answers show it.

use codecompass_engine::watch::Running;
use serde::Serialize;

use crate::api::part::parts;
use crate::units::count;

#[derive(Clone, Debug, Serialize)]
pub struct WatcherView {
    pub state: &'static str,
    pub pid: Option<u32>,
    pub mode: Option<String>,
    /// All of it in a line of text.
    #[serde(skip)]
    pub line: String,
}
parts!(WatcherView {});

impl WatcherView {
    pub fn new(running: Option<&Running>) -> WatcherView {
        WatcherView {
            state: if running.is_some() { "running" } else { "none" },
            pid: running.map(|running| running.pid),
            mode: running.map(|running| running.mode.clone()),
            line: line(running),
        }
    }

    pub fn is_running(&self) -> bool {
        self.pid.is_some()
    }
}

fn line(running: Option<&Running>) -> String {
    match running {
        None => "not being watched; `codecompass watch` does it".to_string(),
        Some(Running { pid, mode, root_is_gone: true, .. }) => {
            format!("process {pid} is {mode} and waits for the root to come back")
        }
        Some(Running { pid, mode, directories: 0, .. }) => format!("process {pid} is {mode}"),
        Some(Running { pid, mode, directories, .. }) => {
            format!("process {pid} is {mode}, {}", count(*directories, "directory"))
        }
    }
}
