//! Text of `analyze`.

use std::fmt::Write as _;

use crate::api::find::analyze::{AnalyzeAnswer, AnalyzeRequest, NarrativeView};
use crate::remedy::Audience;
use crate::render::find::context::excerpt_text;
use crate::render::{count, shown};
use crate::terminal::output::DIM;

pub fn text(_: &AnalyzeRequest, answer: &AnalyzeAnswer, audience: Audience) -> String {
    let mut out = String::new();
    if let Some(narrative) = &answer.narrative {
        narrative_text(&mut out, narrative);
    }
    if !answer.endpoints.is_empty() {
        let _ = writeln!(out, "{}:", count(answer.endpoints.len(), "endpoint"));
    }
    for endpoint in &answer.endpoints {
        let handler = endpoint.handler.as_ref().map_or("", |handler| &handler.name);
        let (path, place) = (shown(&endpoint.path), shown(&endpoint.declared.path));
        let _ = writeln!(out, "  {} {path} {} {place}:{}", endpoint.method, shown(handler), endpoint.declared.line);
    }
    answer.results.iter().for_each(|result| out.push_str(&excerpt_text(result, audience)));
    if let Some(remedy) = AnalyzeRequest::remedy(answer.provider.state) {
        let problem = answer.provider.problem.as_deref().unwrap_or("no chat model is configured");
        let found =
            if answer.results.is_empty() { "nothing found" } else { "the code that was found, without a narrative" };
        let _ = writeln!(out, "{DIM}{found}: {}; {}{DIM:#}", shown(problem), remedy.words(audience));
    }
    out
}

fn narrative_text(out: &mut String, narrative: &NarrativeView) {
    // Lines of the model are not ours: they are shown without control characters.
    for line in narrative.text.lines() {
        let _ = writeln!(out, "{}", shown(line));
    }
    let verified = count(narrative.verified.len(), "place");
    let mut last = format!("written by {}; {verified} found in the index", shown(&narrative.model));
    if !narrative.unverified.is_empty() {
        let _ = write!(last, ", {} not and marked", narrative.unverified.len());
    }
    if let Some(cut) = &narrative.cut {
        let _ = write!(last, "; it ends early: {}", shown(cut));
    }
    let _ = writeln!(out, "\n{DIM}{last}{DIM:#}");
}
