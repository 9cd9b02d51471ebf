//! The table of tools, grouped as the questions in `api/`: each is a request with a name and a
//! description for a model.

mod ask;
mod files;
mod find;
mod history;
mod index;
pub(super) mod many;
mod navigate;
mod relations;
mod symbols;

use std::sync::Arc;

use codecompass_app::api::any::AnyQuestion;
use codecompass_app::api::arguments::RefArgs;
use codecompass_app::error::AppError;
use codecompass_app::render::table::Render;
use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use serde_json::Value;

pub use self::ask::{AnswerNote, NodeBody, OwnAnswers, answer, answer_part, ask_nodes};
use super::answer::fit_budget::DEFAULT_TOKENS;
use super::arguments::{self, CommonArguments};
use super::schema::{self, Listing};

/// All tools, in the order in which they are listed.
pub const TOOLS: &[Tool] = &[
    relations::GET_ARCHITECTURE,
    find::SEARCH_CODE,
    find::GREP_CODE,
    symbols::LOCATE_SYMBOL,
    symbols::GET_SYMBOL,
    symbols::GET_FILE_OUTLINE,
    files::READ_FILE,
    find::GET_CODE_CONTEXT,
    navigate::FIND_REFERENCES,
    navigate::GET_CALL_GRAPH,
    relations::GET_SYMBOL_HIERARCHY,
    navigate::ANALYZE_IMPACT,
    navigate::DIFF_CONTEXT,
    many::ASK_MANY,
    index::INDEX_STATUS,
    symbols::FIND_SYMBOLS,
    navigate::TRACE_PATH,
    navigate::LIST_ENDPOINTS,
    navigate::LIST_SERVICES,
    files::LIST_DIRECTORY,
    relations::GET_DEPENDENCIES,
    relations::LIST_PROJECTS,
    relations::FIND_RELATED_SYMBOLS,
    relations::SEARCH_SIMILAR_SYMBOL,
    navigate::COMPARE_SYMBOL_BETWEEN_COMMITS,
    history::SEARCH_HISTORY,
    history::GET_SYMBOL_HISTORY,
    find::ANALYZE,
    find::EXPLAIN_RANKING,
    find::SUGGEST_FOLLOWUP_QUERIES,
    index::LIST_REFS,
    index::HEALTH_CHECK,
    index::SYNC_REPO,
    index::INDEX_REPO,
    index::SWITCH_REF,
];

/// One tool.
pub struct Tool {
    pub name: &'static str,
    /// Advice for a model on when to use it.
    pub about: &'static str,
    /// True if it is listed when nothing else is said.
    pub is_core: bool,
    /// True if it is listed only where a chat model is configured, then always.
    needs_chat: bool,
    /// True if a call waits for the first sync.
    pub needs_index: bool,
    /// True if it leaves everything as it is. The index is not counted: all questions keep it up to
    /// date.
    reads_only: bool,
    /// The most tokens that an answer costs when the call does not say.
    usual_tokens: usize,
    /// The arguments of its listed schema that other tools take without saying so.
    listing: Listing,
    /// Returns the schema of the whole call.
    schema: fn() -> Value,
    /// Nothing for the tool that asks others.
    decode: Option<Decode>,
}

/// The arguments of a call: those that every tool takes and its own.
pub(super) type Decoded<T> = (CommonArguments, T);

/// Decodes the arguments of a call.
type Decode = fn(&JsonObject) -> Result<Decoded<Box<dyn AnyQuestion>>, AppError>;

/// Returns the tool that asks `R`: a question, which needs the index and changes nothing.
const fn asks<R: Render>(name: &'static str, about: &'static str) -> Tool {
    Tool {
        name,
        about,
        is_core: false,
        needs_chat: false,
        needs_index: true,
        reads_only: true,
        usual_tokens: DEFAULT_TOKENS,
        listing: Listing::PLAIN,
        schema: schema::of_call::<R>,
        decode: Some(decode::<R>),
    }
}

fn decode<R: Render>(arguments: &JsonObject) -> Result<Decoded<Box<dyn AnyQuestion>>, AppError> {
    let (common, request) = arguments::decode::<R>(&schema::of_call::<R>(), arguments)?;
    Ok((common, Box::new(request)))
}

/// A call whose arguments were read.
pub struct DecodedCall {
    pub common: CommonArguments,
    pub at: RefArgs,
    pub max_tokens: usize,
    pub question: Box<dyn AnyQuestion>,
}

impl Tool {
    /// Returns whether calls may name it although it is not listed: it only reads, and asks no
    /// model.
    pub fn may_be_called(&self) -> bool {
        self.reads_only && !self.needs_chat
    }

