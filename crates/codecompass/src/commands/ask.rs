//! Asks a question and prints the answers: one, or one for each symbol and repository.

use codecompass_app::api::Answer as _;
use codecompass_app::api::fan_out;
use codecompass_app::api::fan_out::answers::{Answers, Given};
use codecompass_app::api::fan_out::checkouts::{Checkouts, TypedAnswer};
use codecompass_app::error::AppError;
use codecompass_app::remedy::Audience;
use codecompass_app::render::table::Render;
use codecompass_app::session::{CallContext, OutputFormat};
use codecompass_app::terminal::output::{self, Outcome};
use serde_json::Value;

use super::print::print;

/// Answers a question and prints the answers, as JSON or as text.
pub(super) fn ask<R: Render>(context: &CallContext, request: &R) -> Result<Outcome, AppError> {
    let answer = |context: &CallContext, request: &R| request.answer_in_form(context, Audience::Cli);
    let answers = fan_out::ask(request, &Checkouts::new(context, request, answer)?)?;
    let outcome = if answers.is_failed() { Outcome::Failed } else { Outcome::of(answers.is_found()) };
    match context.format {
        OutputFormat::Json => print_json(answers),
        OutputFormat::Text => print_text(context, answers),
    }
    Ok(outcome)
}

fn print_json<R: Render>(mut answers: Answers<TypedAnswer<R>>) {
    let given = std::mem::take(&mut answers.given);
    let mut objects: Vec<Value> = given.into_iter().map(object).collect();
    match objects.pop() {
        Some(only) if answers.is_single => output::object(&only),
        last => {
            objects.extend(last);
            output::object(&answers.object(objects));
        }
    }
}

/// Returns one of several answers as JSON; an error says which symbol it is about.
fn object<R: Render>(given: Given<TypedAnswer<R>>) -> Value {
    match given.reply {
        Ok(reply) => reply.body.answer.to_json(Audience::Cli),
        Err(error) => {
            let mut object = error.to_json(Audience::Cli);
            object["symbol"] = Value::from(given.name);
            object
        }
    }
}

fn print_text<R: Render>(context: &CallContext, mut answers: Answers<TypedAnswer<R>>) {
    let headings: Vec<String> = answers.given.iter().map(|one| answers.heading(one)).collect();
    let tail = answers.tail();
    for (at, (one, heading)) in answers.given.drain(..).zip(headings).enumerate() {
        if at > 0 {
            output::text("\n");
        }
        output::text(&heading);
        match one.reply {
            Ok(reply) => {
                print(context, &reply.body.request, reply.body.answer);
            }
            Err(error) => {
                output::report(&error, false);
            }
        }
    }
    output::text(&tail);
}
