//! The history of a repository in a database of its own, `history.db`, beside the data folders: a
//! rebuild of the index does not forget it, and all worktrees share it.
//!
//! Commits stand in packs of some hundreds, by column, so that a question reads only the columns
//! that it needs. Lines that commits changed stand in blocks. Both only grow, but for the last one,
//! which is written anew with what is added, and for what a collection removes. Numbers of packs
//! and blocks are never used twice, so a reader sees by them what is new.
//!
//! It holds nothing that git does not have: one that is damaged or of another format is begun anew.

pub(crate) mod record;

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::OpenFlags;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::store::disk::layout;
use crate::store::history::record::{CommitId, CommitRecord, PackedHeads, PathChange, Person};
use crate::store::sqlite::connection::Db;

const FILE: &str = "history.db";
const LOCK_FILE: &str = "history.lock";

/// The number of the format; a file with another one is replaced.
const FORMAT: i64 = 1;

const SCHEMA: &str = "
CREATE TABLE pack (
    pack_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    commits  INTEGER NOT NULL,
    heads    BLOB    NOT NULL,
    messages BLOB    NOT NULL,
    changes  BLOB    NOT NULL
);
CREATE TABLE block (
    block_id INTEGER PRIMARY KEY AUTOINCREMENT,
    size     INTEGER NOT NULL,
    commits  BLOB    NOT NULL,
    lines    BLOB    NOT NULL
);";

/// Commits of a pack.
pub(crate) const PACK_COMMITS: usize = 512;
/// A block with fewer bytes than this takes in more.
const SMALL_BLOCK: i64 = 512 << 10;
const PACK_LEVEL: i32 = 6;
/// The time to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The open database of a repository's history.
#[derive(Debug)]
pub(crate) struct HistoryFile {
    db: Db,
    root: PathBuf,
}

/// A block of changed lines: its number and the commits that it is about.
#[derive(Clone, Debug)]
pub(crate) struct BlockEntry {
    pub number: i64,
    pub commits: Vec<CommitId>,
}

/// A block that is ready to be stored.
#[derive(Clone, Debug)]
pub(crate) struct PackedBlock {
    commits: Vec<CommitId>,
    /// Bytes before compression.
    size: usize,
    lines: Vec<u8>,
}

/// The commits of all packs or blocks up to a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownIds {
    pub ids: FxHashSet<CommitId>,
    pub newest: i64,
}

/// The changed lines of commits, one text for each.
pub(crate) type Documents = Vec<(CommitId, Vec<u8>)>;

impl HistoryFile {
    /// Opens the history in the store at `root`; makes it if there is none or a useless one.
    pub(crate) fn open(root: &Path) -> Result<HistoryFile> {
        match HistoryFile::connect(root) {
            Err(Error::Corrupt { .. }) => {
                HistoryFile::delete(root);
                HistoryFile::connect(root)
            }
            other => other,
        }
    }

    /// Opens the history if there is one.
    pub(crate) fn existing(root: &Path) -> Result<Option<HistoryFile>> {
        if root.join(FILE).exists() { HistoryFile::open(root).map(Some) } else { Ok(None) }
    }

    fn connect(root: &Path) -> Result<HistoryFile> {
        layout::create_root(root)?;
        let db = Db::open(root.join(FILE), OpenFlags::default(), root)?;
        db.with(|connection| connection.busy_timeout(PATIENCE))?;
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        let format = || db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
        if format()? != FORMAT {
            db.execute_batch("BEGIN IMMEDIATE")?;
            // Another process may have made it meanwhile.
            if format()? != FORMAT {
                db.execute_batch("DROP TABLE IF EXISTS pack; DROP TABLE IF EXISTS block;")?;
                db.execute_batch(SCHEMA)?;
                db.execute_batch(&format!("PRAGMA user_version = {FORMAT}"))?;
            }
            db.execute_batch("COMMIT")?;
        }
        Ok(HistoryFile { db, root: root.to_path_buf() })
    }

    /// Takes the lock of the process that reads the history ahead of questions; `None` if another
    /// one has it. It is held until the file is closed.
    pub(crate) fn lock(root: &Path) -> Result<Option<File>> {
        layout::create_root(root)?;
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(root.join(LOCK_FILE));
        let lock = opened.map_err(|source| Error::Unwritable { path: root.to_path_buf(), source })?;
        Ok(lock.try_lock().is_ok().then_some(lock))
    }

