//! `codecompass uninstall`: takes the MCP server out of the settings of coding agents.

use super::install::{Direction, change};
use crate::cli::UninstallArgs;
use codecompass_app::error::AppError;
use codecompass_app::session::CallContext;
use codecompass_app::terminal::output::Outcome;

pub(crate) fn run(context: &CallContext, args: &UninstallArgs) -> Result<Outcome, AppError> {
    change(context, &args.which, args.force, Direction::Out)
}
