//! The SQLite side of a store: opening, settings, format version and migrations.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::meta;
use rusqlite::OpenFlags;

/// The newest format this program writes and reads.
pub(crate) const FORMAT: i64 = 6;

/// The oldest format that is brought forward. An index with an older one is replaced at the next
/// sync.
const OLDEST: i64 = 3;

/// The version of what is derived from a text: raised whenever the same text gives other facts,
/// chunks or terms. An index with an older one is replaced at the next sync, one with a newer one
/// is not touched.
pub(crate) const FACTS: i64 = 15;

const SCHEMA: &str = include_str!("schema.sql");

/// Steps from format N to N+1, the first one from the oldest; each runs in one transaction.
const MIGRATIONS: &[&str] = &[
    // 4: index runs are recorded beside the data folders.
    "DROP TABLE job",
    // 5: views know the files that are too large to be indexed.
    "ALTER TABLE view ADD COLUMN oversized BLOB",
    // 6: versions of large trees have filters for text searches, and those without facts are found
    // without reading all.
    "CREATE TABLE trigrams (version_id INTEGER PRIMARY KEY, filter BLOB NOT NULL); \
     CREATE INDEX file_version_skipped ON file_version (skip) WHERE skip IS NOT NULL",
];

/// Opens the database of a data folder, creating it when the folder is new.
pub(crate) fn create(data: &Path) -> Result<Db> {
    let db = Db::open(file(data), OpenFlags::default(), root(data))?;
    configure(&db)?;
    use_log(&db)?;
    let transaction = db.transaction()?;
    if format(&transaction)? == 0 {
        transaction.execute_batch(SCHEMA)?;
        set_format(&transaction)?;
        meta::set(&transaction, meta::FACTS_VERSION, FACTS)?;
    }
    transaction.commit()?;
    Ok(db)
}

/// Switches to the write-ahead log, which lets readers go on while the writer works.
pub(crate) fn use_log(db: &Db) -> Result<()> {
    db.with(|connection| connection.pragma_update(None, "journal_mode", "wal"))
}

/// Says what a database from elsewhere has or lacks that one of ours has not: a trigger, say, would
/// run with our statements.
pub(crate) fn schema_flaw(db: &Db) -> Result<Option<String>> {
    let objects = |db: &Db| -> Result<BTreeSet<(String, String)>> {
        db.prepare("SELECT type, name FROM sqlite_schema")?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
    };
    let ours = Db::in_memory(Path::new(""))?;
    ours.execute_batch(SCHEMA)?;
    let (found, wanted) = (objects(db)?, objects(&ours)?);
    Ok(found.symmetric_difference(&wanted).next().map(|(kind, name)| {
        let verb = if wanted.contains(&(kind.clone(), name.clone())) { "lacks" } else { "has" };
        format!("its database {verb} the {kind} `{}`", name.escape_debug())
    }))
}

/// Opens an existing database and brings it to the current format.
pub(crate) fn open(data: &Path) -> Result<Db> {
    let file = file(data);
    if !file.is_file() {
        return Err(Error::Corrupt { path: data.to_path_buf(), detail: "the database file is missing".into() });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Db::open(file, flags, root(data))?;
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
        set_format(&transaction)?;
        transaction.commit()?;
    }
    check_facts(data, &db)?;
    Ok(db)
}

/// Refuses facts that this program would extract differently.
fn check_facts(data: &Path, db: &Db) -> Result<()> {
    match meta::get(db, meta::FACTS_VERSION)? {
        FACTS => Ok(()),
        found if found > FACTS => Err(Error::Incompatible { path: data.to_path_buf(), found, supported: FACTS }),
        _ => Err(Error::Outdated { path: data.to_path_buf() }),
    }
}

/// Returns whether an open database is as this program would write it.
pub(crate) fn is_current(db: &Db) -> bool {
    format(db).is_ok_and(|found| found == FORMAT)
        && meta::get(db, meta::FACTS_VERSION).is_ok_and(|found| found == FACTS)
}

/// Returns the format of the database in a data folder, whatever it is.
pub(crate) fn format_of(data: &Path) -> Result<i64> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    format(&Db::open(file(data), flags, root(data))?)
}

