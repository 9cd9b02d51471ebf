//! The routes of a node: questions of clients at `/mcp` and `/api/TOOL`, messages of other nodes
//! below `/cluster/`, webhooks, `/health` and `/metrics`.
//!
//! Clients show an access token, nodes the secret of the cluster, webhooks a signature. What has
//! none of these learns whether the node is up, and nothing else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Audience;
use codecompass_app::uri;
use codecompass_server::mcp::{
    AnswerForm, Answerer, Answering, DecodedCall, Ends, RequestAnswerer, SentAnswer, Server, TOOLS, ToolCall, protocol,
    status,
};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::node::Node;
use super::peers::{CallMessage, CallReply, RoundMessage};
use super::questions::is_offered;
use super::telemetry::add;
use crate::catalogue::Access;
use crate::secrets::is_signed;

/// The longest message of another node.
const MAX_MESSAGE: usize = 64 << 20;
/// The longest message of a webhook.
const MAX_HOOK: usize = 26 << 20;
/// A session that is unused for so long ends.
const SESSION_IDLE: Duration = Duration::from_secs(1800);
/// A whole message must arrive within this time.
const MESSAGE: Duration = Duration::from_secs(30);

/// Returns all routes of a node.
pub(super) fn routes(node: &Arc<Node>, server: Server, ends: &Ends) -> Router {
    let inner = Router::new()
        .route("/cluster/call", post(call))
        .route("/cluster/round", post(round))
        .layer(from_fn_with_state(node.clone(), let_node_in))
        .with_state(node.clone());
    let questions = Router::new()
        .route("/mcp", protocol(server, SESSION_IDLE, MESSAGE, ends))
        .route("/api/{tool}", get(question).with_state(node.clone()))
        .layer(from_fn_with_state(node.clone(), let_client_in));
    Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/webhook/{name}", post(webhook))
        .with_state(node.clone())
        .merge(inner)
        .merge(questions)
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(|token| token.trim().to_string())
}

fn refuse(status: StatusCode, error: &AppError) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, head, error.to_json(Audience::Tools).to_string()).into_response()
}

fn unauthorized() -> Response {
    let error = AppError::new(
        Code::WorkspaceNotAllowed,
        "the token is missing or wrong",
        "send the header `Authorization: Bearer TOKEN` with a token of `codecompass-node token add`",
    );
    let mut response = refuse(StatusCode::UNAUTHORIZED, &error);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    response
}

/// Passes on requests of other nodes.
async fn let_node_in(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    match bearer(request.headers()).is_some_and(|secret| node.peers.is_secret(&secret)) {
        true => next.run(request).await,
        false => unauthorized(),
    }
}

/// Passes on requests of clients, with what their token may read.
async fn let_client_in(State(node): State<Arc<Node>>, mut request: Request, next: Next) -> Response {
    // A browser sends these for web pages, which have no business here.
    if request.headers().contains_key(header::ORIGIN) {
        let error = AppError::invalid("web pages may not ask", "ask from a program");
        return refuse(StatusCode::FORBIDDEN, &error);
    }
    let Some(token) = bearer(request.headers()) else {
        add(&node.figures.refused_tokens);
        return unauthorized();
    };
    let asked = node.clone();
    let access = tokio::task::spawn_blocking(move || asked.access(&token)).await;
    match access {
        Ok(Ok(Some(access))) => {
            request.extensions_mut().insert(access);
            next.run(request).await
        }
        Ok(Ok(None)) => {
            add(&node.figures.refused_tokens);
            unauthorized()
        }
        Ok(Err(error)) => refuse(StatusCode::SERVICE_UNAVAILABLE, &error.into()),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &AppError::internal("the token could not be looked up")),
    }
}

/// Runs work that waits in a thread; a panic in it is an error.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, AppError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| AppError::internal("the work on the question failed"))
}

/// Runs work on a question; it may take so long.
async fn timed(
    limit: Duration,
    work: impl FnOnce() -> Result<SentAnswer, AppError> + Send + 'static,
) -> Result<SentAnswer, AppError> {
    match tokio::time::timeout(limit, blocking(work)).await {
        Ok(answer) => answer.and_then(|answer| answer),
        Err(_) => {
            let message = format!("the call took longer than {} s", limit.as_secs());
            Err(AppError::new(Code::InternalError, message, "ask about fewer repositories"))
        }
    }
}

async fn question(
    State(node): State<Arc<Node>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let Some(access) = request.extensions().get::<Arc<Access>>().cloned() else { return unauthorized() };
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name && is_offered(tool)) else {
        let names: Vec<&str> = TOOLS.iter().filter(|tool| is_offered(tool)).map(|tool| tool.name).collect();
        let error = AppError::invalid("there is no such question", format!("ask one of {}", names.join(", ")));
        return refuse(status(&error), &error);
    };
    let arguments = tool.arguments(uri::pairs(&query.unwrap_or_default()));
    let limit = node.options.question;
    let answer = timed(limit, move || node.answer(&access, tool, AnswerForm::Json, arguments)).await;
    match answer {
        Ok(SentAnswer::Json(value)) => json_response(&value),
        Ok(SentAnswer::Text(text)) => json_response(&Value::from(text)),
        Err(error) => refuse(status(&error), &error),
    }
}

fn json_response(value: &Value) -> Response {
    let head = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::OK, head, value.to_string()).into_response()
}

