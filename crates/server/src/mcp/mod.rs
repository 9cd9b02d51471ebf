//! The server for agents: the Model Context Protocol over stdin and stdout, or over HTTP.
//!
//! ```text
//! transport ──> server ──> calls ──> tools ──> api ──> answer
//! messages      protocol   threads   arguments  the answer  its size
//! ```
//!
//! `transport` carries messages and serves the same [`server::Server`] on every way. The SDK
//! speaks the protocol, the one with `initialize` and the one without. `answerer` is the interface
//! to those who answer calls, `host_request` has that of this machine, and `many` is the call that
//! asks several others. `calls` lets each call
//! wait until the index is what is on disk and then work, in one of few threads
//! ([`codecompass_app::workers`]); `timeout` keeps the time limit and lets no panic out. A tool
//! decodes its arguments into the request that the command line makes from flags, and its answer is
//! the object that the command line prints with `--json`.
//!
//! `workspace` says what may be asked about. Its `prewarm` brings the index up to date in the
//! background from the start, so that no handshake waits for it; `watchers` keep it so, and
//! `snapshots` stay open between calls. `health` tells the state of all of it, `audit` records
//! calls, `cited` what their answers cite for the savings ledger, `options` are flags and
//! settings. `page_calls` are questions that come from the page and the JSON interface.

mod answer;
mod answerer;
mod arguments;
mod audit;
mod calls;
mod cited;
mod health;
mod host_request;
mod many;
mod options;
mod page_calls;
mod schema;
mod server;
mod signals;
mod timeout;
mod tools;
mod transport;
mod workspace;

use std::sync::Arc;

use codecompass_app::error::AppError;
use codecompass_app::savings::{Ledger, LedgerFile};
use codecompass_app::session::CallContext;
use codecompass_app::settings;
use codecompass_app::terminal::output::Outcome;

pub use self::answer::{AnswerForm, SentAnswer};
pub use self::answerer::{Answerer, Answering, RequestAnswerer, ToolCall};
pub use self::calls::Host;
pub use self::cited::CitedAnswers;
use self::options::Options;
pub use self::page_calls::PageCall;
pub use self::server::Server;
pub use self::tools::{AnswerNote, DecodedCall, NodeBody, OwnAnswers, TOOLS, Tool, answer, answer_part, ask_nodes};
use self::transport::http::PageRoutes;
pub use self::transport::http::questions::status;
pub use self::transport::http::{Ends, ListenOptions, protocol, serve_routes};
use crate::args::ServeMcpArgs;

/// Returns whether the first workspace has a chat model that may be asked.
fn has_chat(workspaces: &workspace::Workspaces) -> bool {
    let root = workspaces.given().next().map(|workspace| &workspace.root);
    let loaded = root.and_then(|root| settings::load(&settings::homes().ok()?, root).ok());
    loaded.is_some_and(|settings| settings.providers.chat.is_asked_for && settings.providers.may_leave())
}

/// Serves until the client goes away or the process is told to end; `pages` makes the routes of the
/// page, where that is wanted.
pub fn run(context: &CallContext, args: &ServeMcpArgs, pages: PageRoutes) -> Result<Outcome, AppError> {
    let options = Options::new(context, args, pages)?;
    let workspaces = workspace::Workspaces::open(&args.workspaces, options.auto)?;
    let listed = tools::choose(&options.tools, has_chat(&workspaces))?;
    let open = Arc::new(workspace::snapshots::OpenSnapshots::default());
    let watchers = workspace::watchers::Watchers::new(options.watch, context.quiet, open.kept());
    let prewarmer = Arc::new(workspace::prewarm::Prewarmer::new(watchers));
    let limits = calls::Limits {
        call: options.call_timeout,
        // Time must be left to answer without the newest index.
        index: options.index_wait.min(options.call_timeout * 3 / 4),
    };
    if let Some(http) = &options.http {
        transport::http::check(http)?;
    }
    let warmed = workspaces.given().filter(|workspace| workspace.may_be_warmed);
    warmed.for_each(|workspace| prewarmer.start(workspace, context.quiet));
    let home = settings::homes()?.data;
    let records = calls::Records {
        audit: options.audit_log.map(|file| Arc::new(audit::AuditLog::new(file))),
        ledger: options.savings.then(|| Ledger::start(LedgerFile::new(&home))),
    };
    let host = Arc::new(calls::Host::new(workspaces, prewarmer, open, limits, records));
    let recent = Arc::clone(&host);
    std::thread::spawn(move || recent.warm_recent(&home));
    let server = server::Server::new(Arc::clone(&host) as Arc<dyn Answerer>, listed, options.answers);
    let served = match options.http {
        None => transport::stdio::serve(server),
        Some(http) => transport::http::serve(Arc::clone(&host), server, http),
    };
    host.flush_ledger();
    served.map(|()| Outcome::Found)
}

/// Names, when they are listed, and descriptions of all tools, for generated documentation.
pub fn catalogue() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    tools::TOOLS.iter().map(|tool| (tool.name, tool.listed(), tool.about))
}
