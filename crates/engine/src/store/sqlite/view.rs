//! Views: which file versions a checkout or directory holds, stored as an immutable layer plus a
//! delta.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::{FileStat, OversizedFile, VersionId, ViewId, ViewKey, ViewKind};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::manifest::{Manifest, ManifestEntry};
use crate::store::sqlite::meta;
use rusqlite::{Params, Row};

/// The row of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ViewRow {
    pub id: ViewId,
    pub layer: Option<i64>,
    /// Grows by one with each publish; 0 before the first.
    pub generation: i64,
    pub head_ref: Option<String>,
    pub head_commit: Option<String>,
    pub totals: Totals,
    /// The time it was last published or asked, to the day; unix seconds.
    pub used_at: i64,
    /// The time it was last published; unix seconds.
    pub published_at: Option<i64>,
    /// Files that are too large to be indexed, sorted by path.
    pub oversized: Vec<OversizedFile>,
}

/// Sums over a view's file versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub files: i64,
    pub symbols: i64,
    pub chunks: i64,
    pub source_bytes: i64,
}

/// Finds the view of a root directory or commit.
pub(crate) fn find(db: &Db, key: &ViewKey) -> Result<Option<ViewRow>> {
    let sql = "SELECT view_id, layer_id, generation, head_ref, head_commit, file_count, symbol_count, chunk_count, \
               source_bytes, coalesce(used_at, 0), published_at, oversized FROM view WHERE kind = ?1 AND name = ?2";
    let mut statement = db.prepare(sql)?;
    let read = |row: &Row<'_>| {
        Ok(ViewRow {
            id: ViewId(row.get(0)?),
            layer: row.get(1)?,
            generation: row.get(2)?,
            head_ref: row.get(3)?,
            head_commit: row.get(4)?,
            totals: Totals { files: row.get(5)?, symbols: row.get(6)?, chunks: row.get(7)?, source_bytes: row.get(8)? },
            used_at: row.get(9)?,
            published_at: row.get(10)?,
            // What cannot be read is written again by the next sync.
            oversized: row
                .get_ref(11)?
                .as_blob_or_null()?
                .and_then(|blob| postcard::from_bytes(blob).ok())
                .unwrap_or_default(),
        })
    };
    statement.query_optional((key.kind.as_str(), &key.name), read)
}

/// The worktrees, directories and commits that a store has views of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedViews {
    /// Roots of worktrees and plain directories.
    pub worktrees: BTreeSet<PathBuf>,
    /// Commit ids in hexadecimal.
    pub commits: BTreeSet<String>,
}

/// All views that were published.
pub(crate) fn indexed(db: &Db) -> Result<IndexedViews> {
    let mut statement = db.prepare("SELECT kind, name FROM view WHERE generation > 0")?;
    let mut rows = statement.query([])?;
    let mut views = IndexedViews::default();
    while let Some(row) = rows.next()? {
        let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
        if kind == ViewKind::Commit.as_str() {
            _ = views.commits.insert(name)
        } else {
            _ = views.worktrees.insert(PathBuf::from(name))
        }
    }
    Ok(views)
}

/// Finds the view of a root directory or commit, making an unpublished one if there is none.
pub(crate) fn find_or_create(db: &Db, key: &ViewKey) -> Result<ViewRow> {
    db.prepare("INSERT OR IGNORE INTO view (kind, name, generation) VALUES (?1, ?2, 0)")?
        .execute((key.kind.as_str(), &key.name))?;
    let row = find(db, key)?;
    row.ok_or_else(|| db.corrupt("a view that was written is not there".into()))
}

/// Writes the list of files that are too large to be indexed.
pub(crate) fn put_oversized(db: &Db, view: ViewId, files: &[OversizedFile]) -> Result<()> {
    let list = postcard::to_stdvec(files).map_err(|error| db.corrupt(error.to_string()))?;
    let list = (!files.is_empty()).then_some(list);
    db.prepare("UPDATE view SET oversized = ?2 WHERE view_id = ?1")?.execute((view.0, list))?;
    Ok(())
}

/// Notes that a view is in use.
pub(crate) fn touch(db: &Db, key: &ViewKey, now: i64) -> Result<()> {
    db.execute("UPDATE view SET used_at = ?3 WHERE kind = ?1 AND name = ?2", (key.kind.as_str(), &key.name, now))?;
    Ok(())
}

