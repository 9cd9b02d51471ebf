//! `codecompass status`: what the index holds, without changing it.

use codecompass_engine::InterruptedJob;
use codecompass_engine::query::{self, StatusAnswer};
use codecompass_engine::watch::{self, Running};
use serde_json::{Value, json};

use super::{metadata, watch_process};
use crate::cli::{Global, StatusArgs};
use crate::error::AppError;
use crate::output::{self, DIM, NAME, Outcome};
use crate::render;
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &StatusArgs) -> Result<Outcome, AppError> {
    let found = ask(global, args)?;
    let outcome = Outcome::of(found.state.is_some());
    if global.json {
        output::object(&to_json(&found));
        return Ok(outcome);
    }
    let engine = &found.session.engine;
    let root = &engine.workspace().root;
    let Some(state) = &found.state else {
        output::text(&format!(
            "{NAME}{}{NAME:#}\nnot indexed yet; any question or `codecompass index` does it\n",
            root.display()
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
        out.push_str(&format!("{}\n", watch_process::line(Some(running))));
    }
    if let Some(job) = &state.job {
        let why = job.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
        out.push_str(&format!(
            "the last index run was {}{why}; the next question or `codecompass index` makes up for it\n",
            job.state
        ));
    }
    output::text(&out);
    Ok(outcome)
}

/// The answer as JSON.
pub(crate) fn answer(global: &Global, args: &StatusArgs) -> Result<Value, AppError> {
    ask(global, args).map(|found| to_json(&found))
}

/// What was found; no state when nothing is indexed yet.
struct Found {
    session: Session,
    state: Option<State>,
    watcher: Option<Running>,
}

struct State {
    status: StatusAnswer,
    freshness: &'static str,
    job: Option<InterruptedJob>,
}

fn ask(global: &Global, args: &StatusArgs) -> Result<Found, AppError> {
    let session = Session::open_at(global, &args.at)?;
    let engine = &session.engine;
    let state = session.mending(|| {
        let Some(snapshot) = engine.snapshot()? else { return Ok(None) };
        let freshness = if engine.is_fresh()? { "fresh" } else { "stale" };
        Ok(Some(State { status: query::status(&snapshot)?, freshness, job: engine.interrupted_job()? }))
    })?;
    let watcher = watch::running(&session.engine);
    Ok(Found { session, state, watcher })
}

fn to_json(found: &Found) -> Value {
    let session = &found.session;
    let engine = &session.engine;
    let root = engine.workspace().root.to_string_lossy();
    let Some(State { status, freshness, job }) = &found.state else {
        return json!({
            "root": root, "ref": super::reference(session), "head": null, "generation": 0, "files": 0, "symbols": 0,
            "freshness_status": "stale", "indexing_status": "not_indexed",
            "watcher": watch_process::to_json(found.watcher.as_ref()), "metadata": metadata(session),
        });
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
        "freshness_status": freshness,
        "indexing_status": "ready",
        "watcher": watch_process::to_json(found.watcher.as_ref()),
        "metadata": metadata(session),
    });
    if let Some(job) = &job {
        object["interrupted_recovery_report"] = json!({
            "state": job.state, "started_at": job.started_at, "files_total": job.progress.1, "message": job.message,
        });
    }
    object
}
