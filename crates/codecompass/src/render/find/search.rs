//! Text of `search`.

use crate::api::find::search::{SearchAnswer, SearchRequest};
use crate::choices::Detail;
use crate::remedy::Voice;
use crate::render::{hit_text, more_text, neighbours_text, shown};
use crate::terminal::output::DIM;

pub(crate) fn text(request: &SearchRequest, answer: &SearchAnswer, voice: Voice) -> String {
    let mut out = String::new();
    for (at, result) in answer.results.iter().enumerate() {
        if at > 0 && request.detail != Detail::Location {
            out.push('\n');
        }
        match request.detail {
            Detail::Location => {
                let mut bare = result.hit.hit.clone();
                (bare.signature, bare.doc) = (String::new(), None);
                hit_text(&mut out, &bare, None, request.explain);
            }
            _ => {
                hit_text(&mut out, &result.hit.hit, result.snippet.as_ref(), request.explain);
                neighbours_text(&mut out, result.neighbours.as_ref());
            }
        }
    }
    let query = request.query.join(" ");
    let mut action = answer.metadata.suggested_action.as_ref().and_then(Option::as_ref);
    if answer.nothing_to_search {
        // The advice says it all.
    } else if answer.results.is_empty() && !request.filter.is_empty() {
        out.push_str(&format!("nothing found for {query:?} with these filters; try it without them\n"));
        action = None;
    } else if answer.results.is_empty() {
        out.push_str(&format!("nothing found for {query:?}\n"));
    } else if answer.behind > 0 && (request.detail != Detail::Location || voice == Voice::Tools) {
        out.push_str(&match (voice, answer.metadata.next_offset) {
            (Voice::Tools, Some(next)) => {
                let (exact, how) = match answer.exact_lines {
                    0 => (String::new(), ""),
                    1 => ("1 line has this text; ".to_string(), " by words"),
                    lines => (format!("{lines} lines have this text; "), " by words"),
                };
                format!("{exact}{} more{how}: `offset` {next}\n", answer.behind)
            }
            _ => format!("\n{}", more_text(answer.behind, voice)),
        });
    }
    if let Some(action) = action {
        let doubt = if answer.results.is_empty() { "" } else { "not sure: " };
        out.push_str(&format!("{DIM}{doubt}{}{DIM:#}\n", shown(&action.text())));
    }
    out
}
