//! `codecompass context`: the best code for a question inside a token budget.

use codecompass_engine::query::{self, ContextOptions, Strategy};

use serde_json::{Value, json};

use super::{filter, metadata};
use crate::api::find::metadata as search_metadata;
use crate::choices::ColorWhen;
use crate::cli::ContextArgs;
use crate::error::{AppError, Code};
use crate::remedy::Remedy;
use crate::render::budget::{self, Format, LEAST_TOKENS, Printed};
use crate::session::{At, CallContext, Session};
use crate::terminal::output::{self, Outcome};

/// A larger budget is no budget.
const MOST_TOKENS: usize = 1_000_000;

pub(crate) fn run(context: &CallContext, args: &ContextArgs) -> Result<Outcome, AppError> {
    let printed = ask(context, args)?;
    match context.is_json() {
        true => output::json_text(&printed.text),
        false => output::text(&printed.text),
    }
    Ok(Outcome::of(printed.answer.total > 0))
}

/// The answer as JSON; `context` must ask for that.
pub(crate) fn answer(context: &CallContext, args: &ContextArgs) -> Result<Value, AppError> {
    let printed = ask(context, args)?;
    serde_json::from_str(&printed.text).map_err(|error| AppError::internal(format!("the answer is no JSON: {error}")))
}

fn ask(context: &CallContext, args: &ContextArgs) -> Result<Printed, AppError> {
    let budget = max_tokens(&args.max_tokens)?;
    let strategy = strategy(&args.strategy)?;
    let filter = filter(&args.filter)?;
    let session = Session::open_with_models(context, At::Ref(args.at.name()), |_| {})?;
    let query = args.query.join(" ");
    let (semantic, tuning) = (session.engine.semantic(), session.engine.config().search.clone());
    let options = ContextOptions { filter, limit: args.limit as usize, budget, strategy, semantic, tuning };
    let warning = search_metadata::cut_query(query::ignored_query_bytes(&query));
    let format = match context.is_json() {
        true => {
            let mut metadata = metadata(&session);
            if let Some(warning) = warning {
                metadata["warnings"] = json!([warning]);
            }
            Format::Json { metadata }
        }
        false => {
            warning.iter().for_each(|warning| session.note(warning));
            Format::Text { styled: context.color == ColorWhen::Always }
        }
    };
    let printed = session.ask(|snapshot| budget::print(snapshot, &session.engine, &query, &options, &format))?;
    printed.ok_or_else(|| {
        too_few(format!("{budget} tokens do not hold what the answer says about itself"), "give more".into())
    })
}

fn max_tokens(given: &str) -> Result<usize, AppError> {
    let remedy = || Remedy::GiveMaxTokens(LEAST_TOKENS, MOST_TOKENS);
    match given.trim().parse::<usize>() {
        Ok(count) if (LEAST_TOKENS..=MOST_TOKENS).contains(&count) => Ok(count),
        Ok(count) if count < LEAST_TOKENS => {
            Err(too_few(format!("{count} tokens are too few for an answer"), remedy()))
        }
        _ => Err(too_few(format!("`{}` is no number of tokens that makes sense", shown(given)), remedy())),
    }
}

fn too_few(message: String, remedy: Remedy) -> AppError {
    AppError::new(Code::InvalidMaxTokens, message, remedy)
}

fn strategy(given: &str) -> Result<Strategy, AppError> {
    Strategy::from_name(given).ok_or_else(|| {
        let known = Strategy::ALL.map(Strategy::as_str).join(" or ");
        AppError::new(
            Code::InvalidStrategy,
            format!("unknown strategy `{}`", shown(given)),
            Remedy::GiveStrategy(known),
        )
    })
}

/// An argument cut to what a message can hold.
fn shown(argument: &str) -> &str {
    &argument[..argument.floor_char_boundary(40)]
}
