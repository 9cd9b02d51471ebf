//! `codecompass sync`: bring the index up to date and say what changed.

use codecompass_engine::{SyncOptions, SyncReport};
use serde_json::{Value, json};

use super::metadata;
use crate::cli::{Global, SyncArgs};
use crate::error::AppError;
use crate::output::{self, Outcome};
use crate::session::Session;

pub(crate) fn run(global: &Global, args: &SyncArgs) -> Result<Outcome, AppError> {
    let (session, report) = ask(global, args)?;
    print(global, &session, &report);
    Ok(Outcome::Found)
}

/// The answer as JSON.
pub(crate) fn answer(global: &Global, args: &SyncArgs) -> Result<Value, AppError> {
    ask(global, args).map(|(session, report)| to_json(&session, &report))
}

fn ask(global: &Global, args: &SyncArgs) -> Result<(Session, SyncReport), AppError> {
    let session = Session::open_at(global, &args.at)?;
    let (_, report) = session.mending(|| session.sync(SyncOptions { embed: true, ..SyncOptions::default() }))?;
    Ok((session, report))
}

fn to_json(session: &Session, report: &SyncReport) -> Value {
    json!({
        "root": session.engine.workspace().root.to_string_lossy(),
        "generation": report.generation,
        "published": report.published,
        "files": report.files,
        "symbols": report.symbols,
        "parsed": report.parsed,
        "reused": report.reused,
        "removed": report.removed,
        "unreadable": report.unreadable,
        "metadata": metadata(session),
    })
}

/// Prints what a sync did; `index` uses it, too.
pub(super) fn print(global: &Global, session: &Session, report: &SyncReport) {
    if global.json {
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
    output::text(&out);
}
