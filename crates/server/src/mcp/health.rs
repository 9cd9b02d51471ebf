//! The state of the server and its projects, told at once: nothing here waits for an index, or
//! starts one.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codecompass_app::api::index::job::RecoveryReport;
use codecompass_app::api::index::server::{
    ErrorView, IndexStatus, ProgressView, ProjectView, SchemaVersions, ServerState, WarmSetView,
};
use codecompass_app::api::metadata;
use codecompass_app::api::part::Part as _;
use codecompass_app::clock;
use codecompass_app::error::AppError;
use codecompass_app::remedy::Audience;
use codecompass_app::savings::CallSums;
use codecompass_app::session::history_builder::HistoryProgress;
use codecompass_app::session::{CallControl, Session};
use codecompass_app::terminal::output;
use codecompass_engine::{Error as EngineError, query};
use serde::Serialize;

use super::calls::{Call, Host};
use super::workspace::Workspace;

/// The time for which the last answer is given again.
const HEALTH_CACHE_TIME: Duration = Duration::from_secs(1);

/// Reading the stores takes milliseconds; if the disk is so slow that it takes longer, what was
/// known before is told.
const HEALTH_READ_TIMEOUT: Duration = Duration::from_secs(2);

/// The projects as they were last seen.
#[derive(Default)]
pub(super) struct LastHealth {
    seen: Mutex<Option<(Instant, Vec<ProjectView>)>>,
    /// Held while stores are read, so that impatient clients do not make it many readers.
    reading: Arc<tokio::sync::Mutex<()>>,
}

impl LastHealth {
    fn seen(&self) -> MutexGuard<'_, Option<(Instant, Vec<ProjectView>)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of the server, for those who watch over it.
#[derive(Clone, Debug, Serialize)]
pub struct HealthView {
    status: &'static str,
    version: &'static str,
    /// Left out for those who may not know more.
    #[serde(flatten)]
    pub details: Option<HealthDetails>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HealthDetails {
    schema_version: SchemaVersions,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted_recovery_report: Option<ProjectRecovery>,
    projects: Vec<ProjectView>,
    uptime_seconds: u64,
    warm_set: WarmSetView,
}

/// The index run of a project that published nothing.
#[derive(Clone, Debug, Serialize)]
struct ProjectRecovery {
    #[serde(flatten)]
    report: RecoveryReport,
    project_id: Option<String>,
}

impl HealthView {
    fn new(projects: Vec<ProjectView>, uptime: Duration, warm_set: WarmSetView) -> HealthView {
        let lowest = |version: fn(&SchemaVersions) -> Option<i64>| {
            projects.iter().filter_map(|project| project.schema_version.as_ref().and_then(version)).min()
        };
        let report = |project: &ProjectView| {
            let report = project.interrupted_recovery_report.clone()?;
            Some(ProjectRecovery { report, project_id: project.project_id.clone() })
        };
        HealthView {
            status: worst(&projects),
            version: env!("CARGO_PKG_VERSION"),
            details: Some(HealthDetails {
                schema_version: SchemaVersions {
                    current: lowest(|version| version.current),
                    required: lowest(|version| version.required),
                },
                interrupted_recovery_report: projects.iter().find_map(report),
                projects,
                uptime_seconds: uptime.as_secs(),
                warm_set,
            }),
        }
    }
}

/// Returns the state of the whole: as bad as the worst of its projects.
fn worst(projects: &[ProjectView]) -> &'static str {
    let any = |holds: fn(&ProjectView) -> bool| projects.iter().any(holds);
    if any(|project| project.index_status == IndexStatus::Failed) {
        "error"
    } else if any(|project| project.index_status == IndexStatus::Indexing && project.last_indexed_at.is_none()) {
        "indexing"
    } else if any(|project| project.index_status == IndexStatus::Indexing) {
        // What was indexed before answers meanwhile.
        "warming"
    } else {
        "ready"
    }
}

impl Host {
    /// Returns the state of the server; of its projects that of a moment ago, at worst.
    pub async fn health(self: &Arc<Self>) -> HealthView {
        let is_known = self.last_health.seen().as_ref().is_some_and(|(at, _)| at.elapsed() < HEALTH_CACHE_TIME);
        if !is_known && let Ok(reading) = Arc::clone(&self.last_health.reading).try_lock_owned() {
            let host = Arc::clone(self);
            let work = tokio::task::spawn_blocking(move || {
                let projects = host.projects();
                *host.last_health.seen() = Some((Instant::now(), projects));
                drop(reading);
            });
            let _ = tokio::time::timeout(HEALTH_READ_TIMEOUT, work).await;
        }
        let projects = self.last_health.seen().as_ref().map(|(_, projects)| projects.clone());
        HealthView::new(projects.unwrap_or_default(), self.started.elapsed(), self.warm_set())
    }

