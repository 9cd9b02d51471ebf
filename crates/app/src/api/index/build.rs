//! `index`, `index_repo`: indexes the workspace, or lists what is left out.

use clap::Args;
use codecompass_engine::SyncOptions;
use codecompass_engine::scan::SkippedPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sync::SyncAnswer;
use crate::api::arguments::RefArgs;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::part::{Fields, Part, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{At, CallContext, Session};

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct IndexRequest {
    /// Build the index anew from nothing; the old one answers until the new one is ready.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Build it anew from nothing.")]
    pub force: bool,
    /// List what is skipped, and why.
    #[arg(long)]
    #[serde(skip)]
    pub show_ignored: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum IndexAnswer {
    Synced(SyncAnswer),
    Skipped(SkippedAnswer),
}

impl Part for IndexAnswer {
    fn json(&self) -> Value {
        match self {
            IndexAnswer::Synced(answer) => answer.json(),
            IndexAnswer::Skipped(answer) => answer.json(),
        }
    }

    fn fields(&mut self) -> Fields<'_> {
        match self {
            IndexAnswer::Synced(answer) => answer.fields(),
            IndexAnswer::Skipped(answer) => answer.fields(),
        }
    }
}

/// The paths that are left out of the index.
#[derive(Clone, Debug, Serialize)]
pub struct SkippedAnswer {
    pub skipped: Vec<SkippedView>,
    pub total: usize,
    #[serde(skip)]
    metadata: Metadata,
}
parts!(SkippedAnswer { skipped });

#[derive(Clone, Debug, Serialize)]
pub struct SkippedView {
    pub path: String,
    pub is_dir: bool,
    pub reason: &'static str,
    pub detail: String,
}
parts!(SkippedView { path, detail });

impl From<SkippedPath> for SkippedView {
    fn from(skipped: SkippedPath) -> SkippedView {
        SkippedView {
            path: skipped.path,
            is_dir: skipped.is_dir,
            reason: skipped.reason.code(),
            detail: skipped.reason.to_string(),
        }
    }
}

impl Answer for IndexAnswer {
    type Extra = NoExtra;

    fn metadata(&mut self) -> &mut Metadata {
        match self {
            IndexAnswer::Synced(answer) => &mut answer.metadata,
            IndexAnswer::Skipped(answer) => &mut answer.metadata,
        }
    }
}

impl Request for IndexRequest {
    type Answer = IndexAnswer;
    shared_arguments!(at);

    fn answer(&self, context: &CallContext) -> Result<IndexAnswer, AppError> {
        let session = Session::open_with_models(context, At::Ref(self.at.name()), |_| {})?;
        if !self.show_ignored {
            return SyncAnswer::sync(&session, self.force).map(IndexAnswer::Synced);
        }
        let skipped = session.with_repair(|| {
            session.sync(SyncOptions::default())?;
            session.engine.skipped()
        })?;
        let total = skipped.len();
        let skipped = skipped.into_iter().map(SkippedView::from).collect();
        Ok(IndexAnswer::Skipped(SkippedAnswer { skipped, total, metadata: Metadata::default() }))
    }
}
