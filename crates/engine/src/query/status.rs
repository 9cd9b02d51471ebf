//! Totals of the index.

use codecompass_syntax::facts::RefKind;

use crate::error::Result;
use crate::model::{LanguageCount, SkipReason, VersionId};
use crate::query::filter::Filter;
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

/// Returns whether a view has no file with facts.
pub fn is_empty(snapshot: &Snapshot) -> bool {
    snapshot.view().totals.files == 0
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

/// The contents of some files of a view in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentCounts {
    /// Files with facts.
    pub files: usize,
    /// Files that have no facts because of their content.
    pub without_facts: usize,
    /// Files that could be parsed only in part.
    pub with_problems: usize,
    /// Lines of the files with facts.
    pub lines: u64,
    /// Bytes of the files with facts.
    pub bytes: u64,
    /// Definitions of any kind.
    pub definitions: usize,
    /// Functions, methods and other definitions that can be called.
    pub functions: usize,
    /// Types of any kind.
    pub types: usize,
    /// Calls, whether resolved or not.
    pub calls: usize,
}

/// Counts the contents of the files that `filter` accepts. The facts of all of them are read.
pub fn content_counts(snapshot: &Snapshot, filter: &Filter) -> Result<ContentCounts> {
    let files: Vec<(String, VersionId)> =
        snapshot.files().iter().filter(|(path, _)| filter.accepts_path(path)).cloned().collect();
    let mut counts = ContentCounts::default();
    for ((_, version), file) in files.iter().zip(snapshot.file_counts(&files)?) {
        if file.skip.is_some() {
            counts.without_facts += 1;
            continue;
        }
        counts.files += 1;
        counts.lines += u64::from(file.lines);
        counts.bytes += file.bytes;
        let outline = snapshot.outline(*version)?;
        counts.with_problems += usize::from(!outline.problems.is_empty());
        counts.definitions += outline.definitions.len();
        counts.functions += outline.definitions.iter().filter(|definition| definition.kind.is_callable()).count();
        counts.types += outline.definitions.iter().filter(|definition| definition.kind.is_type()).count();
        counts.calls += snapshot.uses(*version)?.references.iter().filter(|it| it.kind == RefKind::Call).count();
    }
    Ok(counts)
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
