//! Text of `explain`.

use crate::api::find::explain::{ExplainAnswer, ExplainRequest};
use crate::api::find::score_parts;
use crate::choices::Explain;
use crate::remedy::Audience;
use crate::render::{count, hit_text};
use crate::terminal::output::{DIM, NAME};

pub fn text(request: &ExplainRequest, answer: &ExplainAnswer, _: Audience) -> String {
    let total = answer.metadata.total_candidates.unwrap_or(0);
    let intent = answer.metadata.extra.as_ref().map_or("", |extra| extra.query_intent).replace('_', " ");
    let mut out =
        format!("{DIM}asked as {intent}; {}; confidence {}{DIM:#}\n", count(total, "candidate"), answer.confidence);
    for result in &answer.results {
        let hit = &result.hit.hit;
        out.push_str(&format!("\n{NAME}number {}{NAME:#}  ", result.rank));
        let mut bare = hit.clone();
        (bare.signature, bare.doc) = (String::new(), None);
        hit_text(&mut out, &bare, None, Explain::Off);
        out.push_str(&format!("    score {}, found by {}\n", hit.score, result.found_by.join(", ")));
        for part in &hit.explanation.parts {
            let meaning = score_parts::meaning(part.feature);
            out.push_str(&format!("    {:>+9.4}  {:<13} {DIM}{meaning}{DIM:#}\n", part.value, part.name()));
        }
    }
    difference_text(&mut out, answer);
    for missing in answer.not_ranked.iter().flatten() {
        out.push_str(&format!("\n{NAME}{}{NAME:#} is no result: {}\n", missing.result, missing.explanation));
        if let Some(held) = missing.terms_held.as_ref().filter(|held| !held.is_empty()) {
            out.push_str(&format!("    {DIM}it has {}{DIM:#}\n", held.join(", ")));
        }
    }
    let is_list = request.named.results.is_empty();
    if !answer.duplicates.is_empty() && is_list {
        let left_out = answer.duplicates.len();
        out.push_str(&format!("\n{left_out} left out because a better one has the same code:\n"));
        for duplicate in answer.duplicates.iter().take(request.limit.len()) {
            let (path, line) = &duplicate.of;
            let hit = &duplicate.hit;
            out.push_str(&format!("    {}:{} {DIM}like {path}:{line}{DIM:#}\n", hit.path, hit.line_start));
        }
    }
    if total == 0 && is_list {
        out.push_str(&format!("nothing found for {:?}\n", request.query));
    }
    if let Some(action) = answer.metadata.suggested_action.iter().flatten().next() {
        out.push_str(&format!("\n{DIM}not sure: {}{DIM:#}\n", action.text()));
    }
    out
}

fn difference_text(out: &mut String, answer: &ExplainAnswer) {
    let (Some(difference), [first, second]) = (&answer.difference, &answer.results[..]) else { return };
    out.push_str(&format!(
        "\n{NAME}number {} against number {}{NAME:#}: {:+}\n",
        first.rank, second.rank, difference.score
    ));
    for part in difference.parts.iter().filter(|part| part.difference != 0.0) {
        out.push_str(&format!(
            "    {:>+9.4}  {:<13} {DIM}{} against {}{DIM:#}\n",
            part.difference, part.reason, part.first, part.second
        ));
    }
}
