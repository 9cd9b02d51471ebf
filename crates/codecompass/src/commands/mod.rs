//! One file per command.

pub(crate) mod branches;
pub(crate) mod calls;
pub(crate) mod compare;
mod completions;
pub(crate) mod context;
pub(crate) mod deps;
pub(crate) mod diff;
pub(crate) mod doctor;
mod doctor_fix;
mod doctor_models;
mod doctor_rules;
mod doctor_warmth;
mod eval;
pub(crate) mod explain;
mod explain_text;
mod gc;
mod graph;
pub(crate) mod hierarchy;
pub(crate) mod impact;
pub(crate) mod index;
mod install;
pub(crate) mod locate;
pub(crate) mod outline;
mod page;
pub(crate) mod refs;
pub(crate) mod related;
pub(crate) mod search;
mod search_metadata;
pub(crate) mod show;
pub(crate) mod similar;
mod state;
pub(crate) mod status;
pub(crate) mod suggest;
pub(crate) mod switch;
pub(crate) mod sync;
pub(crate) mod trace;
mod uninstall;
mod watch;
mod watch_process;
mod workspaces;

use codecompass_engine::model::Target;
use codecompass_engine::query::{self, Filter, Hit, HitKind, PathPattern, Subject};
use codecompass_engine::syntax::{facts::Kind, languages};
use serde_json::{Value, json};

use crate::cli::{Cli, Command, Detail, Explain, FilterArgs, MetadataLevel};
use crate::error::AppError;
use crate::output::{self, DIM, Outcome};
use crate::render;
use crate::session::Session;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<Outcome, AppError> {
    output::set_color(cli.global.color);
    let global = &cli.global;
    match &cli.command {
        Command::Completions(args) => completions::run(args),
        Command::Workspaces => workspaces::run(global),
        Command::Search(args) => search::run(global, args),
        Command::Context(args) => context::run(global, args),
        Command::Locate(args) => locate::run(global, args),
        Command::Outline(args) => outline::run(global, args),
        Command::Show(args) => show::run(global, args),
        Command::Refs(args) => refs::run(global, args),
        Command::Calls(args) => calls::run(global, args),
        Command::Trace(args) => trace::run(global, args),
        Command::Impact(args) => impact::run(global, args),
        Command::Hierarchy(args) => hierarchy::run(global, args),
        Command::Deps(args) => deps::run(global, args),
        Command::Related(args) => related::run(global, args),
        Command::Similar(args) => similar::run(global, args),
        Command::Diff(args) => diff::run(global, args),
        Command::Compare(args) => compare::run(global, args),
        Command::Branches(args) => branches::run(global, args),
        Command::Switch(args) => switch::run(global, args),
        Command::Explain(args) => explain::run(global, args),
        Command::Suggest(args) => suggest::run(global, args),
        Command::Index(args) => index::run(global, args),
        Command::Sync(args) => sync::run(global, args),
        Command::Watch(args) => watch::run(global, args),
        Command::Status(args) => status::run(global, args),
        Command::Doctor(args) => doctor::run(global, args),
        Command::Gc(args) => gc::run(global, args),
        Command::State(args) => state::run(global, args),
        Command::Eval(args) => eval::run(global, args),
        Command::ServeMcp(args) => crate::mcp::run(global, args),
        Command::Install(args) => install::run(global, args),
        Command::Uninstall(args) => uninstall::run(global, args),
    }
}

/// Checks filter flags and makes them the engine's.
fn filter(args: &FilterArgs) -> Result<Filter, AppError> {
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

/// A SYMBOL argument whose path, if it is a place, is relative to the root.
fn symbol(session: &Session, symbol: &str) -> Result<String, AppError> {
    Ok(match query::parse_place(symbol.trim()) {
        Some((path, line, None)) => format!("{}:{line}", session.relative_path(path)?),
        Some((path, line, Some(column))) => format!("{}:{line}:{column}", session.relative_path(path)?),
        None => symbol.to_string(),
    })
}

/// Other meanings of a SYMBOL argument that are listed below an answer.
const OTHERS_SHOWN: usize = 5;

/// The symbol that an answer is about, and what else its argument could mean, as JSON.
fn subject_json(subject: &Subject) -> (Value, Value) {
    let others = subject.others.iter().map(|hit| render::hit_json(hit, Detail::Signature, Explain::Off));
    (render::hit_json(&subject.hit, Detail::Signature, Explain::Off), others.collect())
}

/// One line for a hit: its place, kind and name.
fn line(out: &mut String, hit: &Hit) {
    let mut bare = hit.clone();
    (bare.signature, bare.doc) = (String::new(), None);
    bare.other_places.clear();
    render::hit_text(out, &bare, None, Explain::Off);
}

/// What else the SYMBOL argument could mean, below an answer about its best meaning.
fn other_meanings(out: &mut String, subject: &Subject, argument: &str) {
    if subject.others.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n{DIM}`{argument}` could also mean; give path:line or a container to ask for it:{DIM:#}\n"
    ));
    subject.others.iter().take(OTHERS_SHOWN).for_each(|hit| line(out, hit));
    let more = subject.others_total - subject.others.len().min(OTHERS_SHOWN);
    if more > 0 {
        out.push_str(&format!("{DIM}and {more} more; `codecompass locate {argument}` lists them{DIM:#}\n"));
    }
}

/// Says in the metadata how many there are and how many are listed, and that some are left out if so.
fn counts(metadata: &mut Value, total: usize, returned: usize) {
    metadata["total_candidates"] = json!(total);
    metadata["returned"] = json!(returned);
    if total > returned {
        metadata["result_completeness"] = json!("truncated");
    }
}

/// The metadata that every answer has.
fn metadata(session: &Session) -> Value {
    let mut metadata = json!({
        "codecompass_protocol_version": render::PROTOCOL,
        "ref": reference(session),
    });
    // Who asks for more than the ref gets it from the state that was just published.
    if session.metadata == MetadataLevel::Full
        && let Ok(identity) = session.engine.identity()
    {
        metadata["root"] = json!(identity.root.to_string_lossy());
        metadata["commit"] = json!(identity.commit);
        metadata["dirty_files"] = json!(identity.dirty_files);
        metadata["generation"] = json!(identity.generation);
        metadata["rank_profile_version"] = json!(query::rank_profile_version(&session.engine.config().search));
        metadata["freshness_status"] = json!("fresh");
        metadata["indexing_status"] = json!("ready");
    }
    if session.is_stale() {
        metadata["freshness_status"] = json!("stale");
    }
    if session.is_unfinished() {
        metadata["result_completeness"] = json!("partial");
    }
    if session.is_as_is() || session.is_unfinished() {
        metadata["freshness_status"] = json!("syncing");
        metadata["indexing_status"] = json!("indexing");
    }
    metadata
}

/// What the answer speaks for: the ref that was asked for, the branch, the commit when detached, or `live` outside git.
pub(crate) fn reference(session: &Session) -> String {
    if let Target::Commit { name, .. } = session.engine.target() {
        return name.clone();
    }
    let head = codecompass_engine::scan::head(session.engine.workspace()).ok().flatten();
    match head {
        Some(head) => head.reference.or(head.commit).unwrap_or_else(|| "HEAD".into()),
        None => "live".into(),
    }
}
