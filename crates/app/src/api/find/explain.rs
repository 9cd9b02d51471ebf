//! `explain`, `explain_ranking`: why a result stands where it stands, or why it is not there.

use std::collections::BTreeMap;

use clap::Args;
use codecompass_engine::model::Role;
use codecompass_engine::query::{self, Duplicate, ExplainAnswer as Found, Feature, Hit, SearchOptions, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metadata::{self, SearchMetadata};
use super::score_parts;
use crate::api::arguments::{
    Bounded, DetailArgs, FilterArgs, FilterSchema, MeaningArgs, PageArgs, RefArgs, filter, symbol,
};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, Nullable};
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::views::HitView;
use crate::api::{Answer, Request};
use crate::choices::{Detail, Explain};
use crate::error::AppError;
use crate::session::{At, CallContext, Session};

const DEFAULT_LIMIT: Bounded<1, 100> = Bounded::new(5);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ExplainRequest {
    /// The query that was searched for; several words in quotes.
    #[arg(value_name = "QUERY")]
    #[schemars(description = "What was searched for.")]
    pub query: String,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "ResultArguments")]
    pub named: NamedResults,
    /// Explain this many if no result is named.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: Bounded<1, 100>,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "FilterSchema")]
    pub filter: FilterArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(skip)]
    pub meaning: MeaningArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_limit() -> Bounded<1, 100> {
    DEFAULT_LIMIT
}

/// The results to explain.
#[derive(Clone, Debug, Args, Deserialize)]
#[serde(from = "ResultArguments")]
pub struct NamedResults {
    /// One or two results: a rank, path:line, a path, a symbol id or a name. Two are compared.
    /// Without any the first results are explained.
    #[arg(value_name = "RESULT", num_args = 0..=2)]
    pub results: Vec<String>,
}

/// The same as the arguments of a tool.
#[derive(Deserialize, JsonSchema)]
struct ResultArguments {
    /// Rank, path:line, path, symbol_id or name; default: the first results.
    result: Option<String>,
    /// A second one, to compare.
    other: Option<String>,
}

impl From<ResultArguments> for NamedResults {
    fn from(arguments: ResultArguments) -> NamedResults {
        NamedResults { results: arguments.result.into_iter().chain(arguments.other).collect() }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct ExplainAnswer {
    query: String,
    pub results: Vec<ExplainedResult>,
    /// The meaning of each part of the scores.
    reasons: BTreeMap<&'static str, &'static str>,
    /// The difference of two results, if two were named and both are ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<ScoreDifference>,
    /// Results that were named and are not in the list, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ranked: Option<Vec<NotRanked>>,
    pub metadata: Metadata<SearchMetadata>,
    #[serde(skip)]
    pub confidence: f64,
    #[serde(skip)]
    pub duplicates: Vec<Duplicate>,
}
parts!(ExplainAnswer { query, results, difference, not_ranked });

/// A result of the search.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedResult {
    #[serde(flatten)]
    pub hit: HitView,
    pub rank: usize,
    /// The ways in which it was found: names, words, meaning.
    pub found_by: Vec<String>,
}
parts!(ExplainedResult { found_by, ..hit });

/// Two scores, part by part.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreDifference {
    pub score: f64,
    /// The largest difference first.
    pub parts: Vec<ComparedPart>,
}
parts!(ScoreDifference { parts });

/// One part of two scores.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedPart {
    pub reason: &'static str,
    pub first: f64,
    pub second: f64,
    pub difference: f64,
}
parts!(ComparedPart {});

/// A result that was named and is not in the list.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NotRanked {
    pub result: String,
    /// One word for programs.
    status: &'static str,
    /// The reason in words.
    pub explanation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<HitView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank_without_filter: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filtered_by: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms_held: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms_lacking: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank_by_words: Nullable<usize>,
}
parts!(NotRanked { result, explanation, symbol, filtered_by, terms_held, terms_lacking });

impl Answer for ExplainAnswer {
    answer_fields!(SearchMetadata, pages: results);

    fn is_known(&self) -> bool {
        !self.results.is_empty()
    }

    fn is_found(&self) -> bool {
        !self.results.is_empty() || self.not_ranked.is_some()
    }
}

