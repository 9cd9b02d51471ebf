//! Ids and small types that cross stages: what scan produces, store keeps and query shows.
//!
//! A type that belongs to one stage lives there; only what three or more stages name is here.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The identity of a file's content: the id git gives (or would give) to it as a SHA-1 blob.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContentId(pub [u8; 20]);

impl ContentId {
    /// Reads an id back from the bytes the store keeps.
    pub fn from_slice(bytes: &[u8]) -> Option<ContentId> {
        bytes.try_into().ok().map(ContentId)
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentId({self})")
    }
}

/// The store's number for one file version, that is one (path, content id) pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct VersionId(pub u32);

/// The store's number for one view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ViewId(pub i64);

/// The kind of a view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ViewKind {
    /// A git checkout as it is on disk, dirty and untracked files included.
    Worktree,
    /// The tree of one commit, read from git's objects.
    Commit,
    /// A directory without version control.
    Live,
}

impl ViewKind {
    /// The word used in SQL, JSON and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            ViewKind::Worktree => "worktree",
            ViewKind::Commit => "commit",
            ViewKind::Live => "live",
        }
    }
}

/// The key of a view in its store.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ViewKey {
    /// The kind of the view.
    pub kind: ViewKind,
    /// The root directory, or the commit id.
    pub name: String,
}

/// The target of questions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The workspace as it is on disk.
    Checkout,
    /// A commit, read from git's objects.
    Commit {
        /// Its id in hexadecimal.
        id: String,
        /// The name that the caller gave.
        name: String,
    },
}

/// The result of `stat` for a file; equal stats mean an unchanged file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FileStat {
    /// Size in bytes.
    pub size: u64,
    /// Last modification, nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Last status change, nanoseconds since the epoch (0 where the platform has none).
    pub ctime_ns: i64,
    /// Inode number (0 where the platform has none).
    pub inode: u64,
}

impl FileStat {
    /// Equal to that of no file: what stands beside it must be read to be known.
    pub(crate) const OF_NOTHING: FileStat =
        FileStat { size: u64::MAX, mtime_ns: i64::MIN, ctime_ns: i64::MIN, inode: u64::MAX };
}

/// A file of a view that is too large to be indexed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct OversizedFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// The content, in the view of a commit.
    pub content: Option<ContentId>,
}

/// The role of a file in its repository; ranking prefers `Source`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Role {
    /// Code that the project itself runs.
    Source = 0,
    /// Tests, fixtures and test helpers.
    Test = 1,
    /// Written by a program, by its name or its header line.
    Generated = 2,
    /// Third-party code, kept in the tree.
    Vendored = 3,
    /// Prose.
    Docs = 4,
    /// Settings, manifests, CI, build files.
    Config = 5,
    /// Samples, demos, benchmarks.
    Example = 6,
}

impl Role {
    /// All roles in the order of their stored numbers.
    pub const ALL: [Role; 7] =
        [Role::Source, Role::Test, Role::Generated, Role::Vendored, Role::Docs, Role::Config, Role::Example];

    /// The word used in JSON and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Test => "test",
            Role::Generated => "generated",
            Role::Vendored => "vendored",
            Role::Docs => "docs",
            Role::Config => "config",
            Role::Example => "example",
        }
    }
}

/// The reason why a file is not in the index. Every file below the root is either indexed or has
/// one of these.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SkipReason {
    /// A built-in rule; the text names it (`dependencies`, `lock file`, `minified`, …).
    BuiltIn(&'static str),
    /// A line of an ignore file: which file (relative to the root where possible) and which
    /// pattern.
    IgnoreFile {
        /// The ignore file that holds the pattern.
        file: String,
        /// The pattern as written.
        pattern: String,
    },
    /// Another repository or a submodule: a project of its own.
    NestedRepository,
    /// A symbolic link (its target is indexed under its own path when it lies inside the root).
    Symlink,
    /// A socket, device or pipe.
    NotAFile,
    /// The path is not valid UTF-8.
    PathNotUtf8,
    /// Larger than `index.max_file_bytes`; holds the size.
    TooLarge(u64),
    /// Contains NUL bytes or is otherwise not text.
    Binary,
    /// Has mostly lines longer than `index.max_line_bytes`: minified or data.
    LongLines,
    /// Could not be read; holds the operating system's message.
    Unreadable(String),
    /// The grammar did not finish within the per-file limit.
    ParseTimeout,
}

