//! Sources of contents: a directory, or the objects of a git repository.

use std::fs::File;
use std::path::PathBuf;

use crate::config::IndexConfig;
use crate::model::{ContentId, SkipReason};
use crate::scan::git::{self, objects};
use crate::scan::read::open::Root;
use crate::scan::read::{ReadOutcome, read_below};
use crate::scan::stat::is_absent;

/// The place that a view's contents are read from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A directory.
    Directory(PathBuf),
    /// The objects of the git repository with this git directory.
    Objects(PathBuf),
}

/// A [`Source`] in the hands of one thread.
pub enum SourceReader {
    /// A directory.
    Directory(Root),
    /// The objects of a git repository; `None` when it cannot be opened any more.
    Objects(Option<Box<gix::Repository>>),
}

/// A content that was not looked at.
pub enum RawContent {
    /// A file that is open for reading.
    File(File),
    /// The bytes of an object.
    Bytes(Vec<u8>),
}

impl Source {
    /// A reader for this thread.
    pub fn reader(&self) -> SourceReader {
        match self {
            Source::Directory(root) => SourceReader::Directory(Root::new(root)),
            Source::Objects(git_dir) => SourceReader::Objects(git::open(git_dir).ok().map(Box::new)),
        }
    }

    /// Reads the text at `path` if its content is still `expected`.
    pub(crate) fn text(&self, path: &str, expected: Option<ContentId>, config: &IndexConfig) -> Option<String> {
        match self.reader().read(path, expected, config) {
            ReadOutcome::Text(read) if Some(read.content_id) == expected => Some(read.text),
            _ => None,
        }
    }
}

impl SourceReader {
    /// Reads what stands at `path`; objects are found by `id`.
    pub fn read(&self, path: &str, id: Option<ContentId>, config: &IndexConfig) -> ReadOutcome {
        match (self, id) {
            (SourceReader::Directory(root), _) => read_below(root, path, config),
            (SourceReader::Objects(Some(repository)), Some(id)) => objects::read_blob(repository, id, config),
            (SourceReader::Objects(_), _) => ReadOutcome::Vanished,
        }
    }

    /// Opens what stands at `path` if it has at most `limit` bytes; objects are found by `id`.
    /// `None` when it is not there or is no regular file.
    pub(crate) fn open(&self, path: &str, id: Option<ContentId>, limit: u64) -> Result<Option<RawContent>, SkipReason> {
        match (self, id) {
            (SourceReader::Directory(root), _) => match root.open(path) {
                Ok(Ok(file)) => match file.metadata() {
                    Ok(metadata) if metadata.len() > limit => Err(SkipReason::TooLarge(metadata.len())),
                    _ => Ok(Some(RawContent::File(file))),
                },
                Ok(Err(_)) => Ok(None),
                Err(error) if is_absent(&error) => Ok(None),
                Err(error) => Err(SkipReason::Unreadable(error.to_string())),
            },
            (SourceReader::Objects(Some(repository)), Some(id)) => {
                objects::blob_bytes(repository, id, limit).map(|bytes| Some(RawContent::Bytes(bytes)))
            }
            (SourceReader::Objects(_), _) => Ok(None),
        }
    }
}
