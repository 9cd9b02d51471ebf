//! Lookups of parsing threads in the store: facts of contents that it knows under another path,
//! since a file that was moved need not be parsed again, and earlier versions of a path.

use std::path::Path;

use codecompass_syntax::FileFacts;

use crate::error::Result;
use crate::model::{ContentId, VersionId};
use crate::store::facts;
use crate::store::facts::previous_versions::{self, Earlier};
use crate::store::handle::Store;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::db;

/// A parsing thread's own view of what is stored.
pub(crate) struct FactLookup {
    db: Db,
}

impl FactLookup {
    /// Opens the data folder for reading; `None` when that fails, since everything can be parsed
    /// again.
    pub(crate) fn open(data: &Path, store: &Store) -> Option<FactLookup> {
        store.connection(data).or_else(|| db::open_for_reading(data).ok()).map(|db| FactLookup { db })
    }

    /// Nothing more is asked; the connection is kept if the store keeps any.
    pub(crate) fn end(self, data: &Path, store: &Store) {
        store.keep(data, self.db);
    }

    /// The facts of a content read in `language`, whatever path it has.
    pub(crate) fn facts(&self, content: &ContentId, language: Option<&str>) -> Option<FileFacts> {
        let version = self.version(content, language).ok().flatten()?;
        let outline = facts::outline(&self.db, version).ok()?;
        let uses = facts::uses(&self.db, version).ok()?;
        Some(facts::join(outline, uses))
    }

    /// Returns the earlier versions of a path; none where they cannot be read, since everything can
    /// be stored again.
    pub(crate) fn earlier(&self, path: &str) -> Earlier {
        previous_versions::of_path(&self.db, path).unwrap_or_default()
    }

    fn version(&self, content: &ContentId, language: Option<&str>) -> Result<Option<VersionId>> {
        let sql =
            "SELECT version_id FROM file_version WHERE content_id = ?1 AND language IS ?2 AND skip IS NULL LIMIT 1";
        let mut statement = self.db.prepare(sql)?;
        statement.query_optional((&content.0[..], language), |row| Ok(VersionId(row.get(0)?)))
    }
}
