//! How sure an answer is, and what to try when it is not.

use crate::query::hit::Hit;
use crate::query::search::intent::Intent;
use crate::query::search::semantic::SemanticReport;

/// About what a piece of code scores that has all a question asks for: its words, in its text, its
/// name and its file's name.
const FULL_SCORE: f64 = 45.0;
/// A lead over the next file that leaves no doubt, as a share of the score.
const CLEAR_LEAD: f64 = 0.3;

/// How sure an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Confidence {
    /// From 0 to 1.
    pub value: f64,
    /// The score of the best hit; 0 when there is none.
    pub top_score: f64,
    /// By how much the best hit leads before the best one of another file, as a share of its score.
    pub margin: f64,
    /// Whether words and meaning point at the same file, from 0 to 1; `None` when only one of them
    /// was asked.
    pub agreement: Option<f64>,
}

/// How sure words alone are of the best of these hits, from 0 to 1.
pub(crate) fn of_words(hits: &[Hit]) -> f64 {
    let (score, margin) = lead(hits);
    0.6 * (score / FULL_SCORE).min(1.0) + 0.4 * (margin / CLEAR_LEAD).min(1.0)
}

/// How sure an answer is: its score, its lead, and whether words and meaning agree.
pub(crate) fn of_answer(intent: Intent, hits: &[Hit], report: &SemanticReport) -> Confidence {
    let Some(best) = hits.first() else { return Confidence::default() };
    let (top_score, margin) = lead(hits);
    let strength = match intent {
        // What was named, or pointed at, scores more than any text.
        Intent::Symbol | Intent::Path | Intent::Error if top_score > 1.2 * FULL_SCORE => 1.0,
        _ => (top_score / FULL_SCORE).min(1.0),
    };
    let agreement = report.nearest_path.as_deref().map(|nearest| if nearest == best.path { 1.0 } else { 0.4 });
    let value = 0.5 * strength + 0.2 * (margin / CLEAR_LEAD).min(1.0) + 0.3 * agreement.unwrap_or(strength);
    Confidence { value: round(value), top_score, margin: round(margin), agreement }
}

/// What to try when an answer is not sure.
pub(crate) fn advice(intent: Intent, query: &str, has_hits: bool, identifier: Option<&str>) -> String {
    match (intent, has_hits, identifier) {
        (Intent::NaturalLanguage, _, Some(name)) => format!("locate {name}: the question names it"),
        (Intent::Symbol, false, _) => "search for it in words: no definition has this name".into(),
        (Intent::Symbol, true, _) => "ask in words what the code does: the name fits only roughly".into(),
        (Intent::Path, false, _) => {
            let name = query.rsplit('/').next().unwrap_or(query);
            format!("check the spelling, or search for {name} alone")
        }
        (_, false, _) => "use broader terms, or see with status whether the code is indexed".into(),
        (_, true, _) => "use terms that the code itself would use, or name a file or symbol".into(),
    }
}

/// The best score and its lead before the best hit of another file.
fn lead(hits: &[Hit]) -> (f64, f64) {
    let Some(best) = hits.iter().max_by(|a, b| a.score.total_cmp(&b.score)) else { return (0.0, 0.0) };
    let other = hits.iter().filter(|hit| hit.path != best.path).map(|hit| hit.score).fold(0.0, f64::max);
    let margin = if best.score > 0.0 { (best.score - other).max(0.0) / best.score } else { 0.0 };
    (best.score, margin)
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
