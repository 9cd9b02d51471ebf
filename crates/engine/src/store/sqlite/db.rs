//! The SQLite side of a store: opening, settings, format version and migrations.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{Error, Result};
use crate::store::disk::layout;

/// The newest format this program writes and reads.
pub(crate) const FORMAT: i64 = 4;

/// The oldest format that is brought forward. An index with an older one is replaced at the next sync.
const OLDEST: i64 = 3;

/// The version of what is derived from a text: raised whenever the same text gives other facts, chunks or terms. An index
/// with an older one is replaced at the next sync, one with a newer one is not touched.
pub(crate) const FACTS: i64 = 5;

const FACTS_VERSION: &str = "facts_version";

const SCHEMA: &str = include_str!("schema.sql");

/// Steps from format N to N+1, the first one from the oldest; each runs in one transaction.
const MIGRATIONS: &[&str] = &[
    // 4: index runs are recorded beside the data folders.
    "DROP TABLE job",
];

/// Opens the database of a data folder, creating it when the folder is new.
pub(crate) fn create(data: &Path) -> Result<Connection> {
    let mut db = Connection::open(data.join("index.db"))?;
    configure(&db)?;
    use_log(&db)?;
    let transaction = db.transaction()?;
    if format(&transaction)? == 0 {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        set_meta(&transaction, FACTS_VERSION, FACTS)?;
    }
    transaction.commit()?;
    Ok(db)
}

/// Switches to the write-ahead log, which lets readers go on while the writer works.
pub(crate) fn use_log(db: &Connection) -> Result<()> {
    Ok(db.pragma_update(None, "journal_mode", "wal")?)
}

/// Says what a database from elsewhere has or lacks that one of ours has not: a trigger, say, would run with our
/// statements.
pub(crate) fn schema_flaw(db: &Connection) -> Result<Option<String>> {
    let objects = |db: &Connection| -> Result<BTreeSet<(String, String)>> {
        let mut statement = db.prepare("SELECT type, name FROM sqlite_schema")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    };
    let ours = Connection::open_in_memory()?;
    ours.execute_batch(SCHEMA)?;
    let (found, wanted) = (objects(db)?, objects(&ours)?);
    Ok(found.symmetric_difference(&wanted).next().map(|(kind, name)| {
        let verb = if wanted.contains(&(kind.clone(), name.clone())) { "lacks" } else { "has" };
        format!("its database {verb} the {kind} `{}`", name.escape_debug())
    }))
}

/// Opens an existing database and brings it to the current format.
pub(crate) fn open(data: &Path) -> Result<Connection> {
    let file = data.join("index.db");
    if !file.is_file() {
        return Err(Error::Corrupt { path: data.to_path_buf(), detail: "the database file is missing".into() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(file, flags)?;
    configure(&db)?;
    let found = format(&db)?;
    if found <= 0 {
        return Err(Error::Corrupt { path: data.to_path_buf(), detail: "the database is empty".into() });
    }
    if found > FORMAT {
        return Err(Error::Incompatible { path: data.to_path_buf(), found, supported: FORMAT });
    }
    if found < OLDEST {
        return Err(Error::Outdated { path: data.to_path_buf() });
    }
    if found < FORMAT {
        let transaction = db.transaction()?;
        for step in &MIGRATIONS[(found - OLDEST) as usize..] {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()?;
    }
    check_facts(data, &db)?;
    Ok(db)
}

/// Refuses facts that this program would extract differently.
fn check_facts(data: &Path, db: &Connection) -> Result<()> {
    match meta(db, FACTS_VERSION)? {
        FACTS => Ok(()),
        found if found > FACTS => Err(Error::Incompatible { path: data.to_path_buf(), found, supported: FACTS }),
        _ => Err(Error::Outdated { path: data.to_path_buf() }),
    }
}

/// Whether an open database is as this program would write it.
pub(crate) fn is_current(db: &Connection) -> bool {
    format(db).is_ok_and(|found| found == FORMAT) && meta(db, FACTS_VERSION).is_ok_and(|found| found == FACTS)
}

/// The format of the database in a data folder, whatever it is.
pub(crate) fn format_of(data: &Path) -> Result<i64> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    format(&Connection::open_with_flags(data.join("index.db"), flags)?)
}

/// Opens an existing database for reading only. Unlike [`open`] it also succeeds on a full disk: the files by which
/// SQLite's processes agree on a state cannot be made there, but then nobody can write, either.
pub(crate) fn open_for_reading(data: &Path) -> Result<Connection> {
    let error = match open(data) {
        Err(Error::Database(error)) => error,
        other => return other,
    };
    let file = data.join("index.db");
    let log = std::fs::metadata(data.join("index.db-wal"));
    let is_whole = log.map_or(true, |log| log.len() == 0);
    if cfg!(windows) || !is_whole || error.sqlite_extended_error_code() != Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
        return Err(error.into());
    }
    let mut address = String::from("file:");
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => address.push(*byte as char),
            byte => address.push_str(&format!("%{byte:02x}")),
        }
    }
    address.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(address, flags)?;
    match format(&db)? {
        FORMAT => check_facts(data, &db).map(|()| db),
        // An older one would have to be brought up to date first.
        _ => Err(error.into()),
    }
}

