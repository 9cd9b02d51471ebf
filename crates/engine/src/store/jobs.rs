//! The record of index runs, in a database of its own beside the data folders: anybody can see how
//! far a run is while its transaction is still open, and a rebuild does not forget what was before
//! it.
//!
//! ```text
//! queued ──> running ──> validating ──> published
//!    └──────────┴────────────┴──> failed, rolled_back, or interrupted when the process died
//! ```
//!
//! It is only a record. A run goes on when it cannot be written, and one that is damaged is begun
//! anew.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::model::ViewKey;
use crate::store::disk::layout::{self, LOCK_TIMEOUT};
use crate::store::handle::Store;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::time::{DAY, now};
use rusqlite::{OpenFlags, Row};

const FILE: &str = "jobs.db";

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS job (
    job_id      INTEGER PRIMARY KEY,
    view_kind   TEXT    NOT NULL,
    view_name   TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    pid         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    generation  INTEGER NOT NULL DEFAULT 0,
    files_total INTEGER NOT NULL DEFAULT 0,
    files_done  INTEGER NOT NULL DEFAULT 0,
    queued_at   INTEGER NOT NULL,
    ended_at    INTEGER,
    message     TEXT
);
CREATE INDEX IF NOT EXISTS job_by_view ON job (view_kind, view_name, job_id);";

/// Columns that records of older versions lack.
const ADDED_COLUMNS: [(&str, &str); 5] = [
    ("mode", "TEXT"),
    ("head_commit", "TEXT"),
    ("changed_files", "INTEGER"),
    ("duration_ms", "INTEGER"),
    ("error_code", "TEXT"),
];

/// The time between two writes of a running job's figures.
const PAUSE: Duration = Duration::from_millis(250);

/// Rows of a view that are kept.
const KEPT: i64 = 20;

/// The stage that an index run is in, or its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits for another process that is writing.
    Queued,
    /// It reads, parses and stores.
    Running,
    /// Everything is stored and looked at before it becomes visible.
    Validating,
    /// Its result is what questions are answered from.
    Published,
    /// It met an error.
    Failed,
    /// It was cancelled.
    RolledBack,
    /// Its process died.
    Interrupted,
}

impl JobState {
    const ALL: [JobState; 7] = [
        JobState::Queued,
        JobState::Running,
        JobState::Validating,
        JobState::Published,
        JobState::Failed,
        JobState::RolledBack,
        JobState::Interrupted,
    ];

    /// The word used in answers and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Validating => "validating",
            JobState::Published => "published",
            JobState::Failed => "failed",
            JobState::RolledBack => "rolled_back",
            JobState::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The extent of an index run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobMode {
    /// The first one of its view.
    Full,
    /// One that reads what changed.
    Incremental,
    /// One that builds the index anew.
    Rebuild,
}

impl JobMode {
    const ALL: [JobMode; 3] = [JobMode::Full, JobMode::Incremental, JobMode::Rebuild];

    /// The word used in answers and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            JobMode::Full => "full",
            JobMode::Incremental => "incremental",
            JobMode::Rebuild => "rebuild",
        }
    }
}

/// The facts about a run that are known when it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobStart<'a> {
    /// 1, or more for a run that is tried again.
    pub attempt: u32,
    pub mode: JobMode,
    /// The commit that is checked out.
    pub head_commit: Option<&'a str>,
}

/// An index run as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The number of the run in its store.
    pub id: i64,
    /// The extent of the run, if it is on record.
    pub mode: Option<JobMode>,
    /// The commit that was checked out when it began.
    pub head_commit: Option<String>,
    /// Files that the view holds otherwise since it was published.
    pub changed_files: Option<u64>,
    /// The time from its first moment to its end.
    pub duration_ms: Option<u64>,
    /// The kind of the error of a failed run.
    pub error_code: Option<String>,
    /// The stage that it is in, or its outcome.
    pub state: JobState,
    /// The process that runs it.
    pub pid: u32,
    /// 1, or more for a run that was tried again.
    pub attempt: u32,
    /// The time it began to wait for its turn, unix seconds.
    pub started_at: i64,
    /// The view's generation before it.
    pub(crate) generation: i64,
    /// Files it has finished, and files it has to do.
    pub progress: (u64, u64),
    /// The error of a failed run.
    pub message: Option<String>,
}

