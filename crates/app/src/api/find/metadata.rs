//! Metadata of answers that rank by words and meaning; docs/semantic.md has the fields.

use codecompass_engine::config::SemanticMode;
use codecompass_engine::query::{
    Feature, Hit, Intent, NextStep, QueryClass, QueryParts, SearchAnswer as Found, SemanticProblem, Skipped,
};
use serde::Serialize;

use crate::api::metadata::{Metadata, Nullable};
use crate::choices::MetadataLevel;
use crate::remedy::{Advice, Remedy};
use crate::session::Session;

/// The name of the local order, which is the usual one.
const LOCAL: &str = "local";

/// Most fields are given only if they are not as usual, or if all are asked for.
#[derive(Clone, Debug, Serialize)]
pub struct SearchMetadata {
    pub query_intent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    query_intent_confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent_escalation_hint: Nullable<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed_duplicate_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    low_confidence: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence_threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_agreement: Nullable<f64>,
    /// Present where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_class: Option<&'static str>,
    /// Present where scores are explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_parts: Option<QueryPartsView>,
    #[serde(flatten)]
    semantic: SemanticMetadata,
}

/// The parts of a long text that a search used.
#[derive(Clone, Debug, Serialize)]
pub struct QueryPartsView {
    pub title: String,
    pub names: Vec<String>,
    pub places: Vec<String>,
    pub messages: Vec<String>,
    pub terms: Vec<String>,
}

impl From<QueryParts> for QueryPartsView {
    fn from(QueryParts { title, names, places, messages, terms }: QueryParts) -> QueryPartsView {
        QueryPartsView { title, names, places, messages, terms }
    }
}

/// The part that meaning and providers had in an answer.
#[derive(Clone, Debug, Serialize)]
struct SemanticMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_triggered: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_ratio_used: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_skipped_reason: Nullable<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic_fallback: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding_model_version: Nullable<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_provider_blocked: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerank_provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerank_fallback: Option<bool>,
}

/// Returns the metadata of a ranked answer, without counts.
pub fn metadata(session: &Session, found: &Found) -> Metadata<SearchMetadata> {
    let is_full = session.metadata == MetadataLevel::Full;
    let is_sure = found.suggested_action.is_none();
    let shows_doubt = is_full || !is_sure;
    let intent_confidence = found.routed.confidence;
    let duplicates = found.suppressed_duplicates;
    let agreement = found.confidence.agreement;
    let escalation = found.suggested_action.as_ref().and_then(|step| other_intent(found.routed.intent, step));
    let mut metadata = Metadata::new(session).with(SearchMetadata {
        query_intent: found.routed.intent.as_str(),
        query_intent_confidence: (is_full || intent_confidence < 0.8).then_some(intent_confidence),
        intent_escalation_hint: (is_full || escalation.is_some()).then_some(escalation),
        suppressed_duplicate_count: (is_full || duplicates > 0).then_some(duplicates),
        low_confidence: shows_doubt.then_some(!is_sure),
        confidence_threshold: shows_doubt.then_some(found.confidence_threshold),
        top_score: shows_doubt.then_some(found.confidence.top_score),
        score_margin: shows_doubt.then_some(found.confidence.margin),
        channel_agreement: (is_full || (!is_sure && agreement.is_some())).then_some(agreement),
        query_class: (is_full || found.class == QueryClass::CrossCutting).then_some(found.class.as_str()),
        query_parts: None,
        semantic: semantic(session, found, is_full),
    });
    let action = found.suggested_action.clone().map(|step| Advice::from(remedy(step)));
    metadata.suggested_action = shows_doubt.then_some(action);
    let warnings: Vec<Advice> = warnings(session, found).into_iter().map(Advice::from).collect();
    metadata.warnings = (is_full || !warnings.is_empty()).then_some(warnings);
    metadata
}

/// Returns the intent with which to ask again, if another one may find more.
fn other_intent(intent: Intent, step: &NextStep) -> Option<&'static str> {
    match (intent, step) {
        (_, NextStep::Locate(_)) => Some(Intent::Symbol.as_str()),
        (Intent::Symbol | Intent::Path, NextStep::Describe | NextStep::Grep(_)) => {
            Some(Intent::NaturalLanguage.as_str())
        }
        _ => None,
    }
}

