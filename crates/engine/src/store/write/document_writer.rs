//! The text side of a writer: search documents go to Tantivy's writer, or to a segment of their own
//! when they are few.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::VersionId;
use crate::store::disk::layout::WriterLock;
use crate::store::facts::shared_items::Item;
use crate::store::text::index::{ChunkDocument, Stamp, TextIndex, TextWriter};
use crate::store::text::segment_append::{self, SmallWriter};

/// Adds and deletes search documents; see [`segment_append`] for commits of few.
pub(super) struct DocumentWriter {
    data: PathBuf,
    index: TextIndex,
    /// The memory and the threads of a bulk writer.
    bulk_budget: usize,
    bulk_threads: usize,
    writer: Option<TextWriter>,
    /// The segment of a small commit; `appended` is the index that the last one went to.
    segment: Option<SmallWriter>,
    appended: Option<TextIndex>,
    has_changes: bool,
    /// True if it does not wait for the disk.
    defers_fsync: bool,
}

impl DocumentWriter {
    /// Opens the text index of a data folder; nothing is started yet.
    pub(super) fn open(data: &Path, config: &IndexConfig) -> Result<DocumentWriter> {
        Ok(DocumentWriter {
            data: data.to_path_buf(),
            index: TextIndex::open(data)?,
            bulk_budget: config.memory_budget_bytes / 2,
            bulk_threads: config.threads.div_ceil(2).min(4),
            writer: None,
            segment: None,
            appended: None,
            has_changes: false,
            defers_fsync: false,
        })
    }

    /// Returns the stamp of the last commit.
    pub(super) fn stamp(&self) -> Result<Stamp> {
        self.index.stamp()
    }

    /// Returns all documents of the last commit.
    pub(super) fn committed(&self) -> Result<BTreeSet<Item>> {
        self.index.documents()
    }

    /// Stops waiting for the disk. Returns whether it does so: a writer that was started does not.
    pub(super) fn defer_fsync(&mut self) -> bool {
        self.defers_fsync |= self.writer.is_none();
        self.writer.is_none()
    }

    pub(super) fn defers_fsync(&self) -> bool {
        self.defers_fsync
    }

    /// Starts the writer ahead of the first document; `bulk` gives it the full memory budget and
    /// threads.
    pub(super) fn start(&mut self, bulk: bool) -> Result<()> {
        // Few documents need nothing before the first of them comes.
        if self.defers_fsync { Ok(()) } else { self.writer(bulk).map(|_| ()) }
    }

    /// Adds the documents that a file version brings.
    pub(super) fn add(&mut self, version: VersionId, path: &str, documents: Vec<ChunkDocument>) -> Result<()> {
        if self.defers_fsync {
            self.segment()?.add(version, path, documents)?
        } else {
            self.writer(false)?.add(version, path, documents)?
        }
        self.has_changes = true;
        Ok(())
    }

    /// Deletes all documents that a file version brought.
    pub(super) fn delete(&mut self, version: VersionId) -> Result<()> {
        self.writer(false)?.delete(version);
        Ok(())
    }

    /// Deletes one document.
    pub(super) fn delete_document(&mut self, document: Item) -> Result<()> {
        self.writer(false)?.delete_document(document)
    }

    /// Makes the next commit happen, also where nothing is added or deleted until then.
    pub(super) fn mark_changed(&mut self) {
        self.has_changes = true;
    }

    /// Returns whether there is something to commit.
    pub(super) fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Commits everything since the last commit under `stamp`.
    pub(super) fn commit(&mut self, stamp: Stamp) -> Result<()> {
        if let Some(segment) = self.segment.take() {
            self.appended = Some(segment.commit(stamp)?);
        } else if let Some(writer) = &mut self.writer {
            writer.commit(stamp)?;
        }
        self.has_changes = false;
        Ok(())
    }

    /// Drops what was not committed.
    pub(super) fn abandon(&mut self) {
        (self.writer, self.segment) = (None, None);
    }

    /// Ends writing; `lock` is held until the background merges are over.
    pub(super) fn into_merging(self, lock: WriterLock) -> Merging {
        Merging { writer: self.writer, appended: self.appended, lock }
    }

    fn segment(&mut self) -> Result<&mut SmallWriter> {
        if self.segment.is_none() {
            self.segment = Some(SmallWriter::begin(&self.data)?);
        }
        Ok(self.segment.as_mut().expect("was set just above"))
    }

    fn writer(&mut self, bulk: bool) -> Result<&mut TextWriter> {
        if self.writer.is_none() {
            let (budget, threads) = if bulk { (self.bulk_budget, self.bulk_threads) } else { (0, 1) };
            self.writer = Some(self.index.writer(budget, threads)?);
        }
        Ok(self.writer.as_mut().expect("was set just above"))
    }
}

/// A store that was written; its lock keeps other writers out until background merges are over.
pub(crate) struct Merging {
    writer: Option<TextWriter>,
    appended: Option<TextIndex>,
    lock: WriterLock,
}

impl Merging {
    /// Waits for the merges.
    pub(crate) fn finish(self) -> Result<WriterLock> {
        self.writer.map_or(Ok(()), TextWriter::finish)?;
        self.appended.as_ref().map_or(Ok(()), segment_append::merge_if_many)?;
        Ok(self.lock)
    }
}
