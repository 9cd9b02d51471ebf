//! Sources of contents: a directory, or the objects of a git repository.

use std::cell::OnceCell;
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
    /// The objects of a git repository.
    Objects(ObjectReader),
}

/// Reads objects of a repository, which is opened when the first of them is wanted.
pub struct ObjectReader {
    git_dir: PathBuf,
    /// `None` when it cannot be opened any more.
    repository: OnceCell<Option<Box<gix::Repository>>>,
}

impl ObjectReader {
    fn repository(&self) -> Option<&gix::Repository> {
        self.repository.get_or_init(|| git::open(&self.git_dir).ok().map(Box::new)).as_deref()
    }
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
            Source::Objects(git_dir) => {
                SourceReader::Objects(ObjectReader { git_dir: git_dir.clone(), repository: OnceCell::new() })
            }
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
        let (objects, id) = match (self, id) {
            (SourceReader::Directory(root), _) => return read_below(root, path, config),
            (SourceReader::Objects(objects), Some(id)) => (objects, id),
            (SourceReader::Objects(_), None) => return ReadOutcome::Vanished,
        };
        objects.repository().map_or(ReadOutcome::Vanished, |repository| objects::read_blob(repository, id, config))
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
            (SourceReader::Objects(objects), Some(id)) => match objects.repository() {
                Some(repository) => {
                    objects::blob_bytes(repository, id, limit).map(|bytes| Some(RawContent::Bytes(bytes)))
                }
                None => Ok(None),
            },
            (SourceReader::Objects(_), None) => Ok(None),
        }
    }
}
