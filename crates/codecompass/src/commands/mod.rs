//! One file per command.

pub(crate) mod branches;
mod completions;
pub(crate) mod context;
pub(crate) mod deps;
pub(crate) mod doctor;
mod eval;
pub(crate) mod explain;
mod explain_text;
mod gc;
mod graph;
pub(crate) mod hierarchy;
pub(crate) mod index;
mod install;
pub(crate) mod locate;
pub(crate) mod related;
pub(crate) mod show;
pub(crate) mod similar;
mod state;
pub(crate) mod status;
pub(crate) mod suggest;
pub(crate) mod switch;
pub(crate) mod sync;
mod uninstall;
mod watch;
mod workspaces;

use codecompass_engine::query::{Hit, Subject};
use serde_json::{Value, json};

use crate::api::arguments::{filter, symbol};
use crate::api::metadata::{Metadata, NoExtra, reference};
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::cli::{Command, ServeMcpArgs};
use crate::error::AppError;
use crate::remedy::Voice;
use crate::render::{self, line};
use crate::session::{CallContext, OutputFormat, Session};
use crate::terminal::output::{self, Outcome};

/// Runs a command; `serve` starts the server, which is not a part of the commands.
pub(crate) fn run(
    context: &CallContext,
    command: &Command,
    serve: impl FnOnce(&ServeMcpArgs) -> Result<Outcome, AppError>,
) -> Result<Outcome, AppError> {
    match command {
        // Questions in words, and about definitions.
        Command::Search(request) => ask(context, request, render::find::search::text),
        Command::Context(args) => context::run(context, args),
        Command::Explain(args) => explain::run(context, args),
        Command::Suggest(args) => suggest::run(context, args),
        Command::Locate(args) => locate::run(context, args),
        Command::Outline(request) => ask(context, request, render::symbols::outline::text),
        Command::Show(args) => show::run(context, args),

        // Questions about uses, calls and relations.
        Command::Refs(request) => ask(context, request, render::navigate::refs::text),
        Command::Calls(request) => ask(context, request, render::navigate::calls::text),
        Command::Trace(request) => ask(context, request, render::navigate::trace::text),
        Command::Impact(request) => ask(context, request, render::navigate::impact::text),
        Command::Hierarchy(args) => hierarchy::run(context, args),
        Command::Deps(args) => deps::run(context, args),
        Command::Related(args) => related::run(context, args),
        Command::Similar(args) => similar::run(context, args),

        // Questions about branches and the index.
        Command::Diff(request) => ask(context, request, render::navigate::diff::text),
        Command::Compare(request) => ask(context, request, render::navigate::compare::text),
        Command::Branches(args) => branches::run(context, args),
        Command::Switch(args) => switch::run(context, args),
        Command::Index(args) => index::run(context, args),
        Command::Sync(args) => sync::run(context, args),
        Command::Status(args) => status::run(context, args),
        Command::Doctor(args) => doctor::run(context, args),

        // What only the command line does.
        Command::Watch(args) => watch::run(context, args),
        Command::Gc(args) => gc::run(context, args),
        Command::Workspaces => workspaces::run(context),
        Command::State(args) => state::run(context, args),
        Command::Eval(args) => eval::run(context, args),
        Command::ServeMcp(args) => serve(args),
        Command::Install(args) => install::run(context, args),
        Command::Uninstall(args) => uninstall::run(context, args),
        Command::Completions(args) => completions::run(args),
    }
}

/// Answers a question and prints the answer, as JSON or as `text` words it.
fn ask<R: Request>(
    context: &CallContext,
    request: &R,
    text: fn(&R, &R::Answer) -> String,
) -> Result<Outcome, AppError> {
    let answer = request.answer(context)?;
    let outcome = Outcome::of(answer.is_found());
    match context.format {
        OutputFormat::Json => output::object(&answer.to_json(Voice::Cli)),
        OutputFormat::Text => {
            output::text(&text(request, &answer));
            let notes = if context.quiet { Vec::new() } else { answer.notes() };
            notes.iter().for_each(|note| output::note(note));
        }
    }
    Ok(outcome)
}

/// The symbol that an answer is about, and what else its argument could mean, as JSON.
fn subject_json(subject: &Subject) -> (Value, Value) {
    let others = subject.others.iter().map(|hit| render::hit_json(hit, Detail::Signature, Explain::Off));
    (render::hit_json(&subject.hit, Detail::Signature, Explain::Off), others.collect())
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
    json!(Metadata::<NoExtra>::new(session))
}

/// What else the SYMBOL argument could mean, below an answer about its best meaning.
fn other_meanings(out: &mut String, subject: &Subject, argument: &str) {
    let others: Vec<&Hit> = subject.others.iter().collect();
    render::other_meanings(out, &others, subject.others_total, argument);
}
