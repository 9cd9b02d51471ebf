//! The server for agents: the Model Context Protocol over stdin and stdout.
//!
//! ```text
//! stdio ──> server ──> calls ──> tools ──> commands ──> shape, trim
//! messages  protocol   threads   arguments  the answer   its size
//! ```
//!
//! [`stdio`] carries messages; another transport would stand beside it and serve the same [`server::Server`]. The SDK
//! speaks the protocol, the one with `initialize` and the one without. [`calls`] runs each call in a thread of its own,
//! within a time limit, and [`bounded`] lets no panic out. A tool turns its arguments into those of a command, and the command gives
//! the same object that it prints with `--json`; nothing is answered here that the command line would not answer.
//!
//! [`warm`] brings the index up to date in the background from the start, so that no handshake waits for it.
//! [`workspaces`] says what may be asked about.

mod bounded;
mod calls;
mod schema;
mod server;
mod shape;
mod stdio;
mod tools;
mod trim;
mod validate;
mod warm;
mod wording;
mod workspaces;

use std::sync::Arc;
use std::time::Duration;

use crate::cli::{Global, ServeMcpArgs};
use crate::error::AppError;
use crate::output::Outcome;

/// Serves until the client goes away or the process is told to end.
pub(crate) fn run(global: &Global, args: &ServeMcpArgs) -> Result<Outcome, AppError> {
    let workspaces = workspaces::Workspaces::open(&args.workspaces)?;
    let listed = tools::choose(&args.tools)?;
    let warmth = Arc::new(warm::Warmth::default());
    let limits = calls::Limits {
        call: Duration::from_secs(args.call_timeout),
        // Time must be left to answer without the newest index.
        index: Duration::from_secs(args.index_wait).min(Duration::from_secs(args.call_timeout) * 3 / 4),
    };
    let warmed = workspaces.all().filter(|workspace| workspace.may_be_warmed);
    warmed.for_each(|workspace| warmth.start(workspace, global.quiet));
    let host = Arc::new(calls::Host::new(workspaces, warmth, limits));
    stdio::serve(server::Server::new(host, listed))?;
    Ok(Outcome::Found)
}

/// Names, whether they are listed by default, and descriptions of all tools, for generated documentation.
pub(crate) fn catalogue() -> impl Iterator<Item = (&'static str, bool, &'static str)> {
    tools::TOOLS.iter().map(|tool| (tool.name, tool.is_core, tool.about))
}
