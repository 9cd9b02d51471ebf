//! Lists what a workspace holds now, with a reason for everything left out, and reads single files
//! safely.
//!
//! In: a directory and the index settings. Out: a [`Workspace`](crate::model::Workspace), a
//! [`Listing`] of paths with their stat data and, per file, a [`ReadOutcome`]. Nothing here parses
//! code or remembers anything; nothing outside the root and its git directory is read, except git's
//! own user and system configuration.

mod error;
mod git;
mod ignore;
mod listing;
mod read;
mod rescan;
mod roles;
mod source;
mod stat;
mod walk;

pub use crate::scan::error::ScanError;
pub use crate::scan::git::first_commit::{FirstCommit, first_commit};
pub(crate) use crate::scan::git::objects::blob_at;
pub use crate::scan::git::objects::{is_checked_out, list_commit, resolve};
pub use crate::scan::git::refs::{
    RefClass, RefEntry, RefList, RefOptions, bare_head, base_branch, list_refs, merge_base,
};
pub use crate::scan::git::{GitIndex, IndexEntry, discover, head, is_partial_clone};
pub(crate) use crate::scan::git::{open_git_dir, open_repository};
pub(crate) use crate::scan::ignore::rules::is_private;
pub use crate::scan::listing::{ListedFile, Listing, SkippedPath};
pub use crate::scan::read::open::Root;
pub use crate::scan::read::{ReadOutcome, SourceText, content_id, read};
pub(crate) use crate::scan::read::{SAMPLE_BYTES, decode};
pub(crate) use crate::scan::rescan::{is_at_or_below, relist, replace_below};
pub use crate::scan::roles::{has_generated_header, role};
pub use crate::scan::source::{RawContent, Source, SourceReader};
pub(crate) use crate::scan::stat::file_stat;
pub(crate) use crate::scan::walk::directories::{Effect, Entered, Tracked};
pub use crate::scan::walk::list;
pub(crate) use crate::scan::walk::{Below, below, directories};

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
