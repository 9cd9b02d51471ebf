//! The server side of the protocol: the identity of the server, its list of tools, and calls of
//! them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use codecompass_app::choices::Answers;
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::{Audience, Remedy};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;

use super::answer::{AnswerForm, SentAnswer, error_text};
use super::calls::Host;
use super::tools::{self, Tool};

/// The instructions that an agent reads before anything else.
const INSTRUCTIONS: &str = "\
Exact, indexed answers about the code of this workspace, as it is on disk now; `ref` asks about another branch or commit. \
Prefer these tools to grep and to reading whole files.
- Do not know where to look: search_code (name, path, error message or question), or get_code_context for code in a token budget.
- Know the text: grep_code (regex or literal). Know a name: locate_symbol, then get_symbol for its source. Know a file: get_file_outline.
- Before changing something: find_references, get_call_graph, analyze_impact. Implementations and subclasses: get_symbol_hierarchy. \
What a branch changed: diff_context.
A symbol is a name, a qualified name, path:line or path::name, as answers show them; ask for several at once as `a, b`. An answer says what it found, how sure that is \
(static: proven; likely; possible: not resolved), and what it left out: the counts add up to every occurrence of the name. \
A last line says when it is cut, and how to get the rest.";

/// The addition for several repositories.
const SEVERAL: &str = "\nAll tools that read code take `workspaces` to ask several repositories at once; \
`repository:path::name`, as answers have it, names a symbol of one of them.";

/// The tool for a first look, where it is listed.
const FIRST_TOOL: &str = "get_architecture";

/// The answer to a call, once it is there.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<SentAnswer, AppError>> + Send + 'a>>;

/// The answerer of a server's calls: the host of workspaces, or a node of a cluster.
pub trait Answerer: Send + Sync + 'static {
    /// Returns a word for its state.
    fn status(&self) -> String;

    /// Returns whether calls may be about more than one workspace.
    fn are_several(&self) -> bool;

    /// Answers a call of a tool.
    fn answer<'a>(
        self: Arc<Self>,
        tool: &'static Tool,
        form: AnswerForm,
        arguments: JsonObject,
        context: &'a RequestContext<RoleServer>,
    ) -> Answering<'a>;
}

impl Answerer for Host {
    fn status(&self) -> String {
        Host::status(self).to_string()
    }

    fn are_several(&self) -> bool {
        self.workspaces.are_several()
    }

    fn answer<'a>(
        self: Arc<Self>,
        tool: &'static Tool,
        form: AnswerForm,
        arguments: JsonObject,
        context: &'a RequestContext<RoleServer>,
    ) -> Answering<'a> {
        Box::pin(async move { Host::answer(&self, tool, form, arguments, context).await })
    }
}

/// One client's server.
#[derive(Clone)]
pub struct Server {
    host: Arc<dyn Answerer>,
    listed: Arc<[&'static Tool]>,
    answers: Answers,
}

impl Server {
    pub fn new(host: Arc<dyn Answerer>, listed: Vec<&'static Tool>, answers: Answers) -> Server {
        Server { host, listed: listed.into(), answers }
    }

    /// Returns the instructions for the tools that are listed.
    fn instructions(&self) -> String {
        let mut text = INSTRUCTIONS.to_string();
        if self.host.are_several() {
            text.push_str(SEVERAL);
        }
        if self.listed.iter().any(|tool| tool.name == FIRST_TOOL) {
            text.push_str(&format!("\nIn a repository that you do not know, call {FIRST_TOOL} first."));
        }
        text
    }

    /// The result of a call. There is one copy of the answer: a second one would cost its tokens
    /// again.
    fn result(&self, answer: SentAnswer, is_error: bool) -> CallToolResult {
        let (content, structured) = match (answer, self.answers) {
            (SentAnswer::Text(text), _) => (vec![ContentBlock::text(text)], None),
            (SentAnswer::Json(answer), Answers::Structured) => (Vec::new(), Some(answer)),
            (SentAnswer::Json(answer), _) => (vec![ContentBlock::text(answer.to_string())], None),
        };
        let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = structured;
        result
    }

    fn tool(&self, name: &str) -> Result<&'static Tool, ErrorData> {
        if let Some(tool) = self.listed.iter().find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let remedy = if tools::TOOLS.iter().any(|tool| tool.name == name) {
            Remedy::Startup("start the server with `--tools all`, or name the tool there".into())
        } else {
            format!("known tools are {}", names(&self.listed)).into()
        };
        let error = AppError::new(Code::InvalidInput, format!("unknown tool `{name}`"), remedy);
        let data = json!({"code": error.code.as_str(), "remediation": error.remediation.for_tools()});
        Err(ErrorData::invalid_params(error.message, Some(data)))
    }
}

fn names(tools: &[&Tool]) -> String {
    tools.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut server = Implementation::new("codecompass", env!("CARGO_PKG_VERSION"));
        server.description = Some(format!("Code intelligence; status: {}", self.host.status()));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let several = self.host.are_several();
        let tools = self.listed.iter().map(|tool| tool.definition(several));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.tool(&request.name)?;
        let form = AnswerForm::from(self.answers);
        let answer = Arc::clone(&self.host).answer(tool, form, request.arguments.unwrap_or_default(), &context).await;
        let result = match (answer, form) {
            (Ok(answer), _) => self.result(answer, false),
            (Err(error), AnswerForm::Text) => self.result(SentAnswer::Text(error_text(&error)), true),
            (Err(error), AnswerForm::Json) => self.result(SentAnswer::Json(error.to_json(Audience::Tools)), true),
        };
        Ok(result.into())
    }
}
