//! `codecompass uninstall`: takes the MCP server out of the settings of coding agents.

use super::install::{Direction, change};
use crate::cli::UninstallArgs;
use crate::error::AppError;
use crate::session::CallContext;
use crate::terminal::output::Outcome;

pub(crate) fn run(context: &CallContext, args: &UninstallArgs) -> Result<Outcome, AppError> {
    change(context, &args.which, args.force, Direction::Out)
}
