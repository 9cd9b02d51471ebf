//! The answers of a call as the savings ledger weighs them: what was sent, and which places it
//! cites.

use codecompass_app::api::fan_out::answers::Reply;
use codecompass_app::error::AppError;
use codecompass_app::savings::{CallSums, rule};
use codecompass_engine::FileSizes;
use codecompass_engine::query::estimate_tokens;
use serde_json::Value;

use super::answer::{SentAnswer, error_text};

/// The answers of a call that found something and are sent as text; one, or one for each symbol.
#[derive(Default)]
pub struct CitedAnswers {
    answers: Vec<Box<dyn FnOnce() -> Value + Send>>,
}

impl CitedAnswers {
    /// Adds an answer that is sent as text and that `json` returns as JSON. The call does not wait
    /// for that.
    pub(super) fn add(&mut self, json: impl FnOnce() -> Value + Send + 'static) {
        self.answers.push(Box::new(json));
    }

    /// Returns what an answer cost, and what it replaces.
    pub(super) fn weigh(self, sent: &Reply<SentAnswer>, sizes: Option<&FileSizes>) -> CallSums {
        let places = match &sent.body {
            _ if !sent.is_found => Vec::new(),
            SentAnswer::Json(answer) => rule::cited_places(answer),
            SentAnswer::Text(text) => {
                let answers: Vec<Value> = self.answers.into_iter().map(|json| json()).collect();
                let mut places = rule::cited_places(&Value::from(answers));
                rule::keep_shown(&mut places, text);
                places
            }
        };
        let replaced = sizes.map_or(0, |sizes| rule::replaced_tokens(&places, |paths| sizes.of(paths)));
        CallSums::of_call(sent.body.tokens() as u64, replaced)
    }
}

/// Returns what an error cost; it replaces nothing.
pub(super) fn weigh_error(error: &AppError) -> CallSums {
    CallSums::of_call(estimate_tokens(&error_text(error)) as u64, 0)
}
