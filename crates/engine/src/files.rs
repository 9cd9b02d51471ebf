//! Files as the store and the watcher use them: identity, lock files, errors of writing.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::Error;

/// Returns the error of a file or folder at `path` that cannot be written.
pub(crate) fn unwritable(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull { path: path.to_path_buf() },
        _ => Error::Unwritable { path: path.to_path_buf(), source },
    }
}

/// Returns the process id written in a lock file; only meaningful while the lock is held.
pub(crate) fn lock_holder(lock_file: &Path) -> u32 {
    let mut text = String::new();
    let read = File::open(lock_file).and_then(|mut file| file.read_to_string(&mut text));
    read.ok().and_then(|_| text.trim().parse().ok()).unwrap_or(0)
}

/// Returns device and inode, which change when a path is replaced; `(0, 0)` where the platform has none.
#[cfg(unix)]
pub(crate) fn file_identity(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Returns device and inode, which change when a path is replaced; `(0, 0)` where the platform has none.
#[cfg(not(unix))]
pub(crate) fn file_identity(_: &fs::Metadata) -> (u64, u64) {
    (0, 0)
}
