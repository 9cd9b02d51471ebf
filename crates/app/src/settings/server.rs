//! Settings of the server for agents. They are the user's alone: a repository has no say in who may
//! read what.

use std::path::PathBuf;

use crate::choices::Answers;
use crate::error::AppError;

/// The settings of the server, for which a flag may say otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// The tools that are listed.
    pub tools: Vec<String>,
    /// The form in which answers are carried.
    pub answers: Answers,
    /// Seconds for a call.
    pub call_timeout: u64,
    /// Seconds that a call waits for the first index.
    pub index_wait: u64,
    /// The address at which HTTP is served.
    pub bind: String,
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub token_file: Option<String>,
    /// Seconds after which an unused session ends.
    pub session_idle: u64,
    /// Seconds that a client gets to send, and to go on reading.
    pub slow_client: u64,
    /// True if calls may name any directory inside the allowed roots.
    pub auto_workspace: bool,
    pub allowed_roots: Vec<String>,
    /// Workspaces at the same time.
    pub max_workspaces: usize,
    /// Seconds without a call after which a workspace may make room for another.
    pub evict_after: u64,
    pub audit_log: Option<String>,
    /// True if workspaces are watched.
    pub watch: bool,
    /// True if the savings ledger is kept.
    pub savings: bool,
    /// True if the page is served over HTTP.
    pub ui: bool,
}

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        ServerSettings {
            tools: vec!["core".into()],
            answers: Answers::default(),
            call_timeout: 60,
            index_wait: 10,
            bind: "127.0.0.1:4747".into(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            token_file: None,
            session_idle: 30 * 60,
            slow_client: 30,
            auto_workspace: false,
            allowed_roots: Vec::new(),
            max_workspaces: 16,
            evict_after: 600,
            audit_log: None,
            watch: true,
            savings: true,
            ui: false,
        }
    }
}

/// A path from a setting, which must not depend on where the server is started.
pub fn absolute(name: &str, path: &str) -> Result<PathBuf, AppError> {
    let found = PathBuf::from(path);
    if found.is_absolute() {
        Ok(found)
    } else {
        Err(AppError::invalid(format!("server.{name} is not an absolute path"), "write the whole path"))
    }
}
