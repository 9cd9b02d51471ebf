//! Prints answers.

use codecompass_app::session::{CallContext, OutputFormat};
use codecompass_app::terminal::output::{self, Outcome};
use serde::Serialize;

/// Prints the answer of a command that no tool asks, as JSON or as `text` words it.
pub(super) fn show<A: Serialize>(context: &CallContext, answer: &A, text: fn(&A) -> String) -> Outcome {
    match context.format {
        OutputFormat::Json => output::object(&serde_json::to_value(answer).unwrap_or_default()),
        OutputFormat::Text => output::text(&text(answer)),
    }
    Outcome::Found
}
