//! Several questions in one call: the calls of `ask_many` are answered one after another, as if
//! each had come for itself, within one token budget and one time limit. A call that fails has its
//! error in its place.

use std::sync::Arc;
use std::time::Instant;

use codecompass_app::api::shares::share_out;
use codecompass_app::error::{AppError, Code};
use codecompass_app::remedy::Audience;
use codecompass_app::render::shown;
use codecompass_engine::query::estimate_tokens;
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::answer::fit_budget::{DEFAULT_TOKENS, MAX_TOKENS};
use super::answer::{AnswerForm, SentAnswer, error_text};
use super::answerer::{Answerer, RequestAnswerer, ToolCall};
use super::arguments::{self, CommonArguments};
use super::tools::many::{MAX_CALLS, ManyArguments};
use super::tools::{Decoded, Tool};

/// The least room for one of the answers, which is the least that a call may ask for.
const MIN_ROOM: usize = 100;
/// Longer arguments are cut in the line above their answer.
const MAX_HEADING_BYTES: usize = 200;
/// Longer errors are cut.
const MAX_ERROR_BYTES: usize = 1000;
/// The form of a call, for errors.
const FORM: &str = r#"a call is {"tool": "get_symbol", "arguments": {"symbol": "main"}}"#;

/// The answers to several calls.
pub(super) struct ManyAnswers {
    pub body: SentAnswer,
    /// True if no call has an answer.
    pub is_failed: bool,
}

/// The calls of a request, and what they have in common.
pub(super) struct ManyCalls {
    calls: Vec<Value>,
    /// Arguments for the calls that take them and have none of their own.
    shared: JsonObject,
    max_tokens: usize,
}

impl ManyCalls {
    /// Reads the arguments of a call of `many`.
    pub(super) fn read(many: &Tool, given: &JsonObject) -> Result<ManyCalls, AppError> {
        let (common, own): Decoded<ManyArguments> = arguments::decode(&many.whole_schema(), given)?;
        let CommonArguments { max_tokens, .. } = common;
        let wrong = |message: String| {
            let remedy = format!("give `calls` as a list of 1 to {MAX_CALLS} calls; {FORM}");
            AppError::invalid(message, remedy)
        };
        let calls = match own.calls {
            Value::Array(calls) if calls.is_empty() => return Err(wrong("`calls` is empty".into())),
            Value::Array(calls) if calls.len() > MAX_CALLS => {
                return Err(wrong(format!("{} calls are too many for one", calls.len())));
            }
            Value::Array(calls) => calls,
            _ => return Err(wrong("`calls` is no list".into())),
        };
        let of_calls = |name: &&String| !matches!(name.as_str(), "calls" | "max_tokens" | "ref");
        let names = given.keys().filter(of_calls);
        let mut shared: JsonObject = names.map(|name| (name.clone(), given[name].clone())).collect();
        if let Some(reference) = own.reference {
            shared.insert("ref".into(), reference.into());
        }
        let max_tokens = max_tokens.map_or(DEFAULT_TOKENS, |most| most.get() as usize);
        Ok(ManyCalls { calls, shared, max_tokens })
    }

    /// Answers the calls in order; `find` finds the tools that they name.
    pub(super) async fn answer(
        self,
        answerer: Arc<dyn Answerer>,
        form: AnswerForm,
        find: impl Fn(&str) -> Result<&'static Tool, AppError>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ManyAnswers, AppError> {
        let until = Instant::now() + answerer.patience();
        let count = self.calls.len();
        let part = |(at, call): (usize, &Value)| Part::new(at + 1, count, call, &self.shared, form, &find);
        let mut parts: Vec<Part> = self.calls.iter().enumerate().map(part).collect();
        let numbers: Vec<usize> = (1..=count).collect();
        let room = self.max_tokens.saturating_sub(estimate_tokens(&no_room(&numbers)));
        let mut asker = answerer.begin(context);
        for part in &mut parts {
            part.ask(&mut *asker, room, until).await;
            check_cancelled(context)?;
        }
        // What is longer than its share is asked once more, for an answer that ends well.
        let costs: Vec<usize> = parts.iter().map(Part::cost).collect();
        let of_frames = parts.iter().map(Part::frame).max().unwrap_or(0);
        let shares = share_out(&costs, room, MIN_ROOM + of_frames);
        for ((part, cost), share) in parts.iter_mut().zip(costs).zip(shares) {
            match (share, &part.outcome) {
                (Some(share), _) if cost <= share => {}
                (Some(share), Outcome::Answered(_)) => {
                    part.ask(&mut *asker, share.saturating_sub(part.frame()), until).await;
                    check_cancelled(context)?;
                }
                _ => part.outcome = Outcome::NoRoom,
            }
        }
        join(parts, form, self.max_tokens)
    }
}

