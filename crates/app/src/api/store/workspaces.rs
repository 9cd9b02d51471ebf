//! `workspaces`: what was indexed on this machine, when it was last used, and what it costs.

use std::path::Path;

use codecompass_engine::{KnownStore, KnownWorkspace, known_stores};
use serde::{Serialize, Serializer};

use crate::error::AppError;
use crate::{clock, clones, settings};

#[derive(Clone, Debug, Serialize)]
pub struct WorkspacesAnswer {
    pub stores: Vec<StoreRow>,
    pub total_bytes: u64,
}

/// The store of a repository or directory.
#[derive(Clone, Debug, Serialize)]
pub struct StoreRow {
    store: String,
    pub identity: String,
    /// The git URL that the repository is a clone of, if this program made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_by: Vec<SharerRow>,
    pub is_gone: bool,
    pub bytes: u64,
    #[serde(serialize_with = "rfc3339")]
    pub used_at: i64,
    pub workspaces: Vec<WorkspaceRow>,
}

/// A checkout or directory that a store serves.
#[derive(Clone, Debug, Serialize)]
pub struct WorkspaceRow {
    pub root: String,
    pub is_gone: bool,
    pub files: i64,
    #[serde(serialize_with = "rfc3339")]
    pub used_at: i64,
}

/// Another clone of the repository that shares the store.
#[derive(Clone, Debug, Serialize)]
pub struct SharerRow {
    pub identity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl SharerRow {
    fn new(home: &Path, clone: &Path) -> SharerRow {
        SharerRow { identity: clone.to_string_lossy().into_owned(), url: clones::url_of(home, clone) }
    }
}

impl StoreRow {
    fn new(home: &Path, store: KnownStore) -> StoreRow {
        StoreRow {
            url: clones::url_of(home, &store.identity),
            store: store.store.to_string_lossy().into_owned(),
            identity: store.identity.to_string_lossy().into_owned(),
            shared_by: store.shared_by.iter().map(|clone| SharerRow::new(home, clone)).collect(),
            is_gone: store.is_gone,
            bytes: store.bytes,
            used_at: store.used_at,
            workspaces: store.workspaces.into_iter().map(WorkspaceRow::from).collect(),
        }
    }
}

impl From<KnownWorkspace> for WorkspaceRow {
    fn from(workspace: KnownWorkspace) -> WorkspaceRow {
        WorkspaceRow {
            root: workspace.root.to_string_lossy().into_owned(),
            is_gone: workspace.is_gone,
            files: workspace.files,
            used_at: workspace.used_at,
        }
    }
}

fn rfc3339<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&clock::rfc3339(*seconds))
}

/// Lists all stores.
pub fn answer() -> Result<WorkspacesAnswer, AppError> {
    let home = settings::homes()?.data;
    let stores: Vec<StoreRow> = known_stores(&home).into_iter().map(|store| StoreRow::new(&home, store)).collect();
    Ok(WorkspacesAnswer { total_bytes: stores.iter().map(|store| store.bytes).sum(), stores })
}