impl Request for ExplainRequest {
    type Answer = ExplainAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        if self.named.results.is_empty() { Spread::Each } else { Spread::Owner }
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        self.named.results.iter_mut().collect()
    }

    fn answer(&self, context: &CallContext) -> Result<ExplainAnswer, AppError> {
        let session = Session::open_with_models(context, At::Ref(self.at.name()), |settings| {
            self.meaning.adjust(settings);
        })?;
        let filter = filter(&self.filter, &session)?;
        let page = Page::new(self.page, self.limit.len());
        let confidence_threshold = Some(session.engine.config().semantic.confidence_threshold);
        let semantic = session.engine.semantic();
        let tuning = session.engine.config().search.clone();
        let source = Some(session.engine.source().clone());
        let options = SearchOptions {
            filter,
            limit: page.end(),
            semantic,
            confidence_threshold,
            tuning,
            source,
            ..SearchOptions::default()
        };
        let named = &self.named.results;
        let arguments = named.iter().map(|result| relative(&session, result)).collect::<Result<Vec<_>, _>>()?;
        let found =
            session.ask_in(&options.filter, |snapshot| query::explain(snapshot, &self.query, &arguments, &options))?;
        let (mut ranks, mut not_ranked) = (Vec::new(), Vec::new());
        for asked in &found.asked {
            match &asked.standing {
                Standing::Ranked(rank) => ranks.push(*rank),
                standing => not_ranked.push(absent(&session, &asked.argument, standing, &found.duplicates)?),
            }
        }
        if named.is_empty() {
            ranks.extend((1..=found.search.total.min(page.end())).skip(self.page.offset as usize));
        }
        let mut metadata = metadata::metadata(&session, &found.search);
        let Found { search, duplicates, .. } = found;
        let hits: Vec<(usize, &Hit)> =
            ranks.iter().filter_map(|rank| Some((*rank, search.hits.get(rank.checked_sub(1)?)?))).collect();
        metadata.total_candidates = Some(search.total);
        metadata.returned = Some(hits.len());
        if named.is_empty() {
            page.mark(&mut metadata, &[search.total]);
        }
        let parts = hits.iter().flat_map(|(_, hit)| &hit.explanation.parts);
        let difference = match (&hits[..], named.len()) {
            ([(_, first), (_, second)], 2) => Some(difference(first, second)),
            _ => None,
        };
        Ok(ExplainAnswer {
            query: self.query.clone(),
            reasons: parts.map(|part| (part.name(), score_parts::meaning(part.feature))).collect(),
            difference,
            results: hits.into_iter().map(|(rank, hit)| ExplainedResult::new(rank, hit)).collect(),
            not_ranked: Some(not_ranked).filter(|missing| !missing.is_empty()),
            metadata,
            confidence: search.confidence.value,
            duplicates,
        })
    }
}

impl ExplainedResult {
    fn new(rank: usize, hit: &Hit) -> ExplainedResult {
        ExplainedResult {
            hit: HitView::result(hit.clone(), Detail::Signature, Explain::Full),
            rank,
            found_by: found_by(hit),
        }
    }
}

/// Returns a result argument whose path, if it has one, is relative to the root.
fn relative(session: &Session, result: &str) -> Result<String, AppError> {
    if query::parse_place(result.trim()).is_none() && session.directory.join(result.trim()).is_file() {
        session.relative_path(result.trim())
    } else {
        symbol(session, result)
    }
}