fn check_cancelled(context: &RequestContext<RoleServer>) -> Result<(), AppError> {
    if context.ct.is_cancelled() {
        return Err(AppError::new(Code::InternalError, "the call was cancelled", "call again"));
    }
    Ok(())
}

/// One of several calls.
struct Part {
    number: usize,
    /// The line above its answer.
    heading: String,
    tool: String,
    form: AnswerForm,
    /// Nothing if it cannot be asked.
    call: Option<ToolCall>,
    /// The tokens that it asks for.
    max_tokens: usize,
    outcome: Outcome,
}

enum Outcome {
    Answered(SentAnswer),
    Failed(AppError),
    NoRoom,
}

impl Part {
    fn new(
        number: usize,
        count: usize,
        given: &Value,
        shared: &JsonObject,
        form: AnswerForm,
        find: &impl Fn(&str) -> Result<&'static Tool, AppError>,
    ) -> Part {
        let tool = given.get("tool").and_then(Value::as_str).unwrap_or_default().to_string();
        let named = given.get("arguments").filter(|arguments| !arguments.is_null());
        let shown_arguments = named.map(|arguments| format!(" {arguments}")).unwrap_or_default();
        let heading = cut(&format!("## {number} of {count}: {tool}{shown_arguments}"), MAX_HEADING_BYTES);
        let (call, max_tokens, outcome) = match read_call(given, shared, find) {
            Ok((tool, arguments)) => {
                // What is wrong with them is said when the call is answered.
                let max_tokens = tool.read(arguments.clone()).map_or(0, |decoded| decoded.max_tokens);
                (Some(ToolCall { tool, form, arguments }), max_tokens, Outcome::NoRoom)
            }
            Err(error) => (None, 0, Outcome::Failed(error)),
        };
        Part {
            number,
            heading: shown(heading.trim_end_matches([':', ' '])).into_owned(),
            tool,
            form,
            call,
            max_tokens,
            outcome,
        }
    }

    /// Asks for an answer of at most `room` tokens.
    async fn ask(&mut self, asker: &mut dyn RequestAnswerer, room: usize, until: Instant) {
        let Some(mut call) = self.call.clone() else { return };
        let room = room.clamp(MIN_ROOM, MAX_TOKENS);
        if self.max_tokens > room {
            call.arguments.insert("max_tokens".into(), room.into());
        }
        self.outcome = match asker.ask(self.number, call, until).await {
            Ok(answer) => Outcome::Answered(answer),
            Err(error) => Outcome::Failed(error),
        };
    }

    /// Returns the tokens of what stands around its answer.
    fn frame(&self) -> usize {
        match self.form {
            AnswerForm::Text => estimate_tokens(&self.heading) + 2,
            AnswerForm::Json => estimate_tokens(&self.object("answer", Value::Null).to_string()) + 1,
        }
    }

    fn cost(&self) -> usize {
        self.frame()
            + match (&self.outcome, self.form) {
                (Outcome::Answered(answer), _) => answer.tokens(),
                (Outcome::Failed(error), AnswerForm::Text) => estimate_tokens(&failed(error)),
                (Outcome::Failed(error), AnswerForm::Json) => estimate_tokens(&failed_object(error).to_string()),
                (Outcome::NoRoom, _) => 0,
            }
    }

    fn object(&self, name: &str, value: Value) -> Value {
        json!({"call": self.number, "tool": self.tool, name: value})
    }
}

