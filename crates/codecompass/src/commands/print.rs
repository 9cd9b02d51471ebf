//! Prints answers.

use codecompass_app::api::Answer as _;
use codecompass_app::remedy::Audience;
use codecompass_app::render::table::Render;
use codecompass_app::session::{CallContext, OutputFormat};
use codecompass_app::terminal::output::{self, Outcome};
use serde::Serialize;

/// Prints an answer, as JSON or as text.
pub(super) fn print<R: Render>(context: &CallContext, request: &R, answer: R::Answer) -> Outcome {
    let outcome = Outcome::of(answer.is_found());
    match context.format {
        OutputFormat::Json => output::object(&answer.to_json(Audience::Cli)),
        OutputFormat::Text => {
            output::text(&request.text(&answer, Audience::Cli));
            let notes = if context.quiet { Vec::new() } else { answer.notes() };
            notes.iter().for_each(|note| output::note(note));
        }
    }
    outcome
}

/// Prints the answer of a command that no tool asks, as JSON or as `text` words it.
pub(super) fn show<A: Serialize>(context: &CallContext, answer: &A, text: fn(&A) -> String) -> Outcome {
    match context.format {
        OutputFormat::Json => output::object(&serde_json::to_value(answer).unwrap_or_default()),
        OutputFormat::Text => output::text(&text(answer)),
    }
    Outcome::Found
}
