//! `context`, `get_code_context`: the best code for a question inside a token budget.

use std::convert::Infallible;
use std::str::FromStr;

use clap::Args;
use codecompass_engine::query::{
    self, Code, ContextAnswer as Found, ContextDetail, ContextOptions, Excerpt, Piece, Shown, Strategy,
};
use codecompass_engine::{Engine, Error as EngineError, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::metadata::cut_query;
use crate::api::arguments::{Bounded, FilterArgs, FilterSchema, RefArgs, filter, one};
use crate::api::metadata::{Completeness, Metadata};
use crate::api::part::{Part as _, answer_fields, parts, shared_arguments};
use crate::api::views::shortened;
use crate::api::{Answer, Request};
use crate::choices::Detail;
use crate::error::{AppError, Code as ErrorCode};
use crate::remedy::Remedy;
use crate::session::{At, CallContext, Session};
use crate::units::count;

/// The budget when nothing else is said.
pub const DEFAULT_BUDGET: usize = 4000;
/// A smaller budget has no room for an answer: a few places, or one and some lines.
const MIN_BUDGET: usize = 100;
/// A larger budget is no budget.
const MAX_BUDGET: usize = 1_000_000;
/// Below this a JSON answer does not say how to get more.
const MIN_ADVISED_BUDGET: usize = 250;
/// The largest count that the frame of an answer has room for.
const MAX_COUNT: usize = 999_999;

/// The hits that are chosen from when nothing else is said.
pub const DEFAULT_LIMIT: Bounded<1, 1000> = Bounded::new(30);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ContextRequest {
    /// A name, a path, an error message, or a question in words.
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    #[serde(deserialize_with = "one")]
    #[schemars(with = "String", description = "Name, path, error message, or question in words.")]
    pub query: Vec<String>,
    /// The answer costs at most this many tokens, from 100.
    #[arg(long, default_value = "4000", value_name = "N", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(skip)]
    pub max_tokens: TokenBudget,
    /// Strategy for spending them: breadth (many files and symbols, and the code of the best) or
    /// depth (the best symbols in full, with what they call).
    #[arg(long, default_value = "breadth", value_name = "STRATEGY")]
    #[serde(default)]
    #[schemars(
        with = "Option<StrategyWord>",
        description = "breadth: many places; depth: the best in full, with what they call."
    )]
    pub strategy: StrategyArg,
    /// Choose from this many hits of the search.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(skip, default = "default_limit")]
    pub limit: Bounded<1, 1000>,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "FilterSchema")]
    pub filter: FilterArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    /// The most that is shown of each result: its location, its declaration, or its code.
    #[arg(long, value_enum, default_value_t = Detail::Context)]
    #[serde(default = "with_code", rename = "detail_level")]
    #[schemars(with = "Option<Detail>", description = "")]
    pub detail: Detail,
    /// Leave out code.
    #[arg(skip)]
    #[serde(default)]
    #[schemars(description = "")]
    pub compact: bool,
}

fn with_code() -> Detail {
    Detail::Context
}

fn default_limit() -> Bounded<1, 1000> {
    DEFAULT_LIMIT
}

/// A token budget as it was given. The command line takes any text, since wrong budgets have an
/// error code of their own; tools check it with the arguments that all of them take.
#[derive(Clone, Debug)]
pub struct TokenBudget(String);

impl Default for TokenBudget {
    fn default() -> TokenBudget {
        TokenBudget(DEFAULT_BUDGET.to_string())
    }
}

impl FromStr for TokenBudget {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<TokenBudget, Infallible> {
        Ok(TokenBudget(text.to_string()))
    }
}

impl<'de> Deserialize<'de> for TokenBudget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TokenBudget, D::Error> {
        u64::deserialize(deserializer).map(|count| TokenBudget(count.to_string()))
    }
}

impl TokenBudget {
    /// The budget of so many tokens.
    pub(super) fn of(tokens: usize) -> TokenBudget {
        TokenBudget(tokens.to_string())
    }

    fn tokens(&self) -> Result<usize, AppError> {
        let remedy = || Remedy::GiveMaxTokens(MIN_BUDGET, MAX_BUDGET);
        match self.0.trim().parse::<usize>() {
            Ok(count) if (MIN_BUDGET..=MAX_BUDGET).contains(&count) => Ok(count),
            Ok(count) if count < MIN_BUDGET => {
                let tokens = if count == 1 { "1 token is".to_string() } else { format!("{count} tokens are") };
                Err(too_few(format!("{tokens} too few for an answer"), remedy()))
            }
            _ => Err(too_few(format!("`{}` is no number of tokens that makes sense", shown(&self.0)), remedy())),
        }
    }
}

fn too_few(message: String, remedy: Remedy) -> AppError {
    AppError::new(ErrorCode::InvalidMaxTokens, message, remedy)
}

/// A strategy as it was given. The command line takes any word, since wrong ones have an error code
/// of their own.
#[derive(Clone, Debug)]
pub struct StrategyArg(String);

/// The strategies.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StrategyWord {
    Breadth,
    Depth,
}

