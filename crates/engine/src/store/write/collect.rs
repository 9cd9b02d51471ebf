//! Removal of garbage by a writer: unused views and versions, leftovers of a killed collection, and
//! vectors of documents that are gone.

use std::collections::HashSet;

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts::shared_items::Item;
use crate::store::sqlite::{manifest_copy, meta};
use crate::store::time::{DAY, now};
use crate::store::write::gc;
use crate::store::write::version_removal::Held;
use crate::store::write::writer::Writer;

impl Writer {
    /// Deletes the documents that no version of the database has, which a killed collection left
    /// behind.
    pub(crate) fn sweep_text(&mut self) -> Result<()> {
        let held = Held::by_all(&self.db)?.documents;
        let (kept, unused): (Vec<Item>, Vec<Item>) =
            self.documents.committed()?.into_iter().partition(|document| held.has(*document));
        let origins: HashSet<VersionId> = kept.into_iter().map(|document| document.origin).collect();
        for document in unused {
            if origins.contains(&document.origin) {
                self.documents.delete_document(document)?
            } else {
                self.documents.delete(document.origin)?
            }
        }
        self.documents.start(false)?;
        self.documents.mark_changed();
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
            self.documents.mark_changed();
        }
        self.db.execute_batch("COMMIT")?;
        for version in unused.origins {
            self.documents.delete(version)?;
        }
        for document in unused.documents {
            self.documents.delete_document(document)?;
        }
        self.commit_documents()?;
        if collected.removed_versions > 0 {
            self.vectors.compact(&self.db)?;
        }
        manifest_copy::remove_others(&self.db, &self.data)?;
        Ok(collected)
    }

    /// Gives back the disk space of what was deleted; only worth it after a large collection.
    pub(crate) fn compact(&mut self) -> Result<()> {
        self.db.execute_batch("VACUUM")
    }
}
