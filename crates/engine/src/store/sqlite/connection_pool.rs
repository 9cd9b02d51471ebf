//! Connections that stay open between syncs, for who syncs again soon: to open one and to prepare
//! its statements takes longer than all that a small sync asks of it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::files;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::db;

/// The most idle connections that are kept; more are closed.
const MOST: usize = 4;

/// The connections of one watcher.
#[derive(Debug, Default)]
pub(crate) struct ConnectionPool {
    idle: Mutex<Vec<Idle>>,
}

#[derive(Debug)]
struct Idle {
    file: PathBuf,
    /// Tells the file from a later one at the same path.
    number: (u64, u64),
    db: Db,
}

impl ConnectionPool {
    /// A connection to the database in `file`, if there is one to spare.
    pub(crate) fn take(&self, file: &Path) -> Option<Db> {
        let mut idle = self.idle();
        let at = idle.iter().rposition(|idle| idle.file == file)?;
        let found = idle.swap_remove(at);
        (number(file) == Some(found.number)).then_some(found.db)
    }

    /// Keeps a connection to the database in `file`, unless it is in the middle of something.
    pub(crate) fn put(&self, file: &Path, db: Db) {
        let Some(number) = number(file) else { return };
        if db.is_autocommit() && db.with(|connection| connection.busy_timeout(db::BUSY)).is_ok() {
            let mut idle = self.idle();
            idle.push(Idle { file: file.to_path_buf(), number, db });
            if idle.len() > MOST {
                idle.remove(0);
            }
        }
    }

    /// Closes all of them.
    pub(crate) fn clear(&self) {
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn number(file: &Path) -> Option<(u64, u64)> {
    file.metadata().ok().map(|metadata| files::file_identity(&metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(windows, ignore = "Windows keeps files that are open")]
    fn only_what_is_whole_and_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.db");
        let open = || {
            let db = Db::open(&file, rusqlite::OpenFlags::default(), folder.path()).unwrap();
            db.execute_batch("CREATE TABLE IF NOT EXISTS t (n)").unwrap();
            db
        };
        let pool = ConnectionPool::default();
        assert!(pool.take(&file).is_none());
        pool.put(&file, open());
        assert!(pool.take(&folder.path().join("b.db")).is_none());
        let db = pool.take(&file).unwrap();
        assert!(pool.take(&file).is_none(), "it is in use");

        db.execute_batch("BEGIN").unwrap();
        pool.put(&file, db);
        assert!(pool.take(&file).is_none(), "it is in a transaction");

        pool.put(&file, open());
        std::fs::rename(&file, folder.path().join("old.db")).unwrap();
        assert!(pool.take(&file).is_none(), "the file is gone");
        pool.put(&file, open());
        std::fs::rename(&file, folder.path().join("older.db")).unwrap();
        drop(open());
        assert!(pool.take(&file).is_none(), "another file has its name");

        (0..MOST + 2).for_each(|_| pool.put(&file, open()));
        assert_eq!(pool.idle().len(), MOST);
        pool.clear();
        assert!(pool.take(&file).is_none());
    }
}
