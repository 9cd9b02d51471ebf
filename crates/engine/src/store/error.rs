//! Translation of errors of SQLite and Tantivy into errors of the store they come from.

use std::error::Error as StdError;
use std::io;
use std::path::Path;

use rusqlite::ErrorCode;
use tantivy::TantivyError;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::error::{Error, Result, StoragePart};

/// Returns what an error of SQLite means for the store at `root`.
pub(super) fn from_sqlite(error: rusqlite::Error, root: &Path) -> Error {
    let path = root.to_path_buf();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt { path, detail: error.to_string() }
        }
        Some(ErrorCode::DiskFull) => Error::DiskFull { path },
        // The file by which processes agree on a state could not grow.
        _ if error.sqlite_extended_error_code() == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
            Error::DiskFull { path }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            Error::Unwritable { path, source: io::Error::other(error.to_string()) }
        }
        code => match error {
            // A table or column that must be there is not: the file is a database, but not ours.
            rusqlite::Error::SqlInputError { .. }
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => Error::Corrupt { path, detail: error.to_string() },
            error => {
                let is_transient = matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
                Error::Storage { part: StoragePart::Database, path, is_transient, source: Box::new(error) }
            }
        },
    }
}

/// Gives errors of Tantivy the store they come from.
pub(super) trait AtStore<T> {
    /// Returns the value, or what the error means for the store at `root`.
    fn at(self, root: &Path) -> Result<T>;
}

impl<T, E: Into<TantivyError>> AtStore<T> for std::result::Result<T, E> {
    fn at(self, root: &Path) -> Result<T> {
        self.map_err(|error| from_tantivy(error.into(), root))
    }
}

fn from_tantivy(error: TantivyError, root: &Path) -> Error {
    use TantivyError as T;
    let path = root.to_path_buf();
    if let Some(io) = io_error(&error) {
        match io.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => return Error::DiskFull { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                return Error::Unwritable { path, source: io::Error::new(io.kind(), io.to_string()) };
            }
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                return Error::Corrupt { path, detail: io.to_string() };
            }
            _ => {}
        }
    }
    let is_transient = match &error {
        T::DataCorruption(_)
        | T::IncompatibleIndex(_)
        | T::SchemaError(_)
        | T::OpenReadError(OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_))
        | T::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_) | OpenDirectoryError::NotADirectory(_))
        // Leftovers of a killed writer were not recognised as such.
        | T::OpenWriteError(OpenWriteError::FileAlreadyExists(_))
        | T::DeserializeError(_) => return Error::Corrupt { path, detail: error.to_string() },
        T::LockFailure(..) => true,
        T::IoError(io) => Error::is_passing(io),
        T::OpenReadError(_) | T::OpenWriteError(_) => false,
        // Errors of indexing threads do not say what they were.
        _ if is_full(root) => return Error::DiskFull { path },
        _ => false,
    };
    Error::Storage { part: StoragePart::TextIndex, path, is_transient, source: Box::new(error) }
}

/// Returns whether hardly anything more can be written to the disk that holds the store.
fn is_full(root: &Path) -> bool {
    let probe = root.join("probe");
    let written = std::fs::write(&probe, vec![0x5a; 1 << 20]);
    let _ = std::fs::remove_file(probe);
    written.is_err_and(|error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
}

/// Returns the error of the operating system behind an error of Tantivy.
fn io_error(error: &TantivyError) -> Option<&io::Error> {
    match error {
        TantivyError::IoError(io)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: io, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: io, .. }) => Some(innermost(io)),
        _ => None,
    }
}

/// Returns the innermost error that an error of the operating system was wrapped around.
fn innermost(error: &io::Error) -> &io::Error {
    let mut found = error;
    let mut next = error.get_ref().map(|inner| inner as &(dyn StdError + 'static));
    while let Some(inner) = next {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            found = io;
        }
        next = inner.source();
    }
    found
}
