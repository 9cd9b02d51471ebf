//! Everything that remembers. One repository's files flow through these stages, in this order:
//!
//! ```text
//! scan ──> parse ──> store ──> resolve ──> query
//! manifest  facts    publish   edges       answers
//! └───────── sync ─────────┘
//!       ↑ watch: when files change
//! ```
//!
//! [`scan`] lists what a checkout holds now; `parse` makes facts of contents never seen before,
//! with the syntax crate; `store` keeps facts by content and publishes a view's manifest; `resolve`
//! finds the definition that a name means; [`query`] answers from a [`Snapshot`], which no later
//! write can change. [`sync()`] is the one function that runs the first three, and [`watch`] calls
//! it while files are being edited. [`Engine`] changes things, [`Snapshot`] is read.
//!
//! Nothing here prints, reads variables or knows the current directory.

pub mod scan;
mod parse;
mod sync;
mod store;
mod resolve;
pub mod query;
pub mod history;
pub mod watch;

mod engine;

mod activity;
mod cache;
pub mod config;
pub mod error;
mod content_pieces;
mod files;
pub mod model;
mod parallel;
mod plural;
mod progress;
mod tokenize;
pub mod weights;

pub use codecompass_embed as embed;
pub use codecompass_objects as objects;
pub use codecompass_syntax as syntax;

pub use crate::activity::Activity;
pub use crate::config::Config;
pub use crate::engine::Engine;
pub use crate::engine::identity::Identity;
pub use crate::error::{Error, Result};
pub use crate::progress::{NoProgress, Progress, Stage};
pub use crate::resolve::{Confidence, ResolutionEvidence};
pub use crate::store::{
    ArchiveHeader, ArchivedFile, ArchivedRepository, ArchivedView, Collected, Compatibility, DroppedView, FileSize,
    FileSizes, GRACE, Imported, IndexedViews, Job, JobMode, JobState, KnownStore, KnownWorkspace, PruneOptions, Pruned,
    Pulled, PushOptions, Pushed, Remote, Removal, Snapshot, SnapshotCache, StateName, StoreSummary, inspect_archive,
    known_stores, remove_stores, state_versions,
};
pub use crate::sync::embed::Coverage;
pub use crate::sync::{SyncLimit, SyncOptions, SyncReport, sync};

use crate::config::SemanticMode;
use crate::query::{Reranking, Semantic};

/// Methods that need the stages above the store.
impl Engine {
    /// Returns what searches need to look at meaning; `None` when that is switched off.
    pub fn semantic(&self) -> Option<Semantic> {
        if self.config.semantic.mode == SemanticMode::Off {
            return None;
        }
        let reranking = self.reranker.clone().map(|reranker| Reranking {
            reranker,
            source: self.source.clone(),
            config: self.config.index.clone(),
        });
        Some(Semantic { embedder: self.embedder(), config: self.config.semantic.clone(), reranking })
    }

    /// Counts the search documents of the engine's view and those that have vectors of the model in
    /// use; `None` without an index or a model.
    pub fn coverage(&self) -> Result<Option<Coverage>> {
        match (self.snapshot()?, self.embedder()) {
            (Some(snapshot), Some(embedder)) => sync::embed::coverage(&snapshot, embedder.as_ref()).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns whether the last published state is what is on disk now.
    pub fn is_fresh(&self) -> Result<bool> {
        sync::is_fresh(self)
    }
}
