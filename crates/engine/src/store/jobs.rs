//! The record of index runs: one row each, so that a run that died is known and can be told.

use rusqlite::{Connection, OptionalExtension};

use super::writer::now;
use crate::error::Result;
use crate::model::ViewId;

/// A run that ended without publishing, and that no later run has made good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptedJob {
    id: i64,
    /// When it started, unix seconds.
    pub started_at: i64,
    /// Files it had finished, and files it had to do.
    pub progress: (u64, u64),
    /// `interrupted` (its process died) or `failed`.
    pub state: String,
    /// The error of a failed run.
    pub message: Option<String>,
}

/// Records the start of a run. Runs outside any batch, so that a kill leaves the row behind.
pub(crate) fn start(db: &Connection, view: ViewId, files_total: usize) -> Result<i64> {
    let sql = "INSERT INTO job (view_id, state, pid, files_total, started_at) VALUES (?1, 'running', ?2, ?3, ?4)";
    db.prepare_cached(sql)?.execute((view.0, std::process::id(), files_total as i64, now()))?;
    Ok(db.last_insert_rowid())
}

/// Records the end of a run; `error` is `None` when it published. Old rows of the view are forgotten.
pub(crate) fn end(db: &Connection, job: i64, view: ViewId, error: Option<&str>) -> Result<()> {
    let state = if error.is_some() { "failed" } else { "published" };
    db.prepare_cached("UPDATE job SET state = ?2, ended_at = ?3, message = ?4, files_done = CASE WHEN ?4 IS NULL THEN files_total ELSE files_done END WHERE job_id = ?1")?
        .execute((job, state, now(), error))?;
    let forget = "DELETE FROM job WHERE view_id = ?1 AND job_id <= ?2 - 20";
    db.prepare_cached(forget)?.execute((view.0, job))?;
    Ok(())
}

impl InterruptedJob {
    /// Whether its record does not say how it ended.
    pub(crate) fn is_running(&self) -> bool {
        self.state == "running"
    }

    /// The same run, known to have died.
    pub(crate) fn into_interrupted(self) -> InterruptedJob {
        InterruptedJob { state: "interrupted".into(), ..self }
    }
}

/// The last run of the view, if it has not published.
pub(crate) fn unpublished(db: &Connection, view: ViewId) -> Result<Option<InterruptedJob>> {
    let sql = "SELECT started_at, files_done, files_total, state, message, job_id FROM job WHERE view_id = ?1 ORDER BY job_id DESC LIMIT 1";
    let job = db
        .prepare_cached(sql)?
        .query_row([view.0], |row| {
            Ok(InterruptedJob {
                started_at: row.get(0)?,
                progress: (row.get::<_, i64>(1)? as u64, row.get::<_, i64>(2)? as u64),
                state: row.get(3)?,
                message: row.get(4)?,
                id: row.get(5)?,
            })
        })
        .optional()?;
    Ok(job.filter(|job| job.state != "published"))
}