/// Reads one call: its tool and arguments, with those that all calls share.
fn read_call(
    given: &Value,
    shared: &JsonObject,
    find: &impl Fn(&str) -> Result<&'static Tool, AppError>,
) -> Result<(&'static Tool, JsonObject), AppError> {
    let Value::Object(call) = given else { return Err(AppError::invalid("the call is no object", FORM)) };
    if let Some(name) = call.keys().find(|name| !matches!(name.as_str(), "tool" | "arguments")) {
        let message = format!("unknown field `{}` of a call", cut(name, MAX_HEADING_BYTES));
        return Err(AppError::invalid(message, format!("what a tool takes stands in `arguments`: {FORM}")));
    }
    let Some(name) = call.get("tool").and_then(Value::as_str) else {
        return Err(AppError::invalid("the call names no tool", FORM));
    };
    let tool = find(name)?;
    if tool.is_many() {
        return Err(AppError::invalid(format!("`{name}` cannot be asked in itself"), "put its calls into `calls`"));
    }
    if tool.changes_something() {
        return Err(AppError::invalid(format!("`{name}` changes something"), "call it for itself"));
    }
    let mut arguments = match call.get("arguments") {
        Some(Value::Object(arguments)) => arguments.clone(),
        None | Some(Value::Null) => JsonObject::new(),
        Some(_) => return Err(AppError::invalid("`arguments` is no object", FORM)),
    };
    let names_workspace = ["workspace", "workspaces"].iter().any(|name| arguments.contains_key(*name));
    for (name, value) in shared {
        let is_given = arguments.contains_key(name) || (name.starts_with("workspace") && names_workspace);
        if !is_given && tool.takes(name) {
            arguments.insert(name.clone(), value.clone());
        }
    }
    Ok((tool, arguments))
}

/// Returns the beginning of a text.
fn cut(text: &str, most: usize) -> String {
    if text.len() > most { format!("{}…", &text[..text.floor_char_boundary(most)]) } else { text.to_string() }
}

fn failed(error: &AppError) -> String {
    let text = error_text(error);
    format!("{}\n", cut(text.trim_end(), MAX_ERROR_BYTES))
}

fn failed_object(error: &AppError) -> Value {
    error.to_json(Audience::Tools).get_mut("error").map(Value::take).unwrap_or_default()
}

/// Returns the line about calls that had no room.
fn no_room(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    format!("no room for {}; ask for them apart, or raise `max_tokens`\n", numbers.join(", "))
}

/// Puts the answers together.
fn join(parts: Vec<Part>, form: AnswerForm, max_tokens: usize) -> Result<ManyAnswers, AppError> {
    let without: Vec<usize> =
        parts.iter().filter(|part| matches!(part.outcome, Outcome::NoRoom)).map(|part| part.number).collect();
    if without.len() == parts.len() {
        let message = format!("{max_tokens} tokens have no room for an answer");
        let remedy = format!("raise `max_tokens` (at most {MAX_TOKENS}), or ask fewer questions");
        return Err(AppError::new(Code::InvalidMaxTokens, message, remedy));
    }
    let is_failed = !parts.iter().any(|part| matches!(part.outcome, Outcome::Answered(_)));
    let body = match form {
        AnswerForm::Text => {
            let mut texts = Vec::new();
            for Part { heading, outcome, .. } in parts {
                match outcome {
                    Outcome::Answered(answer) => texts.push(format!("{heading}\n{}", answer.into_text())),
                    Outcome::Failed(error) => texts.push(format!("{heading}\n{}", failed(&error))),
                    Outcome::NoRoom => {}
                }
            }
            if !without.is_empty() {
                texts.push(no_room(&without));
            }
            SentAnswer::Text(texts.join("\n"))
        }
        AnswerForm::Json => {
            let mut answers = Vec::new();
            for mut part in parts {
                match std::mem::replace(&mut part.outcome, Outcome::NoRoom) {
                    Outcome::Answered(answer) => answers.push(part.object("answer", answer.into_json())),
                    Outcome::Failed(error) => answers.push(part.object("error", failed_object(&error))),
                    Outcome::NoRoom => {}
                }
            }
            let mut object = json!({"answers": answers});
            if !without.is_empty() {
                object["no_room_for"] = json!(without);
            }
            SentAnswer::Json(object)
        }
    };
    Ok(ManyAnswers { body, is_failed })
}
