//! The only way a store changes: one writer, many file versions, one publish.
//!
//! New versions go in as batches. A batch is made durable in the text index first (with the number
//! of its newest version as the commit's stamp), then in SQLite; no manifest names them yet, so
//! readers see nothing. The publish is the last SQLite transaction. A kill between the two commits
//! leaves text documents that SQLite does not know: the next writer sees it by the stamp, never
//! reuses their numbers, and deletes them. What whole batches of a killed run hold is found again
//! by the next run of the view: by content, or without reading it by the stats that each batch
//! notes.
//!
//! A version brings only what no earlier version of its path has (see `shared_items`), which the
//! parsing threads found out. Garbage collection goes the other way round, SQLite first, so that at
//! any moment every version that SQLite knows has its documents, its own and those that it shares.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codecompass_syntax::facts::Kind;
use rusqlite::config::DbConfig;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::{ContentId, FileStat, Head, Role, VersionId, ViewId, ViewKey};
use crate::store::disk::layout::WriterLock;
use crate::store::facts::Encoded;
use crate::store::facts::previous_versions::write_hashes;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::sqlite::manifest::{Entry, Manifest};
use crate::store::sqlite::manifest_copy::{CachedManifest, ManifestId};
use crate::store::sqlite::versions::KnownContents;
use crate::store::sqlite::view::{self, Change, ViewRow};
use crate::store::sqlite::{db, manifest_copy, meta, versions};
use crate::store::text::index::{self, ChunkDocument, Stamp, TextIndex, TextWriter};
use crate::store::text::segment_append::{self, SmallWriter};
use crate::store::time::now;
use crate::store::vectors::{self, Header, Row, VectorWriter};
use crate::store::write::checkpoint_schedule::CheckpointSchedule;

/// Everything to be stored about a content never seen at its path before; made by the parsing
/// threads.
pub(crate) struct NewVersion {
    pub content_id: ContentId,
    pub size: u64,
    pub language: Option<&'static str>,
    pub role: Role,
    /// The code of the reason why there are no facts.
    pub skip: Option<&'static str>,
    pub line_count: u32,
    pub chunk_count: usize,
    pub symbol_count: usize,
    pub facts: Encoded,
    /// The items it shares with earlier versions of its path, as they are stored.
    pub shared: Option<Vec<u8>>,
    /// Definitions that no earlier version has.
    pub symbols: Vec<SymbolKey>,
    /// Search documents that no earlier version has, and their hashes.
    pub documents: Vec<ChunkDocument>,
    pub hashes: Vec<u64>,
    /// The vectors of those documents; empty when they are not made yet.
    pub vectors: Vec<Row>,
}

/// A definition as the symbol table knows it.
pub(crate) struct SymbolKey {
    pub name: String,
    pub ordinal: u32,
    pub kind: Kind,
}

/// The entry of a view at one path, to be published.
pub(crate) struct NextEntry {
    pub path: String,
    pub version: VersionId,
    /// `None` when the file may change without its stat showing it.
    pub stat: Option<FileStat>,
}

/// A store opened for writing.
pub(crate) struct Writer {
    pub(super) db: Db,
    pub(super) data: PathBuf,
    pub(super) text_index: TextIndex,
    pub(super) text: Option<TextWriter>,
    /// The writer of a small commit; `committed` is the index that the last one went to.
    pub(super) small: Option<SmallWriter>,
    pub(super) committed: Option<TextIndex>,
    /// The model that makes the vectors, if there is one.
    pub(super) model: Option<Header>,
    pub(super) vectors: Option<VectorWriter>,
    pub(super) config: IndexConfig,
    pub(super) paths: HashMap<String, i64>,
    pub(super) next_version: u32,
    pub(super) pending_bytes: usize,
    /// The versions read since the last batch, and the stats that vouch for them.
    pub(super) pending_stats: Vec<(i64, VersionId, FileStat)>,
    pub(super) saves: CheckpointSchedule,
    /// True if a run that died, or an earlier batch of this one, may have noted stats that do not
    /// count.
    pub(super) has_leftovers: bool,
    pub(super) uncommitted_documents: bool,
    /// True if it does not wait for the disk.
    pub(super) defers_fsync: bool,
    /// The pool that gets the connection afterwards.
    pub(super) pool: Option<Arc<ConnectionPool>>,
    pub(super) lock: WriterLock,
}

