//! The errors of scanning.

use std::io;
use std::path::PathBuf;

/// The reason why a workspace could not be found or listed. Trouble with single files is a
/// `SkipReason` instead.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The directory does not exist or may not be read.
    #[error("cannot open the directory {}", path.display())]
    Directory {
        /// The directory that was asked for.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The path exists but is not a directory.
    #[error("{} is not a directory", path.display())]
    NotADirectory {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The directory belongs to a repository but not to a checkout of it.
    #[error("{} lies inside a git directory; open the checkout beside it instead", path.display())]
    NoCheckout {
        /// The git directory that was found.
        path: PathBuf,
    },
    /// A `.git` entry was found that cannot be opened as a repository.
    #[error("cannot open the git repository at {}", path.display())]
    Repository {
        /// The `.git` file or directory.
        path: PathBuf,
        /// The error of `gix`.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The repository's HEAD cannot be understood.
    #[error("cannot read HEAD of the git directory {}", path.display())]
    Head {
        /// The git directory.
        path: PathBuf,
        /// The error of `gix`.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The directory has no refs and no commits.
    #[error("{} is not in git, so it has no branches and no commits", path.display())]
    NotInGit {
        /// The directory.
        path: PathBuf,
    },
    /// A name means no commit.
    #[error("no branch, tag or commit `{name}`: {detail}")]
    Reference {
        /// The name as given.
        name: String,
        /// The cause.
        detail: String,
        /// Refs that look alike.
        suggestions: Vec<String>,
    },
    /// The repository's index exists but cannot be decoded.
    #[error("cannot read the git index {}", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// The error of `gix`.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
