//! The tools, one file each: its arguments, its description, and how they become those of a command.

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
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::fit_budget::{self, DEFAULT_TOKENS};
use super::answer::value_pages::Paged;
use super::arguments::{self, CommonArguments};
use super::calls::Host;
use super::workspace::{Workspace, prewarm};
use super::{schema, validate};
use crate::api::Request;
use crate::api::arguments::{Bounded, PageArgs, PlaceDetail, RefArgs};
use crate::api::part::Part as _;
use crate::choices::{Detail, Freshness, MetadataLevel};
use crate::error::AppError;
use crate::session::CallContext;

/// All tools, in the order in which they are listed.
pub(crate) const TOOLS: &[Tool] = &[
    search_code::TOOL,
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
    /// When to use it, for a model.
    pub about: &'static str,
    /// Whether it is listed when nothing else is said.
    pub is_core: bool,
    /// Whether a call waits for the first sync.
    pub needs_index: bool,
    takes_ref: bool,
    /// Whether results may be cut to their places, and bodies left out. Some tools see to it themselves.
    takes_detail: bool,
    /// The lists that `offset` skips items of, or the text that it skips lines of.
    pub pages: &'static [Paged],
    /// Whether it leaves everything as it is. The index is not counted: all questions keep it up to date.
    reads_only: bool,
    /// What it costs at most when the call does not say.
    usual_tokens: usize,
    schema: fn() -> Value,
    /// Answers a call whose arguments were checked against the schema.
    pub run: fn(&Call, Value) -> Result<Value, AppError>,
    /// Decodes a call into its request, where the question has one; then `schema` is of the whole call.
    decode: Option<Decode>,
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
    Tool { name, about, schema: schema::of_call::<R>, decode: Some(decode::<R>), ..QUESTION }
}

fn decode<R: Request>(arguments: &JsonObject) -> Result<(CommonArguments, Box<dyn Question>), AppError> {
    let (common, request) = arguments::decode::<R>(&schema::of_call::<R>(), arguments)?;
    Ok((common, Box::new(request)))
}

/// A call whose arguments were read.
pub(crate) struct DecodedCall {
    pub common: CommonArguments,
    pub at: RefArgs,
    pub page: PageArgs,
    pub max_tokens: usize,
    pub work: Work,
}

/// What a call asks.
pub(crate) enum Work {
    /// A request.
    Typed(Box<dyn Question>),
    /// Arguments of a tool whose answer is plain JSON.
    Untyped { arguments: Value, detail_level: Option<Detail>, compact: bool },
}

/// What most tools are; name, description, arguments and work are their own.
const QUESTION: Tool = Tool {
    name: "",
    about: "",
    is_core: false,
    needs_index: true,
    takes_ref: true,
    takes_detail: false,
    pages: &[],
    reads_only: true,
    usual_tokens: DEFAULT_TOKENS,
    schema: || Value::Null,
    run: |_, _| Err(AppError::internal("the tool does nothing")),
    decode: None,
};

/// What a tool knows about the call besides its arguments.
pub(crate) struct Call {
    pub context: CallContext,
    pub at: RefArgs,
    pub page: PageArgs,
    pub max_tokens: usize,
    /// How far the first sync is, while it runs.
    pub indexing: Option<prewarm::Figures>,
    pub host: Arc<Host>,
    /// The workspace that it is about.
    pub workspace: Workspace,
}

/// That of all tools that answer for a ref.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from this; `Tool::read` takes the value")]
struct RefArgument {
    r#ref: Option<String>,
}

/// That of tools whose lists may be long.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from this; `Tool::read` takes the value")]
struct PageArgument {
    offset: Option<u32>,
}

/// Those of tools that list places.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from this; `Tool::read` takes the values")]
struct DetailArguments {
    /// location: without signatures and ids.
    detail_level: Option<PlaceDetail>,
    compact: Option<bool>,
}

impl Tool {
    /// What `tools/list` says about it.
    pub(crate) fn definition(&self) -> Definition {
        let annotations = ToolAnnotations::new().read_only(self.reads_only).open_world(false);
        // The others mean something only for tools that change something.
        let annotations = match self.reads_only {
            true => annotations,
            false => annotations.idempotent(true).destructive(false),
        };
        let schema = match self.full_schema() {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        Definition::new(self.name, self.about, Arc::new(schema)).with_annotations(annotations)
    }

    /// Reads the arguments of a call.
    pub(crate) fn read(&self, arguments: JsonObject) -> Result<DecodedCall, AppError> {
        let Some(decode) = self.decode else { return self.read_untyped(arguments) };
        let (common, question) = decode(&arguments)?;
        Ok(DecodedCall {
            at: RefArgs { reference: question.reference().map(str::to_string) },
            page: PageArgs::default(),
            max_tokens: common.max_tokens.map_or(self.usual_tokens, Bounded::len),
            common,
            work: Work::Typed(question),
        })
    }

    fn read_untyped(&self, mut arguments: JsonObject) -> Result<DecodedCall, AppError> {
        validate::check(&self.full_schema(), &arguments)?;
        let mut text = |name: &str| arguments.remove(name).and_then(|value| value.as_str().map(str::to_string));
        let (workspace, reference) = (text("workspace"), if self.takes_ref { text("ref") } else { None });
        let metadata = text("metadata").map(|level| match level.as_str() {
            "full" => MetadataLevel::Full,
            _ => MetadataLevel::Brief,
        });
        let freshness = text("freshness").as_deref().and_then(Freshness::from_name);
        let (detail_level, compact) = match self.takes_detail {
            true => {
                let is_location = text("detail_level").is_some_and(|level| level == "location");
                let compact = arguments.remove("compact").and_then(|value| value.as_bool());
                (is_location.then_some(Detail::Location), compact.unwrap_or(false))
            }
            false => (None, false),
        };
        let offset = arguments.remove("offset").and_then(|value| value.as_u64()).unwrap_or(0);
        let page = PageArgs { offset: u32::try_from(offset).unwrap_or(u32::MAX) };
        let max_tokens = arguments.remove("max_tokens").and_then(|value| value.as_u64());
        let max_tokens = max_tokens.map_or(self.usual_tokens, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let common = CommonArguments { workspace, max_tokens: None, metadata, freshness };
        let work = Work::Untyped { arguments: Value::Object(arguments), detail_level, compact };
        Ok(DecodedCall { common, at: RefArgs { reference }, page, max_tokens, work })
    }

    fn full_schema(&self) -> Value {
        let mut schema = (self.schema)();
        if self.decode.is_some() {
            return schema;
        }
        schema::extend(&mut schema, schema::of::<CommonArguments>());
        if self.takes_ref {
            schema::extend(&mut schema, schema::of::<RefArgument>());
        }
        if !self.pages.is_empty() {
            schema::extend(&mut schema, schema::of::<PageArgument>());
        }
        if self.takes_detail {
            schema::extend(&mut schema, schema::of::<DetailArguments>());
        }
        schema
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

/// Reads arguments that were checked already; what types cannot say in a schema is refused here.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, AppError> {
    serde_json::from_value(arguments)
        .map_err(|error| AppError::invalid(format!("the arguments cannot be read: {error}"), "see the tool's schema"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_plain() {
        for tool in TOOLS {
            let schema = tool.full_schema();
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
        assert_eq!(names(&["core"]).unwrap().len(), 10);
        assert_eq!(names(&["trace_path", "search_code"]).unwrap(), ["search_code", "trace_path"]);
        assert!(names(&["core", "nonsense"]).unwrap_err().remediation.for_cli().contains("search_code"));
    }
}