/// Words the step to try after an answer that is not sure.
fn remedy(step: NextStep) -> Remedy {
    match step {
        NextStep::Locate(name) => Remedy::LocateName(name),
        NextStep::Describe => Remedy::DescribeName,
        NextStep::Grep(name) => Remedy::GrepName(name),
        NextStep::CheckPath { name, near } if near.is_empty() => Remedy::SearchFileName(name),
        NextStep::CheckPath { near, .. } => {
            let near: Vec<String> = near.iter().map(|path| format!("`{path}`")).collect();
            format!("no file has this path; did you mean {}?", near.join(", ")).into()
        }
        NextStep::Broaden => Remedy::Broaden,
        NextStep::UseItsTerms => "use terms that the code itself would use, or name a file or symbol".into(),
    }
}

fn semantic(session: &Session, found: &Found, is_full: bool) -> SemanticMetadata {
    let report = &found.semantic;
    let mode = session.engine.config().semantic.mode;
    let is_fallback = report.skipped == Some(Skipped::ModelUnavailable);
    let is_blocked = session.providers.is_blocked();
    let reranker = reranker(found);
    let is_ordered_locally = rerank_problem(session, found).is_some();
    SemanticMetadata {
        semantic_mode: (is_full || mode != session.configured_mode).then(|| mode.as_str()),
        semantic_enabled: is_full.then_some(mode != SemanticMode::Off),
        semantic_triggered: is_full.then_some(report.skipped.is_none()),
        semantic_ratio_used: is_full.then(|| (report.ratio * 1000.0).round() / 1000.0),
        semantic_skipped_reason: (is_full || report.skipped.is_some()).then(|| report.skipped.map(Skipped::as_str)),
        semantic_fallback: (is_full || is_fallback).then_some(is_fallback),
        embedding_model_version: (is_full || report.model.is_some()).then(|| report.model.clone()),
        external_provider_blocked: (is_full || is_blocked).then_some(is_blocked),
        rerank_provider: (is_full || reranker != LOCAL).then(|| reranker.to_string()),
        rerank_fallback: (is_full || is_ordered_locally).then_some(is_ordered_locally),
    }
}

/// Returns what went wrong without making the answer wrong.
fn warnings(session: &Session, found: &Found) -> Vec<Remedy> {
    let model = found.semantic.problem.as_ref().map(|problem| match problem {
        SemanticProblem::NoModel => {
            let why = session.providers.embedding_problem.as_deref().unwrap_or("there is none");
            format!("answered by words alone: {why}").into()
        }
        SemanticProblem::NoVectors(model) => Remedy::MakeVectors(model.to_string()),
        SemanticProblem::Failed(why) => format!("answered by words alone: {why}").into(),
    });
    let order = rerank_problem(session, found).map(|why| format!("ordered locally: {why}").into());
    let cut = cut_query(found.ignored_query_bytes).map(Remedy::from);
    model.into_iter().chain(order).chain(cut).collect()
}

/// Warns that the end of a query was not searched for.
pub fn cut_query(ignored_bytes: usize) -> Option<String> {
    let ignored = match ignored_bytes {
        0 => return None,
        1 => "its last byte was".to_string(),
        bytes => format!("its last {bytes} bytes were"),
    };
    Some(format!("the query is too long: {ignored} ignored"))
}

/// Returns why the order is the local one although an external reranker was configured.
fn rerank_problem<'a>(session: &'a Session, found: &'a Found) -> Option<&'a str> {
    let is_asked = matches!(found.routed.intent, Intent::NaturalLanguage | Intent::Issue)
        && session.engine.config().semantic.mode != SemanticMode::Off;
    let unbuilt = session.providers.rerank_problem.as_deref().filter(|_| is_asked);
    unbuilt.or_else(|| found.reranked.as_ref()?.problem.as_deref())
}

/// Returns the provider that decided the order.
fn reranker(found: &Found) -> &str {
    let external = found.reranked.as_ref().filter(|reranked| reranked.problem.is_none());
    external.map_or(LOCAL, |reranked| reranked.by.split(':').next().unwrap_or(LOCAL))
}

/// Returns what found a hit: words, meaning, or both. Left out if that is usual: both where vectors
/// were compared, words elsewhere.
pub(super) fn provenance(session: &Session, found: &Found, hit: &Hit) -> Option<&'static str> {
    let has = |name: Feature| hit.explanation.has(name);
    let provenance = match (has(Feature::Text), has(Feature::Meaning) || has(Feature::FileMeaning)) {
        (_, false) => "lexical",
        (false, true) => "semantic",
        (true, true) => "hybrid",
    };
    let usual = if found.semantic.model.is_some() { "hybrid" } else { "lexical" };
    (session.metadata == MetadataLevel::Full || provenance != usual).then_some(provenance)
}