impl Default for StrategyArg {
    fn default() -> StrategyArg {
        StrategyArg(Strategy::default().as_str().to_string())
    }
}

impl FromStr for StrategyArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<StrategyArg, Infallible> {
        Ok(StrategyArg(text.to_string()))
    }
}

impl<'de> Deserialize<'de> for StrategyArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StrategyArg, D::Error> {
        let strategy = match StrategyWord::deserialize(deserializer)? {
            StrategyWord::Breadth => Strategy::Breadth,
            StrategyWord::Depth => Strategy::Depth,
        };
        Ok(StrategyArg(strategy.as_str().to_string()))
    }
}

impl StrategyArg {
    fn strategy(&self) -> Result<Strategy, AppError> {
        Strategy::from_name(&self.0).ok_or_else(|| {
            let known = Strategy::ALL.map(Strategy::as_str).join(" or ");
            let message = format!("unknown strategy `{}`", shown(&self.0));
            AppError::new(ErrorCode::InvalidStrategy, message, Remedy::GiveStrategy(known))
        })
    }
}

/// Returns an argument cut to what a message can hold.
fn shown(argument: &str) -> &str {
    &argument[..argument.floor_char_boundary(40)]
}

#[derive(Clone, Debug, Serialize)]
pub struct ContextAnswer {
    pub results: Vec<ExcerptView>,
    pub metadata: Metadata<ContextMetadata>,
    /// The budget of the whole answer.
    #[serde(skip)]
    pub max_tokens: usize,
}
parts!(ContextAnswer { results });

#[derive(Clone, Debug, Serialize)]
pub struct ContextMetadata {
    /// At least what the answer costs, in the form that it was made for.
    pub estimated_tokens: usize,
    query_intent: &'static str,
    /// True if anything that was found is not shown in full.
    #[serde(rename = "truncated")]
    pub is_truncated: bool,
}

/// A result with as much of it as is shown. What the place says already is not said again.
#[derive(Clone, Debug, Serialize)]
pub struct ExcerptView {
    pub path: String,
    pub line_start: u32,
    pub line_end: u32,
    pub kind: &'static str,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The number of the first line of `code`, where it is not the first of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_left_out: Option<usize>,
    /// The name as text shows it, if it is a symbol.
    #[serde(skip)]
    pub symbol: Option<String>,
    /// The lines of `code` with their numbers.
    #[serde(skip)]
    pub pieces: Vec<Piece>,
}
parts!(ExcerptView { path, name, qualified_name, called_by, container, signature, code }, |view, reduction| {
    if reduction.location_only {
        (view.qualified_name, view.signature) = (None, None);
    }
    if reduction.compact {
        (view.code, view.pieces) = (None, Vec::new());
    }
});

impl From<&Excerpt> for ExcerptView {
    fn from(excerpt: &Excerpt) -> ExcerptView {
        let hit = &excerpt.hit;
        let is_symbol = hit.symbol_id.is_some();
        let has_signature = excerpt.shown == Shown::Signature && !hit.signature.is_empty();
        let code = match &excerpt.shown {
            Shown::Code(code) => Some(code),
            Shown::Location | Shown::Signature => None,
        };
        let first_line = code.and_then(|code| code.pieces.first()).map(|piece| piece.first_line);
        ExcerptView {
            path: hit.path.clone(),
            line_start: hit.line_start,
            line_end: hit.line_end,
            kind: hit.kind.as_str(),
            name: hit.name.clone(),
            qualified_name: Some(&hit.qualified_name).filter(|name| is_symbol && **name != hit.name).cloned(),
            called_by: excerpt.called_by.clone(),
            container: excerpt.container.clone(),
            signature: has_signature.then(|| shortened(&hit.signature).into_owned()),
            code: code.map(|code| code_text(excerpt, code)),
            code_line: first_line.filter(|line| *line < hit.line_start),
            lines_left_out: code.map(|code| code.left_out).filter(|count| *count > 0),
            symbol: is_symbol.then(|| hit.local_name.clone()),
            pieces: code.map(|code| code.pieces.clone()).unwrap_or_default(),
        }
    }
}

/// Returns lines with a mark for each gap.
fn code_text(excerpt: &Excerpt, code: &Code) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut next = excerpt.hit.line_start;
    let gap = |lines: &mut Vec<String>, from: u32, to: u32| {
        if to > from {
            // What is not left out is shown by other results.
            let is_elsewhere = code.left_out == 0;
            let count = count((to - from) as usize, "line");
            lines.push(if is_elsewhere { "...".into() } else { format!("... {count} left out") });
        }
    };
    for piece in &code.pieces {
        gap(&mut lines, next, piece.first_line);
        lines.extend(piece.lines.iter().cloned());
        next = piece.first_line + u32::try_from(piece.lines.len()).unwrap_or(0);
    }
    gap(&mut lines, next, excerpt.hit.line_end.saturating_add(1));
    lines.join("\n")
}

