//! Stat data of files, as they are compared.

use std::fs::{File, Metadata};
use std::io;

use crate::model::FileStat;

/// Returns whether an error means that the file is not there (any more).
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns the stat data of an open file.
pub(crate) fn file_stat(file: &File) -> Option<FileStat> {
    file.metadata().ok().map(|metadata| stat_of(&metadata))
}

#[cfg(unix)]
pub(super) fn stat_of(metadata: &Metadata) -> FileStat {
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
pub(super) fn stat_of(metadata: &Metadata) -> FileStat {
    let mtime_ns = metadata.modified().map_or(0, nanoseconds_since_epoch);
    FileStat { size: metadata.len(), mtime_ns, ctime_ns: 0, inode: 0 }
}

pub(super) fn nanoseconds_since_epoch(time: std::time::SystemTime) -> i64 {
    time.duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX))
}
