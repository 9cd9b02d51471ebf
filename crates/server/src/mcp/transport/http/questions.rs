//! The JSON interface: `GET /api/TOOL?ARGUMENTS` answers with the object that the tool of that name
//! and `--json` give, and `GET /api/events` tells when a workspace has changed.

use std::convert::Infallible;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Audience;
use codecompass_app::uri;
use futures_core::Stream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::guard::Refusal;
use super::routes::json;
use crate::mcp::calls::Host;
use crate::mcp::tools::TOOLS;

/// The time between two looks for a new generation.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// A stream without news says something after this time, so that dead connections are noticed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// The state of the interface.
pub(super) struct Questions {
    pub host: Arc<Host>,
    /// Streams end when this is cancelled.
    pub closing: CancellationToken,
}

/// Answers a question.
pub(super) async fn answer(
    State(questions): State<Arc<Questions>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = foreign(&headers) {
        return refusal.into_response();
    }
    let answer = match TOOLS.iter().find(|tool| tool.name == name && tool.may_be_got()) {
        Some(tool) => {
            let arguments = tool.arguments(uri::pairs(&query.unwrap_or_default()));
            questions.host.answer_json(tool, arguments).await
        }
        None => Err(unknown(&name)),
    };
    match answer {
        Ok(value) => json(StatusCode::OK, &value),
        Err(error) => json(status(&error), &error.to_json(Audience::Tools)),
    }
}

fn unknown(name: &str) -> AppError {
    let names: Vec<&str> = TOOLS.iter().filter(|tool| tool.may_be_got()).map(|tool| tool.name).collect();
    let message = format!("`{}` is no question that can be asked here", name.chars().take(60).collect::<String>());
    AppError::invalid(message, format!("ask one of {}", names.join(", ")))
}

/// Refuses requests that a browser makes for another site. They could read nothing, but would cost
/// time.
fn foreign(headers: &HeaderMap) -> Option<Refusal> {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok())?;
    let is_own = matches!(site, "same-origin" | "none");
    (!is_own).then(|| Refusal::new(StatusCode::FORBIDDEN, "web pages from there may not ask", "ask from the page"))
}

/// Returns the status that goes with an error.
pub fn status(error: &AppError) -> StatusCode {
    match error.code {
        Code::InvalidInput | Code::InvalidStrategy | Code::InvalidMaxTokens | Code::AmbiguousSymbol => {
            StatusCode::BAD_REQUEST
        }
        Code::WorkspaceNotAllowed => StatusCode::FORBIDDEN,
        Code::ProjectNotFound
        | Code::WorkspaceNotRegistered
        | Code::RefNotIndexed
        | Code::MergeBaseFailed
        | Code::SymbolNotFound
        | Code::FileNotFound => StatusCode::NOT_FOUND,
        Code::IndexInProgress | Code::IndexStale | Code::WorkspaceLimitExceeded | Code::RemoteUnavailable => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Code::IndexIncompatible | Code::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Tells the generation of a workspace, and again whenever it changes.
pub(super) async fn events(
    State(questions): State<Arc<Questions>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    if let Some(refusal) = foreign(&headers) {
        return refusal.into_response();
    }
    let pairs = uri::pairs(&query.unwrap_or_default());
    let asked = pairs.iter().find(|(name, _)| name == "workspace").map(|(_, value)| PathBuf::from(value));
    let open = questions.host.open_workspaces();
    let found = match &asked {
        Some(asked) => open.iter().find(|workspace| workspace.root == *asked || workspace.directory == *asked),
        None => open.first(),
    };
    let Some(root) = found.map(|workspace| workspace.root.clone()) else {
        let error = AppError::new(Code::WorkspaceNotRegistered, "no such workspace is open", "leave `workspace` out");
        return json(status(&error), &error.to_json(Audience::Tools));
    };
    let (sender, received) = mpsc::channel(4);
    tokio::spawn(watch(Arc::clone(&questions), root, sender));
    let head = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (head, Body::from_stream(EventStream(received))).into_response()
}

/// Sends the generation when it changes, until the reader goes away or the server ends.
async fn watch(questions: Arc<Questions>, root: PathBuf, sender: mpsc::Sender<String>) {
    let mut last = None;
    let mut spoke = Instant::now();
    loop {
        let (host, asked) = (Arc::clone(&questions.host), root.clone());
        let began = Instant::now();
        let now = tokio::task::spawn_blocking(move || host.generation(&asked)).await.ok().flatten();
        let event = match now {
            Some(now) if last != Some(now) => Some(format!("event: generation\ndata: {now}\n\n")),
            _ if spoke.elapsed() >= SIGN_OF_LIFE => Some(": here\n\n".to_string()),
            _ => None,
        };
        last = now.or(last);
        if let Some(event) = event {
            spoke = Instant::now();
            if sender.send(event).await.is_err() {
                return;
            }
        }
        // Where the store has to be asked and is slow, it is asked less often.
        let pause = LOOK_EVERY.max(began.elapsed() * 20);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = sender.closed() => return,
            () = questions.closing.cancelled() => return,
        }
    }
}

/// The events as the body of a response.
struct EventStream(mpsc::Receiver<String>);

impl Stream for EventStream {
    type Item = Result<String, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}
