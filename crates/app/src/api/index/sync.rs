//! `sync`, `sync_repo`: brings the index up to date and says what changed.

use clap::Args;
use codecompass_engine::{SyncOptions, SyncReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::RefArgs;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::remedy::Remedy;
use crate::session::{At, CallContext, Session};
use crate::units::count;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct SyncRequest {
    /// Build the index anew from nothing; the old one answers until the new one is ready.
    #[arg(long)]
    #[serde(default)]
    #[schemars(description = "Build it anew from nothing.")]
    pub force: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
}

#[derive(Clone, Debug, Serialize)]
pub struct SyncAnswer {
    #[serde(flatten)]
    pub counts: SyncCounts,
    pub root: String,
    pub metadata: Metadata,
}
parts!(SyncAnswer { root });

/// The counts of what a sync did.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SyncCounts {
    pub generation: i64,
    /// True if anything changed.
    pub published: bool,
    pub files: usize,
    pub symbols: usize,
    pub parsed: usize,
    pub reused: usize,
    pub removed: usize,
    /// Paths that are new, gone, or have another content than before.
    pub changed: usize,
    pub unreadable: usize,
}

impl From<&SyncReport> for SyncCounts {
    fn from(report: &SyncReport) -> SyncCounts {
        SyncCounts {
            generation: report.generation,
            published: report.published,
            files: report.files,
            symbols: report.symbols,
            parsed: report.parsed,
            reused: report.reused,
            removed: report.removed,
            changed: report.changed,
            unreadable: report.unreadable,
        }
    }
}

impl SyncAnswer {
    /// Syncs with all vectors, and says what was done.
    pub(super) fn sync(session: &Session, rebuild: bool) -> Result<SyncAnswer, AppError> {
        let options = SyncOptions { rebuild, embed: true, ..SyncOptions::default() };
        let (_, report) = session.with_repair(|| session.sync(options))?;
        let mut metadata = Metadata::new(session);
        metadata.warnings = warning(session, &report).map(|warning| vec![warning.into()]);
        Ok(SyncAnswer {
            counts: SyncCounts::from(&report),
            root: session.engine.workspace().root.to_string_lossy().into_owned(),
            metadata,
        })
    }
}

/// Returns what to know about vectors that were not made.
fn warning(session: &Session, report: &SyncReport) -> Option<Remedy> {
    let failed = |(documents, problem): &(usize, String)| {
        Remedy::RetryVectors(count(*documents, "search document"), problem.clone())
    };
    let broken = session.providers.embedding_problem.as_ref();
    let broken = || broken.map(|problem| format!("no vectors were made: {problem}").into());
    report.unembedded.as_ref().map(failed).or_else(broken)
}

impl Answer for SyncAnswer {
    answer_fields!(NoExtra);
}

impl Request for SyncRequest {
    type Answer = SyncAnswer;
    shared_arguments!(at);

    fn answer(&self, context: &CallContext) -> Result<SyncAnswer, AppError> {
        let session = Session::open_with_models(context, At::Ref(self.at.name()), |_| {})?;
        SyncAnswer::sync(&session, self.force)
    }
}