impl Job {
    /// Returns whether its record does not say how it ended.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, JobState::Queued | JobState::Running | JobState::Validating)
    }

    /// Returns the run as one that is known to have died.
    pub(crate) fn into_interrupted(self) -> Job {
        Job { state: JobState::Interrupted, ..self }
    }
}

/// Writes the record of one run as it goes on.
pub(crate) struct JobLog {
    db: Option<Db>,
    id: i64,
    begun: Instant,
    written: Instant,
    /// The pool that gets the connection afterwards, and the database's file.
    pool: Option<(Arc<ConnectionPool>, PathBuf)>,
}

impl JobLog {
    /// A run of a view that waits for its turn to write.
    pub(crate) fn queue(store: &Store, view: &ViewKey, start: JobStart<'_>) -> JobLog {
        let (root, file) = (store.root(), store.root().join(FILE));
        let insert = |db: &Db| -> Result<i64> {
            let sql = "INSERT INTO job (view_kind, view_name, state, pid, attempt, queued_at, mode, head_commit) \
                       VALUES (?1, ?2, 'queued', ?3, ?4, ?5, ?6, ?7)";
            let (kind, mode, pid) = (view.kind.as_str(), start.mode.as_str(), std::process::id());
            let mut statement = db.prepare(sql)?;
            statement.execute((kind, &view.name, pid, start.attempt, now(), mode, start.head_commit))?;
            Ok(db.last_insert_rowid())
        };
        let begin = || -> Result<(Db, i64)> {
            let db = store.pool().and_then(|pool| pool.take(&file)).map_or_else(|| open(root), Ok)?;
            let id = insert(&db)?;
            Ok((db, id))
        };
        let begun = begin().or_else(|_| {
            remove(root);
            begin()
        });
        let (db, id) = begun.map_or((None, 0), |(db, id)| (Some(db), id));
        let pool = store.pool().map(|pool| (Arc::clone(pool), file.clone()));
        let begun = Instant::now();
        JobLog { db, id, begun, written: begun, pool }
    }

    /// Starts the run: it is its turn to make another generation than `generation` of the view. Its
    /// process holds the writer's lock, so a run that is still recorded as running has died.
    pub(crate) fn run(&mut self, generation: i64, files_total: usize) {
        self.write("UPDATE job SET generation = ?2 WHERE job_id = ?1", generation);
        self.write("UPDATE job SET state = 'running', files_total = ?2 WHERE job_id = ?1", files_total as i64);
        let died = "UPDATE job SET state = 'interrupted', ended_at = ?2 \
                    WHERE job_id <> ?1 AND state IN ('running', 'validating')";
        self.write(died, now());
        let gave_up = "UPDATE job SET state = 'interrupted', ended_at = queued_at \
                       WHERE job_id <> ?1 AND state = 'queued' AND queued_at < ?2";
        self.write(gave_up, now() - LOCK_TIMEOUT.as_secs() as i64);
    }

    /// So many files are done.
    pub(crate) fn progress(&mut self, done: usize) {
        if self.written.elapsed() >= PAUSE {
            self.written = Instant::now();
            self.write("UPDATE job SET files_done = ?2 WHERE job_id = ?1", done as i64);
        }
    }

    /// All files are done.
    pub(crate) fn validate(&mut self) {
        let sql = "UPDATE job SET state = 'validating', files_done = files_total WHERE job_id = ?1";
        if let Some(db) = &self.db {
            let _ = db.execute(sql, [self.id]);
        }
    }