impl Writer {
    /// Opens the data folder for writing and cleans up after a writer that was killed.
    pub(crate) fn open(data: &Path, connection: Db, lock: WriterLock, config: &IndexConfig) -> Result<Writer> {
        let text_index = TextIndex::open(data)?;
        let known = meta::get(&connection, meta::HIGH_WATER)?;
        let stamp = text_index.stamp()?;
        if !stamp.is_complete(&connection)? {
            return Err(Error::Corrupt { path: data.to_path_buf(), detail: index::TORN.into() });
        }
        let Stamp { high_water: stamped, gc_epoch } = stamp;
        let mut writer = Writer {
            db: connection,
            data: data.to_path_buf(),
            text_index,
            text: None,
            small: None,
            committed: None,
            model: None,
            vectors: None,
            config: config.clone(),
            paths: HashMap::new(),
            next_version: known.max(stamped) as u32 + 1,
            pending_bytes: 0,
            pending_stats: Vec::new(),
            saves: CheckpointSchedule::new(config.save_every),
            has_leftovers: false,
            uncommitted_documents: false,
            defers_fsync: false,
            pool: None,
            lock,
        };
        vectors::remove_others(data, meta::get(&writer.db, meta::VECTOR_FILE)?);
        for orphan in known + 1..=stamped {
            writer.text(false)?.delete(VersionId(orphan as u32));
            writer.uncommitted_documents = true;
        }
        if gc_epoch < meta::get(&writer.db, meta::GC_EPOCH)? {
            writer.sweep_text()?;
        }
        Ok(writer)
    }

    /// The same, which gives its connection to `pool` in the end.
    pub(crate) fn with_pool(self, pool: Option<Arc<ConnectionPool>>) -> Writer {
        Writer { pool, ..self }
    }

    /// Returns whether another process had the store before.
    pub(crate) fn has_waited(&self) -> bool {
        self.lock.has_waited
    }

    /// The view to write, made if needed, with its published manifest; `known` is used if it is
    /// still true.
    pub(crate) fn view(&self, key: &ViewKey, known: Option<CachedManifest>) -> Result<(ViewRow, Manifest)> {
        let row = view::find_or_create(&self.db, key)?;
        let id = self.manifest_id(&row)?;
        let manifest = match known {
            Some(known) if known.id == id => known.manifest,
            _ => manifest_copy::load(&self.db, &id, &row)?,
        };
        Ok((row, manifest))
    }

    /// Returns the id that the manifest of a view has now.
    fn manifest_id(&self, row: &ViewRow) -> Result<ManifestId> {
        Ok(ManifestId::new(&self.data, row, self.view_epoch()?))
    }

    /// The version of a content at a path, if it was stored before; its size tells whether filters
    /// changed it on disk.
    pub(crate) fn known_version(&self, path: &str, content: &ContentId) -> Result<Option<(VersionId, u64)>> {
        versions::find(&self.db, path, content)
    }

    /// Returns the versions that are stored at `paths`, by path and content.
    pub(crate) fn known_contents<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<KnownContents> {
        versions::at_paths(&self.db, paths)
    }

