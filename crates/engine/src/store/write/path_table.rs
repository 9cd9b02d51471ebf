//! The numbers of paths: rows of the table `path`, remembered while a writer is open.

use std::collections::HashMap;

use crate::error::Result;
use crate::store::sqlite::connection::Db;

/// Numbers of paths that were read or made so far.
#[derive(Default)]
pub(super) struct PathTable {
    ids: HashMap<String, i64>,
}

impl PathTable {
    /// Reads the numbers of all paths.
    pub(super) fn load(&mut self, db: &Db) -> Result<()> {
        let mut statement = db.prepare("SELECT path_id, path FROM path")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            self.ids.insert(row.get(1)?, row.get(0)?);
        }
        Ok(())
    }

    /// Returns the number of a path that was read or made before.
    pub(super) fn get(&self, path: &str) -> Option<i64> {
        self.ids.get(path).copied()
    }

    /// Returns the number of a path, which gets one if it has none.
    pub(super) fn find_or_insert(&mut self, db: &Db, path: &str) -> Result<i64> {
        if let Some(id) = self.ids.get(path) {
            return Ok(*id);
        }
        let find = "SELECT path_id FROM path WHERE path = ?1";
        let id = match db.prepare(find)?.query_optional([path], |row| row.get(0))? {
            Some(id) => id,
            None => {
                db.prepare("INSERT INTO path (path) VALUES (?1)")?.execute([path])?;
                db.last_insert_rowid()
            }
        };
        self.ids.insert(path.to_string(), id);
        Ok(id)
    }
}
