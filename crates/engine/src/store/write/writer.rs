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

use rusqlite::config::DbConfig;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::{ContentId, FileStat, VersionId, ViewId, ViewKey};
use crate::store::disk::layout::WriterLock;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::sqlite::manifest::Manifest;
use crate::store::sqlite::manifest_copy::{CachedManifest, ManifestId};
use crate::store::sqlite::versions::KnownContents;
use crate::store::sqlite::view::{self, ViewRow};
use crate::store::sqlite::{db, manifest_copy, meta, versions};
use crate::store::text::index::{self, Stamp};
use crate::store::vectors::{Header, QuantizedVector};
use crate::store::write::document_writer::{DocumentWriter, Merging};
use crate::store::write::new_version::{self, NewVersion};
use crate::store::write::path_table::PathTable;
use crate::store::write::transaction::WriteTransaction;
use crate::store::write::vector_appender::VectorAppender;

/// A store opened for writing.
pub(crate) struct Writer {
    pub(super) db: Db,
    pub(super) data: PathBuf,
    pub(super) paths: PathTable,
    pub(super) documents: DocumentWriter,
    pub(super) vectors: VectorAppender,
    pub(super) transaction: WriteTransaction,
    next_version: u32,
    /// The pool that gets the connection afterwards.
    pool: Option<Arc<ConnectionPool>>,
    lock: WriterLock,
}

impl Writer {
    /// Opens the data folder for writing and cleans up after a writer that was killed.
    pub(crate) fn open(data: &Path, connection: Db, lock: WriterLock, config: &IndexConfig) -> Result<Writer> {
        let documents = DocumentWriter::open(data, config)?;
        let known = meta::get(&connection, meta::HIGH_WATER)?;
        let stamp = documents.stamp()?;
        if !stamp.is_complete(&connection)? {
            return Err(Error::Corrupt { path: data.to_path_buf(), detail: index::TORN.into() });
        }
        let Stamp { high_water: stamped, gc_epoch } = stamp;
        let mut writer = Writer {
            vectors: VectorAppender::open(data, &connection)?,
            db: connection,
            data: data.to_path_buf(),
            paths: PathTable::default(),
            documents,
            transaction: WriteTransaction::new(config),
            next_version: known.max(stamped) as u32 + 1,
            pool: None,
            lock,
        };
        for orphan in known + 1..=stamped {
            writer.documents.delete(VersionId(orphan as u32))?;
            writer.documents.mark_changed();
        }
        if gc_epoch < meta::get(&writer.db, meta::GC_EPOCH)? {
            writer.sweep_text()?;
        }
        Ok(writer)
    }

    /// Sets the pool that gets the connection in the end.
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
    pub(super) fn manifest_id(&self, row: &ViewRow) -> Result<ManifestId> {
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
        self.paths.load(&self.db)?;
        versions::all(&self.db)
    }

    /// The number of a path that [`Writer::all_versions`] noted.
    pub(crate) fn noted_path(&self, path: &str) -> Option<i64> {
        self.paths.get(path)
    }

