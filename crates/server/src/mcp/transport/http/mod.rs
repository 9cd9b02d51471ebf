//! Messages over HTTP: the protocol at `/mcp`, `/health` beside it, and if that is wanted the page
//! and its JSON interface.
//!
//! The SDK speaks the protocol, with sessions to clients that begin with `initialize` and without
//! to all others. Here is what it leaves to others: who may connect (`guard.rs`), how many sessions
//! there may be (`sessions.rs`), how many connections, how slow they may be (`write_timeout.rs`),
//! and how all of it ends.

mod guard;
mod login;
pub(crate) mod questions;
mod routes;
mod sessions;
mod write_timeout;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use codecompass_app::error::AppError;
use codecompass_app::terminal::output;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::guard::Guard;
pub(crate) use self::guard::Token;
pub use self::routes::protocol;
use self::write_timeout::WriteTimeoutStream;
use crate::mcp::calls::Host;
use crate::mcp::server::Server;
use crate::mcp::signals::told_to_end;

/// Connections at the same time; others wait until one ends.
const MOST_CONNECTIONS: u32 = 64;

/// More than this is no head of a request.
const MOST_HEAD_BYTES: usize = 64 << 10;

/// Calls that are under way get this long to be answered when the server is told to end.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Connections that are still open then get this long to be closed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The address to listen on, and the requests to let in.
pub(crate) struct HttpOptions {
    pub bind: SocketAddr,
    pub token: Option<Token>,
    /// Names of this server besides those of the loopback interface and the address it listens on.
    pub hosts: Vec<String>,
    /// Origins of web pages that may ask, besides the server's own.
    pub origins: Vec<String>,
    /// A session that is unused for so long ends.
    pub session_idle: Duration,
    /// The head of a request must arrive within this time, and so must its message; a connection
    /// that waits for the next request is kept so long; and a client that takes nothing of an
    /// answer for so long gets no more.
    pub slow_client: Duration,
    /// The page, if it is wanted.
    pub page: Option<PageOptions>,
    pub quiet: bool,
}

/// Makes the routes of the page.
pub(crate) type PageRoutes = fn(Arc<Host>) -> Router;

/// The way the page is served.
#[derive(Clone, Copy)]
pub(crate) struct PageOptions {
    pub routes: PageRoutes,
    /// Called with the address of the page when it can be asked for.
    pub open: Option<fn(&str)>,
    /// True if any free port will do when the wanted one is taken.
    pub any_port: bool,
}

/// Ends what goes on, step by step.
#[derive(Clone, Default)]
pub struct Ends {
    /// No new requests, and no streams that wait for news.
    pub closing: CancellationToken,
    /// No answers either.
    pub closed: CancellationToken,
}

/// The way connections are taken.
#[derive(Clone, Copy)]
pub struct ListenOptions {
    /// The longest silence of a client.
    pub patience: Duration,
    /// Connections at the same time.
    pub connections: u32,
}

/// Serves other routes than those of workspaces until SIGTERM or SIGINT.
pub fn serve_routes(
    listener: std::net::TcpListener,
    router: Router,
    options: ListenOptions,
    ends: &Ends,
) -> Result<(), AppError> {
    let failed = |error: std::io::Error| AppError::internal(format!("cannot start the server: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let outcome = runtime.block_on(async {
        let listener = TcpListener::from_std(listener).map_err(failed)?;
        take_connections(listener, router, options, ends).await;
        Ok(())
    });
    runtime.shutdown_background();
    outcome
}

/// Serves until SIGTERM or SIGINT.
pub(crate) fn serve(host: Arc<Host>, server: Server, options: HttpOptions) -> Result<(), AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::internal(format!("cannot start the server: {error}")))?;
    let outcome = runtime.block_on(listen(host, server, options));
    // Threads that work on abandoned calls end with the process.
    runtime.shutdown_background();
    outcome
}

/// Refuses to listen beyond the loopback interface without a token: a client that can reach the
/// server can read the code.
pub(crate) fn check(options: &HttpOptions) -> Result<(), AppError> {
    if options.bind.ip().is_loopback() || options.token.is_some() {
        return Ok(());
    }
    Err(AppError::invalid(
        format!("without a token, everybody who reaches {} could read the code", options.bind),
        "set CODECOMPASS_SERVER_TOKEN to a long random text, or give a file that has one with --token-file; or bind to 127.0.0.1",
    ))
}

async fn listen(host: Arc<Host>, server: Server, options: HttpOptions) -> Result<(), AppError> {
    let cannot_listen = |error: std::io::Error| {
        AppError::invalid(
            format!("cannot listen on {}: {error}", options.bind),
            "give another address with --bind; port 0 picks a free one",
        )
    };
    let mut listener = TcpListener::bind(options.bind).await;
    if options.page.is_some_and(|page| page.any_port) && is_taken(&listener) {
        listener = TcpListener::bind(SocketAddr::new(options.bind.ip(), 0)).await;
    }
    let listener = listener.map_err(cannot_listen)?;
    let address = listener.local_addr().map_err(cannot_listen)?;
    if !options.quiet {
        output::note(&format!("listening on http://{address}/mcp"));
    }
    if let Some(page) = options.page {
        let page_address = format!("http://{address}/");
        if !options.quiet {
            output::note(&format!("the page is at {page_address}"));
        }
        if let Some(open) = page.open {
            open(&page_address);
        }
    }
    let ends = Ends::default();
    let guard = Guard::new(address, options.hosts, options.origins, options.token)?;
    let patience = options.slow_client;
    let timeouts = routes::HttpTimeouts { session_idle: options.session_idle, message: patience };
    let pages = options.page.map(|page| (page.routes)(Arc::clone(&host)));
    let router = routes::router(host, server, guard, timeouts, &ends, pages);
    let options = ListenOptions { patience, connections: MOST_CONNECTIONS };
    take_connections(listener, router, options, &ends).await;
    Ok(())
}

/// Serves connections until SIGTERM or SIGINT.
async fn take_connections(listener: TcpListener, router: Router, options: ListenOptions, ends: &Ends) {
    let mut told_to_end = pin!(told_to_end());
    let (patience, most) = (options.patience, options.connections);
    let slots = Arc::new(Semaphore::new(most as usize));
    loop {
        let accepted = async {
            let slot = Arc::clone(&slots).acquire_owned().await.ok()?;
            let (stream, _) = listener.accept().await.ok()?;
            Some((stream, slot))
        };
        tokio::select! {
            accepted = accepted => match accepted {
                Some((stream, slot)) => drop(tokio::spawn(converse(stream, patience, router.clone(), ends.clone(), slot))),
                // The process has too many open files; some will be closed.
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            () = &mut told_to_end => break,
        }
    }
    drop(listener);
    ends.closing.cancel();
    // All slots are free when all connections are gone.
    if timeout(LAST_ANSWERS, slots.acquire_many(most)).await.is_err() {
        ends.closed.cancel();
        let _ = timeout(LAST_WORDS, slots.acquire_many(most)).await;
    }
}

fn is_taken(listener: &std::io::Result<TcpListener>) -> bool {
    listener.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::AddrInUse)
}

/// One connection, from its first request to its last.
async fn converse(stream: TcpStream, patience: Duration, router: Router, ends: Ends, _slot: OwnedSemaphorePermit) {
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MOST_HEAD_BYTES)
        .serve_connection(TokioIo::new(WriteTimeoutStream::new(stream, patience)), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    // However it ends, the client knows more about it than we do.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = ends.closing.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = async {
            ends.closed.cancelled().await;
            tokio::time::sleep(LAST_WORDS).await;
        } => {}
    }
}
