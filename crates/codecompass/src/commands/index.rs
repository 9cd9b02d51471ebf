//! `codecompass index`: index the workspace, or list what is left out.

use std::collections::BTreeMap;

use codecompass_engine::{SyncOptions, SyncReport};
use serde_json::{Value, json};

use crate::cli::IndexArgs;
use crate::error::AppError;
use crate::session::{At, CallContext, Session};
use crate::terminal::output::{self, DIM, Outcome, PATH};

pub(crate) fn run(context: &CallContext, args: &IndexArgs) -> Result<Outcome, AppError> {
    let session = Session::open_with_models(context, At::Ref(args.at.name()), |_| {})?;
    if args.show_ignored {
        return show_ignored(context, &session);
    }
    let report = build(&session, args)?;
    super::sync::print(context, &session, &report);
    Ok(Outcome::Found)
}

/// What was done, as JSON.
pub(crate) fn answer(context: &CallContext, args: &IndexArgs) -> Result<Value, AppError> {
    let session = Session::open_with_models(context, At::Ref(args.at.name()), |_| {})?;
    let report = build(&session, args)?;
    Ok(super::sync::to_json(&session, &report))
}

fn build(session: &Session, args: &IndexArgs) -> Result<SyncReport, AppError> {
    let options = SyncOptions { rebuild: args.force, embed: true, at_most: None };
    session.with_repair(|| session.sync(options)).map(|(_, report)| report)
}

fn show_ignored(context: &CallContext, session: &Session) -> Result<Outcome, AppError> {
    let skipped = session.with_repair(|| {
        session.sync(SyncOptions::default())?;
        session.engine.skipped()
    })?;
    if context.is_json() {
        let list: Vec<_> = skipped
            .iter()
            .map(|skipped| {
                json!({"path": skipped.path, "is_dir": skipped.is_dir, "reason": skipped.reason.code(), "detail": skipped.reason.to_string()})
            })
            .collect();
        output::object(&json!({"skipped": list, "total": skipped.len()}));
    } else {
        let mut out = String::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for skipped in &skipped {
            let slash = if skipped.is_dir { "/" } else { "" };
            out.push_str(&format!("{PATH}{}{slash}{PATH:#}  {DIM}{}{DIM:#}\n", skipped.path, skipped.reason));
            *counts.entry(skipped.reason.code()).or_default() += 1;
        }
        let counts: Vec<String> =
            counts.iter().map(|(code, count)| format!("{count} {}", code.replace('_', " "))).collect();
        out.push_str(&format!(
            "{} skipped{}{}\n",
            skipped.len(),
            if counts.is_empty() { "" } else { ": " },
            counts.join(", ")
        ));
        output::text(&out);
    }
    Ok(Outcome::Found)
}
