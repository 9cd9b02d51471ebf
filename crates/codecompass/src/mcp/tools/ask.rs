//! Asks the question of a call: once, or for each of the symbols that it names.

use codecompass_engine::query::estimate_tokens;
use serde_json::{Value, json};

use crate::api::Answer as _;
use crate::api::index::server::ServerState;
use crate::api::part::Part as _;
use crate::api::several::{self, SingleQuestion};
use crate::error::AppError;
use crate::mcp::answer::{SentAnswer, fit_budget, fit_text};
use crate::mcp::cited::TypedAnswers;
use crate::remedy::Voice;
use crate::render::shown;
use crate::render::table::Render;
use crate::session::{CallContext, OutputFormat};

/// The least room for one of several answers.
const MIN_ROOM: usize = 100;

/// Returns the answer of a call in at most `max_tokens` tokens.
pub(super) fn ask<R: Render>(
    request: &R,
    context: &CallContext,
    server: &dyn ServerState,
    max_tokens: usize,
    typed: &mut TypedAnswers,
) -> Result<SentAnswer, AppError> {
    let circumstances = Circumstances { context, server };
    let parts = several::split(request)?;
    if !parts.is_empty() {
        return circumstances.each(&parts, max_tokens, typed);
    }
    let answer = circumstances.one(request, max_tokens, typed);
    let is_missing = match &answer {
        Ok((_, is_found)) => !is_found,
        Err(error) => several::is_not_found(error),
    };
    let parts = if is_missing { several::split_list(request)? } else { Vec::new() };
    match parts.is_empty() {
        true => answer.map(|(answer, _)| answer),
        false => circumstances.each(&parts, max_tokens, typed),
    }
}

/// The circumstances of a call.
struct Circumstances<'a> {
    context: &'a CallContext,
    server: &'a dyn ServerState,
}

impl Circumstances<'_> {
    /// Answers a question about at most one symbol, and says whether anything was found.
    fn one<R: Render>(
        &self,
        request: &R,
        max_tokens: usize,
        typed: &mut TypedAnswers,
    ) -> Result<(SentAnswer, bool), AppError> {
        let mut answer = match self.context.format {
            OutputFormat::Json => request.answer(self.context)?,
            OutputFormat::Text => request.answer_for_text(self.context, Voice::Tools)?,
        };
        request.add_server_state(&mut answer, self.server);
        answer.reduce(request.reduction());
        let is_found = answer.is_found();
        match self.context.format {
            OutputFormat::Json => {
                typed.has_found |= is_found;
                Ok((SentAnswer::Json(fit_budget::fit(answer, max_tokens)), is_found))
            }
            OutputFormat::Text => {
                let text = fit_text(request, &mut answer, max_tokens);
                if is_found {
                    typed.add(move || answer.json());
                }
                Ok((SentAnswer::Text(text), is_found))
            }
        }
    }

    /// Answers a question for each of several symbols. Room that one does not need is left to the
    /// next. The call fails only if all of them do.
    fn each<R: Render>(
        &self,
        parts: &[SingleQuestion<R>],
        max_tokens: usize,
        typed: &mut TypedAnswers,
    ) -> Result<SentAnswer, AppError> {
        let names = parts.iter().map(|part| part.symbol.as_str()).collect::<Vec<_>>().join(", ");
        // The line that says what had no room.
        let mut left = max_tokens.saturating_sub(estimate_tokens(&no_room(&names)));
        let (mut answers, mut errors, mut unanswered) = (Vec::new(), Vec::new(), Vec::new());
        for (at, part) in parts.iter().enumerate() {
            if left < MIN_ROOM {
                unanswered.push(part.symbol.as_str());
                continue;
            }
            let room = (left / (parts.len() - at)).max(MIN_ROOM);
            let answer = match self.one(&part.request, room, typed) {
                Ok((answer, _)) => answer,
                Err(error) => {
                    let answer = self.failed(&part.symbol, &error);
                    errors.push(error);
                    answer
                }
            };
            left = left.saturating_sub(answer.tokens() + 1);
            answers.push(answer);
        }
        match errors.len() == parts.len() {
            true => errors.into_iter().next().map_or_else(|| Ok(self.join(answers, &[])), Err),
            false => Ok(self.join(answers, &unanswered)),
        }
    }

    /// Returns what stands for an answer that could not be given.
    fn failed(&self, symbol: &str, error: &AppError) -> SentAnswer {
        match self.context.format {
            OutputFormat::Text => {
                let (message, remedy) = (shown(&error.message), error.remediation.for_tools());
                SentAnswer::Text(format!("{}: {message}; {}\n", shown(symbol), shown(&remedy)))
            }
            OutputFormat::Json => {
                let mut object = error.to_json(Voice::Tools);
                object["symbol"] = Value::from(symbol);
                SentAnswer::Json(object)
            }
        }
    }

    fn join(&self, answers: Vec<SentAnswer>, unanswered: &[&str]) -> SentAnswer {
        match self.context.format {
            OutputFormat::Text => {
                let texts = answers.into_iter().map(SentAnswer::into_text).collect::<Vec<_>>();
                let mut text = texts.join("\n");
                if !unanswered.is_empty() {
                    text.push_str(&no_room(&unanswered.join(", ")));
                }
                SentAnswer::Text(text)
            }
            OutputFormat::Json => {
                let answers: Vec<Value> = answers.into_iter().map(SentAnswer::into_json).collect();
                let mut joined = json!({"answers": answers});
                if !unanswered.is_empty() {
                    joined["no_room_for"] = json!(unanswered);
                }
                SentAnswer::Json(joined)
            }
        }
    }
}

/// Returns the line about symbols that had no room.
fn no_room(names: &str) -> String {
    format!("no room for {}; ask for them apart, or raise `max_tokens`\n", shown(names))
}
