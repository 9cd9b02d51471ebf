//! `status`, `index_status`: what the index holds, without changing it.

use std::collections::BTreeMap;

use clap::Args;
use codecompass_engine::model::LanguageCount;
use codecompass_engine::query::{self, ContentCounts};
use codecompass_engine::scan::SkippedPath;
use codecompass_engine::{Engine, history, watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::job::{JobView, RecoveryReport};
use super::server::{ProgressView, SchemaVersions, ServerState};
use super::watcher::WatcherView;
use crate::api::arguments::{FilterArgs, PathArgs, ProjectArgs, RefArgs, filter, one};
use crate::api::metadata::{Metadata, NoExtra, reference};
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::savings::{CallSums, LedgerFile};
use crate::session::{CallContext, Session};
use crate::settings;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct StatusRequest {
    /// Count functions, types and calls below this folder, or in paths that match this glob, and
    /// the files there that are left out; `.` is everything.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Counts of a folder.")]
    pub path: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub projects: ProjectArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
}

/// All numbers are 0 if nothing is indexed yet.
#[derive(Clone, Debug, Serialize)]
pub struct StatusAnswer {
    pub root: String,
    #[serde(rename = "ref")]
    pub reference: String,
    pub head: Option<String>,
    pub generation: i64,
    pub files: i64,
    pub symbols: i64,
    #[serde(flatten)]
    pub contents: Option<IndexContents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub languages: Option<Vec<LanguageView>>,
    pub freshness_status: &'static str,
    pub indexing_status: &'static str,
    /// The progress of the server's sync in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressView>,
    /// The index run that is going on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobView>,
    /// The last index run, if it published nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted_recovery_report: Option<RecoveryReport>,
    /// The format of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<SchemaVersions>,
    /// The contents of the paths that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageView>,
    pub watcher: WatcherView,
    /// The part of the history that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryView>,
    /// The sums of the savings ledger, if agents have asked anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings: Option<CallSums>,
    pub metadata: Metadata,
    /// True if the index is what is on disk.
    #[serde(skip)]
    pub is_fresh: bool,
}
parts!(StatusAnswer { root, languages, job, interrupted_recovery_report });

/// The part of the history that is read.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HistoryView {
    pub commits: usize,
    /// Commits whose changed lines are stored.
    pub with_changes: usize,
    /// The progress of the server in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressView>,
}

/// The contents of some paths in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct CoverageView {
    pub path: Vec<String>,
    pub files: usize,
    /// Files and folders that are left out, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// Files that could be parsed only in part.
    pub files_with_problems: usize,
    pub lines: u64,
    pub source_bytes: u64,
    pub symbols: usize,
    pub functions: usize,
    pub types: usize,
    pub calls: usize,
}

impl CoverageView {
    fn new(path: Vec<String>, counts: ContentCounts, skipped: &[SkippedPath]) -> CoverageView {
        let mut reasons: BTreeMap<&'static str, usize> = BTreeMap::new();
        for path in skipped {
            *reasons.entry(path.reason.code()).or_default() += 1;
        }
        CoverageView {
            path,
            files: counts.files,
            skipped: reasons,
            files_with_problems: counts.with_problems,
            lines: counts.lines,
            source_bytes: counts.bytes,
            symbols: counts.definitions,
            functions: counts.functions,
            types: counts.types,
            calls: counts.calls,
        }
    }
}

/// The figures that exist only once something is indexed.
#[derive(Clone, Debug, Serialize)]
pub struct IndexContents {
    pub kind: &'static str,
    pub chunks: i64,
    pub source_bytes: i64,
    pub store: String,
    pub store_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct LanguageView {
    pub language: String,
    pub files: i64,
    pub symbols: i64,
}
parts!(LanguageView {});

impl From<LanguageCount> for LanguageView {
    fn from(count: LanguageCount) -> LanguageView {
        LanguageView { language: count.language, files: count.files, symbols: count.symbols }
    }
}

impl Answer for StatusAnswer {
    answer_fields!(NoExtra);

