//! Asks a question and prints the answers: one, or one for each symbol and repository.

use codecompass_app::api::any::{AnyAnswer, AnyQuestion};
use codecompass_app::api::fan_out;
use codecompass_app::api::fan_out::answers::{Answers, Given};
use codecompass_app::api::fan_out::checkouts::Checkouts;
use codecompass_app::error::AppError;
use codecompass_app::remedy::Audience;
use codecompass_app::session::{CallContext, OutputFormat};
use codecompass_app::terminal::output::{self, Outcome};
use codecompass_app::terminal::progress::Waiting;
use serde_json::Value;

/// Answers a question and prints the answers, as JSON or as text.
pub(super) fn ask(context: &CallContext, request: &dyn AnyQuestion) -> Result<Outcome, AppError> {
    let waiting = Waiting::begin(context.quiet);
    let answers = fan_out::ask(request, &Checkouts::new(context, request, Audience::Cli)?)?;
    drop(waiting);
    let outcome = if answers.is_failed() { Outcome::Failed } else { Outcome::of(answers.is_found()) };
    match context.format {
        OutputFormat::Json => print_json(answers),
        OutputFormat::Text => print_text(context, answers),
    }
    Ok(outcome)
}

fn print_json(mut answers: Answers<Box<dyn AnyAnswer>>) {
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
fn object(given: Given<Box<dyn AnyAnswer>>) -> Value {
    match given.reply {
        Ok(mut reply) => reply.body.addressed_json(Audience::Cli),
        Err(error) => {
            let mut object = error.to_json(Audience::Cli);
            object["symbol"] = Value::from(given.name);
            object
        }
    }
}

fn print_text(context: &CallContext, mut answers: Answers<Box<dyn AnyAnswer>>) {
    let headings: Vec<String> = answers.given.iter().map(|one| answers.heading(one)).collect();
    let tail = answers.tail();
    for (at, (one, heading)) in answers.given.drain(..).zip(headings).enumerate() {
        if at > 0 {
            output::text("\n");
        }
        output::text(&heading);
        match one.reply {
            Ok(reply) => {
                output::text(&reply.body.text(Audience::Cli));
                let notes = if context.quiet { Vec::new() } else { reply.body.notes() };
                notes.iter().for_each(|note| output::note(note));
            }
            Err(error) => {
                output::report(&error, false);
            }
        }
    }
    output::text(&tail);
}
