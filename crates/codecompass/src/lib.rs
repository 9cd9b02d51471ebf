//! The command line of CodeCompass as a library: [`run`] is the whole program, [`command`]
//! describes its arguments for documentation. Use `codecompass-engine` to ask questions from Rust.

mod cli;
mod commands;
mod evaluation;
mod install;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use codecompass_app::error;
use codecompass_app::terminal::output;
use codecompass_server::mcp;

/// Reads the arguments, runs one command, prints its answer and gives the exit code: 0 found, 1
/// nothing found, 2 error.
pub fn run() -> ExitCode {
    let mut cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&with_moved_commands(error)),
    };
    let json = cli.global.json;
    output::set_color(cli.global.color);
    if let Err(error) = commands::open_urls(&mut cli) {
        return output::report(&error, json);
    }
    match commands::run(&cli.context(), &cli.command) {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => output::report(&error, json),
    }
}

/// Names the program that has the commands of clusters when one of them is asked for here.
fn with_moved_commands(mut error: clap::Error) -> clap::Error {
    let asked = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
    if asked.is_some_and(|name| name == "node" || name == "cluster") {
        let place = "commands of clusters are in the program `codecompass-node`, see docs/cluster.md";
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![place.into()]));
    }
    error
}

/// The arguments of the program, for generated documentation.
pub fn command() -> clap::Command {
    cli::Cli::command()
}

/// Codes and meanings of all errors, for generated documentation.
pub fn error_codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    error::Code::ALL.iter().map(|code| (code.as_str(), code.meaning()))
}

/// Names, when they are listed, and descriptions of the tools that the server has, for generated
/// documentation.
pub fn tools() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    mcp::catalogue()
}