/// Opens an existing database for reading only. Unlike [`open`] it also succeeds on a full disk:
/// the files by which SQLite's processes agree on a state cannot be made there, but then no process
/// can write, either.
pub(crate) fn open_for_reading(data: &Path) -> Result<Db> {
    let full = match open(data) {
        Err(full @ Error::DiskFull { .. }) => full,
        other => return other,
    };
    let log = std::fs::metadata(data.join("index.db-wal"));
    let is_whole = log.map_or(true, |log| log.len() == 0);
    if cfg!(windows) || !is_whole {
        return Err(full);
    }
    let mut address = String::from("file:");
    for byte in file(data).as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => address.push(*byte as char),
            byte => address.push_str(&format!("%{byte:02x}")),
        }
    }
    address.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Db::open(address, flags, root(data))?;
    match format(&db)? {
        FORMAT => check_facts(data, &db).map(|()| db),
        // An older one would have to be brought up to date first.
        _ => Err(full),
    }
}

/// The time that one process waits while another commits.
pub(crate) const BUSY: Duration = Duration::from_secs(10);

/// The database of a data folder.
pub(crate) fn file(data: &Path) -> PathBuf {
    data.join("index.db")
}

fn configure(db: &Db) -> Result<()> {
    db.with(|connection| {
        connection.busy_timeout(BUSY)?;
        // A process can be killed at any point without harm in this mode; only a power cut may lose
        // the last publish.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "mmap_size", 256 << 20)?;
        connection.pragma_update(None, "cache_size", -16_000)?;
        connection.pragma_update(None, "temp_store", "memory")?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(())
    })
}

/// The directory of the store that a data folder belongs to.
fn root(data: &Path) -> &Path {
    data.parent().unwrap_or(data)
}

fn format(db: &Db) -> Result<i64> {
    db.with(|connection| connection.pragma_query_value(None, "user_version", |row| row.get(0)))
}

fn set_format(db: &Db) -> Result<()> {
    db.with(|connection| connection.pragma_update(None, "user_version", FORMAT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_format_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        db.with(|connection| connection.pragma_update(None, "user_version", FORMAT + 1)).unwrap();
        drop(db);
        assert!(matches!(open(data.path()), Err(Error::Incompatible { found, .. }) if found == FORMAT + 1));
    }

    #[test]
    fn a_format_that_is_too_old_is_replaced() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        db.with(|connection| connection.pragma_update(None, "user_version", OLDEST - 1)).unwrap();
        drop(db);
        assert!(matches!(open(data.path()), Err(Error::Outdated { .. })));
        assert!(matches!(open_for_reading(data.path()), Err(Error::Outdated { .. })));
    }

    /// Facts of the fixtures stand for all facts. When they change, so must [`FACTS`], or users
    /// keep the old ones.
    #[test]
    fn facts_version_follows_the_facts() {
        const VERSION_AND_FACTS: (i64, &str) = (15, "73a478ae7aad94b1");
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
        crate::tokenize::tokenize("getHTTPResponse user_name parsing to$text n²", &mut |term| {
            hasher.update(term.as_bytes());
        });
        let hash = hasher.finalize().to_hex()[..16].to_string();
        assert_eq!((FACTS, hash.as_str()), VERSION_AND_FACTS, "facts changed: raise FACTS by one and note both here");
    }

    #[test]
    fn outdated_facts_are_recognised() {
        let data = tempfile::tempdir().unwrap();
        let db = create(data.path()).unwrap();
        meta::set(&db, meta::FACTS_VERSION, FACTS - 1).unwrap();
        assert!(matches!(open(data.path()), Err(Error::Outdated { .. })));
        meta::set(&db, meta::FACTS_VERSION, FACTS + 1).unwrap();
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
        let older = "CREATE TABLE job (job_id INTEGER PRIMARY KEY); ALTER TABLE view DROP COLUMN oversized; \
                     DROP TABLE trigrams; DROP INDEX file_version_skipped";
        db.execute_batch(older).unwrap();
        db.execute_batch("INSERT INTO path (path) VALUES ('kept')").unwrap();
        db.with(|connection| connection.pragma_update(None, "user_version", OLDEST)).unwrap();
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
        let error = open(data.path()).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    }
}