    /// Records how it ended, with the number of changed files if it was published, and forgets old
    /// rows.
    pub(crate) fn end(mut self, outcome: std::result::Result<usize, &Error>) {
        let state = match outcome {
            Ok(_) => JobState::Published,
            Err(Error::Cancelled) => JobState::RolledBack,
            Err(_) => JobState::Failed,
        };
        if let Some(db) = &self.db {
            let error = outcome.err().filter(|error| !matches!(error, Error::Cancelled));
            let (message, code) = (error.map(Error::to_string), error.map(error_code));
            let changed = outcome.ok().map(|changed| changed as i64);
            let duration = self.begun.elapsed().as_millis() as i64;
            let sql = "UPDATE job SET state = ?2, ended_at = ?3, message = ?4, error_code = ?5, changed_files = ?6, \
                       duration_ms = ?7 WHERE job_id = ?1";
            let end = db.prepare(sql);
            let values = (self.id, state.as_str(), now(), message, code, changed, duration);
            let _ = end.and_then(|mut end| end.execute(values));
        }
        let of_view = "DELETE FROM job WHERE job_id IN (SELECT old.job_id FROM job old JOIN job own ON own.job_id = ?1 \
                       WHERE old.view_kind = own.view_kind AND old.view_name = own.view_name \
                       ORDER BY old.job_id DESC LIMIT -1 OFFSET ?2)";
        self.write(of_view, KEPT);
        self.write("DELETE FROM job WHERE job_id <> ?1 AND queued_at < ?2", now() - 30 * DAY);
        if let (Some(db), Some((pool, file))) = (self.db, self.pool) {
            pool.put(&file, db);
        }
    }

    /// The last run of a view whose turn came, if one is recorded.
    pub(crate) fn last(&self, view: &ViewKey) -> Option<Job> {
        self.db.as_ref().and_then(|db| found(db, view, TURN_CAME).ok().flatten())
    }

    fn write(&mut self, sql: &str, value: i64) {
        if let Some(db) = &self.db {
            // A record with a gap does no harm.
            let _ = db.prepare(sql).and_then(|mut statement| statement.execute((self.id, value)));
        }
    }
}

/// The last run of a view whose turn came, if one is recorded.
pub(crate) fn last(root: &Path, view: &ViewKey) -> Option<Job> {
    find(root, view, TURN_CAME)
}

const TURN_CAME: &str = "AND state <> 'queued'";

/// The last run of a view that has no end on record.
pub(crate) fn last_open(root: &Path, view: &ViewKey) -> Option<Job> {
    find(root, view, "AND state IN ('queued', 'running', 'validating')")
        .filter(|job| job.state != JobState::Queued || now() - job.started_at < LOCK_TIMEOUT.as_secs() as i64)
}

/// The last runs of all views that died or failed, the newest first, with the roots or commits that
/// they were about.
pub(crate) fn recently_lost(root: &Path, limit: usize) -> Vec<(String, Job)> {
    let sql = format!(
        "SELECT {COLUMNS}, view_name FROM job WHERE state IN ('interrupted', 'failed') ORDER BY job_id DESC LIMIT ?1"
    );
    let read = || -> Result<Vec<(String, Job)>> {
        read_only(root)?.prepare(&sql)?.query_map([limit as i64], |row| Ok((row.get("view_name")?, job(row)?)))
    };
    read().unwrap_or_default()
}

/// The last runs of a view, the newest first.
pub(crate) fn recent(root: &Path, view: &ViewKey, limit: usize) -> Vec<Job> {
    let sql =
        format!("SELECT {COLUMNS} FROM job WHERE view_kind = ?1 AND view_name = ?2 ORDER BY job_id DESC LIMIT ?3");
    let read = || -> Result<Vec<Job>> {
        read_only(root)?.prepare(&sql)?.query_map((view.kind.as_str(), &view.name, limit as i64), job)
    };
    read().unwrap_or_default()
}

fn find(root: &Path, view: &ViewKey, which: &str) -> Option<Job> {
    // Without a file, or with a damaged one, nothing is on record.
    read_only(root).and_then(|db| found(&db, view, which)).ok().flatten()
}

/// Opens a record that exists.
fn read_only(root: &Path) -> Result<Db> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Db::open(root.join(FILE), flags, root)?;
    db.with(|connection| connection.busy_timeout(Duration::from_secs(1)))?;
    add_columns(&db);
    Ok(db)
}

