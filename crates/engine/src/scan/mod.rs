//! Lists what a workspace holds now, with a reason for everything left out, and reads single files safely.
//!
//! In: a directory and the index settings. Out: a [`Workspace`](crate::model::Workspace), a [`Listing`] of paths with
//! their stat data and, per file, a [`ReadOutcome`]. Nothing here parses code or remembers anything; nothing outside
//! the root and its git directory is read, except git's own user and system configuration.

mod git;
mod ignore;
mod read;
mod rescan;
mod roles;
mod walk;

use std::fs::Metadata;
use std::io;
use std::path::PathBuf;

pub use crate::scan::git::objects::{is_checked_out, list_commit, resolve};
pub use crate::scan::git::refs::{
    RefClass, RefEntry, RefList, RefOptions, bare_head, base_branch, list_refs, merge_base,
};
pub use crate::scan::git::{GitIndex, Head, IndexEntry, discover, head, is_partial_clone};
pub(crate) use crate::scan::ignore::{GIT_IGNORE, OWN_IGNORE};
pub use crate::scan::read::open::Root;
pub use crate::scan::read::{ReadOutcome, Reader, Source, SourceText, content_id, read};
pub(crate) use crate::scan::rescan::{is_at_or_below, relist, replace_below};
pub use crate::scan::roles::{has_generated_header, role};
pub(crate) use crate::scan::walk::directories::{Effect, Entered, Tracked};
pub(crate) use crate::scan::walk::{Below, below, directories};
pub use crate::scan::walk::{ListedFile, Listing, SkippedPath, list};

use crate::model::FileStat;

/// Why a workspace could not be found or listed; trouble with single files is a `SkipReason` instead.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The directory does not exist or may not be read.
    #[error("cannot open the directory {}", path.display())]
    Directory {
        /// The directory that was asked for.
        path: PathBuf,
        /// What the operating system said.
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
        /// What git's data lacked.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The repository's HEAD cannot be understood.
    #[error("cannot read HEAD of the git directory {}", path.display())]
    Head {
        /// The git directory.
        path: PathBuf,
        /// What was wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A name means no commit.
    #[error("no branch, tag or commit `{name}`: {detail}")]
    Reference {
        /// The name as given.
        name: String,
        /// What git's data say.
        detail: String,
        /// Refs that look alike.
        suggestions: Vec<String>,
    },
    /// The repository's index exists but cannot be decoded.
    #[error("cannot read the git index {}", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// What was wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Whether an error means that the file is simply not there (any more).
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn stat_of(metadata: &Metadata) -> FileStat {
    use std::os::unix::fs::MetadataExt;
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    FileStat {
        size: metadata.len(),
        mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
fn stat_of(metadata: &Metadata) -> FileStat {
    let mtime_ns = metadata.modified().map_or(0, nanoseconds_since_epoch);
    FileStat { size: metadata.len(), mtime_ns, ctime_ns: 0, inode: 0 }
}

fn nanoseconds_since_epoch(time: std::time::SystemTime) -> i64 {
    time.duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod testing {
    //! A temporary directory with shorthands for writing files and running the real git.

    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::{Listing, discover, list};
    use crate::config::IndexConfig;

    pub(super) struct Sandbox {
        _dir: tempfile::TempDir,
        pub(super) root: PathBuf,
    }

    impl Sandbox {
        /// An empty directory, not in any repository.
        pub(super) fn plain() -> Sandbox {
            let dir = tempfile::tempdir().unwrap();
            let root = dunce::canonicalize(dir.path()).unwrap().join("root");
            fs::create_dir(&root).unwrap();
            Sandbox { _dir: dir, root }
        }

        /// An empty git checkout.
        pub(super) fn git() -> Sandbox {
            let sandbox = Sandbox::plain();
            sandbox.run(&["init", "-q", "-b", "main"]);
            sandbox
        }

        pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
            let file = self.root.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, content).unwrap();
            file
        }

        pub(super) fn run(&self, args: &[&str]) -> String {
            git_in(&self.root, args)
        }

        pub(super) fn list(&self) -> Listing {
            list(&discover(&self.root).unwrap(), &IndexConfig { threads: 2, ..IndexConfig::default() }).unwrap()
        }
    }

    #[expect(clippy::disallowed_methods, reason = "tests compare with the real git")]
    pub(super) fn git_in(dir: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(dir)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_string()
    }

    /// One line per skipped path, as a user would see it.
    pub(super) fn skipped(listing: &Listing) -> Vec<String> {
        listing
            .skipped
            .iter()
            .map(|skip| format!("{}{} ({})", skip.path, if skip.is_dir { "/" } else { "" }, skip.reason))
            .collect()
    }

    pub(super) fn paths(listing: &Listing) -> Vec<&str> {
        listing.files.iter().map(|file| file.path.as_str()).collect()
    }
}
