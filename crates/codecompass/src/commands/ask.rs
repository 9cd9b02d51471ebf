//! Asks a question and prints the answer, once or for each of the symbols that it names.

use serde_json::{Value, json};

use super::print::print;
use codecompass_app::api::Answer as _;
use codecompass_app::api::belonging::{self, Given, GivenAnswers};
use codecompass_app::api::several::{self, SingleQuestion};
use codecompass_app::error::AppError;
use codecompass_app::remedy::Voice;
use codecompass_app::render::table::Render;
use codecompass_app::session::{CallContext, OutputFormat};
use codecompass_app::terminal::output::{self, Outcome};

/// Answers a question and prints the answer, as JSON or as text.
pub(super) fn ask<R: Render>(context: &CallContext, request: &R) -> Result<Outcome, AppError> {
    if let Some(asked) = belonging::repositories(context, request)? {
        return print_given(context, belonging::ask(context, request, &asked, answer)?);
    }
    let parts = several::split(request)?;
    if !parts.is_empty() {
        return ask_each(context, &parts);
    }
    let answer = answer(context, request);
    let is_missing = match &answer {
        Ok(answer) => !answer.is_found(),
        Err(error) => several::is_not_found(error),
    };
    let parts = if is_missing { several::split_list(request)? } else { Vec::new() };
    match parts.is_empty() {
        true => answer.map(|answer| print(context, request, answer)),
        false => ask_each(context, &parts),
    }
}

fn answer<R: Render>(context: &CallContext, request: &R) -> Result<R::Answer, AppError> {
    match context.format {
        OutputFormat::Json => request.answer(context),
        OutputFormat::Text => request.answer_for_text(context, Voice::Cli),
    }
}

/// Answers a question for each of several symbols. If all fail, the first error is the error of
/// the command.
fn ask_each<R: Render>(context: &CallContext, parts: &[SingleQuestion<R>]) -> Result<Outcome, AppError> {
    let mut answers: Vec<_> = parts.iter().map(|part| answer(context, &part.request)).collect();
    if answers.iter().all(Result::is_err)
        && let Some(Err(error)) = answers.drain(..).next()
    {
        return Err(error);
    }
    let is_failed = answers.iter().any(Result::is_err);
    let is_found = answers.iter().flatten().any(|answer| answer.is_found());
    match context.format {
        OutputFormat::Json => {
            let objects: Vec<Value> = parts.iter().zip(answers).map(|(part, answer)| object(part, answer)).collect();
            output::object(&json!({"answers": objects}));
        }
        OutputFormat::Text => {
            for (at, (part, answer)) in parts.iter().zip(answers).enumerate() {
                if at > 0 {
                    output::text("\n");
                }
                match answer {
                    Ok(answer) => {
                        print(context, &part.request, answer);
                    }
                    Err(error) => {
                        output::report(&error, false);
                    }
                }
            }
        }
    }
    Ok(if is_failed { Outcome::Failed } else { Outcome::of(is_found) })
}

/// Prints the answers of several repositories.
fn print_given<R: Render>(context: &CallContext, mut answers: GivenAnswers<R>) -> Result<Outcome, AppError> {
    let outcome = if answers.is_failed() { Outcome::Failed } else { Outcome::of(answers.is_found()) };
    let given = std::mem::take(&mut answers.given);
    let headings: Vec<String> = given.iter().map(|one| answers.heading(one)).collect();
    let tail = answers.tail(&given);
    if context.format == OutputFormat::Json {
        let mut objects: Vec<Value> = given.into_iter().map(given_object).collect();
        match objects.pop() {
            Some(only) if answers.is_single => output::object(&only),
            last => {
                objects.extend(last);
                output::object(&answers.object(objects));
            }
        }
        return Ok(outcome);
    }
    for (at, (one, heading)) in given.into_iter().zip(headings).enumerate() {
        if at > 0 {
            output::text("\n");
        }
        output::text(&heading);
        match one {
            Given::Answer(one) => {
                print(context, &one.request, one.answer);
            }
            Given::Failure { error, .. } => {
                output::report(&error, false);
            }
        }
    }
    output::text(&tail);
    Ok(outcome)
}

fn given_object<R: Render>(given: Given<R>) -> Value {
    match given {
        Given::Answer(one) => one.answer.to_json(Voice::Cli),
        Given::Failure { symbol, error } => failure(&symbol, &error),
    }
}

/// Returns one of several answers as JSON; an error says which symbol it is about.
fn object<R: Render>(part: &SingleQuestion<R>, answer: Result<R::Answer, AppError>) -> Value {
    match answer {
        Ok(answer) => answer.to_json(Voice::Cli),
        Err(error) => failure(&part.symbol, &error),
    }
}

fn failure(symbol: &str, error: &AppError) -> Value {
    let mut object = error.to_json(Voice::Cli);
    object["symbol"] = Value::from(symbol);
    object
}