/// Entries as they are read, by path.
type Entries = FxHashMap<String, ManifestEntry>;

/// Reads a view's whole manifest.
pub(crate) fn manifest(db: &Db, view: &ViewRow) -> Result<Manifest> {
    let mut entries = Entries::default();
    // Sorted by path id on both sides, so the joins walk the tables once.
    let sql = "SELECT e.path_id, p.path, e.version_id, s.version_id, s.size, s.mtime_ns, s.ctime_ns, s.inode \
               FROM layer_entry e JOIN path p ON p.path_id = e.path_id \
               LEFT JOIN file_stat s ON s.view_id = ?2 AND s.path_id = e.path_id WHERE e.layer_id = ?1";
    read_entries(db, sql, (view.layer, view.id.0), &mut entries)?;
    let sql = "SELECT e.path_id, p.path, e.version_id, s.version_id, s.size, s.mtime_ns, s.ctime_ns, s.inode \
               FROM delta_entry e JOIN path p ON p.path_id = e.path_id \
               LEFT JOIN file_stat s ON s.view_id = ?2 AND s.path_id = e.path_id WHERE e.view_id = ?1";
    read_entries(db, sql, (view.id.0, view.id.0), &mut entries)?;
    Ok(entries.into_iter().collect())
}

fn read_entries(db: &Db, sql: &str, params: impl Params, entries: &mut Entries) -> Result<()> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        let path: String = row.get(1)?;
        let Some(version) = row.get::<_, Option<u32>>(2)? else {
            entries.remove(&path);
            continue;
        };
        let stat = match row.get::<_, Option<u32>>(3)? {
            Some(known) if known == version => Some(FileStat {
                size: row.get::<_, i64>(4)? as u64,
                mtime_ns: row.get(5)?,
                ctime_ns: row.get(6)?,
                inode: row.get::<_, i64>(7)? as u64,
            }),
            _ => None,
        };
        entries.insert(path, ManifestEntry { path_id: row.get(0)?, version: VersionId(version), stat });
    }
    Ok(())
}

/// Remembers the stat that vouches for a path's version.
pub(crate) fn put_stat(db: &Db, view: ViewId, path_id: i64, version: VersionId, stat: &FileStat) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO file_stat (view_id, path_id, version_id, size, mtime_ns, ctime_ns, inode) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    db.prepare(sql)?.execute((
        view.0,
        path_id,
        version.0,
        stat.size as i64,
        stat.mtime_ns,
        stat.ctime_ns,
        stat.inode as i64,
    ))?;
    Ok(())
}

/// Forgets what was known of a path.
pub(crate) fn drop_stat(db: &Db, view: ViewId, path_id: i64) -> Result<()> {
    db.prepare("DELETE FROM file_stat WHERE view_id = ?1 AND path_id = ?2")?.execute((view.0, path_id))?;
    Ok(())
}

/// All paths of a view that a stat is known of, in its manifest or not.
pub(crate) fn stats(db: &Db, view: ViewId) -> Result<Manifest> {
    let mut entries = Entries::default();
    let sql = "SELECT s.path_id, p.path, s.version_id, s.version_id, s.size, s.mtime_ns, s.ctime_ns, s.inode \
               FROM file_stat s JOIN path p ON p.path_id = s.path_id \
               JOIN file_version v ON v.version_id = s.version_id WHERE s.view_id = ?1";
    read_entries(db, sql, [view.0], &mut entries)?;
    Ok(entries.into_iter().collect())
}

/// Sums over the versions that [`stats`] gives.
pub(crate) fn totals_of_stats(db: &Db, view: ViewId) -> Result<Totals> {
    let sql = "SELECT count(*), coalesce(sum(v.symbol_count), 0), coalesce(sum(v.chunk_count), 0), coalesce(sum(v.size), 0) \
               FROM file_stat s JOIN file_version v ON v.version_id = s.version_id \
               WHERE s.view_id = ?1 AND v.skip IS NULL";
    let read = |row: &Row<'_>| {
        Ok(Totals { files: row.get(0)?, symbols: row.get(1)?, chunks: row.get(2)?, source_bytes: row.get(3)? })
    };
    db.query_row(sql, [view.0], read)
}

