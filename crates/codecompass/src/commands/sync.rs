//! `codecompass sync`: bring the index up to date and say what changed.

use codecompass_engine::{SyncOptions, SyncReport};
use serde_json::{Value, json};

use super::metadata;
use crate::cli::SyncArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{At, CallContext, Session};
use crate::terminal::output::{self, Outcome};

pub(crate) fn run(context: &CallContext, args: &SyncArgs) -> Result<Outcome, AppError> {
    let (session, report) = ask(context, args)?;
    print(context, &session, &report);
    Ok(Outcome::Found)
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &SyncArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, report)| to_json(&session, &report))
}

fn ask(context: &CallContext, args: &SyncArgs) -> Result<(Session, SyncReport), AppError> {
    let session = Session::open_with_models(context, At::Ref(args.at.name()), |_| {})?;
    let (_, report) = session.with_repair(|| session.sync(SyncOptions { embed: true, ..SyncOptions::default() }))?;
    Ok((session, report))
}

/// What did not work out, if anything.
fn warning(session: &Session, report: &SyncReport) -> Option<String> {
    let broken = session.providers.embedding_problem.as_ref().map(|problem| format!("no vectors were made: {problem}"));
    report.unembedded.as_ref().map_or(broken, |(count, problem)| {
        let documents = render::count(*count, "search document");
        Some(format!("{documents} got no vector: {problem}; the next `codecompass index` makes up for it"))
    })
}

pub(super) fn to_json(session: &Session, report: &SyncReport) -> Value {
    let mut metadata = metadata(session);
    if let Some(warning) = warning(session, report) {
        metadata["warnings"] = json!([warning]);
    }
    let mut object = figures(report);
    object["root"] = json!(session.engine.workspace().root.to_string_lossy());
    object["metadata"] = metadata;
    object
}

/// What a sync did, in numbers.
pub(super) fn figures(report: &SyncReport) -> Value {
    json!({
        "generation": report.generation,
        "published": report.published,
        "files": report.files,
        "symbols": report.symbols,
        "parsed": report.parsed,
        "reused": report.reused,
        "removed": report.removed,
        "unreadable": report.unreadable,
    })
}

/// Prints what a sync did; `index` uses it, too.
pub(super) fn print(context: &CallContext, session: &Session, report: &SyncReport) {
    let warning = warning(session, report);
    if context.is_json() {
        output::object(&to_json(session, report));
        return;
    }
    let mut out = match report.published {
        true => format!("{} parsed, {} unchanged, {} removed", report.parsed, report.reused, report.removed),
        false => "up to date".to_string(),
    };
    if report.unreadable > 0 {
        out.push_str(&format!(", {} unreadable (`codecompass index --show-ignored` lists them)", report.unreadable));
    }
    out.push_str(&format!("\n{} files, {} symbols\n", report.files, report.symbols));
    if let Some(warning) = warning {
        out.push_str(&format!("{warning}\n"));
    }
    output::text(&out);
}
