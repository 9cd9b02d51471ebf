//! The server for agents: the Model Context Protocol over stdin and stdout, or over HTTP.
//!
//! ```text
//! stdio, http ──> server ──> calls ──> tools ──> commands ──> shape, trim
//! messages        protocol   threads   arguments  the answer   its size
//! ```
//!
//! [`stdio`] and [`http`] carry messages and serve the same [`server::Server`]. The SDK
//! speaks the protocol, the one with `initialize` and the one without. [`calls`] runs each call in a thread of its own,
//! within a time limit, and [`bounded`] lets no panic out. A tool turns its arguments into those of a command, and the command gives
//! the same object that it prints with `--json`; nothing is answered here that the command line would not answer.
//!
//! [`warm`] brings the index up to date in the background from the start, so that no handshake waits for it.
//! [`workspaces`] says what may be asked about, [`health`] how all of it is.

mod bounded;
mod calls;
mod health;
mod http;
mod schema;
mod server;
mod shape;
mod signals;
mod stdio;
mod tools;
mod trim;
mod validate;
mod warm;
mod wording;
mod workspaces;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::cli::{Global, ServeMcpArgs, Transport};
use crate::error::AppError;
use crate::output::Outcome;
use crate::settings;

/// No message is longer.
const MOST_MESSAGE_BYTES: usize = 4 << 20;

/// Where HTTP is served if nothing is said.
const USUAL_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4747);

/// Serves until the client goes away or the process is told to end.
pub(crate) fn run(global: &Global, args: &ServeMcpArgs) -> Result<Outcome, AppError> {
    let http = match args.transport {
        Transport::Stdio => None,
        Transport::Http => Some(http_options(global, args)?),
    };
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
    let server = server::Server::new(Arc::clone(&host), listed);
    match http {
        None => stdio::serve(server)?,
        Some(options) => http::serve(host, server, options)?,
    }
    Ok(Outcome::Found)
}

fn http_options(global: &Global, args: &ServeMcpArgs) -> Result<http::HttpOptions, AppError> {
    let token = match &args.token_file {
        Some(file) => Some(http::Token::from_file(file)?),
        None => {
            let token = settings::server_token()?;
            token.map(|token| http::Token::new(&token, settings::SERVER_TOKEN)).transpose()?
        }
    };
    Ok(http::HttpOptions {
        bind: args.bind.unwrap_or(USUAL_ADDRESS),
        token,
        hosts: args.allowed_hosts.clone(),
        origins: args.allowed_origins.clone(),
        quiet: global.quiet,
    })
}

/// Names, whether they are listed by default, and descriptions of all tools, for generated documentation.
pub(crate) fn catalogue() -> impl Iterator<Item = (&'static str, bool, &'static str)> {
    tools::TOOLS.iter().map(|tool| (tool.name, tool.is_core, tool.about))
}
