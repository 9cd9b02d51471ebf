//! Index runs as answers show them.

use codecompass_engine::{Engine, Job, JobMode};
use serde::Serialize;

use crate::api::part::parts;
use crate::remedy::{Advice, Remedy};

/// The runs that a report lists beside the last one.
const MAX_RECENT: usize = 5;

/// An index run: the state it is in, or how it ended.
#[derive(Clone, Debug, Serialize)]
pub struct JobView {
    /// The number of the run in its store.
    pub sync_id: i64,
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<&'static str>,
    pub pid: u32,
    pub attempt: u32,
    pub retry_count: u32,
    pub started_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_commit: Option<String>,
    pub files_done: u64,
    pub files_total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The error of a run that failed.
    pub message: Option<String>,
}
parts!(JobView { message });

impl From<Job> for JobView {
    fn from(job: Job) -> JobView {
        JobView {
            sync_id: job.id,
            state: job.state.as_str(),
            mode: job.mode.map(JobMode::as_str),
            pid: job.pid,
            attempt: job.attempt,
            retry_count: job.attempt.saturating_sub(1),
            started_at: job.started_at,
            duration_ms: job.duration_ms,
            head_commit: job.head_commit,
            files_done: job.progress.0,
            files_total: job.progress.1,
            changed_files: job.changed_files,
            error_code: job.error_code,
            message: job.message,
        }
    }
}

/// The last index run of a view that published nothing, and what to do about it.
#[derive(Clone, Debug, Serialize)]
pub struct RecoveryReport {
    #[serde(flatten)]
    pub job: JobView,
    /// The root of the workspace.
    pub workspace: String,
    pub remediation: Advice,
    /// The last runs in this store that died or failed, the newest first.
    pub recent: Vec<LostJobView>,
}
parts!(RecoveryReport { remediation, recent, ..job });

/// An index run that died or failed, of any view of the store.
#[derive(Clone, Debug, Serialize)]
pub struct LostJobView {
    #[serde(flatten)]
    pub job: JobView,
    /// The root of the workspace, or the commit.
    pub workspace: String,
}
parts!(LostJobView { ..job });

impl RecoveryReport {
    /// Returns the report about a view, unless its last run published what it found.
    pub fn of(engine: &Engine) -> Option<RecoveryReport> {
        let job = engine.interrupted_job()?;
        let remediation = match job.error_code.as_deref() {
            Some("disk_full") => "free space on the disk of the index, then ask again".into(),
            Some("not_writable") => "make the folder of the index writable, then ask again".into(),
            Some("index_damaged" | "internal_error") => Remedy::Rebuild,
            _ => Remedy::ResumeIndexing,
        };
        let recent = engine.recently_lost_jobs(MAX_RECENT);
        Some(RecoveryReport {
            job: job.into(),
            workspace: engine.workspace().root.to_string_lossy().into_owned(),
            remediation: remediation.into(),
            recent: recent.into_iter().map(|(workspace, job)| LostJobView { job: job.into(), workspace }).collect(),
        })
    }
}
