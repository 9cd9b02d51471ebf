//! `doctor`, `health_check`: whether everything is as it should be, and if not, what to do.

mod background;
mod fix;
mod models;
pub mod rules;
mod store;

use std::panic::AssertUnwindSafe;

use clap::Args;
use codecompass_engine::{Compatibility, Error as EngineError, watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::background::WarmthView;
use self::rules::SkipRulesView;
use self::store::{StoreContents, StoreFindings};
use super::job::JobView;
use super::server::{ProjectView, ServerState, WarmSetView};
use super::watcher::WatcherView;
use crate::api::metadata::{CommonMetadata, Metadata, NoExtra};
use crate::api::part::{answer_fields, parts};
use crate::api::{Answer, Request};
use crate::error::{AppError, Code};
use crate::remedy::{Advice, Remedy};
use crate::session::{At, CallContext, Session};
use crate::terminal::output;

/// Index runs that are listed.
const MAX_RUNS: usize = 10;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct DoctorRequest {
    /// Read the whole store and compare checksums.
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
    /// First do what is safe about what is wrong: set a damaged index aside and bring the index up
    /// to date.
    #[arg(long)]
    #[serde(skip)]
    pub fix: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct DoctorAnswer {
    pub ok: bool,
    pub version: &'static str,
    pub compatibility: Option<&'static str>,
    pub contents: Option<StoreContents>,
    /// The rules that leave files out; only known where there is an index.
    pub skipped: Option<SkipRulesView>,
    pub watcher: WatcherView,
    pub warmth: WarmthView,
    pub checks: Vec<CheckView>,
    /// The last index runs of the checkout, the newest first.
    pub runs: Vec<JobView>,
    /// The repairs, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// The projects of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<ProjectView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warm_set: Option<WarmSetView>,
    /// Empty unless the answer was cut.
    #[serde(skip_serializing_if = "CommonMetadata::is_empty")]
    pub metadata: Metadata,
}
parts!(DoctorAnswer { skipped, checks, runs, fixed, projects });

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct CheckView {
    #[serde(rename = "check")]
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    /// Advice on what to do, unless all is well.
    pub remediation: Option<Advice>,
}
parts!(CheckView { detail, remediation });

impl CheckView {
    fn new(name: &'static str, ok: bool, detail: String, remedy: impl Into<Remedy>) -> CheckView {
        CheckView { name, ok, detail, remediation: (!ok).then(|| remedy.into().into()) }
    }

    fn fine(name: &'static str, detail: String) -> CheckView {
        CheckView { name, ok: true, detail, remediation: None }
    }

    fn failed(name: &'static str, error: AppError) -> CheckView {
        CheckView::new(name, false, error.message, error.remediation)
    }
}

impl Answer for DoctorAnswer {
    answer_fields!(NoExtra);

    fn is_found(&self) -> bool {
        self.ok
    }

    fn notes(&self) -> Vec<String> {
        match self.fixed.as_deref() {
            Some([]) => vec!["there was nothing to fix".into()],
            fixed => fixed.unwrap_or_default().to_vec(),
        }
    }
}

impl Request for DoctorRequest {
    type Answer = DoctorAnswer;

    fn answer(&self, context: &CallContext) -> Result<DoctorAnswer, AppError> {
        let fixed = if self.fix { Some(fix::fix(context, self.full)?) } else { None };
        let session = Session::open_with_models(context, At::Ref(None), |_| {})?;
        let engine = &session.engine;
        let place = format!("{} ({})", engine.workspace().root.display(), engine.workspace().kind.as_str());
        let store = StoreFindings::new(&session, self.full);
        let running = watch::running(engine);
        let warmth = WarmthView::new(running.as_ref(), store.is_fresh);
        let vector_bytes = store.contents.map(|contents| contents.vector_bytes);
        let mut checks = vec![CheckView::fine("workspace", place)];
        checks.extend(store.checks);
        checks.extend([background::watcher(running.as_ref()), warmth.check(), models::model(&session)]);
        checks.extend(vector_bytes.into_iter().flat_map(|bytes| models::vectors(&session, bytes)));
        checks.extend(models::external(&session));
        checks.extend(models::detected(&session));
        Ok(DoctorAnswer {
            ok: checks.iter().all(|check| check.ok),
            version: env!("CARGO_PKG_VERSION"),
            compatibility: store.compatibility.map(Compatibility::as_str),
            contents: store.contents,
            skipped: store.skipped,
            watcher: WatcherView::new(running.as_ref()),
            warmth,
            checks,
            runs: engine.recent_jobs(MAX_RUNS).into_iter().map(JobView::from).collect(),
            fixed,
            status: None,
            uptime_seconds: None,
            projects: None,
            warm_set: None,
            metadata: Metadata::default(),
        })
    }

    fn add_server_state(&self, answer: &mut DoctorAnswer, server: &dyn ServerState) {
        answer.status = Some(match (server.progress(), answer.ok) {
            (Some(_), _) => "indexing",
            (None, true) => "ready",
            (None, false) => "error",
        });
        answer.uptime_seconds = Some(server.uptime().as_secs());
        answer.projects = Some(server.projects());
        answer.warm_set = Some(server.warm_set());
    }
}

/// Looks at the store; an error or a trip over damaged files is a finding, not an end.
fn look<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, AppError> {
    match output::quiet_panics(AssertUnwindSafe(work)) {
        Ok(seen) => seen.map_err(AppError::from),
        Err(panic) => {
            Err(AppError::new(Code::InternalError, format!("reading the index fails: {panic}"), Remedy::Rebuild))
        }
    }
}