impl SkipReason {
    /// A stable one-word code, as shown in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            SkipReason::BuiltIn(_) => "built_in",
            SkipReason::IgnoreFile { .. } => "ignore_file",
            SkipReason::NestedRepository => "nested_repository",
            SkipReason::Symlink => "symlink",
            SkipReason::NotAFile => "not_a_file",
            SkipReason::PathNotUtf8 => "path_not_utf8",
            SkipReason::TooLarge(_) => "too_large",
            SkipReason::Binary => "binary",
            SkipReason::LongLines => "long_lines",
            SkipReason::Unreadable(_) => "unreadable",
            SkipReason::ParseTimeout => "parse_timeout",
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::BuiltIn(rule) => write!(f, "built-in rule: {rule}"),
            SkipReason::IgnoreFile { file, pattern } => write!(f, "{file}: {pattern}"),
            SkipReason::NestedRepository => f.write_str("a repository of its own"),
            SkipReason::Symlink => f.write_str("symbolic link"),
            SkipReason::NotAFile => f.write_str("not a regular file"),
            SkipReason::PathNotUtf8 => f.write_str("path is not UTF-8"),
            SkipReason::TooLarge(size) => write!(f, "too large ({size} bytes)"),
            SkipReason::Binary => f.write_str("binary content"),
            SkipReason::LongLines => f.write_str("very long lines (minified or data)"),
            SkipReason::Unreadable(error) => write!(f, "unreadable: {error}"),
            SkipReason::ParseTimeout => f.write_str("parsing took too long"),
        }
    }
}

/// The location of a workspace and the kind of view it gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workspace {
    /// Canonical absolute path of the checkout's or directory's top.
    pub root: PathBuf,
    /// `Worktree` inside git, `Commit` for a bare repository, else `Live`.
    pub kind: ViewKind,
    /// The repository's common git directory, shared by all its worktrees; `None` outside git.
    pub git_common_dir: Option<PathBuf>,
    /// This worktree's own git directory (equals the common one in a plain clone).
    pub git_dir: Option<PathBuf>,
}

/// The commit and branch that HEAD names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The short name of the branch, `None` when detached.
    pub reference: Option<String>,
    /// The commit in hexadecimal, `None` before the first commit.
    pub commit: Option<String>,
}

/// Files and definitions of one language in a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageCount {
    /// Its name, `text` for files without one.
    pub language: String,
    /// Files.
    pub files: i64,
    /// Definitions.
    pub symbols: i64,
}

/// Identifies a definition in one content of one file. Written as 12 hexadecimal digits and the
/// definition's number, as in `06f492048f02.0`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId {
    /// The first bytes of a hash of the path and the content id.
    content: [u8; 6],
    /// The number of the definition in its file.
    pub ordinal: u32,
}

impl SymbolId {
    /// Returns the id of definition number `ordinal` of a content at a path.
    pub fn new(path: &str, content_id: &[u8], ordinal: u32) -> SymbolId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(path.as_bytes());
        hasher.update(b"\0");
        hasher.update(content_id);
        let mut content = [0; 6];
        content.copy_from_slice(&hasher.finalize().as_bytes()[..6]);
        SymbolId { content, ordinal }
    }
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.content.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ".{}", self.ordinal)
    }
}

/// A text is no [`SymbolId`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a symbol id")]
pub struct NotASymbolId;

impl FromStr for SymbolId {
    type Err = NotASymbolId;

    fn from_str(text: &str) -> Result<SymbolId, NotASymbolId> {
        let (digits, ordinal) = text.split_once('.').ok_or(NotASymbolId)?;
        let is_hash = digits.len() == 12 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hash || !ordinal.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotASymbolId);
        }
        let mut content = [0; 6];
        for (at, byte) in content.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).map_err(|_| NotASymbolId)?;
        }
        Ok(SymbolId { content, ordinal: ordinal.parse().map_err(|_| NotASymbolId)? })
    }
}

impl Serialize for SymbolId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SymbolId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SymbolId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbol_ids_are_read_back() {
        let id = SymbolId::new("src/a.py", &[7; 20], 12);
        let text = id.to_string();
        assert_eq!((text.len(), text.parse()), (15, Ok(id)));
        assert_ne!(id, SymbolId::new("src/b.py", &[7; 20], 12));
        for other in
            ["", "a.b", "0123456789ab", "0123456789ab.", "0123456789ab.-1", "0123456789AB.1", "0123456789abc.1"]
        {
            assert_eq!(other.parse::<SymbolId>(), Err(NotASymbolId), "{other}");
        }
    }
}
