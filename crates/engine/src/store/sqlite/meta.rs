//! Numbers kept beside the tables: versions, high-water marks and counters by which readers notice
//! changes.

use crate::error::Result;
use crate::store::sqlite::connection::Db;

/// The version of the facts; see [`FACTS`](crate::store::sqlite::db::FACTS).
pub(crate) const FACTS_VERSION: &str = "facts_version";

/// The newest version number that SQLite knows.
pub(crate) const HIGH_WATER: &str = "version_high_water";

/// The newest version number as of the last commit of the text index.
pub(crate) const TEXT_HIGH_WATER: &str = "text_high_water";

/// The number of times that gc has removed versions.
pub(crate) const GC_EPOCH: &str = "gc_epoch";

/// The number of times that views were dropped from the store. While this stays the same, a view's
/// generation says what it holds.
pub(crate) const VIEW_EPOCH: &str = "view_epoch";

/// The time of the last collection, in unix seconds.
pub(crate) const COLLECTED_AT: &str = "collected_at";

/// The number of the vector file in use, 0 when there is none.
pub(crate) const VECTOR_FILE: &str = "vector_file";

/// The number of rows of it that count.
pub(crate) const VECTOR_ROWS: &str = "vector_rows";

/// Returns a number, 0 when it was never set.
pub(crate) fn get(db: &Db, key: &str) -> Result<i64> {
    let mut statement = db.prepare("SELECT value FROM meta WHERE key = ?1")?;
    let mut rows = statement.query([key])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?.unwrap_or(0))
}

/// Sets a number.
pub(crate) fn set(db: &Db, key: &str, value: i64) -> Result<()> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";
    db.prepare(sql)?.execute((key, value))?;
    Ok(())
}
