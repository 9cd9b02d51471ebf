//! Text of `similar`.

use crate::api::relations::similar::{SimilarAnswer, SimilarRequest};
use crate::choices::Explain;
use crate::remedy::Audience;
use crate::render::{SymbolArgument, count, hit_text, more_text, other_meanings, score_text, shown, symbol_text};
use crate::terminal::output::DIM;

pub fn text(request: &SimilarRequest, answer: &SimilarAnswer, audience: Audience) -> String {
    let mut out = String::new();
    hit_text(&mut out, &answer.symbol.hit, None, Explain::Off);
    let others: Vec<_> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(
        &mut out,
        &others,
        answer.others_total,
        &SymbolArgument { argument: request.subject.only(), audience },
    );
    if !answer.results.is_empty() {
        out.push_str(&format!("\n{DIM}like it, best first:{DIM:#}\n"));
    }
    for result in &answer.results {
        symbol_text(&mut out, &result.hit.hit);
        let note = match (result.is_identical, result.shared_names.as_slice()) {
            (true, _) => "identical".to_string(),
            (false, []) => String::new(),
            (false, shared) => shown(&format!("both use {}", shared.join(", "))).into_owned(),
        };
        if !note.is_empty() {
            out.push_str(&format!("    {DIM}{note}{DIM:#}\n"));
        }
        score_text(&mut out, &result.hit.hit, request.explain);
    }
    if answer.behind > 0 {
        out.push_str(&more_text(answer.behind, audience));
    }
    if answer.results.is_empty() {
        let compared = answer.metadata.extra.as_ref().map_or(0, |extra| extra.compared);
        out.push_str(&format!("{DIM}nothing like it among {}{DIM:#}\n", count(compared, "candidate")));
    }
    out
}
