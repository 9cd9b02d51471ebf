//! The routes of the server: the SDK answers at `/mcp`, we answer at `/health`, and the guard
//! stands before both.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, get_service};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Ends;
use super::guard::{Guard, Refusal};
use super::sessions::Sessions;
use crate::mcp::calls::Host;
use crate::mcp::server::Server;
use crate::mcp::transport::MAX_MESSAGE_BYTES;
use crate::remedy::Voice;

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

pub(super) fn router(host: Arc<Host>, server: Server, guard: Guard, timeouts: HttpTimeouts, ends: &Ends) -> Router {
    let guard = Arc::new(guard);
    let sessions = Arc::new(Sessions::new(timeouts.session_idle));
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
    let health = Health { host, guard: Arc::clone(&guard) };
    Router::new()
        .route("/health", get(tell_health).with_state(Arc::new(health)))
        .route("/mcp", protocol.layer(from_fn_with_state(timeouts.message, read_whole)))
        .layer(from_fn_with_state(guard, let_in))
}

/// Passes on the requests that the guard lets in, and refuses the others.
async fn let_in(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let page = match guard.check_names(headers) {
        Ok(page) => page,
        Err(refusal) => return refusal.into_response(),
    };
    // A browser asks before it sends a token.
    let response = if page.is_some() && request.method() == Method::OPTIONS {
        StatusCode::NO_CONTENT.into_response()
    } else if request.uri().path() == "/health" || guard.has_token(headers) {
        next.run(request).await
    } else {
        let remedy = "send the header `Authorization: Bearer TOKEN` with the token that the server was started with";
        let mut refused =
            Refusal::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong", remedy).into_response();
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        refused
    };
    with_cors(response, page)
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
        let mut response = json(self.status, &self.error.to_json(Voice::Tools));
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

fn json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], value.to_string())
        .into_response()
}
