//! One file per command.

mod completions;
mod eval;
mod gc;
mod install;
mod state;
mod uninstall;
mod watch;
mod workspaces;

use crate::api::{Answer, Request};
use crate::cli::{Command, ServeMcpArgs};
use crate::error::AppError;
use crate::remedy::Voice;
use crate::render;
use crate::session::{CallContext, OutputFormat};
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
        Command::Grep(args) => {
            let workspace = args.workspace.clone().or_else(|| context.workspace.clone());
            ask(&CallContext { workspace, ..context.clone() }, &args.request, render::find::grep::text)
        }
        Command::Context(request) => ask(context, request, render::find::context::text),
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
