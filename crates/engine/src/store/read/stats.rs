//! Sums and lists over a whole view.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::{LanguageCount, VersionId};
use crate::store::facts::previous_versions::{GONE, read_hashes};
use crate::store::read::snapshot::Snapshot;
use crate::store::vectors::Header;

/// The contents of a file in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileCounts {
    /// `None` for plain text.
    pub language: Option<String>,
    pub bytes: u64,
    pub lines: u32,
    pub symbols: u32,
    /// The reason why it has no facts.
    pub skip: Option<String>,
}

impl Snapshot {
    /// Returns the contents of each of some files in numbers.
    pub(crate) fn file_counts(&self, files: &[(String, VersionId)]) -> Result<Vec<FileCounts>> {
        let sql = "SELECT language, size, line_count, symbol_count, skip FROM file_version WHERE version_id = ?1";
        let mut statement = self.db.prepare(sql)?;
        let mut counts = Vec::with_capacity(files.len());
        for (_, version) in files {
            counts.push(statement.query_row([version.0], |row| {
                let count = |column: usize| row.get::<_, i64>(column).map(|count| u32::try_from(count).unwrap_or(0));
                Ok(FileCounts {
                    language: row.get(0)?,
                    bytes: row.get::<_, i64>(1)?.max(0) as u64,
                    lines: count(2)?,
                    symbols: count(3)?,
                    skip: row.get(4)?,
                })
            })?);
        }
        Ok(counts)
    }

    /// Paths without facts and the code of the reason, in the order of paths.
    pub(crate) fn skipped_versions(&self) -> Result<Vec<(String, String)>> {
        let mut statement = self.db.prepare("SELECT version_id, skip FROM file_version WHERE skip IS NOT NULL")?;
        let rows: Vec<(VersionId, String)> =
            statement.query_map([], |row| Ok((VersionId(row.get(0)?), row.get(1)?)))?;
        let mut skipped = Vec::new();
        for (version, code) in rows {
            skipped.extend(self.path_of(version).map(|path| (path.to_string(), code)));
        }
        skipped.sort();
        Ok(skipped)
    }

    /// Files and definitions per language, most files first.
    pub(crate) fn language_counts(&self) -> Result<Vec<LanguageCount>> {
        let sql = "SELECT version_id, coalesce(language, 'text'), symbol_count FROM file_version WHERE skip IS NULL";
        let mut statement = self.db.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut counts: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            if self.is_live(VersionId(row.get(0)?)) {
                let count = counts.entry(row.get(1)?).or_default();
                count.0 += 1;
                count.1 += row.get::<_, i64>(2)?;
            }
        }
        let mut counts: Vec<_> =
            counts.into_iter().map(|(language, (files, symbols))| LanguageCount { language, files, symbols }).collect();
        counts.sort_by_key(|count| std::cmp::Reverse(count.files));
        Ok(counts)
    }

    /// Versions that brought documents of this view without vectors of that model: how many
    /// documents they brought, and 0.
    pub(crate) fn unembedded(&self, model: Header) -> Result<FxHashMap<VersionId, (u32, u32)>> {
        let is_known = self.has_vectors_of(model)?;
        let sql = if is_known {
            "SELECT version_id, hashes FROM document WHERE version_id IN (SELECT version_id FROM unembedded)"
        } else {
            "SELECT version_id, hashes FROM document"
        };
        let mut found = FxHashMap::default();
        let none: bool = self.db.query_row("SELECT NOT EXISTS (SELECT 1 FROM unembedded)", [], |row| row.get(0))?;
        if is_known && none {
            return Ok(found);
        }
        let live = &self.live()?.documents;
        let mut statement = self.db.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let version = VersionId(row.get(0)?);
            if live.has_any_of(version) {
                let hashes = read_hashes(row.blob(1)?);
                found.insert(version, (hashes.iter().filter(|hash| **hash != GONE).count() as u32, 0));
            }
        }
        Ok(found)
    }
}
