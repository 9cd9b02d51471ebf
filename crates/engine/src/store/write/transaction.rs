//! The open transaction of a run: what it has stored since the last batch, and when the batch is to
//! be committed.

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{FileStat, VersionId, ViewId};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::manifest::Manifest;
use crate::store::sqlite::view;
use crate::store::write::checkpoint_schedule::CheckpointSchedule;

/// A transaction of the database, from [`WriteTransaction::begin`] to a commit or rollback.
pub(super) struct WriteTransaction {
    /// A batch of more bytes than this is committed whatever its age.
    budget_bytes: usize,
    pending_bytes: usize,
    /// The versions read since the last batch, and the stats that vouch for them.
    pending_stats: Vec<(i64, VersionId, FileStat)>,
    checkpoints: CheckpointSchedule,
    /// True if a run that died, or an earlier batch of this one, may have noted stats that do not
    /// count.
    has_leftovers: bool,
}

impl WriteTransaction {
    pub(super) fn new(config: &IndexConfig) -> WriteTransaction {
        WriteTransaction {
            budget_bytes: config.memory_budget_bytes,
            pending_bytes: 0,
            pending_stats: Vec::new(),
            checkpoints: CheckpointSchedule::new(config.save_every),
            has_leftovers: false,
        }
    }

    /// Begins a batch.
    pub(super) fn begin(&mut self, db: &Db) -> Result<()> {
        self.checkpoints.begin_batch();
        db.execute_batch("BEGIN IMMEDIATE")
    }

    /// Commits the batch.
    pub(super) fn commit(&mut self, db: &Db) -> Result<()> {
        db.execute_batch("COMMIT")?;
        self.pending_bytes = 0;
        Ok(())
    }

    /// Forgets what was stored since the last batch.
    pub(super) fn roll_back(&mut self, db: &Db) {
        // May fail when the disk is full; the next writer cleans up by the stamp.
        let _ = db.execute_batch("ROLLBACK");
        self.pending_stats.clear();
    }

    /// Counts the bytes of a version that was stored.
    pub(super) fn add_bytes(&mut self, bytes: usize) {
        self.pending_bytes += bytes;
    }

    /// Notes which version was read at a path.
    pub(super) fn note_read(&mut self, path_id: i64, version: VersionId, stat: Option<FileStat>) {
        self.pending_stats.push((path_id, version, stat.unwrap_or(FileStat::OF_NOTHING)));
    }

    /// Returns whether the batch is so large or so old that it is to be committed.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.pending_bytes > self.budget_bytes || self.checkpoints.is_due()
    }

    /// Stores the stats that were noted, so that a run after this one finds them if it is killed.
    pub(super) fn store_stats(&mut self, db: &Db, view: ViewId) -> Result<()> {
        for (path_id, version, stat) in std::mem::take(&mut self.pending_stats) {
            view::put_stat(db, view, path_id, version, &stat)?;
        }
        self.has_leftovers = true;
        Ok(())
    }

    /// Counts a batch that was committed before the run is over.
    pub(super) fn count_checkpoint(&mut self) {
        self.checkpoints.count();
    }

    /// Returns the stats that killed runs of a view have stored.
    pub(super) fn leftovers(&mut self, db: &Db, view: ViewId) -> Result<Manifest> {
        self.has_leftovers = true;
        view::stats(db, view)
    }

    /// Returns whether stats may be stored that the published manifest does not vouch for.
    pub(super) fn has_leftovers(&self) -> bool {
        self.has_leftovers
    }

    /// Drops the stats of a view that are not of the versions in `after`, its next manifest.
    pub(super) fn drop_leftovers(&mut self, db: &Db, view: ViewId, after: &[(i64, VersionId)]) -> Result<()> {
        self.pending_stats.clear();
        if std::mem::take(&mut self.has_leftovers) {
            view::drop_stats_but(db, view, after)?;
        }
        Ok(())
    }
}
