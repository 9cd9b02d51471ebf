//! One file per command.

mod completions;
mod doctor;
mod gc;
mod index;
mod locate;
mod outline;
mod search;
mod show;
mod status;
mod sync;

use codecompass_engine::query::{Filter, HitKind, PathPattern};
use codecompass_engine::syntax::{facts::Kind, languages};
use serde_json::{Value, json};

use crate::cli::{Cli, Command, FilterArgs};
use crate::error::AppError;
use crate::output::{self, Outcome};
use crate::render;
use crate::session::Session;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<Outcome, AppError> {
    output::set_color(cli.global.color);
    let global = &cli.global;
    match &cli.command {
        Command::Completions(args) => completions::run(args),
        Command::Search(args) => search::run(global, args),
        Command::Locate(args) => locate::run(global, args),
        Command::Outline(args) => outline::run(global, args),
        Command::Show(args) => show::run(global, args),
        Command::Index(args) => index::run(global, args),
        Command::Sync => sync::run(global),
        Command::Status => status::run(global),
        Command::Doctor(args) => doctor::run(global, args),
        Command::Gc(args) => gc::run(global, args),
    }
}

/// Checks filter flags and makes them the engine's.
fn filter(session: &Session, args: &FilterArgs) -> Result<Filter, AppError> {
    session.check_ref(args.reference.as_deref())?;
    let known_languages: Vec<&str> = languages::all().iter().map(|language| language.name).chain(["text"]).collect();
    for wanted in &args.lang {
        if !known_languages.iter().any(|known| known.eq_ignore_ascii_case(wanted)) {
            return Err(AppError::invalid(
                format!("unknown language `{wanted}`"),
                format!("known languages are {}", known_languages.join(", ")),
            ));
        }
    }
    let known_kinds: Vec<&str> =
        Kind::ALL.iter().map(|kind| kind.as_str()).chain([HitKind::Text.as_str(), HitKind::File.as_str()]).collect();
    for wanted in &args.kind {
        if !known_kinds.contains(&wanted.as_str()) {
            return Err(AppError::invalid(
                format!("unknown kind `{wanted}`"),
                format!("known kinds are {}", known_kinds.join(", ")),
            ));
        }
    }
    let paths = args.path.iter().map(|pattern| PathPattern::new(pattern)).collect::<Result<_, _>>()?;
    Ok(Filter { languages: args.lang.clone(), kinds: args.kind.clone(), paths })
}

/// The metadata that every answer has.
fn metadata(session: &Session) -> Value {
    json!({
        "codecompass_protocol_version": render::PROTOCOL,
        "ref": reference(session),
    })
}

/// What the answer speaks for: the branch, the commit when detached, or `live` outside git.
fn reference(session: &Session) -> String {
    let head = codecompass_engine::scan::head(session.engine.workspace()).ok().flatten();
    match head {
        Some(head) => head.reference.or(head.commit).unwrap_or_else(|| "HEAD".into()),
        None => "live".into(),
    }
}
