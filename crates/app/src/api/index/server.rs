//! The state of a server, which it adds to answers about the index.

use std::time::Duration;

use serde::Serialize;

use super::job::RecoveryReport;
use crate::api::part::parts;
use crate::error::AppError;
use crate::remedy::Advice;
use crate::savings::CallSums;

/// The server that a question came through.
pub trait ServerState {
    /// Returns how far a sync in the background was when the call arrived, if one was running.
    fn progress(&self) -> Option<ProgressView>;

    /// Returns how far the history of the workspace is read, if that is going on.
    fn history_progress(&self) -> Option<ProgressView>;

    /// Returns how long the server has been running.
    fn uptime(&self) -> Duration;

    /// Returns the state of each project.
    fn projects(&self) -> Vec<ProjectView>;

    /// Returns how many workspaces are kept up to date, and whether the one of this call is.
    fn warm_set(&self) -> WarmSetView;

    /// Returns the sums of the savings ledger, if one is kept.
    fn savings(&self) -> Option<CallSums>;
}

/// Files or pieces of code done by a sync, of how many. Both are 0 before they are known.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ProgressView {
    pub done: usize,
    pub total: usize,
}

/// The number of workspaces that are kept up to date, and how often that has served calls.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WarmSetView {
    pub workspaces: usize,
    pub hits: u64,
    pub misses: u64,
    /// True if the workspace of the call is one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_workspace: Option<bool>,
}

/// A workspace of a server.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectView {
    pub project_id: Option<String>,
    pub repo_root: String,
    pub index_status: IndexStatus,
    pub last_indexed_at: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    pub file_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<SchemaVersions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_recovery_report: Option<RecoveryReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorView>,
    pub warm: bool,
}
parts!(ProjectView { repo_root, interrupted_recovery_report, error });

/// The state of a project's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexStatus {
    NotIndexed,
    Indexing,
    Ready,
    Failed,
}

/// The format of a store, and the one that this program needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SchemaVersions {
    pub current: Option<i64>,
    pub required: Option<i64>,
}

/// An error inside an answer.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorView {
    code: &'static str,
    message: String,
    data: ErrorData,
}
parts!(ErrorView { message, data });

#[derive(Clone, Debug, Serialize)]
struct ErrorData {
    remediation: Advice,
}
parts!(ErrorData { remediation });

impl From<AppError> for ErrorView {
    fn from(error: AppError) -> ErrorView {
        let data = ErrorData { remediation: error.remediation.into() };
        ErrorView { code: error.code.as_str(), message: error.message, data }
    }
}
