//! One file per command.

mod ask;
mod browser;
mod clone_urls;
mod completions;
mod eval;
mod install;
mod print;
mod uninstall;
mod watch;

use codecompass_app::api::store::workspaces;
use codecompass_app::error::AppError;
use codecompass_app::render;
use codecompass_app::render::store::{remote, state};
use codecompass_app::session::CallContext;
use codecompass_app::terminal::output::Outcome;

use self::ask::ask;
pub(crate) use self::clone_urls::open_urls;
use self::print::show;
use crate::cli::{Command, ConfigCommand, HistoryArgs, StateCommand};

/// Runs a command.
pub(crate) fn run(context: &CallContext, command: &Command) -> Result<Outcome, AppError> {
    match command {
        // Questions in words, and about definitions.
        Command::Search(request) => ask(context, request),
        Command::Grep(args) => ask(context, &args.request),
        Command::Context(request) => ask(context, request),
        Command::Analyze(request) => ask(context, request),
        Command::Explain(request) => ask(context, request),
        Command::Suggest(request) => ask(context, request),
        Command::Locate(request) => ask(context, request),
        Command::Symbols(request) => ask(context, request),
        Command::Outline(request) => ask(context, request),
        Command::Show(request) => ask(context, request),
        Command::Read(request) => ask(context, request),
        Command::Ls(request) => ask(context, request),

        // Questions about uses, calls and relations.
        Command::Refs(request) => ask(context, request),
        Command::Calls(request) => ask(context, request),
        Command::Trace(request) => ask(context, request),
        Command::Impact(request) => ask(context, request),
        Command::Hierarchy(request) => ask(context, request),
        Command::Deps(request) => ask(context, request),
        Command::Related(request) => ask(context, request),
        Command::Similar(request) => ask(context, request),
        Command::Endpoints(request) => ask(context, request),
        Command::Services(request) => ask(context, request),
        Command::Overview(request) => ask(context, request),
        Command::Projects(request) => ask(context, request),
        // Questions about branches and the index.
        Command::Diff(request) => ask(context, request),
        Command::Compare(request) => ask(context, request),
        Command::History(args) => search_history(context, args),
        Command::Blame(args) => ask(context, &args.request()),
        Command::Branches(request) => ask(context, request),
        Command::Switch(request) => ask(context, request),
        Command::Index(request) => ask(context, request),
        Command::Sync(request) => ask(context, request),
        Command::Status(request) => ask(context, request),
        Command::Doctor(request) => ask(context, request),
        // What only the command line does.
        Command::Watch(args) => watch::run(context, args),
        Command::Gc(request) => Ok(show(context, &request.answer(context)?, render::store::gc::text)),
        Command::Workspaces => list_workspaces(context),
        Command::Savings(request) => Ok(show(context, &request.answer()?, render::store::savings::text)),
        Command::Config(args) => {
            let ConfigCommand::Show(request) = &args.command;
            Ok(show(context, &request.answer(context)?, render::store::config::text))
        }
        Command::State(args) => carry_state(context, &args.command),
        Command::Eval(args) => eval::run(context, args),
        Command::Install(args) => install::run(context, args),
        Command::Uninstall(args) => uninstall::run(context, args),
        Command::Completions(args) => completions::run(args),
        Command::Ui(args) => codecompass_server::run(context, &args.server(browser::open)),
        Command::ServeMcp(args) => codecompass_server::run(context, args),
    }
}

fn search_history(context: &CallContext, args: &HistoryArgs) -> Result<Outcome, AppError> {
    if args.hot {
        return ask(context, &args.of_hot_spots()?);
    }
    match args.of_symbol() {
        Some(request) => ask(context, &request),
        None => ask(context, &args.request),
    }
}

fn carry_state(context: &CallContext, command: &StateCommand) -> Result<Outcome, AppError> {
    match command {
        StateCommand::Export(request) => Ok(show(context, &request.answer(context)?, state::export_text)),
        StateCommand::Import(request) => Ok(show(context, &request.answer(context)?, state::import_text)),
        StateCommand::Inspect(request) => Ok(show(context, &request.answer(context)?, state::inspect_text)),
        StateCommand::Push(request) => Ok(show(context, &request.answer(context)?, remote::push_text)),
        StateCommand::Pull(request) => Ok(show(context, &request.answer(context)?, remote::pull_text)),
        StateCommand::Prune(request) => Ok(show(context, &request.answer(context)?, remote::prune_text)),
        StateCommand::List(request) => {
            let answer = request.answer(context)?;
            show(context, &answer, remote::list_text);
            Ok(Outcome::of(!answer.states.is_empty()))
        }
    }
}

fn list_workspaces(context: &CallContext) -> Result<Outcome, AppError> {
    let answer = workspaces::answer()?;
    show(context, &answer, render::store::workspaces::text);
    Ok(Outcome::of(!answer.stores.is_empty()))
}
