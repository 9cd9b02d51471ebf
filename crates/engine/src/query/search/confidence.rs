//! Confidence in an answer, and advice when it is low.

use crate::config::SearchConfig;
use crate::query::hit::Hit;
use crate::query::search::intent::Intent;
use crate::query::search::semantic::SemanticReport;
use crate::weights::confidence as weights;

/// The confidence in an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnswerConfidence {
    /// From 0 to 1.
    pub value: f64,
    /// The score of the best hit; 0 when there is none.
    pub top_score: f64,
    /// The lead of the best hit over the best one of another file, as a share of its score.
    pub margin: f64,
    /// The agreement of text and semantic search on the best file, from 0 to 1; `None` when only
    /// one of them was used.
    pub agreement: Option<f64>,
    /// The share of the question's terms that the view has, by rarity, from 0 to 1; `None` when
    /// they were not looked up, or tell nothing.
    pub known: Option<f64>,
    /// The similarity of the nearest document, from 0 to 1; `None` when vectors were not compared.
    pub nearness: Option<f64>,
}

/// The best score, and its lead before the best hit of another file as a share of it.
pub(crate) type Lead = (f64, f64);

/// Returns the confidence of text search alone in hits with this lead, from 0 to 1.
pub(crate) fn of_words((score, margin): Lead) -> f64 {
    weights::WORDS_SCORE * (score / weights::FULL_SCORE).min(1.0)
        + weights::WORDS_LEAD * (margin / weights::CLEAR_LEAD).min(1.0)
}

/// Returns the confidence in an answer, from its score, its lead, the agreement of text and
/// semantic search, and whether the view has anything of the question: the share of its terms that
/// are `known`, and the similarity of the nearest document.
pub(crate) fn of_answer(
    intent: Intent,
    (best, (top_score, margin)): (Option<&Hit>, Lead),
    report: &SemanticReport,
    known: Option<f64>,
    tuning: &SearchConfig,
) -> AnswerConfidence {
    let Some(best) = best else { return AnswerConfidence { known, ..AnswerConfidence::default() } };
    // What was named, pointed at or quoted scores more than any text.
    let is_certain = top_score > weights::NAMED * weights::FULL_SCORE;
    let strength = match intent {
        Intent::Symbol | Intent::Path | Intent::Error if is_certain => 1.0,
        _ => (top_score / weights::FULL_SCORE).min(1.0),
    };
    let is_best = |(repository, path): &(usize, String)| *repository == best.repository && *path == best.path;
    let agrees = |nearest| if is_best(nearest) { 1.0 } else { weights::DISAGREEMENT };
    let agreement = report.nearest_file.as_ref().map(agrees);
    let inputs = [
        (tuning.confidence_top_score_weight, strength),
        (tuning.confidence_score_margin_weight, (margin / weights::CLEAR_LEAD).min(1.0)),
        (tuning.confidence_channel_agreement_weight, agreement.unwrap_or(strength)),
    ];
    let of_results = weighted_mean(&inputs);
    let value = match known {
        Some(known) if !is_certain => within_view(intent, of_results, known, report.nearness),
        _ => of_results,
    };
    AnswerConfidence {
        value: round(value),
        top_score,
        margin: round(margin),
        agreement,
        known: known.map(round),
        nearness: report.nearness.map(round),
    }
}

/// Lowers the confidence that the results give where the view has little of the question.
fn within_view(intent: Intent, of_results: f64, known: f64, nearness: Option<f64>) -> f64 {
    if intent == Intent::Symbol {
        return if known < 1.0 { of_results * weights::UNNAMED } else { of_results };
    }
    let range = weights::FULL_NEARNESS - weights::NO_NEARNESS;
    let near = nearness.map(|nearness| ((nearness - weights::NO_NEARNESS) / range).clamp(0.0, 1.0));
    weighted_mean(&[(1.0, of_results), (weights::KNOWN, known), (weights::NEARNESS, near.unwrap_or(of_results))])
}

/// Returns the mean of values with weights before them; 0 where all weights are 0.
fn weighted_mean(inputs: &[(f64, f64)]) -> f64 {
    let total: f64 = inputs.iter().map(|(weight, _)| weight).sum();
    let sum: f64 = inputs.iter().map(|(weight, value)| weight * value).sum();
    if total > 0.0 { sum / total } else { 0.0 }
}

/// A step to try after an answer that is not sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Locate a name that the question has.
    Locate(String),
    /// Say in words what the code does: nothing has the name.
    Describe,
    /// Look for the text of a name that fits only roughly, or say in words what the code does.
    Grep(String),
    /// Correct a path that no file has.
    CheckPath {
        /// The last name of the path.
        name: String,
        /// Paths that look alike, the likeliest first.
        near: Vec<String>,
    },
    /// Use broader terms, or see whether the code is indexed.
    Broaden,
    /// Use terms of the code, or name a file or symbol.
    UseItsTerms,
}

/// Longer names are not repeated in advice.
pub(crate) const MAX_NAME_BYTES: usize = 100;

/// Returns a step to try when the confidence in an answer is low.
pub(crate) fn advice(intent: Intent, query: &str, has_hits: bool, identifier: Option<&str>) -> NextStep {
    match (intent, has_hits, identifier) {
        (Intent::NaturalLanguage, _, Some(name)) if name.len() <= MAX_NAME_BYTES => NextStep::Locate(name.to_string()),
        (Intent::Symbol, false, _) => NextStep::Describe,
        (Intent::Symbol, true, _) if query.len() <= MAX_NAME_BYTES => {
            NextStep::Grep(query.trim_end_matches("()").to_string())
        }
        (Intent::Symbol, true, _) => NextStep::Describe,
        (_, false, _) => NextStep::Broaden,
        (_, true, _) => NextStep::UseItsTerms,
    }
}

/// The best score and its lead before the best hit of another file.
pub(crate) fn lead<'h>(hits: impl Iterator<Item = &'h Hit> + Clone) -> Lead {
    let Some(best) = hits.clone().max_by(|a, b| a.score.total_cmp(&b.score)) else { return (0.0, 0.0) };
    let others = hits.filter(|hit| hit.path != best.path || hit.repository != best.repository);
    let other = others.map(|hit| hit.score).fold(0.0, f64::max);
    let margin = if best.score > 0.0 { (best.score - other).max(0.0) / best.score } else { 0.0 };
    (best.score, margin)
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_confidence_need_not_add_up_to_one() {
        assert_eq!(weighted_mean(&[(0.5, 1.0), (0.2, 0.5), (0.3, 0.0)]), 0.6);
        assert_eq!(weighted_mean(&[(1.0, 1.0), (1.0, 0.5), (0.0, 0.0)]), 0.75);
        assert_eq!(weighted_mean(&[(0.0, 1.0); 3]), 0.0);
    }

    #[test]
    fn what_the_view_does_not_have_lowers_the_confidence() {
        let words = |known, nearness| within_view(Intent::NaturalLanguage, 0.7, known, nearness);
        assert!(words(1.0, Some(0.5)) > words(0.5, Some(0.5)));
        assert!(words(1.0, Some(0.5)) > words(1.0, Some(0.3)));
        assert_eq!(words(1.0, Some(0.9)), words(1.0, Some(weights::FULL_NEARNESS)));
        assert!(words(0.3, Some(0.3)) < 0.5 && words(1.0, None) > 0.7);
        // A word that is no name of a definition, but in the code, is no unknown name.
        assert_eq!(within_view(Intent::Symbol, 0.8, 1.0, None), 0.8);
        assert!(within_view(Intent::Symbol, 0.9, 0.7, None) < 0.5);
    }
}
