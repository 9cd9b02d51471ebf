//! The interface between the protocol and those who answer calls: the host of workspaces, or a node
//! of a cluster.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use codecompass_app::error::AppError;
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;

use super::answer::{AnswerForm, SentAnswer};
use super::tools::Tool;

/// The answer to a call, once it is there.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<SentAnswer, AppError>> + Send + 'a>>;

/// A call of a tool.
#[derive(Clone)]
pub struct ToolCall {
    pub tool: &'static Tool,
    pub form: AnswerForm,
    pub arguments: JsonObject,
}

/// The answerer of a server's calls.
pub trait Answerer: Send + Sync + 'static {
    /// Returns a word for its state.
    fn status(&self) -> String;

    /// Returns whether calls may be about more than one workspace.
    fn are_several(&self) -> bool;

    /// Returns the longest time that a request may take.
    fn patience(&self) -> Duration;

    /// Begins to answer a request of a client: one call, or several one after another.
    fn begin<'a>(self: Arc<Self>, context: &'a RequestContext<RoleServer>) -> Box<dyn RequestAnswerer + 'a>;
}

/// The answerer of the calls of one request. When it is dropped, the last answer to each call is
/// entered into the records of the server.
pub trait RequestAnswerer: Send {
    /// Answers the call with this number. If it was answered before, that answer is not sent.
    fn ask(&mut self, number: usize, call: ToolCall, until: Instant) -> Answering<'_>;
}
