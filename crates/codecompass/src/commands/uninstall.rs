//! `codecompass uninstall`: takes the MCP server out of the settings of coding agents.

use codecompass_app::error::AppError;
use codecompass_app::session::CallContext;
use codecompass_app::terminal::output::Outcome;

use super::install::{Direction, change};
use crate::cli::UninstallArgs;

pub(crate) fn run(context: &CallContext, args: &UninstallArgs) -> Result<Outcome, AppError> {
    change(context, &args.which, args.force, Direction::Out)
}
