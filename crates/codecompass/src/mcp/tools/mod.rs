//! The tools, one file each: its arguments, its description, and how they become those of a
//! command.

mod analyze_impact;
mod compare_symbol;
mod diff_context;
mod explain_ranking;
mod find_references;
mod find_related;
mod get_call_graph;
mod get_code_context;
mod get_dependencies;
mod get_file_outline;
mod get_hierarchy;
mod get_symbol;
mod grep_code;
mod health_check;
mod index_repo;
mod index_status;
mod list_refs;
mod locate_symbol;
mod search_code;
mod search_similar;
mod suggest_followup;
mod switch_ref;
mod sync_repo;
mod trace_path;

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use serde_json::Value;

use super::answer::fit_budget::{self, DEFAULT_TOKENS};
use super::arguments::{self, CommonArguments};
use super::calls::Host;
use super::schema;
use super::workspace::{Workspace, prewarm};
use crate::api::Request;
use crate::api::arguments::{Bounded, RefArgs};
use crate::api::part::Part as _;
use crate::error::AppError;
use crate::session::CallContext;

/// All tools, in the order in which they are listed.
pub(crate) const TOOLS: &[Tool] = &[
    search_code::TOOL,
    grep_code::TOOL,
    locate_symbol::TOOL,
    get_symbol::TOOL,
    get_file_outline::TOOL,
    get_code_context::TOOL,
    find_references::TOOL,
    get_call_graph::TOOL,
    analyze_impact::TOOL,
    diff_context::TOOL,
    index_status::TOOL,
    trace_path::TOOL,
    get_hierarchy::TOOL,
    get_dependencies::TOOL,
    find_related::TOOL,
    search_similar::TOOL,
    compare_symbol::TOOL,
    explain_ranking::TOOL,
    suggest_followup::TOOL,
    list_refs::TOOL,
    health_check::TOOL,
    sync_repo::TOOL,
    index_repo::TOOL,
    switch_ref::TOOL,
];

/// One tool.
pub(crate) struct Tool {
    pub name: &'static str,
    /// Advice for a model on when to use it.
    pub about: &'static str,
    /// True if it is listed when nothing else is said.
    pub is_core: bool,
    /// True if a call waits for the first sync.
    pub needs_index: bool,
    /// True if it leaves everything as it is. The index is not counted: all questions keep it up to
    /// date.
    reads_only: bool,
    /// The most tokens that an answer costs when the call does not say.
    usual_tokens: usize,
    /// Returns the schema of the whole call.
    schema: fn() -> Value,
    decode: Decode,
}

/// Decodes the arguments of a call into those that every tool takes and a request.
type Decode = fn(&JsonObject) -> Result<(CommonArguments, Box<dyn Question>), AppError>;

/// A decoded request of any type.
pub(crate) trait Question: Send + Sync {
    /// Returns the ref that is asked about.
    fn reference(&self) -> Option<&str>;

    /// Returns the answer as it is sent, within the token limit of the call.
    fn ask(&self, call: &Call) -> Result<Value, AppError>;
}

impl<R: Request> Question for R {
    fn reference(&self) -> Option<&str> {
        Request::reference(self)
    }

    fn ask(&self, call: &Call) -> Result<Value, AppError> {
        let mut answer = self.answer(&call.context)?;
        self.add_server_state(&mut answer, call);
        answer.reduce(self.reduction());
        Ok(fit_budget::fit(answer, call.max_tokens))
    }
}

/// Returns the tool that asks `R`: a question, which needs the index and changes nothing.
const fn asks<R: Request>(name: &'static str, about: &'static str) -> Tool {
    Tool {
        name,
        about,
        is_core: false,
        needs_index: true,
        reads_only: true,
        usual_tokens: DEFAULT_TOKENS,
        schema: schema::of_call::<R>,
        decode: decode::<R>,
    }
}

fn decode<R: Request>(arguments: &JsonObject) -> Result<(CommonArguments, Box<dyn Question>), AppError> {
    let (common, request) = arguments::decode::<R>(&schema::of_call::<R>(), arguments)?;
    Ok((common, Box::new(request)))
}

/// A call whose arguments were read.
pub(crate) struct DecodedCall {
    pub common: CommonArguments,
    pub at: RefArgs,
    pub max_tokens: usize,
    pub question: Box<dyn Question>,
}

/// The context of a call, besides its arguments.
pub(crate) struct Call {
    pub context: CallContext,
    pub at: RefArgs,
    pub max_tokens: usize,
    /// The progress of the first sync, while it runs.
    pub indexing: Option<prewarm::Figures>,
    pub host: Arc<Host>,
    /// The workspace that it is about.
    pub workspace: Workspace,
}

impl Tool {
    /// Returns the entry of the tool in `tools/list`.
    pub(crate) fn definition(&self) -> Definition {
        let annotations = ToolAnnotations::new().read_only(self.reads_only).open_world(false);
        // The others mean something only for tools that change something.
        let annotations = match self.reads_only {
            true => annotations,
            false => annotations.idempotent(true).destructive(false),
        };
        let schema = match (self.schema)() {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        Definition::new(self.name, self.about, Arc::new(schema)).with_annotations(annotations)
    }

    /// Reads the arguments of a call.
    pub(crate) fn read(&self, arguments: JsonObject) -> Result<DecodedCall, AppError> {
        let (common, question) = (self.decode)(&arguments)?;
        Ok(DecodedCall {
            at: RefArgs { reference: question.reference().map(str::to_string) },
            max_tokens: common.max_tokens.map_or(self.usual_tokens, Bounded::len),
            common,
            question,
        })
    }
}

/// The tools that `--tools` names.
pub(crate) fn choose(words: &[String]) -> Result<Vec<&'static Tool>, AppError> {
    let known = |word: &str| word == "core" || word == "all" || TOOLS.iter().any(|tool| tool.name == word);
    if let Some(word) = words.iter().map(|word| word.trim()).find(|word| !known(word)) {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return Err(AppError::invalid(
            format!("unknown tool `{word}`"),
            format!("give `core`, `all`, or some of {}", names.join(", ")),
        ));
    }
    let is_wanted = |tool: &&Tool| {
        words
            .iter()
            .map(|word| word.trim())
            .any(|word| word == "all" || word == tool.name || (word == "core" && tool.is_core))
    };
    Ok(TOOLS.iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_plain() {
        for tool in TOOLS {
            let schema = (tool.schema)();
            let text = schema.to_string();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            for noise in ["$ref", "$defs", "anyOf", "oneOf", "null", "\"format\"", "title"] {
                assert!(!text.contains(noise), "{}: {noise} in {text}", tool.name);
            }
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["type"].is_string(), "{}: {name} has no type: {property}", tool.name);
            }
        }
    }

    #[test]
    fn tools_are_chosen_by_name_in_a_fixed_order() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            choose(&words).map(|tools| tools.iter().map(|tool| tool.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["all"]).unwrap().len(), TOOLS.len());
        assert_eq!(names(&["core"]).unwrap().len(), 11);
        assert_eq!(names(&["trace_path", "search_code"]).unwrap(), ["search_code", "trace_path"]);
        assert!(names(&["core", "nonsense"]).unwrap_err().remediation.for_cli().contains("search_code"));
    }
}