const COLUMNS: &str = "job_id, state, pid, attempt, queued_at, files_done, files_total, message, generation, mode, \
                       head_commit, changed_files, duration_ms, error_code";

fn found(db: &Db, view: &ViewKey, which: &str) -> Result<Option<Job>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM job WHERE view_kind = ?1 AND view_name = ?2 {which} ORDER BY job_id DESC LIMIT 1"
    );
    db.prepare(&sql)?.query_optional((view.kind.as_str(), &view.name), job)
}

fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    let word: String = row.get(1)?;
    let state = JobState::ALL.into_iter().find(|state| state.as_str() == word);
    let mode: Option<String> = row.get(9)?;
    let number = |column: usize| row.get::<_, Option<i64>>(column).map(|number| number.map(|it| it.max(0) as u64));
    Ok(Job {
        id: row.get(0)?,
        mode: mode.and_then(|mode| JobMode::ALL.into_iter().find(|known| known.as_str() == mode)),
        head_commit: row.get(10)?,
        changed_files: number(11)?,
        duration_ms: number(12)?,
        error_code: row.get(13)?,
        state: state.unwrap_or(JobState::Interrupted),
        pid: row.get(2)?,
        attempt: row.get(3)?,
        started_at: row.get(4)?,
        progress: (row.get::<_, i64>(5)?.max(0) as u64, row.get::<_, i64>(6)?.max(0) as u64),
        message: row.get(7)?,
        generation: row.get(8)?,
    })
}

fn open(root: &Path) -> Result<Db> {
    let _ = layout::create_root(root);
    let db = Db::open(root.join(FILE), OpenFlags::default(), root)?;
    db.with(|connection| {
        connection.busy_timeout(Duration::from_secs(1))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // A power cut may take the record with it; the index does not depend on it.
        connection.pragma_update(None, "synchronous", "off")?;
        connection.execute_batch(SCHEMA)
    })?;
    add_columns(&db);
    Ok(db)
}

/// Adds the columns that a record of an older version lacks.
fn add_columns(db: &Db) {
    let names = || -> Result<Vec<String>> {
        db.prepare("SELECT name FROM pragma_table_info('job')")?.query_map([], |row| row.get(0))
    };
    let known = names().unwrap_or_default();
    for (name, kind) in ADDED_COLUMNS.iter().filter(|(name, _)| !known.iter().any(|known| known == name)) {
        // Another process may have added it in this moment.
        let _ = db.execute_batch(&format!("ALTER TABLE job ADD COLUMN {name} {kind}"));
    }
}

/// Returns the kind of an error, in a word.
fn error_code(error: &Error) -> &'static str {
    match error {
        Error::DiskFull { .. } => "disk_full",
        Error::Unwritable { .. } => "not_writable",
        Error::Corrupt { .. } => "index_damaged",
        Error::Incompatible { .. } | Error::Outdated { .. } => "index_incompatible",
        Error::Busy { .. } => "index_in_progress",
        Error::Scan(_) => "scan_failed",
        _ => "internal_error",
    }
}

fn remove(root: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(root.join(format!("{FILE}{suffix}")));
    }
}

