//! Text of `trace`.

use codecompass_engine::Confidence;
use codecompass_engine::query::{Hit, MAX_EXPANDED};

use super::graph::{edge_reason, node_text, other_meanings};
use crate::api::navigate::trace::{ChainView, TraceAnswer, TraceRequest};
use crate::api::views::HitView;
use crate::remedy::Voice;
use crate::render::{doubt_text, shown};
use crate::terminal::output::{DIM, LINE, PATH};
use crate::units;

pub(crate) fn text(request: &TraceRequest, answer: &TraceAnswer, voice: Voice) -> String {
    let mut out = summary(request, answer, voice);
    other_meanings(&mut out, &answer.to_others, answer.to_others_total, &request.to, voice);
    if let (Some(others), Some(argument)) = (&answer.from_others, &request.from)
        && *argument != request.to
    {
        other_meanings(&mut out, others, answer.from_others_total, argument, voice);
    }
    for (number, chain) in answer.paths.iter().enumerate() {
        chain_text(&mut out, request.page.offset as usize + number + 1, chain);
    }
    out
}

/// Returns the chains between two symbols, whichever way they go.
pub(super) fn text_between(answer: &TraceAnswer, is_reversed: bool, voice: Voice) -> String {
    let bound = match answer.metadata.safety_limit_applied == Some(true) {
        true => format!(", after looking up {MAX_EXPANDED} symbols, the most for one question"),
        false => String::new(),
    };
    let named = |hit: &Hit| format!("{} ({}:{})", shown(&hit.local_name), shown(&hit.path), hit.name_line);
    let (from, to) = (answer.from.as_ref().map_or_else(String::new, |from| named(&from.hit)), named(&answer.to.hit));
    let mut meanings = String::new();
    let name = |hit: &HitView| hit.hit.name.clone();
    if let (Some(from), Some(others)) = (&answer.from, &answer.from_others) {
        other_meanings(&mut meanings, others, answer.from_others_total, &name(from), voice);
    }
    other_meanings(&mut meanings, &answer.to_others, answer.to_others_total, &name(&answer.to), voice);
    if answer.paths.is_empty() {
        return format!("no chain of calls between {from} and {to} was found{bound}\n{meanings}");
    }
    let other_way = if is_reversed { ", none the other way" } else { "" };
    let chains = units::count(answer.paths.len(), "chain");
    let mut out = format!("{chains} from {from} to {to}{other_way}{bound}\n{meanings}");
    for (number, chain) in answer.paths.iter().enumerate() {
        chain_text(&mut out, number + 1, chain);
    }
    out
}

fn summary(request: &TraceRequest, answer: &TraceAnswer, voice: Voice) -> String {
    let bound = match answer.metadata.safety_limit_applied == Some(true) {
        true => format!(" after looking up {MAX_EXPANDED} symbols, the most for one question; there may be more"),
        false => String::new(),
    };
    let named = |hit: &Hit| format!("{} ({}:{})", shown(&hit.local_name), shown(&hit.path), hit.name_line);
    let to = named(&answer.to.hit);
    match (&answer.from, answer.paths.is_empty()) {
        (Some(from), true) => format!(
            "no chain of at most {} from {} to {to} was found{bound}\n",
            units::count(request.depth.len(), "call"),
            named(&from.hit)
        ),
        (None, true) => format!("nothing that leads to {to} was found{bound}\n"),
        (_, false) => {
            let only_tests = answer.metadata.extra.as_ref().is_some_and(|extra| extra.only_tests);
            let tests = if only_tests { "; only tests lead there" } else { "" };
            let chains = units::count(answer.paths.len(), "chain");
            let most = match answer.has_more {
                true => format!("; {} shows more", voice.option("max-paths")),
                false => String::new(),
            };
            format!("{chains} to {to}{bound}{tests}{DIM}{most}{DIM:#}\n")
        }
    }
}

fn chain_text(out: &mut String, number: usize, chain: &ChainView) {
    let doubt = if chain.confidence == Confidence::Static { "" } else { ", likely" };
    out.push_str(&format!("\n{number}. {}{doubt}\n", units::count(chain.length, "call")));
    if let Some(start) = &chain.start {
        out.push_str(&format!("   {}\n", node_text(start)));
    }
    for edge in &chain.edges {
        let doubt = doubt_text(edge.confidence, &edge_reason(edge));
        out.push_str(&format!(
            "   {DIM}> at{DIM:#} {PATH}{}{PATH:#}:{LINE}{}{LINE:#}{doubt}\n   {}\n",
            shown(&edge.path),
            edge.line,
            node_text(&edge.to)
        ));
    }
}