/// Forgets what was known of paths that a manifest does not have.
pub(crate) fn drop_stats_but(db: &Db, view: ViewId, manifest: &[(i64, VersionId)]) -> Result<()> {
    let held: HashSet<i64> = manifest.iter().map(|(path_id, _)| *path_id).collect();
    let mut statement = db.prepare("SELECT path_id FROM file_stat WHERE view_id = ?1")?;
    let known: Vec<i64> = statement.query_map([view.0], |row| row.get(0))?;
    known.into_iter().filter(|path_id| !held.contains(path_id)).try_for_each(|path_id| drop_stat(db, view, path_id))
}

/// One path's change from a view's published manifest to its next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManifestChange {
    pub path_id: i64,
    pub before: Option<VersionId>,
    pub after: Option<VersionId>,
}

/// A view's delta may grow to this share of its layer before it gets a layer of its own.
const MAX_DELTA_SHARE: i64 = 4;
const MIN_DELTA: i64 = 500;

/// Writes the next manifest of `view` and makes it the published one. `after` must list the whole
/// new manifest (path id, version); `changes` is the difference to the old one.
pub(crate) fn publish(
    db: &Db,
    view: &ViewRow,
    changes: &[ManifestChange],
    after: &[(i64, VersionId)],
    now: i64,
) -> Result<()> {
    let mut totals = view.totals;
    let mut counts = Counts::new(db, changes.len())?;
    for change in changes {
        counts.add(&mut totals, change.before, -1)?;
        counts.add(&mut totals, change.after, 1)?;
    }
    let layer = match view.layer {
        Some(layer) => {
            write_delta(db, view.id, layer, changes)?;
            let (delta, size): (i64, i64) = db.query_row(
                "SELECT (SELECT count(*) FROM delta_entry WHERE view_id = ?1), \
                        (SELECT entry_count FROM layer WHERE layer_id = ?2)",
                (view.id.0, layer),
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            if delta > MIN_DELTA && delta * MAX_DELTA_SHARE > size { new_layer(db, view.id, after)? } else { layer }
        }
        None => match best_layer(db, after)? {
            Some(layer) => {
                write_difference(db, view.id, layer, after)?;
                layer
            }
            None => new_layer(db, view.id, after)?,
        },
    };
    db.prepare(
        "UPDATE view SET layer_id = ?2, generation = generation + 1, file_count = ?3, symbol_count = ?4, \
         chunk_count = ?5, source_bytes = ?6, published_at = ?7, used_at = ?7 WHERE view_id = ?1",
    )?
    .execute((view.id.0, layer, totals.files, totals.symbols, totals.chunks, totals.source_bytes, now))?;
    drop_orphan_layers(db)
}

/// The numbers that versions add to a view's totals.
struct Counts<'a> {
    db: &'a Db,
    /// All versions, where so many are asked for that one scan is cheaper.
    all: Option<HashMap<u32, [i64; 4]>>,
}

/// More changes than this are counted by one scan.
const SCAN_FROM: usize = 500;
const COUNTS: &str = "SELECT version_id, skip IS NULL, symbol_count, chunk_count, size FROM file_version";

impl<'a> Counts<'a> {
    fn new(db: &'a Db, changes: usize) -> Result<Counts<'a>> {
        let all = if changes > SCAN_FROM { Some(db.prepare(COUNTS)?.query_map([], read_counts)?) } else { None };
        Ok(Counts { db, all })
    }

    fn add(&mut self, totals: &mut Totals, version: Option<VersionId>, sign: i64) -> Result<()> {
        let Some(version) = version else { return Ok(()) };
        let [indexed, symbols, chunks, size] = match self.all.as_ref().and_then(|all| all.get(&version.0)) {
            Some(counts) => *counts,
            None => {
                let mut statement = self.db.prepare(&format!("{COUNTS} WHERE version_id = ?1"))?;
                statement.query_row([version.0], read_counts)?.1
            }
        };
        totals.files += sign * indexed;
        totals.symbols += sign * symbols;
        totals.chunks += sign * chunks;
        totals.source_bytes += sign * indexed * size;
        Ok(())
    }
}

fn read_counts(row: &Row<'_>) -> rusqlite::Result<(u32, [i64; 4])> {
    Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))
}

fn write_delta(db: &Db, view: ViewId, layer: i64, changes: &[ManifestChange]) -> Result<()> {
    let mut in_layer = db.prepare("SELECT version_id FROM layer_entry WHERE layer_id = ?1 AND path_id = ?2")?;
    for change in changes {
        let base: Option<u32> = in_layer.query_optional((layer, change.path_id), |row| row.get(0))?;
        put_delta(db, view, change.path_id, base.map(VersionId), change.after)?;
    }
    Ok(())
}

