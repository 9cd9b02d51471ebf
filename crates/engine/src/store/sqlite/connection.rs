//! A connection to SQLite whose errors say which store they come from.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, Connection, OpenFlags, OptionalExtension, Params, RowIndex};

use crate::error::{Error, Result};
use crate::store::error::from_sqlite;

/// An open database of a store.
pub(crate) struct Db {
    connection: Connection,
    /// The store's directory.
    root: PathBuf,
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Db {
    /// Opens the database in `file`, or at a URI, of the store at `root`.
    pub(crate) fn open(file: impl AsRef<Path>, flags: OpenFlags, root: &Path) -> Result<Db> {
        let connection = Connection::open_with_flags(file, flags).map_err(|error| from_sqlite(error, root))?;
        Ok(Db { connection, root: root.to_path_buf() })
    }

    /// Opens an empty database in memory.
    pub(crate) fn in_memory(root: &Path) -> Result<Db> {
        let connection = Connection::open_in_memory().map_err(|error| from_sqlite(error, root))?;
        Ok(Db { connection, root: root.to_path_buf() })
    }

    /// Runs `work` on the bare connection: settings and pragmas.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|error| from_sqlite(error, &self.root))
    }

    /// Returns the error of a store whose rows make no sense.
    pub(crate) fn corrupt(&self, detail: String) -> Error {
        Error::Corrupt { path: self.root.clone(), detail }
    }

    /// Prepares a statement, or takes it from the cache.
    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        let inner = self.connection.prepare_cached(sql).map_err(|error| from_sqlite(error, &self.root))?;
        Ok(Statement { inner, root: &self.root })
    }

    /// Executes one statement; returns the number of rows it changed.
    pub(crate) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.with(|connection| connection.execute(sql, params))
    }

    /// Executes several statements.
    pub(crate) fn execute_batch(&self, sql: &str) -> Result<()> {
        self.with(|connection| connection.execute_batch(sql))
    }

    /// Reads one row.
    pub(crate) fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.with(|connection| connection.query_row(sql, params, read))
    }

    /// Returns the number of the row that was inserted last.
    pub(crate) fn last_insert_rowid(&self) -> i64 {
        self.connection.last_insert_rowid()
    }

    /// Returns whether no transaction is open.
    pub(crate) fn is_autocommit(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Begins a transaction, which is rolled back unless it is committed.
    pub(crate) fn transaction(&self) -> Result<Transaction<'_>> {
        self.execute_batch("BEGIN")?;
        Ok(Transaction { db: self, is_open: true })
    }
}

/// An open transaction.
pub(crate) struct Transaction<'db> {
    db: &'db Db,
    is_open: bool,
}

impl Transaction<'_> {
    /// Makes the changes durable.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.db.execute_batch("COMMIT")?;
        self.is_open = false;
        Ok(())
    }
}

impl Deref for Transaction<'_> {
    type Target = Db;

    fn deref(&self) -> &Db {
        self.db
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let _ = self.db.execute_batch("ROLLBACK");
        }
    }
}

/// A prepared statement.
pub(crate) struct Statement<'db> {
    inner: CachedStatement<'db>,
    root: &'db Path,
}

impl Statement<'_> {
    /// Executes the statement; returns the number of rows it changed.
    pub(crate) fn execute(&mut self, params: impl Params) -> Result<usize> {
        self.inner.execute(params).map_err(|error| from_sqlite(error, self.root))
    }

    /// Returns whether there is a row.
    pub(crate) fn exists(&mut self, params: impl Params) -> Result<bool> {
        self.inner.exists(params).map_err(|error| from_sqlite(error, self.root))
    }

    /// Reads one row, which must be there.
    pub(crate) fn query_row<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.inner.query_row(params, read).map_err(|error| from_sqlite(error, self.root))
    }

    /// Reads one row, if it is there.
    pub(crate) fn query_optional<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        self.inner.query_row(params, read).optional().map_err(|error| from_sqlite(error, self.root))
    }

    /// Reads all rows.
    pub(crate) fn query_map<T, C: FromIterator<T>>(
        &mut self,
        params: impl Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C> {
        let rows = self.inner.query_map(params, read);
        rows.and_then(Iterator::collect).map_err(|error| from_sqlite(error, self.root))
    }

    /// Reads rows one by one.
    pub(crate) fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        let root = self.root;
        let inner = self.inner.query(params).map_err(|error| from_sqlite(error, root))?;
        Ok(Rows { inner, root })
    }
}

/// The rows of a statement.
pub(crate) struct Rows<'stmt> {
    inner: rusqlite::Rows<'stmt>,
    root: &'stmt Path,
}

impl<'stmt> Rows<'stmt> {
    /// Returns the next row.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_, 'stmt>>> {
        let root = self.root;
        let inner = self.inner.next().map_err(|error| from_sqlite(error, root))?;
        Ok(inner.map(|inner| Row { inner, root }))
    }
}

/// A row of a statement.
pub(crate) struct Row<'rows, 'stmt> {
    inner: &'rows rusqlite::Row<'stmt>,
    root: &'stmt Path,
}

impl Row<'_, '_> {
    /// Returns the value of a column.
    pub(crate) fn get<I: RowIndex, T: FromSql>(&self, column: I) -> Result<T> {
        self.inner.get(column).map_err(|error| from_sqlite(error, self.root))
    }

    /// Returns the bytes of a column.
    pub(crate) fn blob(&self, column: usize) -> Result<&[u8]> {
        let blob = self.inner.get_ref(column).and_then(|value| value.as_blob().map_err(rusqlite::Error::from));
        blob.map_err(|error| from_sqlite(error, self.root))
    }

    /// Returns the error of a column whose number stands for nothing.
    pub(crate) fn out_of_range(&self, column: usize, value: i64) -> Error {
        from_sqlite(rusqlite::Error::IntegralValueOutOfRange(column, value), self.root)
    }
}