    fn is_found(&self) -> bool {
        self.contents.is_some()
    }
}

impl StatusAnswer {
    /// Returns the answer about a view that is not indexed.
    fn new(session: &Session) -> StatusAnswer {
        let engine = &session.engine;
        StatusAnswer {
            root: engine.workspace().root.to_string_lossy().into_owned(),
            reference: reference(session),
            head: None,
            generation: 0,
            files: 0,
            symbols: 0,
            contents: None,
            languages: None,
            freshness_status: "stale",
            indexing_status: "not_indexed",
            progress: None,
            job: engine.running_job().map(JobView::from),
            interrupted_recovery_report: None,
            schema_version: None,
            coverage: None,
            watcher: WatcherView::new(watch::running(engine).as_ref()),
            history: history::history_state(engine).ok().flatten().map(|state| HistoryView {
                commits: state.commits,
                with_changes: state.with_changes,
                progress: None,
            }),
            savings: None,
            metadata: Metadata::new(session),
            is_fresh: false,
        }
    }

    fn set_savings(&mut self, sums: CallSums) {
        self.savings = Some(sums).filter(|sums| sums.calls > 0);
    }

    /// Sets what a published state says.
    fn set_state(&mut self, engine: &Engine, state: query::StatusAnswer, is_fresh: bool) {
        (self.head, self.generation) = (state.head_commit, state.generation);
        (self.files, self.symbols) = (state.files, state.symbols);
        self.languages = Some(state.languages.into_iter().map(LanguageView::from).collect());
        self.contents = Some(IndexContents {
            kind: engine.view_key().kind.as_str(),
            chunks: state.chunks,
            source_bytes: state.source_bytes,
            store: engine.store_root().to_string_lossy().into_owned(),
            store_bytes: engine.store_bytes(),
        });
        self.is_fresh = is_fresh;
        self.indexing_status = "ready";
        self.freshness_status = match (is_fresh, &self.job) {
            (true, _) => "fresh",
            (false, Some(_)) => "syncing",
            (false, None) => "stale",
        };
    }
}

impl Request for StatusRequest {
    type Answer = StatusAnswer;
    shared_arguments!(at);

    fn answer(&self, context: &CallContext) -> Result<StatusAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let engine = &session.engine;
        let paths = PathArgs { projects: self.projects.clone(), ..PathArgs::default() };
        let paths = filter(&FilterArgs { path: self.path.clone(), paths, ..FilterArgs::default() }, &session)?;
        let state = session.without_rebuild(|| {
            let Some(snapshot) = engine.snapshot()? else { return Ok(None) };
            let is_fresh = engine.is_fresh()?;
            let counts = if self.path.is_empty() && self.projects.project.is_empty() {
                None
            } else {
                query::require_paths(&snapshot, &paths)?;
                Some(query::content_counts(&snapshot, &paths)?)
            };
            Ok(Some((query::status(&snapshot)?, is_fresh, counts)))
        })?;
        let mut answer = StatusAnswer::new(&session);
        answer.schema_version =
            engine.formats().ok().map(|(current, required)| SchemaVersions { current, required: Some(required) });
        // A server knows of calls that are not on disk yet.
        if context.control.is_none() && settings::of_server()?.savings {
            answer.set_savings(LedgerFile::new(&settings::homes()?.data).read().total());
        }
        if let Some((state, is_fresh, counts)) = state {
            answer.set_state(engine, state, is_fresh);
            if let Some(counts) = counts {
                let mut skipped = engine.skipped()?;
                skipped.retain(|skipped| paths.accepts_path(&skipped.path));
                answer.coverage = Some(CoverageView::new(self.path.clone(), counts, &skipped));
            }
        }
        if answer.job.is_some() {
            answer.indexing_status = "indexing";
        }
        // Where the index is what is on disk, nothing is left to make up for.
        if !answer.is_fresh {
            answer.interrupted_recovery_report = RecoveryReport::of(engine);
        }
        Ok(answer)
    }

    fn add_server_state(&self, answer: &mut StatusAnswer, server: &dyn ServerState) {
        answer.progress = server.progress();
        if let Some(history) = &mut answer.history {
            history.progress = server.history_progress();
        }
        answer.set_savings(server.savings().unwrap_or_default());
        if answer.progress.is_some() {
            answer.indexing_status = "indexing";
        }
    }
}