/// Waits before a run that met a passing error is tried again, unless it was the last try.
pub(crate) fn pause_before(attempt: u32, is_cancelled: &dyn Fn() -> bool) -> Result<()> {
    let until = Instant::now() + Duration::from_millis(200) * 4u32.pow(attempt.saturating_sub(1).min(4));
    while Instant::now() < until {
        if is_cancelled() {
            return Err(Error::Cancelled);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ViewKind;

    fn store(root: &tempfile::TempDir) -> Store {
        Store::at(root.path().to_path_buf(), root.path().to_path_buf()).unwrap()
    }

    fn key(name: &str) -> ViewKey {
        ViewKey { kind: ViewKind::Live, name: name.into() }
    }

    fn start(attempt: u32) -> JobStart<'static> {
        JobStart { attempt, mode: JobMode::Incremental, head_commit: Some("abc") }
    }

    #[test]
    fn a_run_is_on_record_from_its_first_moment() {
        let root = tempfile::tempdir().unwrap();
        let state = || last_open(root.path(), &key("a")).map(|job| job.state);
        assert_eq!(state(), None);
        let mut log = JobLog::queue(&store(&root), &key("a"), start(1));
        assert_eq!(state(), Some(JobState::Queued));
        assert_eq!(last(root.path(), &key("a")), None);
        log.run(0, 7);
        assert_eq!(state(), Some(JobState::Running));
        log.validate();
        assert_eq!(last_open(root.path(), &key("a")).unwrap().progress, (7, 7));
        assert_eq!(state(), Some(JobState::Validating));
        log.end(Ok(3));
        assert_eq!(state(), None);
        let job = last(root.path(), &key("a")).unwrap();
        assert_eq!(
            (job.state, job.mode, job.changed_files),
            (JobState::Published, Some(JobMode::Incremental), Some(3))
        );
        assert_eq!((job.head_commit.as_deref(), job.error_code), (Some("abc"), None));
        assert!(job.duration_ms.is_some());
        assert_eq!(last(root.path(), &key("b")), None);
    }

    #[test]
    fn who_gets_the_turn_knows_that_others_died() {
        let root = tempfile::tempdir().unwrap();
        let mut dead = JobLog::queue(&store(&root), &key("a"), start(1));
        dead.run(0, 3);
        drop(dead);
        let mut next = JobLog::queue(&store(&root), &key("b"), start(2));
        next.run(4, 1);
        assert_eq!(last(root.path(), &key("a")).unwrap().state, JobState::Interrupted);
        let open = last_open(root.path(), &key("b")).unwrap();
        assert_eq!((open.attempt, open.generation), (2, 4));
        next.end(Err(&Error::InvalidInput("no such thing".into())));
        let failed = last(root.path(), &key("b")).unwrap();
        assert_eq!((failed.state, failed.message.as_deref()), (JobState::Failed, Some("no such thing")));
        assert_eq!(failed.error_code.as_deref(), Some("internal_error"));
        let lost = recently_lost(root.path(), 9);
        let lost: Vec<(&str, JobState)> = lost.iter().map(|(view, job)| (view.as_str(), job.state)).collect();
        assert_eq!(lost, [("b", JobState::Failed), ("a", JobState::Interrupted)]);
        JobLog::queue(&store(&root), &key("b"), start(1)).end(Err(&Error::Cancelled));
        assert_eq!(last(root.path(), &key("b")).unwrap().state, JobState::RolledBack);
    }

    #[test]
    fn a_record_of_an_older_version_is_read_and_continued() {
        let root = tempfile::tempdir().unwrap();
        let db = Db::open(root.path().join(FILE), OpenFlags::default(), root.path()).unwrap();
        db.execute_batch(SCHEMA).unwrap();
        let old = "INSERT INTO job (view_kind, view_name, state, pid, attempt, queued_at) \
                   VALUES ('live', 'a', 'failed', 1, 2, 3)";
        db.execute_batch(old).unwrap();
        drop(db);
        let job = last(root.path(), &key("a")).unwrap();
        assert_eq!((job.attempt, job.mode, job.duration_ms), (2, None, None));
        JobLog::queue(&store(&root), &key("a"), start(1)).end(Ok(5));
        assert_eq!(last(root.path(), &key("a")).unwrap().changed_files, Some(5));
    }

    #[test]
    fn old_rows_and_damaged_records_are_forgotten() {
        let root = tempfile::tempdir().unwrap();
        for _ in 0..30 {
            JobLog::queue(&store(&root), &key("a"), start(1)).end(Ok(0));
        }
        let count = || open(root.path()).unwrap().query_row("SELECT count(*) FROM job", [], |row| row.get::<_, i64>(0));
        assert_eq!(count().unwrap(), KEPT);
        remove(root.path());
        std::fs::write(root.path().join(FILE), "no database at all, but longer than a page header would be").unwrap();
        assert_eq!(last(root.path(), &key("a")), None);
        JobLog::queue(&store(&root), &key("a"), start(1)).end(Ok(0));
        assert_eq!(count().unwrap(), 1);
    }
}