    /// Returns a word for when it is listed; none if only `--tools` lists it.
    pub fn listed(&self) -> &'static str {
        match (self.is_core, self.needs_chat) {
            (true, _) => "yes",
            (false, true) => "with a chat model",
            (false, false) => "",
        }
    }

    /// Returns the entry of the tool in `tools/list` of a server with one or several workspaces.
    pub fn definition(&self, several_workspaces: bool) -> Definition {
        let annotations = ToolAnnotations::new().read_only(self.reads_only).open_world(self.needs_chat);
        // The others mean something only for tools that change something.
        let annotations = if self.reads_only { annotations } else { annotations.idempotent(true).destructive(false) };
        let schema = match schema::listed((self.schema)(), self.listing, several_workspaces) {
            Value::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        Definition::new(self.name, self.about, Arc::new(schema)).with_annotations(annotations)
    }

    /// Returns whether a plain request may ask it: it changes nothing and sends nothing anywhere.
    pub fn may_be_got(&self) -> bool {
        self.reads_only && !self.needs_chat && !self.is_many()
    }

    /// Returns whether it asks other tools.
    pub fn is_many(&self) -> bool {
        self.decode.is_none()
    }

    /// Returns whether it leaves something changed.
    pub(super) fn changes_something(&self) -> bool {
        !self.reads_only
    }

    /// Returns the schema of the whole call, with what is not listed.
    pub(super) fn whole_schema(&self) -> Value {
        (self.schema)()
    }

    /// Returns whether it takes an argument of this name.
    pub(super) fn takes(&self, argument: &str) -> bool {
        self.whole_schema()["properties"].get(argument).is_some()
    }

    /// Returns names and values of an address as the arguments of a call. A value that is not of
    /// its argument's type stays a text, which reading the call refuses.
    pub fn arguments(&self, pairs: Vec<(String, String)>) -> JsonObject {
        let schema = (self.schema)();
        let kind = |name: &str| schema["properties"][name]["type"].as_str().unwrap_or_default().to_string();
        let mut arguments = JsonObject::new();
        for (name, value) in pairs {
            let value = match kind(&name).as_str() {
                "integer" => value.parse::<i64>().map_or(Value::from(value), Value::from),
                "number" => value.parse::<f64>().map_or(Value::from(value), Value::from),
                "boolean" if matches!(value.as_str(), "" | "true" | "1") => Value::Bool(true),
                "boolean" if matches!(value.as_str(), "false" | "0") => Value::Bool(false),
                "array" => {
                    let mut list = arguments.get(&name).and_then(Value::as_array).cloned().unwrap_or_default();
                    list.push(Value::from(value));
                    Value::Array(list)
                }
                _ => Value::from(value),
            };
            arguments.insert(name, value);
        }
        arguments
    }

    /// Reads the arguments of a call.
    pub fn read(&self, arguments: JsonObject) -> Result<DecodedCall, AppError> {
        let Some(decode) = self.decode else {
            let message = format!("`{}` asks other tools and is no question of its own", self.name);
            return Err(AppError::invalid(message, "call one of the tools that it names"));
        };
        let (common, question) = decode(&arguments)?;
        Ok(DecodedCall {
            at: RefArgs { reference: question.reference().map(str::to_string) },
            max_tokens: common.max_tokens.map_or(self.usual_tokens, |most| most.get() as usize),
            common,
            question,
        })
    }
}

/// The tools that `--tools` names. Those that need a chat model stand in every group if `has_chat`.
pub(super) fn choose(words: &[String], has_chat: bool) -> Result<Vec<&'static Tool>, AppError> {
    let known = |word: &str| word == "core" || word == "all" || TOOLS.iter().any(|tool| tool.name == word);
    if let Some(word) = words.iter().map(|word| word.trim()).find(|word| !known(word)) {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return Err(AppError::invalid(
            format!("unknown tool `{word}`"),
            format!("give `core`, `all`, or some of {}", names.join(", ")),
        ));
    }
    let is_wanted = |tool: &&Tool| {
        words.iter().map(|word| word.trim()).any(|word| match word {
            "all" => has_chat || !tool.needs_chat,
            "core" => tool.is_core || (has_chat && tool.needs_chat),
            name => name == tool.name,
        })
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
            choose(&words, false).map(|tools| tools.iter().map(|tool| tool.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["all"]).unwrap().len(), TOOLS.len() - 1);
        assert_eq!(names(&["analyze"]).unwrap(), ["analyze"]);
        assert_eq!(choose(&["core".into()], true).unwrap().len(), 15);
        assert_eq!(names(&["core"]).unwrap().len(), 14);
        assert_eq!(names(&["trace_path", "search_code"]).unwrap(), ["search_code", "trace_path"]);
        assert!(names(&["core", "nonsense"]).unwrap_err().remediation.for_cli().contains("search_code"));
    }
}