/// How long one process waits while another commits.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// The database of a data folder.
pub(crate) fn file(data: &Path) -> PathBuf {
    data.join("index.db")
}

fn configure(db: &Connection) -> Result<()> {
    db.busy_timeout(BUSY)?;
    // A process can be killed at any point without harm in this mode; only a power cut may lose the last publish.
    db.pragma_update(None, "synchronous", "normal")?;
    db.pragma_update(None, "mmap_size", 256 << 20)?;
    db.pragma_update(None, "cache_size", -16_000)?;
    db.pragma_update(None, "temp_store", "memory")?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn format(db: &Connection) -> Result<i64> {
    Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// A number kept in `meta`, 0 when it was never set.
pub(crate) fn meta(db: &Connection, key: &str) -> Result<i64> {
    let mut statement = db.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    let mut rows = statement.query([key])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?.unwrap_or(0))
}

/// Sets a number kept in `meta`.
pub(crate) fn set_meta(db: &Connection, key: &str, value: i64) -> Result<()> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";
    db.prepare_cached(sql)?.execute((key, value))?;
    Ok(())
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        Error::Database(error)
    }
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Error {
        Error::Text(error)
    }
}

impl Error {
    /// Turns a bare database or text index error into what it means for the store at `path`.
    pub(crate) fn located(self, path: &Path) -> Error {
        let path = path.to_path_buf();
        match self {
            Error::Database(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Error::Corrupt { path, detail: error.to_string() }
                }
                Some(ErrorCode::DiskFull) => Error::DiskFull { path },
                // The file by which processes agree on a state could not grow.
                _ if error.sqlite_extended_error_code() == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => {
                    Error::DiskFull { path }
                }
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                    Error::Unwritable { path, source: std::io::Error::other(error.to_string()) }
                }
                _ => match error {
                    // A table or column that must be there is not: the file is a database, but not ours.
                    rusqlite::Error::SqlInputError { .. }
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..) => {
                        Error::Corrupt { path, detail: error.to_string() }
                    }
                    error => Error::Database(error),
                },
            },
            Error::Text(error) => text_error(error, path),
            other => other,
        }
    }
}