    /// Removes the history, which can be made again.
    pub(crate) fn delete(root: &Path) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(root.join(format!("{FILE}{ending}")));
        }
    }

    /// Returns the number of commits, and of those with changed lines.
    pub(crate) fn counts(&self) -> Result<(usize, usize)> {
        let count = |sql: &str| self.db.query_row(sql, [], |row| row.get::<_, i64>(0));
        let commits = count("SELECT coalesce(sum(commits), 0) FROM pack")?;
        let with_lines = count("SELECT coalesce(sum(length(commits) / 20), 0) FROM block")?;
        Ok((usize::try_from(commits).unwrap_or(0), usize::try_from(with_lines).unwrap_or(0)))
    }

    /// Returns the bytes of the packs and of the blocks.
    pub(crate) fn sizes(&self) -> Result<(u64, u64)> {
        let sum = |sql: &str| self.db.query_row(sql, [], |row| row.get::<_, i64>(0));
        let packs = sum("SELECT coalesce(sum(length(heads) + length(messages) + length(changes)), 0) FROM pack")?;
        let blocks = sum("SELECT coalesce(sum(length(lines) + length(commits)), 0) FROM block")?;
        Ok((packs.unsigned_abs(), blocks.unsigned_abs()))
    }

    /// Reads the heads of all packs, the oldest first.
    pub(crate) fn heads(&self) -> Result<Vec<(i64, PackedHeads)>> {
        let mut packs = Vec::new();
        let mut statement = self.db.prepare("SELECT pack_id, heads FROM pack ORDER BY pack_id")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            packs.push((row.get(0)?, self.unpack(row.blob(1)?)?));
        }
        Ok(packs)
    }

    /// Reads the messages of a pack.
    pub(crate) fn messages(&self, pack: i64) -> Result<Vec<String>> {
        self.column("SELECT messages FROM pack WHERE pack_id = ?1", pack)
    }

    /// Reads the changed paths of the commits of a pack.
    pub(crate) fn changes(&self, pack: i64) -> Result<Vec<Vec<PathChange>>> {
        self.column("SELECT changes FROM pack WHERE pack_id = ?1", pack)
    }

    fn column<T: DeserializeOwned>(&self, sql: &str, pack: i64) -> Result<T> {
        let mut statement = self.db.prepare(sql)?;
        let mut rows = statement.query([pack])?;
        let Some(row) = rows.next()? else { return Err(replaced()) };
        self.unpack(row.blob(0)?)
    }

    /// Adds commits that the history does not have, in one step. `known` are those that it has,
    /// and is brought up to date.
    pub(crate) fn append(&self, mut records: Vec<CommitRecord>, known: &mut KnownIds) -> Result<()> {
        self.write(|| {
            let mut statement =
                self.db.prepare("SELECT pack_id, heads FROM pack WHERE pack_id > ?1 ORDER BY pack_id")?;
            let mut rows = statement.query([known.newest])?;
            while let Some(row) = rows.next()? {
                let packed: PackedHeads = self.unpack(row.blob(1)?)?;
                known.ids.extend(packed.heads.iter().map(|head| head.id));
                known.newest = row.get(0)?;
            }
            drop(rows);
            records.retain(|record| known.ids.insert(record.head.id));
            let sql = "SELECT pack_id, commits FROM pack ORDER BY pack_id DESC LIMIT 1";
            let number_and_count = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
            let tail = self.db.prepare(sql)?.query_optional([], number_and_count)?;
            if let Some((number, count)) = tail
                && count < PACK_COMMITS as i64
                && !records.is_empty()
            {
                let mut joined = self.records(number)?;
                joined.append(&mut records);
                records = joined;
                self.db.execute("DELETE FROM pack WHERE pack_id = ?1", [number])?;
            }
            for chunk in records.chunks(PACK_COMMITS) {
                self.insert_pack(chunk)?;
                known.newest = self.db.last_insert_rowid();
            }
            Ok(())
        })
    }

    /// Removes commits, with what they changed.
    pub(crate) fn remove(&self, gone: &FxHashSet<CommitId>) -> Result<()> {
        self.write(|| {
            for (number, packed) in self.heads()? {
                if packed.heads.iter().any(|head| gone.contains(&head.id)) {
                    let mut records = self.records(number)?;
                    records.retain(|record| !gone.contains(&record.head.id));
                    self.db.execute("DELETE FROM pack WHERE pack_id = ?1", [number])?;
                    records.chunks(PACK_COMMITS).try_for_each(|chunk| self.insert_pack(chunk))?;
                }
            }
            for block in self.blocks()? {
                if block.commits.iter().any(|id| gone.contains(id)) {
                    let mut documents = self.documents(block.number)?;
                    documents.retain(|(id, _)| !gone.contains(id));
                    self.db.execute("DELETE FROM block WHERE block_id = ?1", [block.number])?;
                    if !documents.is_empty() {
                        self.insert_block(&self.pack_block(&documents)?)?;
                    }
                }
            }
            Ok(())
        })?;
        self.db.execute_batch("VACUUM")
    }

    /// Lists the blocks of changed lines, the oldest first.
    pub(crate) fn blocks(&self) -> Result<Vec<BlockEntry>> {
        self.blocks_after(0)
    }

    fn blocks_after(&self, number: i64) -> Result<Vec<BlockEntry>> {
        let mut blocks = Vec::new();
        let mut statement =
            self.db.prepare("SELECT block_id, commits FROM block WHERE block_id > ?1 ORDER BY block_id")?;
        let mut rows = statement.query([number])?;
        while let Some(row) = rows.next()? {
            let commits = row.blob(1)?.chunks_exact(20).filter_map(CommitId::from_slice).collect();
            blocks.push(BlockEntry { number: row.get(0)?, commits });
        }
        Ok(blocks)
    }

    /// Reads the texts of a block, in the order of its commits. Each begins with its length.
    pub(crate) fn block_text(&self, number: i64) -> Result<Vec<u8>> {
        let mut statement = self.db.prepare("SELECT size, lines FROM block WHERE block_id = ?1")?;
        let mut rows = statement.query([number])?;
        let Some(row) = rows.next()? else { return Err(replaced()) };
        let size: i64 = row.get(0)?;
        self.unpack_lines(usize::try_from(size).unwrap_or(0), row.blob(1)?)
    }

    /// Splits the text of a block into the texts of its commits.
    pub(crate) fn split_block<'b>(commits: &[CommitId], mut text: &'b [u8]) -> Option<Vec<(CommitId, &'b [u8])>> {
        let mut documents = Vec::with_capacity(commits.len());
        for id in commits {
            let (length, rest) = text.split_first_chunk::<4>()?;
            let (document, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            documents.push((*id, document));
            text = rest;
        }
        Some(documents)
    }

    /// Adds a block for commits that have none yet, in one step. `known` are those that have one,
    /// and is brought up to date.
    pub(crate) fn append_block(&self, mut block: PackedBlock, known: &mut KnownIds) -> Result<()> {
        self.write(|| {
            for newer in self.blocks_after(known.newest)? {
                known.newest = newer.number;
                known.ids.extend(newer.commits);
            }
            if block.commits.iter().any(|id| known.ids.contains(id)) {
                let mut documents = self.split(&block.commits, &self.unpack_lines(block.size, &block.lines)?)?;
                documents.retain(|(id, _)| !known.ids.contains(id));
                block = self.pack_block(&documents)?;
            }
            if block.commits.is_empty() {
                return Ok(());
            }
            known.ids.extend(block.commits.iter().copied());
            let sql = "SELECT block_id, size FROM block ORDER BY block_id DESC LIMIT 1";
            let number_and_size = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
            let tail = self.db.prepare(sql)?.query_optional([], number_and_size)?;
            if let Some((number, size)) = tail
                && size + (block.size as i64) < SMALL_BLOCK
            {
                let mut joined = self.documents(number)?;
                joined.extend(self.split(&block.commits, &self.unpack_lines(block.size, &block.lines)?)?);
                block = self.pack_block(&joined)?;
                self.db.execute("DELETE FROM block WHERE block_id = ?1", [number])?;
            }
            self.insert_block(&block)?;
            known.newest = self.db.last_insert_rowid();
            Ok(())
        })
    }

    /// Packs the changed lines of commits into a block.
    pub(crate) fn pack_block(&self, documents: &Documents) -> Result<PackedBlock> {
        let (mut commits, mut text) = (Vec::new(), Vec::new());
        for (id, document) in documents {
            commits.push(*id);
            text.extend_from_slice(&u32::try_from(document.len()).unwrap_or(u32::MAX).to_le_bytes());
            text.extend_from_slice(document);
        }
        Ok(PackedBlock { commits, size: text.len(), lines: self.compress(&text)? })
    }

    fn documents(&self, number: i64) -> Result<Documents> {
        let blocks = self.blocks_after(number - 1)?;
        let commits = blocks.into_iter().find(|block| block.number == number).map(|block| block.commits);
        let Some(commits) = commits else { return Ok(Vec::new()) };
        self.split(&commits, &self.block_text(number)?)
    }

    fn split(&self, commits: &[CommitId], text: &[u8]) -> Result<Documents> {
        let split = HistoryFile::split_block(commits, text);
        let split = split.ok_or_else(|| self.db.corrupt("a block of changed lines is cut off".into()))?;
        Ok(split.into_iter().map(|(id, document)| (id, document.to_vec())).collect())
    }

    fn insert_block(&self, block: &PackedBlock) -> Result<()> {
        let commits: Vec<u8> = block.commits.iter().flat_map(|id| id.0).collect();
        let sql = "INSERT INTO block (size, commits, lines) VALUES (?1, ?2, ?3)";
        self.db.execute(sql, (block.size as i64, commits, &block.lines)).map(|_| ())
    }

    fn unpack_lines(&self, size: usize, lines: &[u8]) -> Result<Vec<u8>> {
        zstd::bulk::decompress(lines, size).map_err(|error| self.db.corrupt(error.to_string()))
    }

    /// Runs `work` as the only writer.
    fn write(&self, work: impl FnOnce() -> Result<()>) -> Result<()> {
        self.db.execute_batch("BEGIN IMMEDIATE")?;
        let outcome = work();
        self.db.execute_batch(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        outcome
    }

    fn records(&self, pack: i64) -> Result<Vec<CommitRecord>> {
        let packed: PackedHeads = self.column("SELECT heads FROM pack WHERE pack_id = ?1", pack)?;
        let (messages, changes) = (self.messages(pack)?, self.changes(pack)?);
        let rest = messages.into_iter().zip(changes);
        let record = |(head, (message, changes)): (record::CommitHead, _)| {
            let author = packed.people.get(head.author as usize).cloned().unwrap_or_default();
            CommitRecord { head, author, message, changes }
        };
        Ok(packed.heads.into_iter().zip(rest).map(record).collect())
    }

    fn insert_pack(&self, records: &[CommitRecord]) -> Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let mut places: FxHashMap<&Person, u32> = FxHashMap::default();
        let mut packed = PackedHeads::default();
        for record in records {
            let author = *places.entry(&record.author).or_insert_with(|| {
                packed.people.push(record.author.clone());
                packed.people.len() as u32 - 1
            });
            packed.heads.push(record::CommitHead { author, ..record.head.clone() });
        }
        let messages: Vec<&String> = records.iter().map(|record| &record.message).collect();
        let changes: Vec<&Vec<PathChange>> = records.iter().map(|record| &record.changes).collect();
        let values = (records.len() as i64, self.pack(&packed)?, self.pack(&messages)?, self.pack(&changes)?);
        let sql = "INSERT INTO pack (commits, heads, messages, changes) VALUES (?1, ?2, ?3, ?4)";
        self.db.execute(sql, values).map(|_| ())
    }

    fn pack<T: Serialize>(&self, value: &T) -> Result<Vec<u8>> {
        let plain = postcard::to_stdvec(value).map_err(|error| self.db.corrupt(error.to_string()))?;
        let mut packed = u32::try_from(plain.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
        packed.extend(self.compress(&plain)?);
        Ok(packed)
    }

    fn unpack<T: DeserializeOwned>(&self, packed: &[u8]) -> Result<T> {
        let read = || -> Option<T> {
            let (size, packed) = packed.split_first_chunk::<4>()?;
            let plain = zstd::bulk::decompress(packed, u32::from_le_bytes(*size) as usize).ok()?;
            postcard::from_bytes(&plain).ok()
        };
        read().ok_or_else(|| self.db.corrupt("a pack of commits cannot be read".into()))
    }

    fn compress(&self, plain: &[u8]) -> Result<Vec<u8>> {
        let failed = |source| Error::Unwritable { path: self.root.clone(), source };
        zstd::bulk::compress(plain, PACK_LEVEL).map_err(failed)
    }
}

/// Returns the error of a reader whose pack or block another process replaced: it has to begin
/// again.
fn replaced() -> Error {
    Error::FileChanged { path: FILE.into() }
}
