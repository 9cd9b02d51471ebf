//! The server for agents: the Model Context Protocol over stdin and stdout, or over HTTP.
//!
//! ```text
//! stdio, http ──> server ──> calls ──> tools ──> commands ──> shape, trim
//! messages        protocol   threads   arguments  the answer   its size
//! ```
//!
//! [`stdio`] and [`http`] carry messages and serve the same [`server::Server`]. The SDK
//! speaks the protocol, the one with `initialize` and the one without. [`calls`] lets each call wait until the index is what is on
//! disk and then work, in one of few threads ([`workers`]); [`bounded`] keeps the time limit and lets no panic out. A tool turns its arguments into those of a command, and the command gives
//! the same object that it prints with `--json`; nothing is answered here that the command line would not answer.
//!
//! [`warm`] brings the index up to date in the background from the start, so that no handshake waits for it; then [`watchers`]
//! keep it so. [`open_snapshots`] stay open between calls.
//! [`workspaces`] says what may be asked about, [`health`] how all of it is, [`audit`] what was asked. [`options`] are flags and
//! settings.

mod allowed;
mod audit;
mod bounded;
mod calls;
mod health;
mod http;
mod open_snapshots;
mod options;
mod pages;
mod schema;
mod server;
mod shape;
mod signals;
mod stdio;
mod tools;
mod trim;
mod validate;
mod warm;
mod watchers;
mod wording;
mod workers;
mod workspaces;

use std::sync::Arc;

use self::options::Options;
use crate::cli::{Global, ServeMcpArgs};
use crate::error::AppError;
use crate::output::Outcome;
use crate::settings;

/// No message is longer.
const MOST_MESSAGE_BYTES: usize = 4 << 20;

/// Serves until the client goes away or the process is told to end.
pub(crate) fn run(global: &Global, args: &ServeMcpArgs) -> Result<Outcome, AppError> {
    let options = Options::new(global, args)?;
    let workspaces = workspaces::Workspaces::open(&args.workspaces, options.auto)?;
    let listed = tools::choose(&options.tools)?;
    let open = Arc::new(open_snapshots::OpenSnapshots::default());
    let watchers = watchers::Watchers::new(options.watch, global.quiet, open.kept());
    let warmth = Arc::new(warm::Warmth::new(watchers));
    let limits = calls::Limits {
        call: options.call_timeout,
        // Time must be left to answer without the newest index.
        index: options.index_wait.min(options.call_timeout * 3 / 4),
    };
    if let Some(http) = &options.http {
        http::check(http)?;
    }
    let warmed = workspaces.given().filter(|workspace| workspace.may_be_warmed);
    warmed.for_each(|workspace| warmth.start(workspace, global.quiet));
    let audit = options.audit_log.map(audit::AuditLog::new);
    let host = Arc::new(calls::Host::new(workspaces, warmth, open, limits, audit));
    let (recent, home) = (Arc::clone(&host), settings::homes()?.data);
    std::thread::spawn(move || recent.warm_recent(&home));
    let server = server::Server::new(Arc::clone(&host), listed, options.answers);
    match options.http {
        None => stdio::serve(server)?,
        Some(http) => http::serve(host, server, http)?,
    }
    Ok(Outcome::Found)
}

/// Names, whether they are listed by default, and descriptions of all tools, for generated documentation.
pub(crate) fn catalogue() -> impl Iterator<Item = (&'static str, bool, &'static str)> {
    tools::TOOLS.iter().map(|tool| (tool.name, tool.is_core, tool.about))
}
