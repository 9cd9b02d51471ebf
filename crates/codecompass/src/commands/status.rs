//! `codecompass status`: what the index holds, without changing it.

use codecompass_engine::Job;
use codecompass_engine::query::{self, StatusAnswer};
use codecompass_engine::watch::{self, Running};
use serde_json::{Value, json};

use super::metadata;
use super::watch::process;
use crate::cli::StatusArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, NAME, Outcome};

pub(crate) fn run(context: &CallContext, args: &StatusArgs) -> Result<Outcome, AppError> {
    let found = ask(context, args)?;
    let outcome = Outcome::of(found.state.is_some());
    if context.is_json() {
        output::object(&to_json(&found));
        return Ok(outcome);
    }
    let engine = &found.session.engine;
    let root = &engine.workspace().root;
    let Some(state) = &found.state else {
        output::text(&format!(
            "{NAME}{}{NAME:#}\nnot indexed yet; any question or `codecompass index` does it\n{}",
            root.display(),
            jobs_text(&found)
        ));
        return Ok(outcome);
    };
    let status = &state.status;
    let mut out = format!("{NAME}{}{NAME:#} {DIM}({}){DIM:#}\n", root.display(), super::reference(&found.session));
    out.push_str(&format!(
        "{} files, {} symbols, {} of source, generation {}, {}\n",
        status.files,
        status.symbols,
        render::bytes(status.source_bytes.max(0) as u64),
        status.generation,
        state.freshness
    ));
    for count in &status.languages {
        out.push_str(&format!("{:>8} files  {:>8} symbols  {}\n", count.files, count.symbols, count.language));
    }
    out.push_str(&format!(
        "{DIM}store {} ({}){DIM:#}\n",
        engine.store_root().display(),
        render::bytes(engine.store_bytes())
    ));
    if let Some(running) = &found.watcher {
        out.push_str(&format!("{}\n", process::line(Some(running))));
    }
    out.push_str(&jobs_text(&found));
    output::text(&out);
    Ok(outcome)
}

/// What is to be said of index runs, if anything.
fn jobs_text(found: &Found) -> String {
    let mut out = String::new();
    if let Some(job) = &found.running {
        let (done, total) = job.progress;
        out.push_str(&format!("an index run is {} (process {}): {done} of {total} files\n", job.state, job.pid));
    }
    if let Some(job) = &found.interrupted {
        let why = job.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
        out.push_str(&format!(
            "the last index run was {}{why}; the next question or `codecompass index` goes on where it stopped\n",
            job.state
        ));
    }
    out
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &StatusArgs) -> Result<Value, AppError> {
    ask(context, args).map(|found| to_json(&found))
}

/// What was found; no state when nothing is indexed yet.
struct Found {
    session: Session,
    state: Option<State>,
    /// The index run that is going on.
    running: Option<Job>,
    /// The last one, if it published nothing.
    interrupted: Option<Job>,
    watcher: Option<Running>,
}

struct State {
    status: StatusAnswer,
    freshness: &'static str,
}

fn ask(context: &CallContext, args: &StatusArgs) -> Result<Found, AppError> {
    let session = Session::open_at(context, args.at.name())?;
    let engine = &session.engine;
    let state = session.with_repair(|| {
        let Some(snapshot) = engine.snapshot()? else { return Ok(None) };
        let freshness = if engine.is_fresh()? { "fresh" } else { "stale" };
        Ok(Some(State { status: query::status(&snapshot)?, freshness }))
    })?;
    let running = engine.running_job();
    let is_fresh = state.as_ref().is_some_and(|state: &State| state.freshness == "fresh");
    // Where the index is what is on disk, nothing is left to make up for.
    let interrupted = if is_fresh { None } else { engine.interrupted_job() };
    let watcher = watch::running(engine);
    Ok(Found { session, state, running, interrupted, watcher })
}

fn to_json(found: &Found) -> Value {
    let session = &found.session;
    let engine = &session.engine;
    let root = engine.workspace().root.to_string_lossy();
    let Some(State { status, freshness }) = &found.state else {
        let indexing = if found.running.is_some() { "indexing" } else { "not_indexed" };
        let mut object = json!({
            "root": root, "ref": super::reference(session), "head": null, "generation": 0, "files": 0, "symbols": 0,
            "freshness_status": "stale", "indexing_status": indexing,
            "watcher": process::to_json(found.watcher.as_ref()), "metadata": metadata(session),
        });
        put_jobs(&mut object, found);
        return object;
    };
    let languages: Vec<_> = status
        .languages
        .iter()
        .map(|count| json!({"language": count.language, "files": count.files, "symbols": count.symbols}))
        .collect();
    let mut object = json!({
        "root": root,
        "kind": engine.view_key().kind.as_str(),
        "ref": super::reference(session),
        "head": status.head_commit,
        "generation": status.generation,
        "files": status.files,
        "symbols": status.symbols,
        "chunks": status.chunks,
        "source_bytes": status.source_bytes,
        "store": engine.store_root().to_string_lossy(),
        "store_bytes": engine.store_bytes(),
        "languages": languages,
        "freshness_status": if found.running.is_some() && *freshness == "stale" { "syncing" } else { freshness },
        "indexing_status": if found.running.is_some() { "indexing" } else { "ready" },
        "watcher": process::to_json(found.watcher.as_ref()),
        "metadata": metadata(session),
    });
    put_jobs(&mut object, found);
    object
}

fn put_jobs(object: &mut Value, found: &Found) {
    if let Some(job) = &found.running {
        object["job"] = job_json(job);
    }
    if let Some(job) = &found.interrupted {
        object["interrupted_recovery_report"] = job_json(job);
    }
}

/// An index run: what it is at, or what became of it.
pub(crate) fn job_json(job: &Job) -> Value {
    json!({
        "state": job.state.as_str(), "pid": job.pid, "attempt": job.attempt, "started_at": job.started_at,
        "files_done": job.progress.0, "files_total": job.progress.1, "message": job.message,
    })
}
