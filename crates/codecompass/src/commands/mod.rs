//! One file per command.

mod completions;
mod eval;
mod install;
mod print;
mod uninstall;
mod watch;

use self::print::{print, show};
use crate::api::Request;
use crate::api::find::context::ContextRequest;
use crate::api::store::workspaces;
use crate::choices::ColorWhen;
use crate::cli::{Command, ServeMcpArgs, StateCommand};
use crate::error::AppError;
use crate::render;
use crate::render::store::state;
use crate::session::{CallContext, OutputFormat};
use crate::terminal::output::Outcome;

/// Runs a command; `serve` starts the server, which is not a part of the commands.
pub(crate) fn run(
    context: &CallContext,
    command: &Command,
    serve: impl FnOnce(&ServeMcpArgs) -> Result<Outcome, AppError>,
) -> Result<Outcome, AppError> {
    match command {
        // Questions in words, and about definitions.
        Command::Search(request) => ask(context, request, render::find::search::text),
        Command::Grep(args) => {
            let workspace = args.workspace.clone().or_else(|| context.workspace.clone());
            ask(&CallContext { workspace, ..context.clone() }, &args.request, render::find::grep::text)
        }
        Command::Context(request) => ask_for_context(context, request),
        Command::Explain(request) => ask(context, request, render::find::explain::text),
        Command::Suggest(request) => ask(context, request, render::find::suggest::text),
        Command::Locate(request) => ask(context, request, render::symbols::locate::text),
        Command::Outline(request) => ask(context, request, render::symbols::outline::text),
        Command::Show(request) => ask(context, request, render::symbols::show::text),

        // Questions about uses, calls and relations.
        Command::Refs(request) => ask(context, request, render::navigate::refs::text),
        Command::Calls(request) => ask(context, request, render::navigate::calls::text),
        Command::Trace(request) => ask(context, request, render::navigate::trace::text),
        Command::Impact(request) => ask(context, request, render::navigate::impact::text),
        Command::Hierarchy(request) => ask(context, request, render::relations::hierarchy::text),
        Command::Deps(request) => ask(context, request, render::relations::deps::text),
        Command::Related(request) => ask(context, request, render::relations::related::text),
        Command::Similar(request) => ask(context, request, render::relations::similar::text),

        // Questions about branches and the index.
        Command::Diff(request) => ask(context, request, render::navigate::diff::text),
        Command::Compare(request) => ask(context, request, render::navigate::compare::text),
        Command::Branches(request) => ask(context, request, render::index::branches::text),
        Command::Switch(request) => ask(context, request, render::index::switch::text),
        Command::Index(request) => ask(context, request, render::index::build::text),
        Command::Sync(request) => ask(context, request, render::index::sync::text),
        Command::Status(request) => ask(context, request, render::index::status::text),
        Command::Doctor(request) => ask(context, request, render::index::doctor::text),

        // What only the command line does.
        Command::Watch(args) => watch::run(context, args),
        Command::Gc(request) => Ok(show(context, &request.answer(context)?, render::store::gc::text)),
        Command::Workspaces => list_workspaces(context),
        Command::State(args) => match &args.command {
            StateCommand::Export(request) => Ok(show(context, &request.answer(context)?, state::export_text)),
            StateCommand::Import(request) => Ok(show(context, &request.answer(context)?, state::import_text)),
            StateCommand::Inspect(request) => Ok(show(context, &request.answer(context)?, state::inspect_text)),
        },
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
    Ok(print(context, request, request.answer(context)?, text))
}

/// Answers `context`, whose token budget holds for what is printed.
fn ask_for_context(context: &CallContext, request: &ContextRequest) -> Result<Outcome, AppError> {
    let text = render::find::context::TextForm { is_styled: context.color == ColorWhen::Always };
    let answer = match context.format {
        OutputFormat::Json => request.answer(context)?,
        OutputFormat::Text => request.answer_in(context, &text)?,
    };
    Ok(print(context, request, answer, render::find::context::text))
}

fn list_workspaces(context: &CallContext) -> Result<Outcome, AppError> {
    let answer = workspaces::answer()?;
    show(context, &answer, render::store::workspaces::text);
    Ok(Outcome::of(!answer.stores.is_empty()))
}