fn text_error(error: tantivy::TantivyError, path: std::path::PathBuf) -> Error {
    use tantivy::TantivyError as T;
    use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};
    let io_kind = |io: &std::io::Error| match io.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            Some(Error::DiskFull { path: path.clone() })
        }
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Some(Error::Unwritable { path: path.clone(), source: std::io::Error::new(io.kind(), io.to_string()) })
        }
        std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData => {
            Some(Error::Corrupt { path: path.clone(), detail: io.to_string() })
        }
        _ => None,
    };
    match &error {
        // Errors of indexing threads arrive as a text, wrapped, or not at all.
        _ if error.to_string().contains("No space left") => Error::DiskFull { path },
        T::DataCorruption(_)
        | T::IncompatibleIndex(_)
        | T::SchemaError(_)
        | T::OpenReadError(OpenReadError::FileDoesNotExist(_))
        | T::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_) | OpenDirectoryError::NotADirectory(_))
        | T::DeserializeError(_) => Error::Corrupt { path, detail: error.to_string() },
        T::OpenReadError(OpenReadError::IncompatibleIndex(_)) => Error::Corrupt { path, detail: error.to_string() },
        T::IoError(io)
        | T::OpenReadError(OpenReadError::IoError { io_error: io, .. })
        | T::OpenWriteError(OpenWriteError::IoError { io_error: io, .. }) => io_kind(io).unwrap_or(Error::Text(error)),
        // Leftovers of a killed writer were not recognised as such.
        T::OpenWriteError(OpenWriteError::FileAlreadyExists(_)) => Error::Corrupt { path, detail: error.to_string() },
        _ if layout::is_full(&path) => Error::DiskFull { path },
        _ => Error::Text(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_format_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        db.pragma_update(None, "user_version", FORMAT + 1).unwrap();
        drop(db);
        assert!(matches!(open(data.path()), Err(Error::Incompatible { found, .. }) if found == FORMAT + 1));
    }

    #[test]
    fn a_format_that_is_too_old_is_replaced() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        db.pragma_update(None, "user_version", OLDEST - 1).unwrap();
        drop(db);
        assert!(matches!(open(data.path()), Err(Error::Outdated { .. })));
        assert!(matches!(open_for_reading(data.path()), Err(Error::Outdated { .. })));
    }

    /// Facts of the fixtures stand for all facts. When they change, so must [`FACTS`], or users keep the old ones.
    #[test]
    fn facts_version_follows_the_facts() {
        const VERSION_AND_FACTS: (i64, &str) = (5, "0000000000000000");
        let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/languages");
        let mut files = Vec::new();
        for folder in std::fs::read_dir(languages).unwrap() {
            let fixtures = folder.unwrap().path().join("fixtures");
            files.extend(std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()));
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "expect"));
        files.sort();
        let mut hasher = blake3::Hasher::new();
        for file in files {
            hasher.update(&std::fs::read(file).unwrap());
        }
        crate::tokenize::tokenize("getHTTPResponse user_name parsing", &mut |term| {
            hasher.update(term.as_bytes());
        });
        let hash = hasher.finalize().to_hex()[..16].to_string();
        assert_eq!((FACTS, hash.as_str()), VERSION_AND_FACTS, "facts changed: raise FACTS by one and note both here");
    }

    #[test]
    fn outdated_facts_are_recognised() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        set_meta(&db, FACTS_VERSION, FACTS - 1).unwrap();
        assert!(matches!(open(data.path()), Err(Error::Outdated { .. })));
        set_meta(&db, FACTS_VERSION, FACTS + 1).unwrap();
        assert!(matches!(open(data.path()), Err(Error::Incompatible { .. })));
    }

    #[test]
    fn every_format_step_has_a_migration() {
        assert_eq!(MIGRATIONS.len() as i64, FORMAT - OLDEST);
    }

    #[test]
    fn an_index_of_the_oldest_format_is_brought_forward() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        db.execute_batch("CREATE TABLE job (job_id INTEGER PRIMARY KEY); INSERT INTO path (path) VALUES ('kept')")
            .unwrap();
        db.pragma_update(None, "user_version", OLDEST).unwrap();
        drop(db);
        let db = open(data.path()).unwrap();
        assert_eq!((format(&db).unwrap(), schema_flaw(&db).unwrap()), (FORMAT, None));
        let path: String = db.query_row("SELECT path FROM path", [], |row| row.get(0)).unwrap();
        assert_eq!(path, "kept");
    }

    #[test]
    fn garbage_is_recognised() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("index.db"), vec![0x5a; 8192]).unwrap();
        let error = open(data.path()).unwrap_err().located(data.path());
        assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    }
}
