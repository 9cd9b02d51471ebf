//! The handle of a store: where it is, what it was made for, and the connections that are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::store::disk::layout;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::connection_pool::Spare;
use crate::store::sqlite::db;

/// A store on disk, which may not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(super) root: PathBuf,
    /// What it is for; see [`layout::identity`].
    pub(super) identity: PathBuf,
    /// Connections that are open already.
    pub(super) spare: Option<Arc<Spare>>,
}

impl Store {
    /// The store at `root`, for the repository or directory `identity`. One that was made for another is refused.
    pub(crate) fn at(root: PathBuf, identity: PathBuf) -> Result<Store> {
        layout::check_identity(&root, &identity)?;
        Ok(Store { root, identity, spare: None })
    }

    /// The same with connections that stay open.
    pub(crate) fn sparing(self, spare: Arc<Spare>) -> Store {
        Store { spare: Some(spare), ..self }
    }

    /// Connections that are open already, if any are kept.
    pub(crate) fn spare(&self) -> Option<&Arc<Spare>> {
        self.spare.as_ref()
    }

    /// A connection to the database of a data folder that is open already.
    pub(super) fn connection(&self, data: &Path) -> Option<Db> {
        let spare = self.spare.as_ref().and_then(|spare| spare.take(&db::file(data)));
        // A newer program may have been there meanwhile.
        spare.filter(db::is_current)
    }

    /// Keeps a connection to the database of a data folder for the next who wants one, if any are kept.
    pub(super) fn keep(&self, data: &Path, db: Db) {
        if let Some(spare) = &self.spare {
            spare.put(&db::file(data), db);
        }
    }

    /// A connection to the database of a data folder.
    pub(super) fn connect(&self, data: &Path) -> Result<Db> {
        self.connection(data).map_or_else(|| db::open(data), Ok)
    }

    /// The store's directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}
