//! Forgetting: file versions that no view holds, views whose directory is gone, jobs that died.

use std::path::Path;

use rusqlite::Connection;

use super::facts;
use crate::error::Result;
use crate::model::VersionId;

/// What a collection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// File versions removed.
    pub removed_versions: u64,
    /// Versions that no view holds but whose time has not come.
    pub waiting_versions: u64,
    /// Views dropped because their directory no longer exists.
    pub dropped_views: u64,
}

/// Removes the rows of versions that no view has held for `grace_seconds` and returns them, for their text documents
/// to be removed too. Must run inside a transaction.
pub(crate) fn collect(db: &Connection, now: i64, grace_seconds: i64) -> Result<(Vec<VersionId>, Collected)> {
    let mut collected = Collected { dropped_views: drop_dead_views(db)?, ..Collected::default() };
    trim_layers(db)?;
    let held =
        "SELECT version_id FROM layer_entry UNION SELECT version_id FROM delta_entry WHERE version_id IS NOT NULL";
    db.execute(
        &format!("UPDATE file_version SET released_at = NULL WHERE released_at IS NOT NULL AND version_id IN ({held})"),
        [],
    )?;
    db.execute(
        &format!("UPDATE file_version SET released_at = ?1 WHERE released_at IS NULL AND version_id NOT IN ({held})"),
        [now],
    )?;
    let mut statement =
        db.prepare("SELECT version_id FROM file_version WHERE released_at <= ?1 ORDER BY version_id")?;
    let victims: Vec<VersionId> = statement
        .query_map([now - grace_seconds], |row| Ok(VersionId(row.get(0)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for version in &victims {
        delete_version(db, *version)?;
    }
    db.execute("DELETE FROM path WHERE path_id NOT IN (SELECT path_id FROM file_version)", [])?;
    collected.removed_versions = victims.len() as u64;
    collected.waiting_versions = db.query_row(
        "SELECT count(*) FROM file_version WHERE released_at IS NOT NULL",
        [],
        |row| row.get::<_, i64>(0),
    )? as u64;
    Ok((victims, collected))
}

fn delete_version(db: &Connection, version: VersionId) -> Result<()> {
    // The symbol table is keyed by name, so the outline says which rows to delete.
    let mut delete = db.prepare_cached("DELETE FROM symbol WHERE key = ?1 AND version_id = ?2")?;
    for definition in facts::outline(db, version)?.definitions {
        delete.execute((definition.name.to_lowercase(), version.0))?;
    }
    db.prepare_cached("DELETE FROM facts WHERE version_id = ?1")?.execute([version.0])?;
    db.prepare_cached("DELETE FROM file_version WHERE version_id = ?1")?.execute([version.0])?;
    Ok(())
}

fn drop_dead_views(db: &Connection) -> Result<u64> {
    let mut statement = db.prepare("SELECT view_id, name FROM view WHERE kind IN ('worktree', 'live')")?;
    let views: Vec<(i64, String)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let mut dropped = 0;
    for (view, root) in views {
        if Path::new(&root).is_dir() {
            continue;
        }
        for table in ["delta_entry", "file_stat", "job", "view"] {
            db.execute(&format!("DELETE FROM {table} WHERE view_id = ?1"), [view])?;
        }
        dropped += 1;
    }
    let orphans =
        "SELECT layer_id FROM layer WHERE layer_id NOT IN (SELECT layer_id FROM view WHERE layer_id IS NOT NULL)";
    db.execute(&format!("DELETE FROM layer_entry WHERE layer_id IN ({orphans})"), [])?;
    db.execute(&format!("DELETE FROM layer WHERE layer_id IN ({orphans})"), [])?;
    Ok(dropped)
}

/// Takes what every view on a layer holds otherwise out of the layer; no view's manifest changes by this.
fn trim_layers(db: &Connection) -> Result<()> {
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

/// Marks jobs that were running when their process died. Only the holder of the writer's lock may call this: it knows
/// that nobody else is running.
pub(crate) fn mark_interrupted_jobs(db: &Connection) -> Result<()> {
    db.execute("UPDATE job SET state = 'interrupted' WHERE state = 'running'", [])?;
    Ok(())
}
