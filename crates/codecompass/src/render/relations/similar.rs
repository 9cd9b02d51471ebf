//! Text of `similar`.

use crate::api::relations::similar::{SimilarAnswer, SimilarRequest};
use crate::choices::Explain;
use crate::render::{count, hit_text, other_meanings, score_text, symbol_text};
use crate::terminal::output::DIM;

pub(crate) fn text(request: &SimilarRequest, answer: &SimilarAnswer) -> String {
    let mut out = String::new();
    hit_text(&mut out, &answer.symbol.hit, None, Explain::Off);
    if !answer.results.is_empty() {
        out.push_str(&format!("\n{DIM}like it, best first:{DIM:#}\n"));
    }
    for result in &answer.results {
        symbol_text(&mut out, &result.hit.hit);
        let note = match (result.is_identical, result.shared_names.as_slice()) {
            (true, _) => "identical".to_string(),
            (false, []) => String::new(),
            (false, shared) => format!("both use {}", shared.join(", ")),
        };
        if !note.is_empty() {
            out.push_str(&format!("    {DIM}{note}{DIM:#}\n"));
        }
        score_text(&mut out, &result.hit.hit, request.explain);
    }
    if answer.behind > 0 {
        out.push_str(&format!("{DIM}{} more; --limit shows them{DIM:#}\n", answer.behind));
    }
    if answer.results.is_empty() {
        let compared = answer.metadata.extra.as_ref().map_or(0, |extra| extra.compared);
        out.push_str(&format!("{DIM}nothing like it among {}{DIM:#}\n", count(compared, "candidate")));
    }
    let others: Vec<_> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(&mut out, &others, answer.others_total, &request.symbol);
    out
}
