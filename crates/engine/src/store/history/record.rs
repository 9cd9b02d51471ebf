//! Records of the history: commits with what they changed, as they are stored.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::ContentId;

/// The id of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CommitId(pub [u8; 20]);

impl CommitId {
    /// Reads an id from bytes; `None` unless there are 20.
    pub fn from_slice(bytes: &[u8]) -> Option<CommitId> {
        bytes.try_into().ok().map(CommitId)
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitId({self})")
    }
}

/// A name and an e-mail address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The e-mail address, without brackets.
    pub email: String,
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

/// The part of a commit that every question reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommitHead {
    pub id: CommitId,
    /// Empty for a commit at the edge of a shallow clone.
    pub parents: Vec<CommitId>,
    /// The author's place in the list of people.
    pub author: u32,
    /// Unix seconds.
    pub author_time: i64,
    /// The author's distance from UTC, in seconds.
    pub author_offset: i32,
    /// Unix seconds.
    pub commit_time: i64,
    /// True at the edge of a shallow clone, where the parents are not known.
    pub is_edge: bool,
    /// True if a tree was missing, so that the changes are not known.
    pub is_incomplete: bool,
}

/// The kind of a change of a file, as git has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ChangeStatus {
    /// The file is new.
    Added,
    /// Its content or mode changed.
    Modified,
    /// The file is gone.
    Deleted,
    /// The file has another path, and perhaps another content.
    Renamed,
    /// A file became a link or the like.
    TypeChanged,
}

impl ChangeStatus {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeStatus::Added => "added",
            ChangeStatus::Modified => "modified",
            ChangeStatus::Deleted => "deleted",
            ChangeStatus::Renamed => "renamed",
            ChangeStatus::TypeChanged => "type_changed",
        }
    }
}

/// The kind of an entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum EntryClass {
    File,
    Link,
    Submodule,
}

/// One side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EntryRef {
    pub id: ContentId,
    pub class: EntryClass,
}

/// A file that a commit changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathChange {
    pub status: ChangeStatus,
    /// The path after the commit, or before it if the file is gone.
    pub path: String,
    /// The path before, if it was another.
    pub old_path: Option<String>,
    pub old: Option<EntryRef>,
    pub new: Option<EntryRef>,
}

/// A commit with everything that is stored of it.
#[derive(Clone, Debug)]
pub(crate) struct CommitRecord {
    pub head: CommitHead,
    pub author: Person,
    pub message: String,
    pub changes: Vec<PathChange>,
}

/// The heads of a pack of commits, and the people that they name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PackedHeads {
    pub people: Vec<Person>,
    pub heads: Vec<CommitHead>,
}