impl ContextAnswer {
    /// Returns the answer of `found`, or without it everything but the results, with the longest
    /// numbers.
    fn new(found: Option<&Found>, metadata: &Metadata<ContextMetadata>, max_tokens: usize) -> ContextAnswer {
        let is_truncated = found.is_none_or(Found::is_truncated);
        let mut metadata = metadata.clone().with(ContextMetadata {
            // Replaced by what was counted; the largest number it can be keeps its place.
            estimated_tokens: max_tokens,
            query_intent: found.map_or("natural_language", |found| found.routed.intent.as_str()),
            is_truncated,
        });
        metadata.returned = Some(found.map_or(MAX_COUNT, |found| found.excerpts.len()));
        metadata.total_candidates = Some(found.map_or(MAX_COUNT, |found| found.total));
        if is_truncated {
            metadata.result_completeness = Some(Completeness::Truncated);
            if max_tokens >= MIN_ADVISED_BUDGET {
                metadata.suggest(Remedy::ShowOrRaiseTokens(max_tokens.saturating_mul(2)));
            }
        }
        let results = found.iter().flat_map(|found| &found.excerpts).map(ExcerptView::from).collect();
        ContextAnswer { results, metadata, max_tokens }
    }
}

impl Answer for ContextAnswer {
    answer_fields!(ContextMetadata);

    fn is_found(&self) -> bool {
        self.metadata.total_candidates != Some(0)
    }

    fn notes(&self) -> Vec<String> {
        self.metadata.warnings.iter().flatten().map(|warning| warning.text().into_owned()).collect()
    }
}

/// The form that an answer is printed in. The budget holds for everything that is printed, so its
/// tokens are counted.
pub trait CountedForm {
    fn answer_tokens(&self, answer: &ContextAnswer) -> usize;

    fn result_tokens(&self, result: &ExcerptView) -> usize;
}

/// An answer as `--json` prints it and a tool sends it.
#[derive(Clone, Copy, Debug)]
pub struct JsonForm;

impl CountedForm for JsonForm {
    fn answer_tokens(&self, answer: &ContextAnswer) -> usize {
        query::estimate_tokens(&format!("{}\n", answer.json()))
    }

    fn result_tokens(&self, result: &ExcerptView) -> usize {
        query::estimate_tokens(&format!("{},", result.json()))
    }
}

/// Asks for code that costs at most `options.budget` tokens with all that is said about it; `None`
/// if not even that fits.
pub fn within_budget(
    snapshot: &Snapshot,
    engine: &Engine,
    query: &str,
    options: &ContextOptions,
    form: &dyn CountedForm,
    metadata: &Metadata<ContextMetadata>,
) -> Result<Option<ContextAnswer>, EngineError> {
    let max = options.budget;
    let frame = form.answer_tokens(&ContextAnswer::new(None, metadata, max));
    let Some(budget) = max.checked_sub(frame) else { return Ok(None) };
    let options = ContextOptions { budget, ..options.clone() };
    let cost = |excerpt: &Excerpt| form.result_tokens(&ExcerptView::from(excerpt));
    let mut found = query::context(snapshot, engine.source(), &engine.config().index, query, &options, &cost)?;
    loop {
        let mut answer = ContextAnswer::new(Some(&found), metadata, max);
        let tokens = form.answer_tokens(&answer);
        if tokens <= max {
            if let Some(extra) = &mut answer.metadata.extra {
                extra.estimated_tokens = tokens;
            }
            return Ok(Some(answer));
        }
        // The parts of an answer cost at least what the whole does, so this is only here for when
        // that is wrong.
        if found.excerpts.pop().is_none() {
            return Ok(None);
        }
        found.remaining += 1;
    }
}

impl Request for ContextRequest {
    type Answer = ContextAnswer;
    shared_arguments!(at);

    fn answer(&self, context: &CallContext) -> Result<ContextAnswer, AppError> {
        self.answer_in(context, &JsonForm)
    }
}

impl ContextRequest {
    /// Answers with what fits the budget when it is printed in `form`.
    pub fn answer_in(&self, context: &CallContext, form: &dyn CountedForm) -> Result<ContextAnswer, AppError> {
        let budget = self.max_tokens.tokens()?;
        let strategy = self.strategy.strategy()?;
        let session = Session::open_with_models(context, At::Ref(self.at.name()), |_| {})?;
        let filter = filter(&self.filter, &session)?;
        let query = self.query.join(" ");
        let (semantic, tuning) = (session.engine.semantic(), session.engine.config().search.clone());
        let detail = match self.detail {
            Detail::Location => ContextDetail::Location,
            Detail::Context if !self.compact => ContextDetail::Code,
            Detail::Context | Detail::Signature => ContextDetail::Signature,
        };
        let limit = self.limit.len();
        let options = ContextOptions { filter, limit, budget, strategy, detail, semantic, tuning };
        let mut metadata = Metadata::new(&session);
        let warning = cut_query(query::ignored_query_bytes(&query));
        metadata.warnings = warning.map(|warning| vec![Remedy::from(warning).into()]);
        let engine = &session.engine;
        let answer = session
            .ask_in(&options.filter, |snapshot| within_budget(snapshot, engine, &query, &options, form, &metadata))?;
        answer.ok_or_else(|| {
            too_few(format!("{budget} tokens do not hold what the answer says about itself"), "give more".into())
        })
    }
}
