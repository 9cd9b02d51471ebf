//! Answers as they are sent: short texts for models, or JSON for programs, both within a token
//! limit.

pub(super) mod fit_budget;
mod fit_text;
mod pages;

use codecompass_engine::query::estimate_tokens;
use serde_json::Value;

pub(super) use self::fit_text::fit_text;
use crate::choices::Answers;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    Text,
    Json,
}

impl From<Answers> for AnswerForm {
    fn from(answers: Answers) -> AnswerForm {
        match answers {
            Answers::Text => AnswerForm::Text,
            Answers::Json | Answers::Structured => AnswerForm::Json,
        }
    }
}

/// An answer that fits its token limit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SentAnswer {
    Text(String),
    Json(Value),
}

impl SentAnswer {
    /// Returns the answer as text.
    pub(super) fn into_text(self) -> String {
        match self {
            SentAnswer::Text(text) => text,
            SentAnswer::Json(json) => json.to_string(),
        }
    }

    /// Returns the answer as JSON.
    pub(super) fn into_json(self) -> Value {
        match self {
            SentAnswer::Text(text) => Value::from(text),
            SentAnswer::Json(json) => json,
        }
    }

    /// Returns an upper estimate of the tokens that the answer costs.
    pub(crate) fn tokens(&self) -> usize {
        match self {
            SentAnswer::Text(text) => estimate_tokens(text),
            SentAnswer::Json(json) => estimate_tokens(&json.to_string()),
        }
    }
}