fn put_delta(db: &Db, view: ViewId, path_id: i64, base: Option<VersionId>, after: Option<VersionId>) -> Result<()> {
    if base == after {
        db.prepare("DELETE FROM delta_entry WHERE view_id = ?1 AND path_id = ?2")?.execute((view.0, path_id))?;
    } else {
        db.prepare("INSERT OR REPLACE INTO delta_entry (view_id, path_id, version_id) VALUES (?1, ?2, ?3)")?
            .execute((view.0, path_id, after.map(|version| version.0)))?;
    }
    Ok(())
}

fn layer_entries(db: &Db, layer: i64) -> Result<HashMap<i64, VersionId>> {
    let mut statement = db.prepare("SELECT path_id, version_id FROM layer_entry WHERE layer_id = ?1")?;
    statement.query_map([layer], |row| Ok((row.get(0)?, VersionId(row.get(1)?))))
}

/// The layer that is most like `after`, if building on it is cheaper than a new one.
fn best_layer(db: &Db, after: &[(i64, VersionId)]) -> Result<Option<i64>> {
    let layers: Vec<i64> =
        db.prepare("SELECT layer_id FROM layer ORDER BY layer_id DESC LIMIT 8")?.query_map([], |row| row.get(0))?;
    let mut best = None;
    for layer in layers {
        let entries = layer_entries(db, layer)?;
        let shared = after.iter().filter(|(path, version)| entries.get(path) == Some(version)).count();
        let difference = after.len() + entries.len() - 2 * shared;
        if difference * 2 <= after.len() && best.is_none_or(|(least, _)| difference < least) {
            best = Some((difference, layer));
        }
    }
    Ok(best.map(|(_, layer)| layer))
}

fn write_difference(db: &Db, view: ViewId, layer: i64, after: &[(i64, VersionId)]) -> Result<()> {
    let mut entries = layer_entries(db, layer)?;
    for (path_id, version) in after {
        let base = entries.remove(path_id);
        // The view is new: where it agrees with the layer there is no row to remove.
        if base != Some(*version) {
            put_delta(db, view, *path_id, base, Some(*version))?;
        }
    }
    let mut gone: Vec<_> = entries.into_iter().collect();
    gone.sort();
    for (path_id, version) in gone {
        put_delta(db, view, path_id, Some(version), None)?;
    }
    Ok(())
}

fn new_layer(db: &Db, view: ViewId, after: &[(i64, VersionId)]) -> Result<i64> {
    db.execute("INSERT INTO layer (entry_count) VALUES (?1)", [after.len() as i64])?;
    let layer = db.last_insert_rowid();
    let mut insert = db.prepare("INSERT INTO layer_entry (layer_id, path_id, version_id) VALUES (?1, ?2, ?3)")?;
    for (path_id, version) in after {
        insert.execute((layer, path_id, version.0))?;
    }
    db.execute("DELETE FROM delta_entry WHERE view_id = ?1", [view.0])?;
    Ok(layer)
}

/// Views of directories: number and root.
pub(crate) fn checkouts(db: &Db) -> Result<Vec<(i64, String)>> {
    let mut statement = db.prepare("SELECT view_id, name FROM view WHERE kind IN ('worktree', 'live')")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Drops a view; its layer may be left without one.
pub(crate) fn drop_view(db: &Db, view: i64) -> Result<()> {
    for table in ["delta_entry", "file_stat", "view"] {
        db.execute(&format!("DELETE FROM {table} WHERE view_id = ?1"), [view])?;
    }
    meta::set(db, meta::VIEW_EPOCH, meta::get(db, meta::VIEW_EPOCH)? + 1)
}

/// Drops layers that no view builds on.
pub(crate) fn drop_orphan_layers(db: &Db) -> Result<()> {
    let orphans =
        "SELECT layer_id FROM layer WHERE layer_id NOT IN (SELECT layer_id FROM view WHERE layer_id IS NOT NULL)";
    db.execute(&format!("DELETE FROM layer_entry WHERE layer_id IN ({orphans})"), [])?;
    db.execute(&format!("DELETE FROM layer WHERE layer_id IN ({orphans})"), [])?;
    Ok(())
}
