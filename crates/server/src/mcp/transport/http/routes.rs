//! The routes of the server: the SDK answers at `/mcp`, we answer at `/health` and, if that is
//! wanted, at `/api` and on pages. The guard stands before all of them.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, get_service, post};
use codecompass_app::remedy::Audience;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::guard::{Guard, Refusal};
use super::questions::{self, Questions};
use super::sessions::Sessions;
use super::{Ends, login};
use crate::mcp::calls::Host;
use crate::mcp::server::Server;
use crate::mcp::transport::MAX_MESSAGE_BYTES;

/// The headers that say what web pages may send and see.
const CORS: [(&str, &str); 4] = [
    ("access-control-allow-methods", "GET, POST, DELETE"),
    (
        "access-control-allow-headers",
        "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id",
    ),
    ("access-control-expose-headers", "mcp-session-id, www-authenticate"),
    ("vary", "origin"),
];

/// The headers of pages and of the JSON interface. Nothing is loaded from elsewhere, and no other
/// site gets to see or frame anything.
const PAGE_HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// The part of the server that a path belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Area {
    /// The protocol, which web pages of allowed origins may speak.
    Protocol,
    /// The state of the server, which needs no token.
    Health,
    /// The assets and the form for the token; nothing of a repository.
    Entrance,
    /// Pages and the JSON interface.
    Page,
}

impl Area {
    /// Without pages there are but the protocol and the state.
    fn of(path: &str, has_pages: bool) -> Area {
        match path {
            "/health" => Area::Health,
            "/mcp" => Area::Protocol,
            _ if !has_pages => Area::Protocol,
            "/login" => Area::Entrance,
            path if path.starts_with("/assets/") => Area::Entrance,
            _ => Area::Page,
        }
    }

    /// Returns whether browsers get the headers of pages, and none that let other sites in.
    fn is_page(self) -> bool {
        matches!(self, Area::Entrance | Area::Page)
    }
}

/// The time limits of sessions and messages.
#[derive(Clone, Copy)]
pub(super) struct HttpTimeouts {
    /// A session that is unused for so long ends.
    pub session_idle: Duration,
    /// A whole message must arrive within this time.
    pub message: Duration,
}

struct Health {
    host: Arc<Host>,
    guard: Arc<Guard>,
}

/// Returns all routes; `pages` are those of the page, if it is wanted.
pub(super) fn router(
    host: Arc<Host>,
    server: Server,
    guard: Guard,
    timeouts: HttpTimeouts,
    ends: &Ends,
    pages: Option<Router>,
) -> Router {
    let guard = Arc::new(guard);
    let health = Health { host: Arc::clone(&host), guard: Arc::clone(&guard) };
    let router = Router::new()
        .route("/health", get(tell_health).with_state(Arc::new(health)))
        .route("/mcp", protocol(server, timeouts.session_idle, timeouts.message, ends));
    let entrance = Arc::new(Entrance { guard: Arc::clone(&guard), has_pages: pages.is_some() });
    let router = match pages {
        None => router,
        Some(pages) => {
            let questions = Arc::new(Questions { host, closing: ends.closing.clone() });
            let log_in = post(login::log_in).layer(from_fn_with_state(timeouts.message, read_whole));
            router
                .merge(pages)
                .route("/login", log_in.with_state(guard))
                .route("/api/events", get(questions::events).with_state(Arc::clone(&questions)))
                .route("/api/{tool}", get(questions::answer).with_state(questions))
        }
    };
    router.layer(from_fn_with_state(entrance, let_in))
}

/// Returns the route of the protocol.
pub fn protocol(server: Server, session_idle: Duration, message: Duration, ends: &Ends) -> MethodRouter {
    let sessions = Arc::new(Sessions::new(session_idle));
    // Streams that wait for news end at once when the server is told to end, answers a while later.
    let service = |end: &CancellationToken| {
        // Names are checked by the guard, for all paths alike.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_sse_retry(None)
            .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
            .with_cancellation_token(end.clone());
        let server = server.clone();
        StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config)
    };
    let (streams, calls) = (service(&ends.closing), service(&ends.closed));
    let protocol = get_service(streams).post_service(calls.clone()).delete_service(calls);
    protocol.layer(from_fn_with_state(message, read_whole))
}

/// The way in to all routes.
struct Entrance {
    guard: Arc<Guard>,
    /// True if there are pages.
    has_pages: bool,
}

/// Passes on the requests that the guard lets in, and refuses the others.
async fn let_in(State(entrance): State<Arc<Entrance>>, request: Request, next: Next) -> Response {
    let guard = &entrance.guard;
    let headers = request.headers();
    let page = match guard.check_names(headers) {
        Ok(page) => page,
        Err(refusal) => return refusal.into_response(),
    };
    let area = Area::of(request.uri().path(), entrance.has_pages);
    let is_let_in = match area {
        Area::Health | Area::Entrance => true,
        Area::Protocol => guard.has_token(headers),
        Area::Page => guard.has_token(headers) || login::has_cookie(guard, headers),
    };
    let response = if page.is_some() && request.method() == Method::OPTIONS {
        // A browser asks before it sends a token.
        StatusCode::NO_CONTENT.into_response()
    } else if is_let_in {
        next.run(request).await
    } else if area == Area::Page && wants_html(headers) {
        (StatusCode::SEE_OTHER, [(header::LOCATION, "/login")]).into_response()
    } else {
        let remedy = "send the header `Authorization: Bearer TOKEN` with the token that the server was started with";
        let mut refused =
            Refusal::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong", remedy).into_response();
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        refused
    };
    if area.is_page() { as_page(response) } else { with_cors(response, page) }
}

/// Returns whether a browser asks for a page, and not a program.
fn wants_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

fn as_page(mut response: Response) -> Response {
    let headers = response.headers_mut();
    PAGE_HEADERS.iter().for_each(|(name, value)| drop(headers.insert(*name, HeaderValue::from_static(value))));
    response
}

fn with_cors(mut response: Response, page: Option<HeaderValue>) -> Response {
    if let Some(page) = page {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, page);
        CORS.iter().for_each(|(name, value)| drop(headers.insert(*name, HeaderValue::from_static(value))));
    }
    response
}

/// Reads the whole message before anything is done about it, within limits.
async fn read_whole(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(limit, to_bytes(body, MAX_MESSAGE_BYTES)).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        // If the body broke off instead, there is no client left to read this.
        Ok(Err(_)) => Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the message is longer than 4 MiB",
            "send a shorter one; no argument needs to be that long",
        )
        .into_response(),
        Err(_) => Refusal::new(StatusCode::REQUEST_TIMEOUT, "the message takes too long to arrive", "send it again")
            .into_response(),
    }
}

/// Tells how the server is; without a token, only whether it is ready.
async fn tell_health(State(health): State<Arc<Health>>, headers: HeaderMap) -> Response {
    let mut told = health.host.health().await;
    if !health.guard.has_token(&headers) {
        told.details = None;
    }
    json(StatusCode::OK, &serde_json::json!(told))
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        // What was not read of the request is never read.
        let mut response = json(self.status, &self.error.to_json(Audience::Tools));
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

pub(super) fn json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], value.to_string())
        .into_response()
}
