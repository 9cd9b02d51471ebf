//! The handle of a store: where it is, what it was made for, and the connections that are open.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::config::PathSet;
use crate::error::{Error, Result};
use crate::store::disk::layout;
use crate::store::disk::sharing::{self, StorePlace};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::sqlite::db;

/// A store on disk, which may not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// The store that is made for the workspace alone; see [`layout::identity`].
    own: StorePlace,
    /// The store of another clone that serves this one as well, if there is one.
    shared: Arc<OnceLock<StorePlace>>,
    /// Files of views that count as generated, whatever was stored of them.
    pub(super) generated: PathSet,
    /// Connections that are open already.
    pub(super) pool: Option<Arc<ConnectionPool>>,
}

impl Store {
    /// The store at `root`, for the repository or directory `identity`, or the one that it shares.
    /// One that was made for another is refused.
    pub(crate) fn at(root: PathBuf, identity: PathBuf) -> Result<Store> {
        layout::check_identity(&root, &identity)?;
        let shared = Arc::new(OnceLock::new());
        if let Some(place) = sharing::shared_place(&root) {
            let _ = shared.set(place);
        }
        Ok(Store { own: StorePlace { root, identity }, shared, generated: PathSet::default(), pool: None })
    }

    /// Makes the store at `root` the one of this clone, too. This one must have no index, and
    /// its writer's lock must be held.
    pub(crate) fn share(&self, root: &Path, family: &str) -> Result<()> {
        sharing::share(&self.own, root, family)?;
        if self.follow()? {
            Ok(())
        } else {
            // It was removed meanwhile.
            Err(Error::NotIndexed { path: root.to_path_buf() })
        }
    }

    /// Notes that the store is made for the workspace, if that was not done. Only the holder of the
    /// writer's lock may call this. If another process has begun to share the store of another
    /// clone meanwhile, that is an error, and from then on the handle is of that store.
    pub(super) fn claim_place(&self) -> Result<()> {
        if self.shared.get().is_none() && self.follow()? {
            return Err(Error::Moved { path: self.root().to_path_buf() });
        }
        layout::claim(self.root(), self.identity())
    }

    /// Looks whether another store serves the clone since the handle was made.
    fn follow(&self) -> Result<bool> {
        let Some(place) = sharing::shared_place(&self.own.root) else {
            sharing::end(&self.own.root);
            return Ok(false);
        };
        layout::check_identity(&place.root, &place.identity)?;
        let _ = self.shared.set(place);
        Ok(true)
    }

    /// Sets the files that count as generated.
    pub(crate) fn with_generated(self, generated: PathSet) -> Store {
        Store { generated, ..self }
    }

    /// Sets a pool of connections that stay open.
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
        layout::is_being_written(self.root())
    }

    /// The store's directory.
    pub(crate) fn root(&self) -> &Path {
        &self.place().root
    }

    /// The folder that the store would have if the clone shared none.
    pub(crate) fn own_root(&self) -> &Path {
        &self.own.root
    }

    fn identity(&self) -> &Path {
        &self.place().identity
    }

    fn place(&self) -> &StorePlace {
        self.shared.get().unwrap_or(&self.own)
    }
}