/// Returns why something is not in the list.
fn absent(
    session: &Session,
    argument: &str,
    standing: &Standing,
    duplicates: &[Duplicate],
) -> Result<NotRanked, AppError> {
    let (status, explanation) = match standing {
        Standing::Ranked(_) => ("ranked", String::new()),
        Standing::Duplicate(number) => {
            let of = duplicates.get(*number).map(|duplicate| format!("{}:{}", duplicate.of.0, duplicate.of.1));
            ("duplicate", format!("its code is the same as that of {}, which ranks higher", of.unwrap_or_default()))
        }
        Standing::Filtered { rank, by, .. } => {
            let by = by.join(" and ");
            ("filtered", format!("the filter leaves it out by {by}; without it its rank would be {rank}"))
        }
        Standing::NotConsidered { only_files: true, .. } => {
            ("not_considered", "the query names a file, so only files are results".to_string())
        }
        Standing::NotConsidered { rank_by_words: None, .. } => {
            ("not_considered", "it has none of the words of the query, and nothing else speaks for it".to_string())
        }
        Standing::NotConsidered { rank_by_words: Some(rank), terms: (_, lacking), .. } => {
            let lacks = if lacking.is_empty() { String::new() } else { format!("; it lacks {}", lacking.join(", ")) };
            ("not_considered", format!("by words it is only number {rank} of all pieces of code{lacks}"))
        }
        Standing::Skipped(reason) => {
            let reason = reason.clone().unwrap_or_else(|| "nothing of it can be indexed".into());
            ("not_indexed", format!("the file is left out of the index: {reason}"))
        }
        Standing::Unknown(alike) => match left_out(session, argument)? {
            Some(why) => ("not_indexed", why),
            None if alike.is_empty() => ("unknown", "nothing in the index is called that".to_string()),
            None => ("unknown", format!("nothing in the index is called that; did you mean {}?", alike.join(", "))),
        },
    };
    let mut missing = NotRanked { result: argument.to_string(), status, explanation, ..NotRanked::default() };
    match standing {
        Standing::Filtered { hit, rank, by } => {
            missing.symbol = Some(HitView::symbol((**hit).clone()));
            missing.rank_without_filter = Some(*rank);
            missing.filtered_by = Some(by.iter().map(|condition| condition.to_string()).collect());
        }
        Standing::NotConsidered { hit, terms: (held, lacking), rank_by_words, .. } => {
            missing.symbol = Some(HitView::symbol((**hit).clone()));
            (missing.terms_held, missing.terms_lacking) = (Some(held.clone()), Some(lacking.clone()));
            missing.rank_by_words = Some(*rank_by_words);
        }
        _ => {}
    }
    Ok(missing)
}

/// Returns the rule that keeps a path out of the index, if one does.
fn left_out(session: &Session, argument: &str) -> Result<Option<String>, AppError> {
    let path = query::parse_place(argument.trim()).map_or(argument.trim(), |(path, ..)| path);
    if !session.engine.workspace().root.join(path).exists() {
        return Ok(None);
    }
    Ok(Some(match session.without_rebuild(|| session.skipped_by(path))? {
        Some(skipped) if skipped.path == path => format!("the file is left out of the index: {}", skipped.reason),
        Some(skipped) => format!("{}/ is left out of the index: {}", skipped.path, skipped.reason),
        None => "it is on disk, but the index has nothing of it".to_string(),
    }))
}

/// Returns what found a hit: names, words, meaning.
fn found_by(hit: &Hit) -> Vec<String> {
    let has = |features: &[Feature]| features.iter().any(|feature| hit.explanation.has(*feature));
    let names = [
        Feature::NameMatch,
        Feature::PathMatch,
        Feature::StackFrame,
        Feature::Name,
        Feature::Identifier,
        Feature::FileName,
        Feature::Folder,
    ];
    let channels: [(&str, &[Feature]); 3] = [
        ("names", &names),
        ("words", &[Feature::Text, Feature::File, Feature::ExactText, Feature::UsesText]),
        ("meaning", &[Feature::Meaning, Feature::FileMeaning]),
    ];
    channels.iter().filter(|(_, features)| has(features)).map(|(channel, _)| channel.to_string()).collect()
}

/// Compares two scores part by part.
fn difference(first: &Hit, second: &Hit) -> ScoreDifference {
    let value = |hit: &Hit, feature: Feature| -> f64 {
        let parts = hit.explanation.parts.iter().filter(|part| compared_feature(part.feature) == feature);
        parts.map(|part| part.value).sum::<f64>() + 0.0
    };
    let mut features: Vec<Feature> = Vec::new();
    for part in first.explanation.parts.iter().chain(&second.explanation.parts) {
        let feature = compared_feature(part.feature);
        if !features.contains(&feature) {
            features.push(feature);
        }
    }
    let mut parts: Vec<_> =
        features.into_iter().map(|feature| (feature, value(first, feature), value(second, feature))).collect();
    parts.sort_by(|a, b| (b.1 - b.2).abs().total_cmp(&(a.1 - a.2).abs()));
    let part = |(feature, first, second): (Feature, f64, f64)| ComparedPart {
        reason: feature.as_str(),
        first,
        second,
        difference: rounded(first - second),
    };
    ScoreDifference { score: rounded(first.score - second.score), parts: parts.into_iter().map(part).collect() }
}

/// Returns the feature that two results are compared by. A test is one by itself or by its file.
fn compared_feature(feature: Feature) -> Feature {
    match feature {
        Feature::Role(Role::Test) => Feature::Test,
        feature => feature,
    }
}

/// Rounds to as many digits as parts of scores have.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
