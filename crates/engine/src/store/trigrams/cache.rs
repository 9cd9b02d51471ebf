//! The filters of a store in memory.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::error::Result;
use crate::model::VersionId;
use crate::store::sqlite::connection::Db;
use crate::store::trigrams::{RequiredTrigrams, checked, may_match};

/// Filters that snapshots of several generations share.
#[derive(Default)]
pub(crate) struct TrigramCache {
    table: RwLock<TrigramTable>,
}

/// Filters of versions.
#[derive(Default)]
pub(crate) struct TrigramTable {
    /// Start and end in `bits` by version; empty for a version without a filter.
    ranges: Vec<(usize, usize)>,
    bits: Vec<u8>,
}

impl TrigramCache {
    /// Returns the filters of all versions that `db` shows; those that are new are read.
    pub(crate) fn up_to_date(&self, db: &Db) -> Result<RwLockReadGuard<'_, TrigramTable>> {
        let table = self.read();
        let newest: u32 = db.query_row("SELECT coalesce(max(version_id), 0) FROM trigrams", [], |row| row.get(0))?;
        if (newest as usize) < table.ranges.len().max(1) {
            return Ok(table);
        }
        drop(table);
        self.table.write().unwrap_or_else(PoisonError::into_inner).add_new(db)?;
        Ok(self.read())
    }

    fn read(&self) -> RwLockReadGuard<'_, TrigramTable> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrigramTable {
    /// Returns whether the table has no filter.
    pub(crate) fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Returns whether the text of a version may have all trigrams of an alternative.
    pub(crate) fn may_match(&self, version: VersionId, required: &RequiredTrigrams) -> bool {
        let range = self.ranges.get(version.0 as usize).map(|(start, end)| *start..*end);
        match range.and_then(|range| self.bits.get(range)) {
            Some(bits) if !bits.is_empty() => may_match(bits, required),
            _ => true,
        }
    }

    /// Reads the filters of versions that are newer than those it has. Versions are numbered in the
    /// order of their commits.
    fn add_new(&mut self, db: &Db) -> Result<()> {
        let known = self.ranges.len() as i64;
        let sql = "SELECT coalesce(sum(length(filter)), 0) FROM trigrams WHERE version_id >= ?1";
        let bytes: i64 = db.prepare(sql)?.query_row([known], |row| row.get(0))?;
        self.bits.reserve(usize::try_from(bytes).unwrap_or(0));
        let mut statement =
            db.prepare("SELECT version_id, filter FROM trigrams WHERE version_id >= ?1 ORDER BY version_id")?;
        let mut rows = statement.query([known])?;
        while let Some(row) = rows.next()? {
            let version: u32 = row.get(0)?;
            let bits = checked(row.blob(1)?)
                .ok_or_else(|| db.corrupt(format!("trigrams of file version {version}: checksum mismatch")))?;
            let start = self.bits.len();
            self.bits.extend_from_slice(bits);
            self.ranges.resize(version as usize, (0, 0));
            self.ranges.push((start, self.bits.len()));
        }
        Ok(())
    }
}
