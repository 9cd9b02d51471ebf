//! Garbage collection: drops views that are unused or whose directory is gone, and file versions
//! that no view holds.
//!
//! A reader never notices. It holds a read transaction and a searcher from before; if its view is
//! dropped before it opens one, it finds none and makes it again, from versions that outlive their
//! last view by a grace period.

use std::path::Path;
use std::time::Duration;

use crate::error::Result;
use crate::model::{VersionId, ViewKey};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::{meta, view};
use crate::store::write::version_removal::{self, Unused};

/// File versions are kept this long after the last view let go of them: a branch that was left is
/// often come back to.
pub const GRACE: Duration = Duration::from_secs(14 * 24 * 3600);

/// The versions that some view holds.
pub(crate) const HELD: &str =
    "SELECT version_id FROM layer_entry UNION SELECT version_id FROM delta_entry WHERE version_id IS NOT NULL";

/// The times for which things are kept.
#[derive(Clone, Debug)]
pub(crate) struct Retention {
    /// File versions without a view.
    pub versions: Duration,
    /// Views that are not used.
    pub views: Duration,
    /// Views that are never dropped.
    pub in_use: Vec<ViewKey>,
}

/// A view that a collection dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedView {
    /// `worktree`, `commit` or `live`.
    pub kind: String,
    /// The root directory, or the commit id.
    pub name: String,
    /// True if its directory no longer exists; else it was not used for long.
    pub is_gone: bool,
}

/// The result of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// File versions removed.
    pub removed_versions: u64,
    /// Versions that no view holds but whose time has not come.
    pub waiting_versions: u64,
    /// Views dropped, by kind and name.
    pub dropped_views: Vec<DroppedView>,
}

/// Drops views and removes the rows of versions that no view has held for long; returns the text
/// documents that are to be removed with the latter. Must run inside a transaction.
pub(crate) fn collect(db: &Db, now: i64, retention: &Retention) -> Result<(Unused, Collected)> {
    let mut collected = Collected { dropped_views: drop_views(db, now, retention)?, ..Collected::default() };
    trim_layers(db)?;
    db.execute(
        &format!("UPDATE file_version SET released_at = NULL WHERE released_at IS NOT NULL AND version_id IN ({HELD})"),
        [],
    )?;
    db.execute(
        &format!("UPDATE file_version SET released_at = ?1 WHERE released_at IS NULL AND version_id NOT IN ({HELD})"),
        [now],
    )?;
    let mut statement =
        db.prepare("SELECT version_id FROM file_version WHERE released_at <= ?1 ORDER BY version_id")?;
    let victims: Vec<VersionId> =
        statement.query_map([now - retention.versions.as_secs() as i64], |row| Ok(VersionId(row.get(0)?)))?;
    let unused = version_removal::remove(db, &victims)?;
    db.execute("DELETE FROM path WHERE path_id NOT IN (SELECT path_id FROM file_version)", [])?;
    meta::set(db, meta::COLLECTED_AT, now)?;
    collected.removed_versions = victims.len() as u64;
    collected.waiting_versions = db.query_row(
        "SELECT count(*) FROM file_version WHERE released_at IS NOT NULL",
        [],
        |row| row.get::<_, i64>(0),
    )? as u64;
    Ok((unused, collected))
}

/// Drops views whose directory is gone and views that were not used for long.
fn drop_views(db: &Db, now: i64, retention: &Retention) -> Result<Vec<DroppedView>> {
    let mut statement = db.prepare("SELECT view_id, kind, name, coalesce(used_at, 0) FROM view ORDER BY kind, name")?;
    let views: Vec<(i64, String, String, i64)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let oldest = now - retention.views.as_secs() as i64;
    let mut dropped = Vec::new();
    for (id, kind, name, used_at) in views {
        let is_gone = kind != "commit" && !Path::new(&name).is_dir();
        let in_use = retention.in_use.iter().any(|key| key.kind.as_str() == kind && key.name == name);
        if is_gone || (used_at < oldest && !in_use) {
            view::drop_view(db, id)?;
            dropped.push(DroppedView { kind, name, is_gone });
        }
    }
    view::drop_orphan_layers(db)?;
    Ok(dropped)
}

/// Takes what every view on a layer holds otherwise out of the layer; no view's manifest changes by
/// this.
fn trim_layers(db: &Db) -> Result<()> {
    db.execute(
        "DELETE FROM layer_entry WHERE NOT EXISTS ( \
             SELECT 1 FROM view v WHERE v.layer_id = layer_entry.layer_id AND NOT EXISTS ( \
                 SELECT 1 FROM delta_entry d WHERE d.view_id = v.view_id AND d.path_id = layer_entry.path_id))",
        [],
    )?;
    db.execute(
        "DELETE FROM delta_entry WHERE version_id IS NULL AND NOT EXISTS ( \
             SELECT 1 FROM view v JOIN layer_entry e ON e.layer_id = v.layer_id \
             WHERE v.view_id = delta_entry.view_id AND e.path_id = delta_entry.path_id)",
        [],
    )?;
    db.execute(
        "UPDATE layer SET entry_count = (SELECT count(*) FROM layer_entry e WHERE e.layer_id = layer.layer_id)",
        [],
    )?;
    Ok(())
}
