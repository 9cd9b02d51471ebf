//! The outcome of listing a workspace or commit.

use crate::model::{ContentId, FileStat, SkipReason};

/// The files of a workspace; both lists are sorted by the bytes of the path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// The files to index.
    pub files: Vec<ListedFile>,
    /// Everything else; a skipped directory stands for all it contains, except for files that are
    /// listed.
    pub skipped: Vec<SkippedPath>,
}

impl Listing {
    /// The paths of files that are too large to be indexed, in their order.
    pub(crate) fn oversized(&self) -> impl Iterator<Item = &str> {
        let is_oversized = |skipped: &&SkippedPath| matches!(skipped.reason, SkipReason::TooLarge(_));
        self.skipped.iter().filter(is_oversized).map(|skipped| skipped.path.as_str())
    }

    /// Adds the paths of another listing.
    pub(super) fn append(&mut self, other: Listing) {
        self.files.extend(other.files);
        self.skipped.extend(other.skipped);
    }

    /// Sorts both lists.
    pub(super) fn sort(&mut self) {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

/// A file to index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// The stat data of the file when it was listed.
    pub stat: FileStat,
    /// Its content, when git's index vouches for it.
    pub git_id: Option<ContentId>,
}

/// A path that is not indexed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedPath {
    /// Relative to the root, with `/`; lossy when the name is not UTF-8.
    pub path: String,
    /// True if it is a directory.
    pub is_dir: bool,
    /// The reason for skipping it.
    pub reason: SkipReason,
}
