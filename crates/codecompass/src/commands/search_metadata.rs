//! What a search answer says about itself, and which of it is left out because it is as usual. docs/semantic.md has the
//! fields.

use codecompass_engine::config::SemanticMode;
use codecompass_engine::query::{Hit, Intent, PartName, Problem, SearchAnswer, Skipped};
use serde_json::{Map, Value, json};

use crate::cli::MetadataLevel;
use crate::session::Session;

/// The name of the local order, which is the usual one.
const LOCAL: &str = "local";

/// The fields, most of them only if they are not as usual or all are asked for.
pub(super) fn metadata(session: &Session, answer: &SearchAnswer) -> Value {
    let mut metadata = super::metadata(session);
    let Some(fields) = metadata.as_object_mut() else { return metadata };
    let mut put = Fields { fields, is_full: session.metadata == MetadataLevel::Full };
    put.always("query_intent", json!(answer.routed.intent.as_str()));
    put.unless(answer.routed.confidence >= 0.8, "query_intent_confidence", json!(answer.routed.confidence));
    put.always("total_candidates", json!(answer.total));
    put.always("returned", json!(answer.hits.len()));
    put.unless(answer.suppressed_duplicates == 0, "suppressed_duplicate_count", json!(answer.suppressed_duplicates));
    confidence(&mut put, answer);
    semantic(&mut put, session, answer);
    metadata
}

fn confidence(put: &mut Fields<'_>, answer: &SearchAnswer) {
    let is_sure = answer.suggested_action.is_none();
    put.unless(is_sure, "low_confidence", json!(!is_sure));
    put.unless(is_sure, "suggested_action", json!(answer.suggested_action));
    put.unless(is_sure, "confidence_threshold", json!(answer.confidence_threshold));
    put.unless(is_sure, "top_score", json!(answer.confidence.top_score));
    put.unless(is_sure, "score_margin", json!(answer.confidence.margin));
    put.unless(
        is_sure || answer.confidence.agreement.is_none(),
        "channel_agreement",
        json!(answer.confidence.agreement),
    );
}

fn semantic(put: &mut Fields<'_>, session: &Session, answer: &SearchAnswer) {
    let report = &answer.semantic;
    let mode = session.engine.config().semantic.mode;
    put.unless(mode == session.configured_mode, "semantic_mode", json!(mode.as_str()));
    put.unless(true, "semantic_enabled", json!(mode != SemanticMode::Off));
    put.unless(true, "semantic_triggered", json!(report.skipped.is_none()));
    put.unless(true, "semantic_ratio_used", json!((report.ratio * 1000.0).round() / 1000.0));
    put.unless(report.skipped.is_none(), "semantic_skipped_reason", json!(report.skipped.map(Skipped::as_str)));
    let is_fallback = report.skipped == Some(Skipped::ModelUnavailable);
    put.unless(!is_fallback, "semantic_fallback", json!(is_fallback));
    put.unless(report.model.is_none(), "embedding_model_version", json!(report.model));
    let is_blocked = session.providers.is_blocked();
    put.unless(!is_blocked, "external_provider_blocked", json!(is_blocked));
    let reranker = reranker(answer);
    put.unless(reranker == LOCAL, "rerank_provider", json!(reranker));
    let is_local = rerank_problem(session, answer).is_some();
    put.unless(!is_local, "rerank_fallback", json!(is_local));
    let warnings = warnings(session, answer);
    put.unless(warnings.is_empty(), "warnings", json!(warnings));
}

/// What went wrong without making the answer wrong.
pub(super) fn warnings(session: &Session, answer: &SearchAnswer) -> Vec<String> {
    let model = answer.semantic.problem.as_ref().map(|problem| match problem {
        Problem::NoModel => {
            let why = session.providers.embedding_problem.as_deref().unwrap_or("there is none");
            format!("answered by words alone: {why}")
        }
        Problem::NoVectors(id) => {
            format!("answered by words alone: the index has no vectors of {id}; `codecompass index` makes them")
        }
        Problem::Failed(why) => format!("answered by words alone: {why}"),
    });
    let order = rerank_problem(session, answer).map(|why| format!("ordered locally: {why}"));
    model.into_iter().chain(order).chain(cut_query(answer.ignored_query_bytes)).collect()
}

/// Warns that the end of a query was not searched for.
pub(super) fn cut_query(ignored_bytes: usize) -> Option<String> {
    (ignored_bytes > 0).then(|| format!("the query is too long: its last {ignored_bytes} bytes were ignored"))
}

/// Why the order is the local one though somebody else was to have the last word.
fn rerank_problem<'a>(session: &'a Session, answer: &'a SearchAnswer) -> Option<&'a str> {
    let is_asked =
        answer.routed.intent == Intent::NaturalLanguage && session.engine.config().semantic.mode != SemanticMode::Off;
    let unbuilt = session.providers.rerank_problem.as_deref().filter(|_| is_asked);
    unbuilt.or_else(|| answer.reranked.as_ref()?.problem.as_deref())
}

/// Who had the last word on the order.
fn reranker(answer: &SearchAnswer) -> &str {
    let external = answer.reranked.as_ref().filter(|reranked| reranked.problem.is_none());
    external.map_or(LOCAL, |reranked| reranked.by.split(':').next().unwrap_or(LOCAL))
}

/// What found a hit: words, meaning, or both. Left out if that is usual: both where vectors were compared, words elsewhere.
pub(super) fn provenance(session: &Session, answer: &SearchAnswer, hit: &Hit) -> Option<&'static str> {
    let has = |name: PartName| hit.explanation.has(name);
    let provenance = match (has(PartName::Text), has(PartName::Meaning) || has(PartName::FileMeaning)) {
        (_, false) => "lexical",
        (false, true) => "semantic",
        (true, true) => "hybrid",
    };
    let usual = if answer.semantic.model.is_some() { "hybrid" } else { "lexical" };
    (session.metadata == MetadataLevel::Full || provenance != usual).then_some(provenance)
}

/// An object that is being filled.
struct Fields<'a> {
    fields: &'a mut Map<String, Value>,
    is_full: bool,
}

impl Fields<'_> {
    fn always(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_string(), value);
    }

    fn unless(&mut self, is_usual: bool, name: &str, value: Value) {
        if self.is_full || !is_usual {
            self.always(name, value);
        }
    }
}
