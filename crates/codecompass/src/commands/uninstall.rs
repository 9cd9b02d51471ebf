//! `codecompass uninstall`: takes the MCP server out of the settings of coding agents.

use super::install::{Direction, change};
use crate::cli::{Global, UninstallArgs};
use crate::error::AppError;
use crate::output::Outcome;

pub(crate) fn run(global: &Global, args: &UninstallArgs) -> Result<Outcome, AppError> {
    change(global, &args.which, args.force, Direction::Out)
}
