//! The one error type of the engine, with what a caller needs to react: which class of trouble, and
//! where.

use std::fmt;
use std::path::PathBuf;

use codecompass_objects::ObjectError;

use crate::scan::ScanError;

/// An error of the engine.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The workspace could not be listed or read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The store's files are damaged; deleting and rebuilding the store mends it.
    #[error("the index at {path} is damaged: {detail}")]
    Corrupt {
        /// The store's directory.
        path: PathBuf,
        /// The damage that was found.
        detail: String,
    },
    /// A text pattern cannot be searched for.
    #[error("the pattern is not valid{}: {detail}", column.map(|column| format!(" at column {column}")).unwrap_or_default())]
    InvalidPattern {
        /// The character where the trouble begins, from 1.
        column: Option<usize>,
        /// The trouble.
        detail: String,
    },
    /// A text pattern asks for a line end in a search by lines.
    #[error("the pattern has a line end at column {column}, and the search looks at single lines")]
    LineEndInPattern {
        /// The character where it stands, from 1.
        column: usize,
    },
    /// The store was written by a newer program.
    #[error("the index at {path} has format {found}, this program reads up to {supported}")]
    Incompatible {
        /// The store's directory.
        path: PathBuf,
        /// The format found.
        found: i64,
        /// The newest format this program reads.
        supported: i64,
    },
    /// The store's facts were extracted by an older program; the next sync replaces them.
    #[error("the index at {path} was made by an older version")]
    Outdated {
        /// The store's directory.
        path: PathBuf,
    },
    /// The store in the workspace's place was made for another repository or directory.
    #[error("the index at {path} was made for {found}, not for {wanted}")]
    ForeignStore {
        /// The store's directory.
        path: PathBuf,
        /// The repository or directory it was made for.
        found: String,
        /// The one it would have to be made for.
        wanted: PathBuf,
    },
    /// Another process began to use the store of another clone while this one was opened.
    #[error("the index has moved to {path} meanwhile")]
    Moved {
        /// The store's directory.
        path: PathBuf,
    },
    /// There is no index to work on.
    #[error("{path} is not indexed yet")]
    NotIndexed {
        /// The workspace's root.
        path: PathBuf,
    },
    /// The index was removed while it was written.
    #[error("the store vanished while it was written")]
    StoreRemoved,
    /// An import would replace an index.
    #[error("there is an index already, at {path}")]
    StoreExists {
        /// The store's directory.
        path: PathBuf,
    },
    /// An archive cannot be opened or written.
    #[error("cannot {action} {path}: {source}")]
    ArchiveFile {
        /// `read` or `write`.
        action: &'static str,
        /// The archive.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// An archive is damaged, or none.
    #[error("{path} cannot be imported: {detail}")]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
    /// An archive was written by a program of another version.
    #[error("{path} has {what} {found}, this program imports {supported}")]
    ArchiveIncompatible {
        /// The archive.
        path: PathBuf,
        /// The name of the version that differs.
        what: &'static str,
        /// The version found.
        found: i64,
        /// The version that can be imported.
        supported: i64,
    },
    /// An archive is of something that this workspace cannot be.
    #[error("{path} was exported from {found} and cannot serve {wanted}")]
    ArchiveForeign {
        /// The archive.
        path: PathBuf,
        /// The repository or directory it was exported from.
        found: String,
        /// The repository or directory it was to be imported for.
        wanted: String,
    },
    /// The remote cannot be read or written.
    #[error("the remote {place} cannot be used: {source}")]
    RemoteUnavailable {
        /// The remote.
        place: String,
        /// The reason.
        source: ObjectError,
    },
    /// The remote has no state that this repository could use.
    #[error("the remote {place} has no usable index: {detail}")]
    RemoteEmpty {
        /// The remote.
        place: String,
        /// The reason.
        detail: String,
    },
    /// A state of the remote is damaged, forged or not signed.
    #[error("the remote {place} was refused: {detail}")]
    RemoteRefused {
        /// The remote.
        place: String,
        /// The reason.
        detail: String,
    },
    /// Clones of the repository cannot be recognised, since its first commit is not known.
    #[error("{path} has no remote state: {reason}")]
    NoFamily {
        /// The workspace's root.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// Another process is writing and did not finish in time.
    #[error("another process (pid {pid}) is indexing this repository")]
    Busy {
        /// The writer's process id, 0 when unknown.
        pid: u32,
    },
    /// The store's directory cannot be created or written.
    #[error("cannot write the index at {path}: {source}")]
    Unwritable {
        /// The store's directory.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// No space left on the device, or a quota was reached.
    #[error("no space left on the disk that holds the index at {path}")]
    DiskFull {
        /// The store's directory.
        path: PathBuf,
    },
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
    /// A round of a question to several repositories cannot be read.
    #[error("a round of the question cannot be read: {detail}")]
    UnreadableRound {
        /// The trouble.
        detail: String,
    },
    /// The path is not in the view.
    #[error("no indexed file {path}")]
    FileNotFound {
        /// The path as given.
        path: String,
        /// The reason why the file is not indexed, when it is known.
        reason: Option<String>,
        /// Indexed paths that look alike.
        suggestions: Vec<String>,
    },
    /// No path of the view is one that an answer is restricted to.
    #[error("no indexed file matches the path {pattern}")]
    NoFileMatches {
        /// The folder, glob or regular expression as given.
        pattern: String,
        /// Indexed paths that look alike.
        suggestions: Vec<String>,
    },
    /// No project has the name.
    #[error("no project `{name}`")]
    ProjectNotFound {
        /// The name as given.
        name: String,
        /// Names that look alike, or else the first of all.
        suggestions: Vec<String>,
        /// True if they look alike.
        are_near: bool,
    },
    /// Several projects have a name that ends with the one given.
    #[error("{} projects have a name that ends with `{name}`", candidates.len())]
    AmbiguousProject {
        /// The name as given.
        name: String,
        /// Their names.
        candidates: Vec<String>,
    },
    /// Several indexed paths end with the one given.
    #[error("{} files have a path that ends with {path}", candidates.len())]
    AmbiguousPath {
        /// The path as given.
        path: String,
        /// The paths, shortest first.
        candidates: Vec<String>,
    },
    /// The file was written between the sync and the answer.
    #[error("{path} changed while the question was answered")]
    FileChanged {
        /// Relative to the root.
        path: String,
    },
    /// The path lies outside the workspace.
    #[error("{path} is outside the workspace")]
    PathOutside {
        /// The path as given.
        path: String,
    },
    /// No definition answers to the name.
    #[error("no symbol `{symbol}`")]
    SymbolNotFound {
        /// The symbol as given.
        symbol: String,
        /// Names that look alike.
        suggestions: Vec<String>,
    },
    /// No definition answers to the name, and files that are not indexed have it.
    #[error("no symbol `{symbol}` in indexed files; it occurs in {}, too large to be indexed", paths.join(", "))]
    SymbolNotIndexed {
        /// The symbol as given.
        symbol: String,
        /// The files.
        paths: Vec<String>,
    },
    /// No definition of the view is found from a place in a file.
    #[error("{what} at {place}")]
    NothingAt {
        /// `path:line` or `path:line:column` as given.
        place: String,
        /// A description of what stands there.
        what: String,
    },
    /// Several definitions are meant, and nothing tells which.
    #[error("`{symbol}` may mean {} definitions, and nothing tells which", candidates.len())]
    AmbiguousSymbol {
        /// The symbol as given.
        symbol: String,
        /// Each as `path:line`, with its name.
        candidates: Vec<String>,
    },
    /// The argument makes no sense.
    #[error("{0}")]
    InvalidInput(String),
    /// The database or the text index failed, for a reason that is none of the above.
    #[error("{part}: {source}")]
    Storage {
        /// The part that failed.
        part: StoragePart,
        /// The store's directory.
        path: PathBuf,
        /// True if the same may succeed if it is tried again soon.
        is_transient: bool,
        /// The error as the library gave it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A part of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoragePart {
    /// The database.
    Database,
    /// The text index.
    TextIndex,
}

impl fmt::Display for StoragePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StoragePart::Database => "database",
            StoragePart::TextIndex => "text index",
        })
    }
}

impl Error {
    /// Returns whether the same may succeed if it is tried again soon.
    pub fn is_transient(&self) -> bool {
        match self {
            Error::FileChanged { .. } | Error::Moved { .. } => true,
            // A store that is removed while it is written is made again.
            Error::Unwritable { source, .. } => {
                source.kind() == std::io::ErrorKind::NotFound || Error::is_passing(source)
            }
            Error::Scan(ScanError::Directory { source, .. }) => Error::is_passing(source),
            Error::Storage { is_transient, .. } => *is_transient,
            _ => false,
        }
    }

    /// Returns whether an error of the operating system may pass by itself.
    pub(crate) fn is_passing(error: &std::io::Error) -> bool {
        use std::io::ErrorKind::{Interrupted, ResourceBusy, TimedOut, WouldBlock};
        matches!(error.kind(), Interrupted | ResourceBusy | TimedOut | WouldBlock)
    }
}

/// The engine's result type.
pub type Result<T> = std::result::Result<T, Error>;