    /// Returns the state of the whole in a word. Only the formats of the stores are read.
    pub fn status(&self) -> &'static str {
        let has_index = |workspace: &Workspace| {
            let context = workspace.context(CallControl::new(|_, _, _| {}), true);
            let formats = Session::open(&context).ok().and_then(|session| session.engine.formats().ok());
            formats.is_some_and(|(current, _)| current.is_some())
        };
        let open = self.workspaces.all();
        if !open.iter().all(has_index) {
            "indexing"
        } else if open.iter().any(|workspace| self.prewarmer.figures(&workspace.root).is_some()) {
            "warming"
        } else {
            "ready"
        }
    }

    /// Returns how many workspaces are kept warm, and how often that has served calls.
    fn warm_set(&self) -> WarmSetView {
        let open = self.workspaces.all();
        let workspaces = open.iter().filter(|workspace| self.prewarmer.is_warm(&workspace.root)).count();
        let (hits, misses) = self.prewarmer.hits_and_misses();
        WarmSetView { workspaces, hits, misses, has_workspace: None }
    }

    /// Returns the state of each project.
    fn projects(&self) -> Vec<ProjectView> {
        self.workspaces.all().iter().map(|workspace| self.project(workspace)).collect()
    }

    fn project(&self, workspace: &Workspace) -> ProjectView {
        let is_indexing = self.prewarmer.figures(&workspace.root).is_some();
        let looked = output::quiet_panics(AssertUnwindSafe(|| look(workspace)));
        let looked = looked.unwrap_or_else(|panic| Err(AppError::internal(panic)));
        let mut project = looked.unwrap_or_else(|error| failed(workspace, error));
        if is_indexing && project.index_status != IndexStatus::Failed {
            project.index_status = IndexStatus::Indexing;
        }
        project.warm = self.prewarmer.is_warm(&workspace.root);
        project.address(Audience::Tools);
        project
    }
}

impl ServerState for Call {
    fn progress(&self) -> Option<ProgressView> {
        self.indexing.map(|figures| ProgressView { done: figures.done, total: figures.total })
    }

    fn history_progress(&self) -> Option<ProgressView> {
        let progress = self.host.prewarmer.watchers.history_progress(&self.workspace.root);
        progress.map(|HistoryProgress { done, total }| ProgressView { done, total })
    }

    fn uptime(&self) -> Duration {
        self.host.started.elapsed()
    }

    fn projects(&self) -> Vec<ProjectView> {
        self.host.projects()
    }

    fn warm_set(&self) -> WarmSetView {
        let has_workspace = Some(self.host.prewarmer.is_warm(&self.workspace.root));
        WarmSetView { has_workspace, ..self.host.warm_set() }
    }

    fn savings(&self) -> Option<CallSums> {
        self.host.savings()
    }
}

