//! The size of a store and the numbers of what it holds.

use std::fs;
use std::path::Path;

use crate::error::Result;
use crate::store::disk::layout;
use crate::store::handle::Store;
use crate::store::sqlite::{db, meta};
use crate::store::vectors;
use crate::store::write::gc;

/// The size of a store and the numbers of what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSummary {
    /// Bytes of the database, its log included.
    pub database_bytes: u64,
    /// Bytes of the text index.
    pub text_bytes: u64,
    /// Bytes of the vectors.
    pub vector_bytes: u64,
    /// Search documents that have a vector, those of all views.
    pub vectors: u64,
    /// File versions that brought search documents without one.
    pub unembedded_versions: u64,
    /// Bytes of everything else: locks, leftovers, what was set aside.
    pub other_bytes: u64,
    /// Views of git checkouts.
    pub worktrees: u64,
    /// Views of commits.
    pub commits: u64,
    /// Views of plain directories.
    pub directories: u64,
    /// File versions.
    pub versions: u64,
    /// Those of them that no view holds.
    pub waiting_versions: u64,
}

impl Store {
    /// Counts what is there; a store that cannot be read has only sizes.
    pub(crate) fn summary(&self) -> Result<StoreSummary> {
        let mut summary = StoreSummary::default();
        let total = size_of(self.root());
        let data = layout::current_data(self.root())?;
        if let Some(data) = &data {
            let logs = ["index.db", "index.db-wal", "index.db-shm"].map(|name| data.join(name));
            summary.database_bytes = logs.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
            summary.text_bytes = size_of(&data.join("text"));
            summary.vector_bytes = size_of(&vectors::folder(data));
        }
        // Files come and go while they are counted.
        summary.other_bytes = total.saturating_sub(summary.database_bytes + summary.text_bytes + summary.vector_bytes);
        let Some(data) = data.filter(|_| !self.is_outdated().unwrap_or(true)) else { return Ok(summary) };
        let db = db::open_for_reading(&data)?;
        let count = |sql: &str| -> Result<u64> { Ok(db.query_row(sql, [], |row| row.get::<_, i64>(0))?.max(0) as u64) };
        summary.worktrees = count("SELECT count(*) FROM view WHERE generation > 0 AND kind = 'worktree'")?;
        summary.commits = count("SELECT count(*) FROM view WHERE generation > 0 AND kind = 'commit'")?;
        summary.directories = count("SELECT count(*) FROM view WHERE generation > 0 AND kind = 'live'")?;
        summary.versions = count("SELECT count(*) FROM file_version")?;
        summary.vectors = meta::get(&db, meta::VECTOR_ROWS)?.max(0) as u64;
        summary.unembedded_versions = count("SELECT count(*) FROM unembedded")?;
        let waiting = format!("SELECT count(*) FROM file_version WHERE version_id NOT IN ({})", gc::HELD);
        summary.waiting_versions = count(&waiting)?;
        Ok(summary)
    }
}

/// Bytes of all files below a folder.
pub(crate) fn size_of(folder: &Path) -> u64 {
    let mut pending = vec![folder.to_path_buf()];
    let mut total = 0;
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => pending.push(entry.path()),
                Ok(metadata) => total += metadata.len(),
                Err(_) => {}
            }
        }
    }
    total
}
