//! Answers as they are sent: short texts for models, or JSON for programs, both within a token
//! limit.

pub(super) mod fit_budget;
mod fit_text;
mod pages;

use codecompass_app::choices::Answers;
use codecompass_app::error::AppError;
use codecompass_engine::query::estimate_tokens;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use self::fit_text::fit_text;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SentAnswer {
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
    pub fn tokens(&self) -> usize {
        match self {
            SentAnswer::Text(text) => estimate_tokens(text),
            SentAnswer::Json(json) => estimate_tokens(&json.to_string()),
        }
    }
}

/// Returns an error as text: its code, what is wrong, and what to do.
pub(super) fn error_text(error: &AppError) -> String {
    format!("error {}: {}\n{}\n", error.code.as_str(), error.message, error.remediation.for_tools())
}