fn look(workspace: &Workspace) -> Result<ProjectView, AppError> {
    let context = workspace.context(CallControl::new(|_, _, _| {}), true);
    let session = Session::open(&context)?;
    let engine = &session.engine;
    let (current, required) = engine.formats()?;
    let state = match engine.snapshot() {
        Ok(None) => None,
        Ok(Some(snapshot)) => Some((query::status(&snapshot)?, snapshot.published_at())),
        // The next sync replaces it.
        Err(EngineError::Outdated { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(ProjectView {
        project_id: engine.store_root().file_name().map(|name| name.to_string_lossy().into_owned()),
        repo_root: workspace.root.to_string_lossy().into_owned(),
        index_status: if state.is_some() { IndexStatus::Ready } else { IndexStatus::NotIndexed },
        last_indexed_at: state.as_ref().and_then(|(_, published_at)| *published_at).map(clock::rfc3339),
        reference: Some(metadata::reference(&session)),
        file_count: Some(state.as_ref().map_or(0, |(status, _)| status.files)),
        schema_version: Some(SchemaVersions { current, required: Some(required) }),
        interrupted_recovery_report: RecoveryReport::of(engine),
        error: None,
        warm: false,
    })
}

/// Returns a project that cannot be read.
fn failed(workspace: &Workspace, error: AppError) -> ProjectView {
    ProjectView {
        project_id: None,
        repo_root: workspace.root.to_string_lossy().into_owned(),
        index_status: IndexStatus::Failed,
        last_indexed_at: None,
        reference: None,
        file_count: None,
        schema_version: None,
        interrupted_recovery_report: None,
        error: Some(ErrorView::from(error)),
        warm: false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use codecompass_app::api::index::job::JobView;

    fn project(index_status: IndexStatus, indexed: Option<&str>) -> ProjectView {
        ProjectView {
            project_id: Some("a".into()),
            repo_root: "/a".into(),
            index_status,
            last_indexed_at: indexed.map(str::to_string),
            reference: None,
            file_count: None,
            schema_version: None,
            interrupted_recovery_report: None,
            error: None,
            warm: false,
        }
    }

    #[test]
    fn as_bad_as_the_worst() {
        let (ready, warming) = (project(IndexStatus::Ready, Some("x")), project(IndexStatus::Indexing, Some("x")));
        let (first, failed) = (project(IndexStatus::Indexing, None), project(IndexStatus::Failed, None));
        assert_eq!(worst(&[]), "ready");
        assert_eq!(worst(&[ready.clone(), project(IndexStatus::NotIndexed, None)]), "ready");
        assert_eq!(worst(&[ready.clone(), warming.clone()]), "warming");
        assert_eq!(worst(&[warming.clone(), first.clone(), ready.clone()]), "indexing");
        assert_eq!(worst(&[failed, first, warming, ready]), "error");
    }

    #[test]
    fn the_whole_reports_what_its_projects_report() {
        let job = JobView {
            sync_id: 7,
            state: "interrupted",
            mode: Some("full"),
            pid: 1,
            attempt: 1,
            retry_count: 0,
            started_at: 2,
            duration_ms: None,
            head_commit: None,
            files_done: 3,
            files_total: 4,
            changed_files: None,
            error_code: None,
            message: None,
        };
        let remediation = codecompass_app::remedy::Remedy::ResumeIndexing.into();
        let lost = RecoveryReport { job, workspace: "/a".into(), remediation, recent: Vec::new() };
        let versions = |current| Some(SchemaVersions { current, required: Some(9) });
        let old = ProjectView { schema_version: versions(Some(7)), ..project(IndexStatus::Ready, None) };
        let stopped = ProjectView {
            schema_version: versions(Some(9)),
            interrupted_recovery_report: Some(lost),
            ..project(IndexStatus::Ready, None)
        };
        let warm_set = WarmSetView { workspaces: 1, hits: 2, misses: 3, has_workspace: None };
        let mut health = HealthView::new(vec![old, stopped], Duration::from_secs(5), warm_set);
        let told = json!(health);
        let report = json!({
            "sync_id": 7, "state": "interrupted", "mode": "full", "pid": 1, "attempt": 1, "retry_count": 0,
            "started_at": 2, "files_done": 3, "files_total": 4, "message": null, "project_id": "a",
            "workspace": "/a", "recent": [],
            "remediation": "run `codecompass index`; it goes on where the run stopped",
        });
        assert_eq!(told["interrupted_recovery_report"], report);
        assert_eq!(told["schema_version"], json!({"current": 7, "required": 9}));
        assert_eq!(told["uptime_seconds"], 5);
        assert_eq!(told["warm_set"], json!({"workspaces": 1, "hits": 2, "misses": 3}));
        health.details = None;
        assert_eq!(json!(health), json!({"status": "ready", "version": env!("CARGO_PKG_VERSION")}));
    }
}
