//! Totals of the index.

use crate::error::Result;
use crate::model::{LanguageCount, SkipReason};
use crate::scan::SkippedPath;
use crate::store::Snapshot;

/// Sums over a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusAnswer {
    /// Grows with each publish.
    pub generation: i64,
    /// Branch name when the view was published, if any.
    pub head_ref: Option<String>,
    /// Commit id when the view was published, if any.
    pub head_commit: Option<String>,
    /// Files with facts.
    pub files: i64,
    /// Definitions.
    pub symbols: i64,
    /// Search documents.
    pub chunks: i64,
    /// Bytes of the files with facts.
    pub source_bytes: i64,
    /// Per language, most files first.
    pub languages: Vec<LanguageCount>,
}

/// Sums up a view.
pub fn status(snapshot: &Snapshot) -> Result<StatusAnswer> {
    let view = snapshot.view();
    Ok(StatusAnswer {
        generation: view.generation,
        head_ref: view.head_ref.clone(),
        head_commit: view.head_commit.clone(),
        files: view.totals.files,
        symbols: view.totals.symbols,
        chunks: view.totals.chunks,
        source_bytes: view.totals.source_bytes,
        languages: snapshot.language_counts()?,
    })
}

impl Snapshot {
    /// Returns the time of publication, in unix seconds.
    pub fn published_at(&self) -> Option<i64> {
        self.view().published_at
    }

    /// Files of the view that have no facts because of their content.
    pub fn skipped_by_content(&self) -> Result<Vec<SkippedPath>> {
        let mut skipped = Vec::new();
        for (path, code) in self.skipped_versions()? {
            let reason = match code.as_str() {
                "binary" => SkipReason::Binary,
                "long_lines" => SkipReason::LongLines,
                "parse_timeout" => SkipReason::ParseTimeout,
                "symlink" => SkipReason::Symlink,
                other => SkipReason::Unreadable(other.replace('_', " ")),
            };
            skipped.push(SkippedPath { path, is_dir: false, reason });
        }
        Ok(skipped)
    }
}