    /// All versions by path and content, and the paths' numbers noted; for listings so long that
    /// one scan is cheaper.
    pub(crate) fn all_versions(&mut self) -> Result<HashMap<(i64, ContentId), VersionId>> {
        let mut statement = self.db.prepare("SELECT path_id, path FROM path")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            self.paths.insert(row.get(1)?, row.get(0)?);
        }
        drop(rows);
        drop(statement);
        let mut statement = self.db.prepare("SELECT path_id, content_id, version_id FROM file_version")?;
        let mut rows = statement.query([])?;
        let mut versions = HashMap::new();
        while let Some(row) = rows.next()? {
            let content = ContentId::from_slice(row.blob(1)?);
            if let Some(content) = content {
                versions.insert((row.get(0)?, content), VersionId(row.get(2)?));
            }
        }
        Ok(versions)
    }

    /// The number of a path that [`Writer::all_versions`] noted.
    pub(crate) fn noted_path(&self, path: &str) -> Option<i64> {
        self.paths.get(path).copied()
    }

    /// Stops waiting for the disk from now on; see `no_fsync_directory`. The caller has to call
    /// [`make_durable`](crate::store::text::durability::make_durable) later.
    pub(crate) fn defer_fsync(&mut self) -> Result<()> {
        if self.text.is_none() {
            self.defers_fsync = true;
            self.db.with(|db| db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))?;
        }
        Ok(())
    }

    /// Starts a run: everything until [`Writer::publish`] is invisible.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.saves.begin_batch();
        self.db.execute_batch("BEGIN IMMEDIATE")
    }

    /// Opens the text index ahead of the first version; `bulk` gives it the full memory budget and
    /// threads.
    pub(crate) fn warm_up(&mut self, bulk: bool) -> Result<()> {
        // Few documents need nothing before the first of them comes.
        if self.defers_fsync { Ok(()) } else { self.text(bulk).map(|_| ()) }
    }

    /// Stores a new version and returns its number. Part of a batch; see the module text.
    pub(crate) fn put(&mut self, path: &str, new: NewVersion) -> Result<VersionId> {
        let path_id = self.path_id(path)?;
        let version = VersionId(self.next_version);
        self.next_version += 1;
        self.db
            .prepare(
                "INSERT INTO file_version (version_id, path_id, content_id, size, language, role, skip, line_count, \
                 chunk_count, symbol_count) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute((
                version.0,
                path_id,
                &new.content_id.0[..],
                new.size as i64,
                new.language,
                new.role as u8,
                new.skip,
                new.line_count,
                new.chunk_count as i64,
                new.symbol_count as i64,
            ))?;
        if new.skip.is_none() {
            let Encoded { base, outline, uses } = &new.facts;
            self.db
                .prepare("INSERT INTO facts (version_id, base_id, outline, uses) VALUES (?1, ?2, ?3, ?4)")?
                .execute((version.0, base.map(|base| base.0), outline, uses))?;
        }
        if let Some(items) = &new.shared {
            let sql = "INSERT INTO shared (version_id, items) VALUES (?1, ?2)";
            self.db.prepare(sql)?.execute((version.0, items))?;
        }
        let sql = "INSERT INTO symbol (key, version_id, ordinal, kind, name) VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut insert = self.db.prepare(sql)?;
        for symbol in &new.symbols {
            let key = symbol.name.to_lowercase();
            let name = (key != symbol.name).then_some(&symbol.name);
            insert.execute((&key, version.0, symbol.ordinal, symbol.kind as u8, name))?;
        }
        drop(insert);
        if !new.documents.is_empty() {
            let sql = "INSERT INTO document (path_id, version_id, hashes) VALUES (?1, ?2, ?3)";
            self.db.prepare(sql)?.execute((path_id, version.0, write_hashes(&new.hashes)))?;
            if new.vectors.len() == new.documents.len() {
                for (row, number) in new.vectors.iter().zip(0..) {
                    self.add_vector(Item { origin: version, number }, row)?;
                }
            } else {
                let sql = "INSERT OR IGNORE INTO unembedded (version_id) VALUES (?1)";
                self.db.prepare(sql)?.execute([version.0])?;
            }
            match self.defers_fsync {
                true => self.small()?.add(version, path, new.documents)?,
                false => self.text(false)?.add(version, path, new.documents)?,
            }
            self.uncommitted_documents = true;
        }
        self.pending_bytes += new.size as usize;
        Ok(version)
    }

    /// Notes which version was read at a path, for a run that may have to go on where this one is
    /// killed, and for those who want to see what there is before anything is published.
    pub(crate) fn note_read(&mut self, path: &str, version: VersionId, stat: Option<FileStat>) -> Result<()> {
        let path_id = self.path_id(path)?;
        self.pending_stats.push((path_id, version, stat.unwrap_or(FileStat::OF_NOTHING)));
        Ok(())
    }

    /// Reads the versions that interrupted runs of a view had read, and the stats that vouch for
    /// them.
    pub(crate) fn left_by_interrupted(&mut self, view: ViewId) -> Result<Manifest> {
        self.has_leftovers = true;
        view::stats(&self.db, view)
    }

    /// The number of the next version that is put.
    pub(crate) fn next_version(&self) -> u32 {
        self.next_version
    }

    /// Looks whether all versions that were put since `first` was the next one are there.
    pub(crate) fn validate(&self, first: u32) -> Result<()> {
        let sql = "SELECT count(*) FROM file_version WHERE version_id >= ?1";
        let found: u32 = self.db.prepare(sql)?.query_row([first], |row| row.get(0))?;
        let put = self.next_version - first;
        if found != put {
            let detail = format!("{put} file versions were stored, {found} are there");
            return Err(Error::Corrupt { path: self.data.clone(), detail });
        }
        Ok(())
    }

    /// Makes what was put and noted so far durable if it is much or some time has passed; nothing
    /// is published by it. Returns whether it did.
    pub(crate) fn save_if_due(&mut self, view: ViewId) -> Result<bool> {
        let is_much = self.pending_bytes > self.config.memory_budget_bytes;
        if !is_much && !self.saves.is_due() {
            return Ok(false);
        }
        for (path_id, version, stat) in std::mem::take(&mut self.pending_stats) {
            view::put_stat(&self.db, view, path_id, version, &stat)?;
        }
        self.has_leftovers = true;
        self.commit_batch()?;
        self.saves.count();
        self.begin()?;
        Ok(true)
    }

    /// Publishes `next` as the whole manifest of the view and ends the run. Returns whether
    /// anything changed.
    pub(crate) fn publish(
        &mut self,
        row: &ViewRow,
        before: &Manifest,
        next: &[NextEntry],
        head: Option<&Head>,
    ) -> Result<bool> {
        let mut after = Vec::with_capacity(next.len());
        // Versions that gc was about to remove are wanted again; mostly there are none.
        let released = "SELECT EXISTS (SELECT 1 FROM file_version WHERE released_at IS NOT NULL)";
        let has_released: bool = self.db.query_row(released, [], |row| row.get(0))?;
        let mut changes = Vec::new();
        let mut kept = 0;
        let mut known = before.in_order();
        for entry in next {
            let old = known.get(&entry.path);
            let path_id = match old {
                Some(old) => old.path_id,
                None => self.path_id(&entry.path)?,
            };
            kept += usize::from(old.is_some());
            if old.map(|old| old.version) != Some(entry.version) {
                changes.push(Change { path_id, before: old.map(|old| old.version), after: Some(entry.version) });
                if has_released {
                    let sql =
                        "UPDATE file_version SET released_at = NULL WHERE version_id = ?1 AND released_at IS NOT NULL";
                    self.db.prepare(sql)?.execute([entry.version.0])?;
                }
            }
            match entry.stat {
                Some(stat) if old.is_none_or(|old| old.stat != Some(stat) || old.version != entry.version) => {
                    view::put_stat(&self.db, row.id, path_id, entry.version, &stat)?;
                }
                Some(_) => {}
                None if old.is_some() || self.has_leftovers => view::drop_stat(&self.db, row.id, path_id)?,
                None => {}
            }
            after.push((path_id, entry.version));
        }
        self.pending_stats.clear();
        if std::mem::take(&mut self.has_leftovers) {
            view::drop_stats_but(&self.db, row.id, &after)?;
        }
        if kept < before.len() {
            let alive: std::collections::HashSet<&str> = next.iter().map(|entry| entry.path.as_str()).collect();
            for (_, entry) in before.iter().filter(|(path, _)| !alive.contains(path)) {
                changes.push(Change { path_id: entry.path_id, before: Some(entry.version), after: None });
                view::drop_stat(&self.db, row.id, entry.path_id)?;
            }
        }
        let changed = !changes.is_empty() || row.generation == 0;
        if changed {
            view::publish(&self.db, row, &changes, &after, now())?;
        }
        let (reference, commit) = head.map_or((None, None), |head| (head.reference.as_deref(), head.commit.as_deref()));
        self.db
            .prepare("UPDATE view SET head_ref = ?2, head_commit = ?3, used_at = ?4 WHERE view_id = ?1")?
            .execute((row.id.0, reference, commit, now()))?;
        self.commit_batch()?;
        Ok(changed)
    }

    /// The manifest after [`Writer::publish`] of `next`, which is sorted; `row` is the view before
    /// it.
    pub(crate) fn manifest_of(
        &self,
        before: &Manifest,
        next: &[NextEntry],
        row: &ViewRow,
        has_changed: bool,
    ) -> Result<CachedManifest> {
        let mut known = before.in_order();
        let entry = |next: &NextEntry| {
            let noted = || self.paths.get(&next.path).copied();
            let path_id = known.get(&next.path).map(|entry| entry.path_id).or_else(noted)?;
            Some((next.path.clone(), Entry { path_id, version: next.version, stat: next.stat }))
        };
        let manifest = next.iter().filter_map(entry).collect();
        let id = self.manifest_id(row)?;
        Ok(CachedManifest { id: ManifestId { generation: id.generation + i64::from(has_changed), ..id }, manifest })
    }

    /// The view as it is published now.
    pub(crate) fn published_view(&self, key: &ViewKey) -> Result<ViewRow> {
        view::find_or_create(&self.db, key)
    }

    /// Ends the run without publishing; what was put since the last batch is forgotten.
    pub(crate) fn abandon(&mut self) {
        // Either may fail when the disk is full; the next writer cleans up by the stamp.
        let _ = self.db.execute_batch("ROLLBACK");
        (self.text, self.small) = (None, None);
        self.vectors = None;
        self.pending_stats.clear();
    }

    /// Returns the number of times that views were dropped; see [`meta::VIEW_EPOCH`].
    pub(crate) fn view_epoch(&self) -> Result<i64> {
        meta::get(&self.db, meta::VIEW_EPOCH)
    }

    /// Says who makes the vectors that follow.
    pub(crate) fn use_model(&mut self, model: Header) {
        self.model = Some(model);
    }

    /// Stores what a search document means. Part of a batch; see the module text.
    pub(crate) fn add_vector(&mut self, item: Item, row: &Row) -> Result<()> {
        match self.vectors()? {
            Some(vectors) => vectors.add(item, row),
            None => Ok(()),
        }
    }

    /// Notes that all documents of versions have vectors now. Part of a batch.
    pub(crate) fn note_embedded(&mut self, versions: &[VersionId]) -> Result<()> {
        let mut delete = self.db.prepare("DELETE FROM unembedded WHERE version_id = ?1")?;
        for version in versions {
            delete.execute([version.0])?;
        }
        Ok(())
    }

    /// Ends a batch; the next one begins with [`Writer::begin`].
    pub(crate) fn end_batch(&mut self) -> Result<()> {
        self.commit_batch()
    }

    /// The vectors that are being written. Those of another model, or damaged ones, are made again.
    fn vectors(&mut self) -> Result<Option<&mut VectorWriter>> {
        let Some(model) = self.model else { return Ok(None) };
        if self.vectors.is_none() {
            let (file, rows) = (meta::get(&self.db, meta::VECTOR_FILE)?, meta::get(&self.db, meta::VECTOR_ROWS)?);
            let opened = VectorWriter::open(&self.data, file, rows, model)?;
            if opened.is_none() {
                let sql = "INSERT OR IGNORE INTO unembedded SELECT DISTINCT version_id FROM document WHERE ?1 > 0";
                self.db.execute(sql, [file])?;
            }
            let made = || VectorWriter::create(&self.data, file + 1, model);
            self.vectors = Some(opened.map_or_else(made, Ok)?);
        }
        Ok(self.vectors.as_mut())
    }

    /// Waits for background merges and closes the store; the lock is the caller's to let go.
    pub(crate) fn finish(self) -> Result<WriterLock> {
        self.close()?.finish()
    }

    /// Closes the store, but for background merges.
    pub(crate) fn close(mut self) -> Result<Merging> {
        // A stale log would make the next reader replay it. If a reader blocks this, it does no
        // harm, so do not wait.
        if !self.defers_fsync {
            self.db.with(|db| db.busy_timeout(std::time::Duration::ZERO))?;
            let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        let merging = Merging { text: self.text.take(), small: self.committed.take(), lock: self.lock };
        if let Some(pool) = self.pool {
            pool.put(&db::file(&self.data), self.db);
        }
        Ok(merging)
    }

    /// Returns the connection.
    #[cfg(test)]
    pub(crate) fn db(&self) -> &Db {
        &self.db
    }

    /// The data folder, if facts were committed to it before.
    pub(crate) fn stored_data(&self) -> Option<&Path> {
        (self.next_version > 1).then_some(self.data.as_path())
    }

    /// The data folder that is written.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    fn commit_batch(&mut self) -> Result<()> {
        let high_water = i64::from(self.next_version) - 1;
        if self.commit_text()? {
            meta::set(&self.db, meta::TEXT_HIGH_WATER, high_water)?;
        }
        meta::set(&self.db, meta::HIGH_WATER, high_water)?;
        if let Some(vectors) = &mut self.vectors {
            vectors.flush()?;
            meta::set(&self.db, meta::VECTOR_FILE, vectors.file)?;
            meta::set(&self.db, meta::VECTOR_ROWS, vectors.rows)?;
        }
        self.db.execute_batch("COMMIT")?;
        self.pending_bytes = 0;
        Ok(())
    }

    /// Commits what changed in the text index, if anything did.
    pub(super) fn commit_text(&mut self) -> Result<bool> {
        if !self.uncommitted_documents {
            return Ok(false);
        }
        let stamp =
            Stamp { high_water: i64::from(self.next_version) - 1, gc_epoch: meta::get(&self.db, meta::GC_EPOCH)? };
        if let Some(small) = self.small.take() {
            self.committed = Some(small.commit(stamp)?);
        } else if let Some(text) = &mut self.text {
            text.commit(stamp)?;
        }
        self.uncommitted_documents = false;
        Ok(true)
    }

    fn path_id(&mut self, path: &str) -> Result<i64> {
        if let Some(id) = self.paths.get(path) {
            return Ok(*id);
        }
        let find = "SELECT path_id FROM path WHERE path = ?1";
        let id = match self.db.prepare(find)?.query_optional([path], |row| row.get(0))? {
            Some(id) => id,
            None => {
                self.db.prepare("INSERT INTO path (path) VALUES (?1)")?.execute([path])?;
                self.db.last_insert_rowid()
            }
        };
        self.paths.insert(path.to_string(), id);
        Ok(id)
    }

    fn small(&mut self) -> Result<&mut SmallWriter> {
        if self.small.is_none() {
            self.small = Some(SmallWriter::begin(&self.data)?);
        }
        Ok(self.small.as_mut().expect("was set just above"))
    }

    pub(super) fn text(&mut self, bulk: bool) -> Result<&mut TextWriter> {
        if self.text.is_none() {
            let (budget, threads) = match bulk {
                true => (self.config.memory_budget_bytes / 2, self.config.threads.div_ceil(2).min(4)),
                false => (0, 1),
            };
            self.text = Some(self.text_index.writer(budget, threads)?);
        }
        Ok(self.text.as_mut().expect("was set just above"))
    }
}

/// A store that was written; its lock keeps other writers out until background merges are over.
pub(crate) struct Merging {
    text: Option<TextWriter>,
    small: Option<TextIndex>,
    lock: WriterLock,
}

impl Merging {
    /// Waits for the merges.
    pub(crate) fn finish(self) -> Result<WriterLock> {
        self.text.map_or(Ok(()), TextWriter::finish)?;
        self.small.as_ref().map_or(Ok(()), segment_append::merge_if_many)?;
        Ok(self.lock)
    }
}
