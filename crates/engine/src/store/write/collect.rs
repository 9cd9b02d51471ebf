//! Removal of garbage by a writer: unused views and versions, leftovers of a killed collection, and
//! vectors of documents that are gone.

use std::collections::HashSet;

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::{manifest_copy, meta};
use crate::store::time::{DAY, now};
use crate::store::vectors::{self, VectorReader, VectorWriter};
use crate::store::write::gc;
use crate::store::write::version_removal::Held;
use crate::store::write::writer::Writer;

impl Writer {
    /// Deletes the documents that no version of the database has, which a killed collection left
    /// behind.
    pub(crate) fn sweep_text(&mut self) -> Result<()> {
        let held = Held::by_all(&self.db)?.documents;
        let (kept, unused): (Vec<Item>, Vec<Item>) =
            self.text_index.documents()?.into_iter().partition(|document| held.has(*document));
        let origins: HashSet<VersionId> = kept.into_iter().map(|document| document.origin).collect();
        for document in unused {
            match origins.contains(&document.origin) {
                true => self.text(false)?.delete_document(document)?,
                false => self.text(false)?.delete(document.origin),
            }
        }
        self.text(false)?;
        self.uncommitted_documents = true;
        Ok(())
    }

    /// Collects garbage if that was not done within a day. What was published is more important
    /// than what is to be forgotten: failure is left to the next one.
    pub(crate) fn collect_if_due(&mut self, retention: &gc::Retention) {
        let mut collect = || match (meta::get(&self.db, meta::COLLECTED_AT)?, now()) {
            // A new store has nothing to forget.
            (0, now) => meta::set(&self.db, meta::COLLECTED_AT, now),
            (last, now) if (0..DAY).contains(&(now - last)) => Ok(()),
            _ => self.collect_garbage(retention).map(|_| ()),
        };
        if collect().is_err() {
            self.abandon();
        }
    }

    /// Drops unused views and removes file versions that no view holds; see [`gc::collect`].
    pub(crate) fn collect_garbage(&mut self, retention: &gc::Retention) -> Result<gc::Collected> {
        self.db.execute_batch("BEGIN IMMEDIATE")?;
        let (unused, collected) = gc::collect(&self.db, now(), retention)?;
        if !unused.is_empty() {
            let epoch = meta::get(&self.db, meta::GC_EPOCH)? + 1;
            meta::set(&self.db, meta::GC_EPOCH, epoch)?;
            self.uncommitted_documents = true;
        }
        self.db.execute_batch("COMMIT")?;
        for version in unused.origins {
            self.text(false)?.delete(version);
        }
        for document in unused.documents {
            self.text(false)?.delete_document(document)?;
        }
        self.commit_text()?;
        if collected.removed_versions > 0 {
            self.compact_vectors()?;
        }
        manifest_copy::remove_others(&self.db, &self.data)?;
        Ok(collected)
    }

    /// Writes the vectors anew when many are of documents that are gone.
    fn compact_vectors(&mut self) -> Result<()> {
        self.vectors = None;
        let sql = "DELETE FROM unembedded WHERE version_id NOT IN (SELECT version_id FROM document)";
        self.db.execute(sql, [])?;
        let (file, rows) = (meta::get(&self.db, meta::VECTOR_FILE)?, meta::get(&self.db, meta::VECTOR_ROWS)?);
        let Some(reader) = VectorReader::open(&self.data, file, rows) else { return Ok(()) };
        let held = Held::by_all(&self.db)?.documents;
        let kept: Vec<usize> = (0..reader.len()).filter(|row| held.has(reader.item(*row))).collect();
        if (reader.len() - kept.len()) * 4 <= reader.len() {
            return Ok(());
        }
        let mut writer = VectorWriter::create(&self.data, file + 1, reader.header)?;
        for row in kept {
            writer.add(reader.item(row), &reader.row(row))?;
        }
        writer.flush()?;
        self.db.execute_batch("BEGIN IMMEDIATE")?;
        meta::set(&self.db, meta::VECTOR_FILE, writer.file)?;
        meta::set(&self.db, meta::VECTOR_ROWS, writer.rows)?;
        self.db.execute_batch("COMMIT")?;
        vectors::remove_others(&self.data, writer.file);
        Ok(())
    }

    /// Gives back the disk space of what was deleted; only worth it after a large collection.
    pub(crate) fn compact(&mut self) -> Result<()> {
        self.db.execute_batch("VACUUM")
    }
}
