//! Asks the question of a call: once, or for each of the symbols that it names.

use codecompass_engine::query::estimate_tokens;
use serde_json::{Value, json};

use crate::mcp::answer::{SentAnswer, fit_budget, fit_text};
use crate::mcp::cited::TypedAnswers;
use codecompass_app::api::Answer as _;
use codecompass_app::api::belonging::{self, Given, GivenAnswers};
use codecompass_app::api::index::server::ServerState;
use codecompass_app::api::part::Part as _;
use codecompass_app::api::several::{self, SingleQuestion};
use codecompass_app::error::AppError;
use codecompass_app::remedy::Voice;
use codecompass_app::render::shown;
use codecompass_app::render::table::Render;
use codecompass_app::session::{CallContext, OutputFormat};

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
    if let Some(asked) = belonging::repositories(context, request)? {
        return circumstances.of_several(belonging::ask(context, request, &asked, answer)?, max_tokens, typed);
    }
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

/// Answers a question in the form that is asked for.
fn answer<R: Render>(context: &CallContext, request: &R) -> Result<R::Answer, AppError> {
    match context.format {
        OutputFormat::Json => request.answer(context),
        OutputFormat::Text => request.answer_for_text(context, Voice::Tools),
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
        let mut answer = answer(self.context, request)?;
        request.add_server_state(&mut answer, self.server);
        Ok(self.fit(request, answer, max_tokens, typed))
    }

    /// Makes an answer fit its limit, and says whether anything was found.
    fn fit<R: Render>(
        &self,
        request: &R,
        mut answer: R::Answer,
        max_tokens: usize,
        typed: &mut TypedAnswers,
    ) -> (SentAnswer, bool) {
        answer.reduce(request.reduction());
        let is_found = answer.is_found();
        typed.is_known |= answer.is_known();
        match self.context.format {
            OutputFormat::Json => {
                typed.has_found |= is_found;
                (SentAnswer::Json(fit_budget::fit(answer, max_tokens)), is_found)
            }
            OutputFormat::Text => {
                let text = fit_text(request, &mut answer, max_tokens);
                if is_found {
                    typed.add(move || answer.json());
                }
                (SentAnswer::Text(text), is_found)
            }
        }
    }

    /// Makes the answers of several repositories fit their limit.
    fn of_several<R: Render>(
        &self,
        mut answers: GivenAnswers<R>,
        max_tokens: usize,
        typed: &mut TypedAnswers,
    ) -> Result<SentAnswer, AppError> {
        let given = std::mem::take(&mut answers.given);
        let headings: Vec<String> = given.iter().map(|one| answers.heading(one)).collect();
        let tail = answers.tail(&given);
        let names: Vec<String> = given.iter().map(Given::name).collect();
        let of_frame = estimate_tokens(&answers.object(Vec::new()).to_string()).max(estimate_tokens(&tail));
        // A single answer has it all in its metadata.
        let of_frame = if answers.is_single { 0 } else { of_frame + estimate_tokens(&no_room(&names.join(", "))) };
        let mut left = max_tokens.saturating_sub(of_frame);
        let (mut sent, mut unanswered) = (Vec::new(), Vec::new());
        let count = given.len();
        for (at, (one, heading)) in given.into_iter().zip(headings).enumerate() {
            if left < MIN_ROOM {
                unanswered.push(names[at].as_str());
                continue;
            }
            let room = (left / (count - at)).max(MIN_ROOM).saturating_sub(estimate_tokens(&heading));
            let answer = match one {
                Given::Answer(one) => self.fit(&one.request, one.answer, room, typed).0,
                Given::Failure { symbol, error } => self.failed(&symbol, &error),
            };
            let answer = match answer {
                SentAnswer::Text(text) => SentAnswer::Text(format!("{heading}{text}")),
                json @ SentAnswer::Json(_) => json,
            };
            left = left.saturating_sub(answer.tokens() + 1);
            sent.push(answer);
        }
        if answers.is_single
            && sent.len() == 1
            && let Some(only) = sent.pop()
        {
            return Ok(only);
        }
        Ok(match self.join(sent, &unanswered) {
            SentAnswer::Text(text) => SentAnswer::Text(text + &tail),
            SentAnswer::Json(joined) => {
                let mut object = answers.object(Vec::new());
                if let (Some(object), Value::Object(joined)) = (object.as_object_mut(), joined) {
                    object.extend(joined);
                }
                SentAnswer::Json(object)
            }
        })
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
