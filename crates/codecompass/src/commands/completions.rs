//! `codecompass completions`: a completion script.

use clap::CommandFactory;
use codecompass_app::error::AppError;
use codecompass_app::terminal::output::{self, Outcome};

use crate::cli::{Cli, CompletionsArgs};

pub(crate) fn run(args: &CompletionsArgs) -> Result<Outcome, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "codecompass", &mut script);
    output::text(&String::from_utf8_lossy(&script));
    Ok(Outcome::Found)
}