async fn read<T: for<'de> serde::Deserialize<'de>>(request: Request) -> Option<T> {
    let bytes = to_bytes(request.into_body(), MAX_MESSAGE).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Reads the question that another node passes on; that node has read it, too.
fn decoded(call: &CallMessage) -> Option<DecodedCall> {
    let tool = TOOLS.iter().find(|tool| tool.name == call.tool && is_offered(tool))?;
    tool.read(call.arguments.clone()).ok()
}

/// A question that another node passes on. It is answered here, or by nodes that this one asks.
async fn call(State(node): State<Arc<Node>>, request: Request) -> Response {
    let Some(call) = read::<CallMessage>(request).await else { return StatusCode::BAD_REQUEST.into_response() };
    let Some(decoded) = decoded(&call) else { return StatusCode::BAD_REQUEST.into_response() };
    let answer = blocking(move || match &call.repositories[..] {
        [asked] if call.is_one_of_several || call.missing.is_empty() => {
            let view = node.view(&node.members(), asked);
            view.map_err(|reason| (StatusCode::SERVICE_UNAVAILABLE, reason))
                .map(|view| node.ask_view(&decoded, &call, &view))
        }
        _ => Ok(node.ask_together(&decoded, call, false)),
    });
    match answer.await {
        Ok(Ok(answer)) => json_response(&json!(CallReply::new(answer))),
        Ok(Err((status, reason))) => (status, reason).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A round of a question that another node ranks.
async fn round(State(node): State<Arc<Node>>, request: Request) -> Response {
    let Ok(bytes) = to_bytes(request.into_body(), MAX_MESSAGE).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let Some((call, requests)) = RoundMessage::read(&bytes) else { return StatusCode::BAD_REQUEST.into_response() };
    let Some(decoded) = decoded(&call) else { return StatusCode::BAD_REQUEST.into_response() };
    let replies = blocking(move || postcard::to_stdvec(&node.answer_round(decoded, call, requests)));
    match replies.await {
        Ok(Ok(replies)) => (StatusCode::OK, replies).into_response(),
        _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A git server says that a repository has changed.
async fn webhook(
    State(node): State<Arc<Node>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    request: Request,
) -> Response {
    let Some(secret) = node.options.webhook_secret.clone() else { return StatusCode::NOT_FOUND.into_response() };
    let body: Bytes = match to_bytes(request.into_body(), MAX_HOOK).await {
        Ok(body) => body,
        Err(_) => return StatusCode::PAYLOAD_TOO_LARGE.into_response(),
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_signed_by = text("x-hub-signature-256").and_then(|value| value.strip_prefix("sha256="));
    let is_known = match (is_signed_by, text("x-gitlab-token")) {
        (Some(signature), _) => is_signed(&secret, &body, signature),
        (None, Some(token)) => blake3::hash(token.as_bytes()) == blake3::hash(secret.as_bytes()),
        (None, None) => false,
    };
    if !is_known {
        return unauthorized();
    }
    match blocking(move || node.catalogue.request_index(&name)).await {
        Ok(Ok(true)) => (StatusCode::ACCEPTED, "queued\n").into_response(),
        Ok(Ok(false)) => (StatusCode::NOT_FOUND, "no such repository\n").into_response(),
        _ => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Tells whether the node can answer questions.
async fn health(State(node): State<Arc<Node>>) -> Response {
    let is_ready = node.is_connected() && !node.is_ending();
    let told = json!({
        "status": if is_ready { "ready" } else { "degraded" },
        "version": env!("CARGO_PKG_VERSION"),
        "catalogue": if node.is_connected() { "reachable" } else { "unreachable" },
    });
    // A node without the catalogue still answers from what it has.
    json_response(&told)
}

async fn metrics(State(node): State<Arc<Node>>) -> Response {
    let members = node.members();
    let alive = members.nodes.iter().filter(|node| node.is_alive).count() as u64;
    let gauges = [
        ("cache_bytes", "Bytes in the cache of the node.", node.cache.bytes()),
        ("cache_limit_bytes", "The most bytes in the cache of the node.", node.cache.limit()),
        ("views", "Repositories in the cache of the node.", node.cache.repositories().len() as u64),
        ("repositories", "Repositories of the cluster.", members.repositories.len() as u64),
        ("nodes_alive", "Nodes of the cluster that are alive.", alive),
        ("catalogue_up", "1 if the catalogue can be reached.", u64::from(node.is_connected())),
        ("uptime_seconds", "Seconds since the node was started.", node.started.elapsed().as_secs()),
    ];
    let text = node.figures.text(&gauges);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// Answers calls of the protocol.
pub(super) struct NodeAnswerer(pub Arc<Node>);

impl Answerer for NodeAnswerer {
    fn status(&self) -> String {
        if self.0.is_connected() { "ready".into() } else { "degraded".into() }
    }

    fn are_several(&self) -> bool {
        true
    }

    fn patience(&self) -> Duration {
        self.0.options.question
    }

    fn begin<'a>(self: Arc<Self>, context: &'a RequestContext<RoleServer>) -> Box<dyn RequestAnswerer + 'a> {
        // Each request has shown its own token, whatever session it belongs to.
        let parts = context.extensions.get::<axum::http::request::Parts>();
        let access = parts.and_then(|parts| parts.extensions.get::<Arc<Access>>()).cloned();
        Box::new(NodeRequest { node: self.0.clone(), access })
    }
}

/// Answers the calls of one request.
struct NodeRequest {
    node: Arc<Node>,
    access: Option<Arc<Access>>,
}

impl RequestAnswerer for NodeRequest {
    fn ask(&mut self, _: usize, call: ToolCall, until: Instant) -> Answering<'_> {
        let (node, access) = (self.node.clone(), self.access.clone());
        Box::pin(async move {
            let Some(access) = access else {
                return Err(AppError::internal("the request has no access token"));
            };
            let limit = until.saturating_duration_since(Instant::now()).min(node.options.question);
            let ToolCall { tool, form, arguments } = call;
            timed(limit, move || node.answer(&access, tool, form, arguments)).await
        })
    }
}
