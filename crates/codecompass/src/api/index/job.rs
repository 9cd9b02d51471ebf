//! Index runs as answers show them.

use codecompass_engine::Job;
use serde::Serialize;

use crate::api::part::parts;

/// An index run: the state it is in, or how it ended.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobView {
    pub state: &'static str,
    pub pid: u32,
    pub attempt: u32,
    pub started_at: i64,
    pub files_done: u64,
    pub files_total: u64,
    /// The error of a run that failed.
    pub message: Option<String>,
}
parts!(JobView { message });

impl From<Job> for JobView {
    fn from(job: Job) -> JobView {
        JobView {
            state: job.state.as_str(),
            pid: job.pid,
            attempt: job.attempt,
            started_at: job.started_at,
            files_done: job.progress.0,
            files_total: job.progress.1,
            message: job.message,
        }
    }
}