    /// Stops waiting for the disk from now on; see `no_fsync_directory`. The caller has to call
    /// [`make_durable`](crate::store::text::durability::make_durable) later.
    pub(crate) fn defer_fsync(&mut self) -> Result<()> {
        if self.documents.defer_fsync() {
            self.db.with(|db| db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))?;
        }
        Ok(())
    }

    /// Starts a run: everything until [`Writer::publish`] is invisible.
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.transaction.begin(&self.db)
    }

    /// Opens the text index ahead of the first version; `bulk` gives it the full memory budget and
    /// threads.
    pub(crate) fn warm_up(&mut self, bulk: bool) -> Result<()> {
        self.documents.start(bulk)
    }

    /// Stores a new version and returns its number. Part of a batch; see the module text.
    pub(crate) fn put(&mut self, path: &str, new: NewVersion) -> Result<VersionId> {
        let path_id = self.paths.find_or_insert(&self.db, path)?;
        let version = VersionId(self.next_version);
        self.next_version += 1;
        new_version::insert(&self.db, path_id, version, &new)?;
        if !new.documents.is_empty() {
            if new.is_embedded() {
                for (row, number) in new.vectors.iter().zip(0..) {
                    self.vectors.add(&self.db, Item { origin: version, number }, row)?;
                }
            }
            self.documents.add(version, path, new.documents)?;
        }
        self.transaction.add_bytes(new.size as usize);
        Ok(version)
    }

    /// Notes which version was read at a path, for a run that may have to go on where this one is
    /// killed, and for those who want to see what there is before anything is published.
    pub(crate) fn note_read(&mut self, path: &str, version: VersionId, stat: Option<FileStat>) -> Result<()> {
        let path_id = self.paths.find_or_insert(&self.db, path)?;
        self.transaction.note_read(path_id, version, stat);
        Ok(())
    }

    /// Reads the versions that interrupted runs of a view had read, and the stats that vouch for
    /// them.
    pub(crate) fn left_by_interrupted(&mut self, view: ViewId) -> Result<Manifest> {
        self.transaction.leftovers(&self.db, view)
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
        if !self.transaction.is_checkpoint_due() {
            return Ok(false);
        }
        self.transaction.store_stats(&self.db, view)?;
        self.commit_batch()?;
        self.transaction.count_checkpoint();
        self.begin()?;
        Ok(true)
    }

    /// The view as it is published now.
    pub(crate) fn published_view(&self, key: &ViewKey) -> Result<ViewRow> {
        view::find_or_create(&self.db, key)
    }

    /// Ends the run without publishing; what was put since the last batch is forgotten.
    pub(crate) fn abandon(&mut self) {
        self.transaction.roll_back(&self.db);
        self.documents.abandon();
        self.vectors.abandon();
    }

    /// Returns the number of times that views were dropped; see [`meta::VIEW_EPOCH`].
    pub(crate) fn view_epoch(&self) -> Result<i64> {
        meta::get(&self.db, meta::VIEW_EPOCH)
    }

    /// Says who makes the vectors that follow.
    pub(crate) fn use_model(&mut self, model: Header) {
        self.vectors.use_model(model);
    }

    /// Stores what a search document means. Part of a batch; see the module text.
    pub(crate) fn add_vector(&mut self, item: Item, row: &QuantizedVector) -> Result<()> {
        self.vectors.add(&self.db, item, row)
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

    /// Waits for background merges and closes the store; the lock is the caller's to let go.
    pub(crate) fn finish(self) -> Result<WriterLock> {
        self.close()?.finish()
    }

    /// Closes the store, but for background merges.
    pub(crate) fn close(self) -> Result<Merging> {
        // A stale log would make the next reader replay it. If a reader blocks this, it does no
        // harm, so do not wait.
        if !self.documents.defers_fsync() {
            self.db.with(|db| db.busy_timeout(std::time::Duration::ZERO))?;
            let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        let merging = self.documents.into_merging(self.lock);
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

    /// Commits the text index, then the database; see the module text.
    pub(super) fn commit_batch(&mut self) -> Result<()> {
        let high_water = i64::from(self.next_version) - 1;
        if self.commit_documents()? {
            meta::set(&self.db, meta::TEXT_HIGH_WATER, high_water)?;
        }
        meta::set(&self.db, meta::HIGH_WATER, high_water)?;
        self.vectors.flush(&self.db)?;
        self.transaction.commit(&self.db)
    }

    /// Commits the documents that were added or deleted, if there are any.
    pub(super) fn commit_documents(&mut self) -> Result<bool> {
        if !self.documents.has_changes() {
            return Ok(false);
        }
        let high_water = i64::from(self.next_version) - 1;
        self.documents.commit(Stamp { high_water, gc_epoch: meta::get(&self.db, meta::GC_EPOCH)? })?;
        Ok(true)
    }
}
