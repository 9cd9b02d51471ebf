//! How the server and its projects are, told at once: nothing here waits for an index, or starts one.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codecompass_engine::{Error as EngineError, query};
use serde_json::{Value, json};

use super::calls::Host;
use super::workspace::Workspace;
use crate::api::metadata;
use crate::clock;
use crate::commands::status;
use crate::error::AppError;
use crate::remedy::Voice;
use crate::session::{CallControl, Session};
use crate::terminal::output;

/// The tool that asks for it. Its answer is about one workspace; the server adds what it says about all projects.
pub(crate) const TOOL: &str = "health_check";

/// Whoever asks more often hears the same again.
const HEALTH_CACHE_TIME: Duration = Duration::from_secs(1);

/// Reading the stores takes milliseconds; if the disk is so slow that it takes longer, what was known before is told.
const HEALTH_READ_TIMEOUT: Duration = Duration::from_secs(2);

/// What was told last.
#[derive(Default)]
pub(crate) struct LastHealth {
    told: Mutex<Option<(Instant, Value)>>,
    /// Held while stores are read, so that impatient clients do not make it many readers.
    reading: Arc<tokio::sync::Mutex<()>>,
}

impl LastHealth {
    fn told(&self) -> MutexGuard<'_, Option<(Instant, Value)>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host {
    /// How the server is, for those who watch over it.
    pub(crate) async fn health(self: &Arc<Self>) -> Value {
        let is_fresh =
            |told: &Option<(Instant, Value)>| told.as_ref().is_some_and(|(at, _)| at.elapsed() < HEALTH_CACHE_TIME);
        let is_known = is_fresh(&self.last_health.told());
        if !is_known && let Ok(reading) = Arc::clone(&self.last_health.reading).try_lock_owned() {
            let host = Arc::clone(self);
            let work = tokio::task::spawn_blocking(move || {
                let told = summary(host.projects());
                *host.last_health.told() = Some((Instant::now(), told));
                drop(reading);
            });
            let _ = tokio::time::timeout(HEALTH_READ_TIMEOUT, work).await;
        }
        let told = self.last_health.told().as_ref().map(|(_, told)| told.clone());
        let mut told = told.unwrap_or_else(|| summary(Value::Array(Vec::new())));
        told["uptime_seconds"] = json!(self.started.elapsed().as_secs());
        told["warm_set"] = self.warm_set();
        told
    }

    /// How many workspaces are kept warm, and how often that has served calls.
    pub(crate) fn warm_set(&self) -> Value {
        let open = self.workspaces.all();
        let warm = open.iter().filter(|workspace| self.prewarmer.is_warm(&workspace.root)).count();
        let (hits, misses) = self.prewarmer.hits_and_misses();
        json!({"workspaces": warm, "hits": hits, "misses": misses})
    }

    /// How each project is.
    pub(crate) fn projects(&self) -> Value {
        self.workspaces.all().iter().map(|workspace| self.project(workspace)).collect()
    }

    fn project(&self, workspace: &Workspace) -> Value {
        let is_indexing = self.prewarmer.figures(&workspace.root).is_some();
        let looked = output::quiet_panics(AssertUnwindSafe(|| look(workspace)));
        let looked = looked.unwrap_or_else(|panic| Err(AppError::internal(panic)));
        let mut project = looked.unwrap_or_else(|error| {
            json!({
                "project_id": null, "repo_root": workspace.root.to_string_lossy(), "index_status": "failed",
                "last_indexed_at": null, "ref": null, "file_count": null, "error": error.to_json(Voice::Tools)["error"],
            })
        });
        if is_indexing && project["index_status"] != "failed" {
            project["index_status"] = json!("indexing");
        }
        project["warm"] = json!(self.prewarmer.is_warm(&workspace.root));
        project
    }
}

fn look(workspace: &Workspace) -> Result<Value, AppError> {
    let context = workspace.context(CallControl::new(|_, _, _| {}), true);
    let session = Session::open(&context)?;
    let engine = &session.engine;
    let located = |error: EngineError| AppError::from(engine.located(error));
    let (current, required) = engine.formats().map_err(located)?;
    let state = match engine.snapshot() {
        Ok(None) => None,
        Ok(Some(snapshot)) => Some((query::status(&snapshot).map_err(located)?, snapshot.published_at())),
        // The next sync replaces it.
        Err(EngineError::Outdated { .. }) => None,
        Err(error) => return Err(located(error)),
    };
    let mut project = json!({
        "project_id": engine.store_root().file_name().map(|name| name.to_string_lossy()),
        "repo_root": workspace.root.to_string_lossy(),
        "index_status": if state.is_some() { "ready" } else { "not_indexed" },
        "last_indexed_at": state.as_ref().and_then(|(_, published_at)| *published_at).map(clock::rfc3339),
        "ref": metadata::reference(&session),
        "file_count": state.as_ref().map_or(0, |(status, _)| status.files),
        "schema_version": {"current": current, "required": required},
    });
    if let Some(job) = engine.interrupted_job() {
        project["interrupted_recovery_report"] = status::job_json(&job);
    }
    Ok(project)
}

/// The whole, from its projects: as bad as the worst of them.
fn summary(projects: Value) -> Value {
    let list = projects.as_array().map(Vec::as_slice).unwrap_or_default();
    let any = |holds: &dyn Fn(&Value) -> bool| list.iter().any(holds);
    let is_indexing = |project: &Value| project["index_status"] == "indexing";
    let status = if any(&|project| project["index_status"] == "failed") {
        "error"
    } else if any(&|project| is_indexing(project) && project["last_indexed_at"].is_null()) {
        "indexing"
    } else if any(&is_indexing) {
        // What was indexed before answers meanwhile.
        "warming"
    } else {
        "ready"
    };
    let numbers = |which: &str| list.iter().filter_map(|project| project["schema_version"][which].as_i64()).min();
    let mut told = json!({
        "status": status,
        "version": env!("CARGO_PKG_VERSION"),
        "schema_version": {"current": numbers("current"), "required": numbers("required")},
    });
    let report = list.iter().find(|project| project["interrupted_recovery_report"].is_object());
    if let Some(project) = report {
        told["interrupted_recovery_report"] = project["interrupted_recovery_report"].clone();
        told["interrupted_recovery_report"]["project_id"] = project["project_id"].clone();
    }
    told["projects"] = projects;
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_bad_as_the_worst() {
        let project = |status: &str, indexed: Option<&str>| json!({"index_status": status, "last_indexed_at": indexed});
        let status = |projects: &[Value]| summary(Value::Array(projects.to_vec()))["status"].clone();
        let (ready, warming) = (project("ready", Some("x")), project("indexing", Some("x")));
        let (first, failed) = (project("indexing", None), project("failed", None));
        assert_eq!(status(&[]), "ready");
        assert_eq!(status(&[ready.clone(), project("not_indexed", None)]), "ready");
        assert_eq!(status(&[ready.clone(), warming.clone()]), "warming");
        assert_eq!(status(&[warming.clone(), first.clone(), ready.clone()]), "indexing");
        assert_eq!(status(&[failed, first, warming, ready]), "error");
        let stopped = json!({"project_id": "a", "interrupted_recovery_report": {"state": "interrupted"}});
        let told = summary(json!([stopped]));
        assert_eq!(told["interrupted_recovery_report"], json!({"state": "interrupted", "project_id": "a"}));
    }
}
