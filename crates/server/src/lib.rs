//! The server of CodeCompass: the Model Context Protocol for agents, and the page for people.
//! `codecompass` serves one machine with it, `codecompass-node` the repositories of a cluster.

pub mod args;
pub mod mcp;
pub mod ui;

use codecompass_app::error::AppError;
use codecompass_app::session::CallContext;
use codecompass_app::terminal::output::Outcome;

use self::args::ServeMcpArgs;

/// Serves agents, and people where flags or settings ask for the page, until the client goes away
/// or the process is told to end.
pub fn run(context: &CallContext, args: &ServeMcpArgs) -> Result<Outcome, AppError> {
    mcp::run(context, args, ui::routes)
}
