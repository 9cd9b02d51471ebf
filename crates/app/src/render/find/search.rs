//! Text of `search`.

use crate::api::find::metadata::QueryPartsView;
use crate::api::find::search::{SearchAnswer, SearchRequest, SearchResult};
use crate::choices::Detail;
use crate::remedy::Audience;
use crate::render::metadata::by_project_text;
use crate::render::{hit_text, more_text, neighbours_text, shown};
use crate::terminal::output::DIM;

pub fn text(request: &SearchRequest, answer: &SearchAnswer, audience: Audience) -> String {
    let mut out = String::new();
    if let Some(parts) = answer.metadata.extra.as_ref().and_then(|extra| extra.query_parts.as_ref()) {
        parts_text(&mut out, parts);
    }
    let mut module = None;
    for (at, result) in by_module(&answer.results).enumerate() {
        if at > 0 && request.detail != Detail::Location {
            out.push('\n');
        }
        if result.module.is_some() && result.module.as_ref() != module {
            module = result.module.as_ref();
            let count = answer.results.iter().filter(|other| other.module.as_ref() == module).count();
            let name = module.map_or("", String::as_str);
            out.push_str(&format!("{DIM}{} ({count}){DIM:#}\n", shown(if name.is_empty() { "." } else { name })));
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
    } else if answer.behind > 0 && (request.detail != Detail::Location || audience == Audience::Tools) {
        out.push_str(&match (audience, answer.metadata.next_offset) {
            (Audience::Tools, Some(next)) => {
                let (exact, how) = match answer.exact_lines {
                    0 => (String::new(), ""),
                    1 => ("1 line has this text; ".to_string(), " by words"),
                    lines => (format!("{lines} lines have this text; "), " by words"),
                };
                format!("{exact}{} more{how}: `offset` {next}\n", answer.behind)
            }
            _ => format!("\n{}", more_text(answer.behind, audience)),
        });
    }
    if request.detail != Detail::Location && !answer.metadata.by_project.is_empty() {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", by_project_text("in ", &answer.metadata.by_project)));
    }
    if let Some(action) = action {
        let doubt = if answer.results.is_empty() { "" } else { "not sure: " };
        out.push_str(&format!("{DIM}{doubt}{}{DIM:#}\n", shown(&action.text())));
    }
    out
}

/// The results with those of one module together; modules in the order of their best results.
fn by_module(results: &[SearchResult]) -> impl Iterator<Item = &SearchResult> {
    let mut order: Vec<Option<&String>> = Vec::new();
    for result in results {
        if !order.contains(&result.module.as_ref()) {
            order.push(result.module.as_ref());
        }
    }
    order.into_iter().flat_map(move |module| results.iter().filter(move |result| result.module.as_ref() == module))
}

/// Writes the parts that were taken from a long text, one line each.
fn parts_text(out: &mut String, parts: &QueryPartsView) {
    let mut line = |label: &str, items: &[String]| {
        if !items.is_empty() {
            out.push_str(&format!("{DIM}{label}: {}{DIM:#}\n", shown(&items.join(", "))));
        }
    };
    line("title", std::slice::from_ref(&parts.title));
    line("names", &parts.names);
    line("places", &parts.places);
    line("messages", &parts.messages);
    line("words", &parts.terms);
    out.push('\n');
}
