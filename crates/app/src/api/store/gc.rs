//! `gc`: drops views that are not used and removes what no view holds any more.

use std::time::Duration;

use clap::Args;
use codecompass_engine::history::collect_history;
use codecompass_engine::{DroppedView, GRACE, KnownStore, Removal, known_stores, remove_stores};
use serde::Serialize;

use crate::error::AppError;
use crate::session::{CallContext, Session};
use crate::units::count;
use crate::{clock, clones, settings};

#[derive(Debug, Args)]
pub struct GcRequest {
    /// Also remove what was let go only recently. Questions being answered right now may miss
    /// results.
    #[arg(long)]
    pub now: bool,
    /// Also remove the indexes of repositories and directories that are gone, clones of git URLs
    /// that were not used for `[index] keep_views_days`, with their indexes, and the least recently
    /// used indexes while all together are larger than `[index] max_total_mb`.
    #[arg(long)]
    pub all: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct GcAnswer {
    pub removed_versions: u64,
    /// Commits of the history that no ref reaches.
    pub removed_commits: usize,
    /// Versions that are kept until the grace period is over.
    pub waiting_versions: u64,
    dropped_views: usize,
    pub views: Vec<DroppedViewRow>,
    /// URLs of clones that were not used for long.
    pub removed_clones: Vec<String>,
    pub removed_stores: Vec<RemovedStoreRow>,
    pub store_bytes_before: u64,
    pub store_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct DroppedViewRow {
    pub kind: String,
    pub name: String,
    pub reason: String,
}

impl DroppedViewRow {
    fn new(view: DroppedView, keep_days: u64) -> DroppedViewRow {
        let reason = if view.is_gone {
            "directory is gone".to_string()
        } else {
            format!("not used for {}", count(keep_days as usize, "day"))
        };
        DroppedViewRow { kind: view.kind, name: view.name, reason }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct RemovedStoreRow {
    store: String,
    pub identity: String,
    pub bytes: u64,
    pub reason: &'static str,
}

impl RemovedStoreRow {
    fn new(store: &KnownStore, removal: Removal) -> RemovedStoreRow {
        RemovedStoreRow {
            store: store.store.to_string_lossy().into_owned(),
            identity: store.identity.to_string_lossy().into_owned(),
            bytes: store.bytes,
            reason: match removal {
                Removal::Gone => "what it was made for is gone",
                Removal::Room => "all indexes together were too large",
            },
        }
    }
}

impl GcRequest {
    pub fn answer(&self, context: &CallContext) -> Result<GcAnswer, AppError> {
        let session = Session::open(context)?;
        let engine = &session.engine;
        let before = engine.store_bytes();
        let grace = if self.now { Duration::ZERO } else { GRACE };
        let collected = session.without_rebuild(|| engine.collect_garbage(grace))?;
        let history = session.without_rebuild(|| collect_history(engine))?;
        let days = engine.config().index.keep_views_days;
        let (mut removed_clones, mut removed) = (Vec::new(), Vec::new());
        if self.all {
            let (home, most) = (settings::homes()?.data, engine.config().index.max_total_bytes);
            let (stores, root) = (known_stores(&home), &engine.workspace().root);
            removed_clones = clones::remove_unused(&home, &stores, days, clock::unix_seconds(), root);
            removed = remove_stores(&home, engine.store_root(), most);
        }
        Ok(GcAnswer {
            removed_versions: collected.removed_versions,
            removed_commits: history.removed_commits,
            waiting_versions: collected.waiting_versions,
            dropped_views: collected.dropped_views.len(),
            views: collected.dropped_views.into_iter().map(|view| DroppedViewRow::new(view, days)).collect(),
            removed_clones,
            removed_stores: removed.iter().map(|(store, removal)| RemovedStoreRow::new(store, *removal)).collect(),
            store_bytes_before: before,
            store_bytes: engine.store_bytes(),
        })
    }
}
