//! The server side of the protocol: the identity of the server, its list of tools, and calls of
//! them.

use std::sync::Arc;
use std::time::Instant;

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
use super::answerer::{Answerer, ToolCall};
use super::many::{ManyAnswers, ManyCalls};
use super::tools::{self, Tool};

/// The first line of the instructions that an agent reads before anything else.
const FIRST_LINE: &str = "\
Exact, indexed answers about the code of this workspace, as it is on disk now; `ref` asks about another branch or commit. \
Prefer these tools to grep and to reading whole files.";

/// A line for each kind of question, with the tools that it is about; left out where none of them
/// is listed.
const LINES: [(&[&str], &str); 7] = [
    (
        &["get_architecture", "search_code", "get_code_context"],
        "- A repository that you do not know: get_architecture. A place that you do not know: search_code (name, path, \
         error message or question), or get_code_context for code in a token budget.",
    ),
    (
        &["grep_code", "get_file_outline", "read_file", "locate_symbol", "get_symbol"],
        "- Known text: grep_code. Known file: get_file_outline, read_file. Known name: locate_symbol, then get_symbol; a \
         symbol is a name, Type.member, path:line or path::name, several are `a, b`.",
    ),
    (
        &["get_call_graph"],
        "- A flow, such as how checkout comes to price_of: \
         get_call_graph {\"symbol\": \"checkout\", \"to\": \"price_of\"}; all that it calls: \"direction\": \"callees\".",
    ),
    (
        &["analyze_impact", "find_references"],
        "- A rename, every place that changes: analyze_impact {\"symbol\": \"Order.total\", \"rename\": \"sum\"}, with \
         \"patch\" for git apply. Every use: find_references; subtypes and overrides: get_symbol_hierarchy.",
    ),
    (
        &["analyze_impact", "diff_context"],
        "- The impact of a change: analyze_impact {\"symbol\": \"price_of\"}; what a branch changed: diff_context.",
    ),
    (
        &["ask_many"],
        "- Several questions: ask_many {\"calls\": [{\"tool\": \"get_symbol\", \"arguments\": {\"symbol\": \"main\"}}, \
         {\"tool\": \"grep_code\", \"arguments\": {\"pattern\": \"TODO\"}}]}.",
    ),
    (
        &[],
        "An answer says what it found, how sure that is (static: proven; likely; possible: not resolved), and what it \
         left out: the counts add up to every occurrence of the name. A last line says when it is cut, and how to get \
         the rest.",
    ),
];

/// The addition for several repositories.
const SEVERAL: &str = "All tools that read code take `workspaces` to ask several repositories at once; \
`repository:path::name`, as answers have it, names a symbol of one of them.";

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
        let is_listed = |name: &&str| self.listed.iter().any(|tool| tool.name == *name);
        let mut lines = vec![FIRST_LINE];
        lines.extend(
            LINES.iter().filter(|(tools, _)| tools.is_empty() || tools.iter().any(is_listed)).map(|(_, line)| *line),
        );
        if self.host.are_several() {
            lines.push(SEVERAL);
        }
        lines.join("\n")
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

    /// Finds a tool that calls may name.
    fn find(&self, name: &str) -> Result<&'static Tool, AppError> {
        if let Some(tool) = self.listed.iter().find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let known = tools::TOOLS.iter().find(|tool| tool.name == name);
        if let Some(tool) = known.filter(|tool| tool.may_be_called()) {
            return Ok(tool);
        }
        let remedy = if known.is_some() {
            Remedy::Startup("start the server with `--tools all`, or name the tool there".into())
        } else {
            format!("known tools are {}", names(&self.listed)).into()
        };
        Err(AppError::new(Code::InvalidInput, format!("unknown tool `{name}`"), remedy))
    }

    /// Answers a call of one tool, or of several by one.
    async fn answer(
        &self,
        tool: &'static Tool,
        form: AnswerForm,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<ManyAnswers, AppError> {
        let host = Arc::clone(&self.host);
        if tool.is_many() {
            let calls = ManyCalls::read(tool, &arguments)?;
            return calls.answer(host, form, |name| self.find(name), context).await;
        }
        let until = Instant::now() + host.patience();
        let mut asker = host.begin(context);
        let body = asker.ask(0, ToolCall { tool, form, arguments }, until).await?;
        Ok(ManyAnswers { body, is_failed: false })
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
        let tool = self.find(&request.name).map_err(|error| {
            let data = json!({"code": error.code.as_str(), "remediation": error.remediation.for_tools()});
            ErrorData::invalid_params(error.message, Some(data))
        })?;
        let form = AnswerForm::from(self.answers);
        let answer = self.answer(tool, form, request.arguments.unwrap_or_default(), &context).await;
        let result = match (answer, form) {
            (Ok(answer), _) => self.result(answer.body, answer.is_failed),
            (Err(error), AnswerForm::Text) => self.result(SentAnswer::Text(error_text(&error)), true),
            (Err(error), AnswerForm::Json) => self.result(SentAnswer::Json(error.to_json(Audience::Tools)), true),
        };
        Ok(result.into())
    }
}
