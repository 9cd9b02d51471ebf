//! Helpers for tests only: workspaces from fixture text, git repositories, a clean home for the
//! binary, stores to break.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and start processes")]

mod answer;
mod archive;
mod disk;
mod fake_s3;
mod fixture;
mod git;
#[cfg(unix)]
mod history;
mod markers;
mod normalise;
mod random;
mod skip;
mod store;
mod waiting;
mod workspace;

use std::fs;
use std::path::Path;

pub use answer::Answer;
pub use archive::{pack, unpack};
pub use disk::TinyDisk;
pub use fake_s3::{FakeS3, Fault};
pub use fixture::{Cursor, write_fixture};
pub use git::Git;
#[cfg(unix)]
pub use history::{Event, History, LiveRef};
pub use markers::Markers;
pub use random::Random;
pub use skip::skip;
pub use store::TestStore;
pub use waiting::{DEADLINE, until};
pub use workspace::TestWorkspace;

/// Returns how often something random is repeated: `usual` times, or `long` with `SLOW_TESTS=1`.
pub fn repeats<T>(usual: T, long: T) -> T {
    if std::env::var_os("SLOW_TESTS").is_some_and(|value| value == "1") { long } else { usual }
}

/// Copies a directory with everything in it; `to` must not exist yet.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Returns whether file permissions bind this process; they do not bind root.
pub fn permissions_are_enforced() -> bool {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut permissions = file.path().metadata().unwrap().permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o000);
    permissions.set_readonly(true);
    fs::set_permissions(file.path(), permissions).unwrap();
    fs::File::open(file.path()).is_err()
}
