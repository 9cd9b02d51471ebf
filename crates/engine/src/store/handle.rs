//! The handle of a store: where it is, what it was made for, and the connections that are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::PathSet;
use crate::error::Result;
use crate::store::disk::layout;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::sqlite::db;

/// A store on disk, which may not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(super) root: PathBuf,
    /// The repository or directory that it is for; see [`layout::identity`].
    pub(super) identity: PathBuf,
    /// Files of views that count as generated, whatever was stored of them.
    pub(super) generated: PathSet,
    /// Connections that are open already.
    pub(super) pool: Option<Arc<ConnectionPool>>,
}

impl Store {
    /// The store at `root`, for the repository or directory `identity`. One that was made for
    /// another is refused.
    pub(crate) fn at(root: PathBuf, identity: PathBuf) -> Result<Store> {
        layout::check_identity(&root, &identity)?;
        Ok(Store { root, identity, generated: PathSet::default(), pool: None })
    }

    /// The same with files that count as generated.
    pub(crate) fn with_generated(self, generated: PathSet) -> Store {
        Store { generated, ..self }
    }

    /// The same with connections that stay open.
    pub(crate) fn with_pool(self, pool: Arc<ConnectionPool>) -> Store {
        Store { pool: Some(pool), ..self }
    }

    /// Connections that are open already, if any are kept.
    pub(crate) fn pool(&self) -> Option<&Arc<ConnectionPool>> {
        self.pool.as_ref()
    }

    /// A connection to the database of a data folder that is open already.
    pub(super) fn connection(&self, data: &Path) -> Option<Db> {
        let pool = self.pool.as_ref().and_then(|pool| pool.take(&db::file(data)));
        // A newer program may have been there meanwhile.
        pool.filter(db::is_current)
    }

    /// Keeps a connection to the database of a data folder for the next who wants one, if any are
    /// kept.
    pub(super) fn keep(&self, data: &Path, db: Db) {
        if let Some(pool) = &self.pool {
            pool.put(&db::file(data), db);
        }
    }

    /// A connection to the database of a data folder.
    pub(super) fn connect(&self, data: &Path) -> Result<Db> {
        self.connection(data).map_or_else(|| db::open(data), Ok)
    }

    /// Returns whether some process writes the store.
    pub(crate) fn is_being_written(&self) -> bool {
        layout::is_being_written(&self.root)
    }

    /// The store's directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}
