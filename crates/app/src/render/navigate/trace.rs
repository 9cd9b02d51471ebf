//! Text of `trace`.

use codecompass_engine::query::{Hit, HitKind, MAX_EXPANDED, UseClass};

use super::followed;
use super::graph::{edge_reason, node_text, other_meanings, role_text};
use super::steps::{TextSteps, steps_text};
use crate::api::navigate::graph::{EdgeView, NodeView};
use crate::api::navigate::trace::{ChainView, ChainsForm, GapView, ReachView, TraceAnswer, TraceRequest, TracedAnswer};
use crate::api::views::HitView;
use crate::remedy::Audience;
use crate::render::{doubt_text, shown, source_text, text_tokens};
use crate::terminal::output::{DIM, LINE, PATH};
use crate::units;

pub fn text(request: &TraceRequest, answer: &TracedAnswer, audience: Audience) -> String {
    match answer {
        TracedAnswer::Chains(answer) => text_of_chains(request, answer, audience),
        TracedAnswer::Followed(answer) => followed::text(answer, audience),
    }
}

fn text_of_chains(request: &TraceRequest, answer: &TraceAnswer, audience: Audience) -> String {
    let to = request.to.as_deref().unwrap_or_default();
    let mut out = summary(request, answer, audience);
    other_meanings(&mut out, &answer.to_others, answer.to_others_total, to, audience);
    if let (Some(others), Some(argument)) = (&answer.from_others, &request.from)
        && argument != to
    {
        other_meanings(&mut out, others, answer.from_others_total, argument, audience);
    }
    answer.reach.iter().for_each(|reach| reach_text(&mut out, reach, answer, audience));
    chains_text(&mut out, &answer.paths, request.page.offset as usize, audience);
    steps_text(&mut out, &answer.flow, audience);
    out
}

impl ChainsForm for TextSteps {
    fn chains_tokens(&self, answer: &TraceAnswer) -> usize {
        text_tokens(&text_between(answer, false, self.audience))
    }
}

/// Returns the chains between two symbols, whichever way they go.
pub(super) fn text_between(answer: &TraceAnswer, is_reversed: bool, audience: Audience) -> String {
    let bound = if answer.metadata.safety_limit_applied == Some(true) {
        format!(", after looking up {MAX_EXPANDED} symbols, the most for one question")
    } else {
        String::new()
    };
    let named = |hit: &Hit| format!("{} ({}:{})", shown(&hit.local_name), shown(&hit.path), hit.name_line);
    let (from, to) = (answer.from.as_ref().map_or_else(String::new, |from| named(&from.hit)), named(&answer.to.hit));
    let mut meanings = String::new();
    let name = |hit: &HitView| hit.hit.name.clone();
    if let (Some(from), Some(others)) = (&answer.from, &answer.from_others) {
        other_meanings(&mut meanings, others, answer.from_others_total, &name(from), audience);
    }
    other_meanings(&mut meanings, &answer.to_others, answer.to_others_total, &name(&answer.to), audience);
    if answer.paths.is_empty() {
        let (no, open) = denial(answer, audience);
        let mut out = format!("{no} of calls between {from} and {to} was found{bound}{open}\n{meanings}");
        answer.reach.iter().for_each(|reach| reach_text(&mut out, reach, answer, audience));
        return out;
    }
    if is_reversed {
        let mut out = format!("no chain of calls from {to} to {from} was found\n{meanings}");
        let (start, end) = ends(answer);
        answer.reach.iter().for_each(|reach| reached_text(&mut out, reach, end, start));
        let shortest = match answer.paths.len() {
            1 => String::new(),
            many => format!(", the shortest of {many} chains"),
        };
        out.push_str(&format!("\nthe other way{shortest}{bound}\n"));
        chains_text(&mut out, &answer.paths[..1], 0, audience);
        steps_text(&mut out, &answer.flow, audience);
        return out;
    }
    let more =
        format!("{} with more {} shows all", audience.question("trace", "trace_path"), audience.option("max-paths"));
    let (chains, variants) = chains_count(answer, &more);
    let mut out = format!("{chains} from {from} to {to}{bound}{variants}\n{meanings}");
    chains_text(&mut out, &answer.paths, 0, audience);
    steps_text(&mut out, &answer.flow, audience);
    out
}

/// Returns the beginning of a sentence that says that there is no chain, and what may make one.
fn denial(answer: &TraceAnswer, audience: Audience) -> (&'static str, String) {
    let has_gaps = answer.reach.as_ref().is_some_and(|reach| reach.gaps_total > 0);
    let open = answer.metadata.extra.as_ref().map_or(0, |extra| extra.open_calls);
    let no = if has_gaps || open > 0 { "no proven chain" } else { "no chain" };
    let open = match open {
        0 => String::new(),
        open => {
            let refs = audience.question("refs", "find_references");
            format!("; {refs} lists {} of {}", units::count(open, "possible call"), shown(&answer.to.hit.name))
        }
    };
    (no, open)
}

/// Returns the names of the two ends of chains.
fn ends(answer: &TraceAnswer) -> (&str, &str) {
    (answer.from.as_ref().map_or("", |from| &from.hit.name), &answer.to.hit.name)
}

/// Writes how far a search without result came from both ends, and the calls that may connect them.
fn reached_text(out: &mut String, reach: &ReachView, from: &str, to: &str) {
    let all = |is_cut: bool| {
        if is_cut {
            ", where a limit ended the search"
        } else if reach.gaps_total > 0 {
            // Calls that were not resolved may lead to more.
            ""
        } else {
            ", all there are"
        }
    };
    out.push_str(&format!(
        "reached: {} from {}{}; {} on the way to {}{}\n",
        units::count(reach.from_start, "function"),
        shown(from),
        all(reach.is_start_cut),
        reach.to_end,
        shown(to),
        all(reach.is_end_cut)
    ));
    if !reach.gaps.is_empty() {
        out.push_str("not resolved, may connect them:\n");
        for GapView { from, line, to } in &reach.gaps {
            let (path, from) = (shown(&from.path), shown(from.full_name()));
            out.push_str(&format!("  {PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}  {from} may call {}\n", named(to)));
        }
        match reach.gaps_total.saturating_sub(reach.gaps.len()) {
            0 => {}
            more => out.push_str(&format!("  {more} more\n")),
        }
    }
}

/// Returns the name and the place of a node.
fn named(node: &NodeView) -> String {
    match node.kind {
        HitKind::File => format!("top level of {}", shown(&node.path)),
        _ => format!("{} ({}:{})", shown(node.full_name()), shown(&node.path), node.line),
    }
}

/// Writes how far a search without result came from both ends, and what to ask next.
fn reach_text(out: &mut String, reach: &ReachView, answer: &TraceAnswer, audience: Audience) {
    let (from, to) = ends(answer);
    reached_text(out, reach, from, to);
    if !reach.ends.is_empty() {
        let ends: Vec<String> = reach.ends.iter().map(named).collect();
        let more = match reach.ends_total.saturating_sub(reach.ends.len()) {
            0 => String::new(),
            more => format!("; {more} more"),
        };
        out.push_str(&format!("no caller was found of: {}{more}\n", ends.join(", ")));
    }
    let end = reach.ends.iter().find(|end| end.kind != HitKind::File);
    if let Some(end) = end.filter(|_| reach.gaps.is_empty()) {
        let place = format!("{}:{}", shown(&end.path), end.line);
        let refs = audience.question(&format!("refs {place}"), "find_references");
        let argument = match audience {
            Audience::Cli => String::new(),
            Audience::Tools => format!(" {{\"symbol\":\"{place}\"}}"),
        };
        out.push_str(&format!("{DIM}{refs}{argument} lists all places that name the first{DIM:#}\n"));
    }
}

fn chains_text(out: &mut String, chains: &[ChainView], offset: usize, audience: Audience) {
    for (at, chain) in chains.iter().enumerate() {
        match audience {
            _ if !chain.steps.is_empty() => {
                let steps: Vec<String> = chain.steps.iter().map(usize::to_string).collect();
                let (length, doubt, steps) = (length_text(chain), chain_doubt(chain), steps.join(" → "));
                out.push_str(&format!("chain {}, {length}{doubt}: steps {steps}\n", offset + at + 1));
            }
            Audience::Cli => chain_text(out, offset + at + 1, chain),
            Audience::Tools => short_chain_text(out, offset, chains, at),
        }
    }
}

fn summary(request: &TraceRequest, answer: &TraceAnswer, audience: Audience) -> String {
    let bound = if answer.metadata.safety_limit_applied == Some(true) {
        format!(" after looking up {MAX_EXPANDED} symbols, the most for one question; there may be more")
    } else {
        String::new()
    };
    let named = |hit: &Hit| format!("{} ({}:{})", shown(&hit.local_name), shown(&hit.path), hit.name_line);
    let to = named(&answer.to.hit);
    match (&answer.from, answer.paths.is_empty()) {
        (Some(from), true) => {
            let (no, open) = denial(answer, audience);
            let calls = units::count(request.depth.len(), "call");
            format!("{no} of at most {calls} from {} to {to} was found{bound}{open}\n", named(&from.hit))
        }
        (None, true) => {
            let open = denial(answer, audience).1;
            let proven = if open.is_empty() { "" } else { " is proven to lead" };
            match proven {
                "" => format!("nothing that leads to {to} was found{bound}\n"),
                proven => format!("nothing{proven} to {to}{bound}{open}\n"),
            }
        }
        (_, false) => {
            let only_tests = answer.metadata.extra.as_ref().is_some_and(|extra| extra.only_tests);
            let tests = if only_tests { "; only tests lead there" } else { "" };
            let shows_all = format!("more {} shows all", audience.option("max-paths"));
            let (chains, variants) = chains_count(answer, &shows_all);
            let most =
                if answer.has_more { format!("; {} shows more", audience.option("max-paths")) } else { String::new() };
            format!("{chains} to {to}{bound}{tests}{variants}{DIM}{most}{DIM:#}\n")
        }
    }
}

fn chain_doubt(chain: &ChainView) -> &'static str {
    match chain.confidence {
        UseClass::Static => "",
        UseClass::Likely => ", likely",
        UseClass::Possible => ", possible",
    }
}

/// Returns a number of chains, and what else there is to say about them.
/// `more` says how to see those that are left out.
fn chains_count(answer: &TraceAnswer, more: &str) -> (String, String) {
    let are_possible = answer.paths.iter().all(|chain| chain.confidence == UseClass::Possible);
    let chains = if are_possible {
        format!("no proven chain; {}", units::count(answer.paths.len(), "possible chain"))
    } else {
        units::count(answer.paths.len(), "chain")
    };
    let variants = match answer.metadata.extra.as_ref().map_or(0, |extra| extra.variants) {
        0 => String::new(),
        variants => {
            let similar = units::count(variants, "similar chain");
            format!("; {similar} left out: a single function differs ({more})")
        }
    };
    (chains, variants)
}

fn chain_text(out: &mut String, number: usize, chain: &ChainView) {
    let doubt = chain_doubt(chain);
    out.push_str(&format!("\n{number}. {}{doubt}\n", length_text(chain)));
    if let Some(start) = &chain.start {
        out.push_str(&format!("   {}\n", node_text(start)));
    }
    for edge in &chain.edges {
        let doubt = doubt_text(edge.confidence, &edge_reason(edge));
        let source = edge.source.as_deref().map(|source| format!("  {}", source_text(source))).unwrap_or_default();
        out.push_str(&format!(
            "   {DIM}> at{DIM:#} {PATH}{}{PATH:#}:{LINE}{}{LINE:#}{source}{}{doubt}\n   {}\n",
            shown(&edge.path),
            edge.line,
            more_text(edge),
            node_text(&edge.to)
        ));
    }
}

/// Writes a chain for agents: names with their places, and the call that leads to the next. What an
/// earlier chain begins with is not repeated, nor are places that one has shown.
fn short_chain_text(out: &mut String, offset: usize, chains: &[ChainView], at: usize) {
    let (chain, earlier) = (&chains[at], &chains[..at]);
    let shared = |other: &ChainView| {
        let pairs = chain.edges.iter().zip(&other.edges);
        pairs
            .take_while(|(edge, other)| (&edge.from, &edge.to, edge.line) == (&other.from, &other.to, other.line))
            .count()
    };
    let longest = earlier.iter().enumerate().map(|(number, other)| (shared(other), number));
    let (skipped, number) =
        longest.max_by_key(|(shared, number)| (*shared, std::cmp::Reverse(*number))).unwrap_or((0, 0));
    let doubt = chain_doubt(chain);
    out.push_str(&format!("\n{}. {}{doubt}", offset + at + 1, length_text(chain)));
    let mut told: Vec<&NodeView> = earlier.iter().flat_map(|chain| chain.edges.iter().map(|edge| &edge.to)).collect();
    told.extend(earlier.iter().filter_map(|chain| chain.start.as_ref()));
    let mut file = "";
    match chain.edges.get(skipped).map(|edge| &edge.from).or(chain.start.as_ref()) {
        Some(from) if skipped > 0 => {
            out.push_str(&format!(", as {} up to {}\n", offset + number + 1, shown(from.full_name())));
            file = &from.path;
        }
        Some(start) => {
            out.push('\n');
            file = step_text(out, start, file, &mut told);
        }
        None => out.push('\n'),
    }
    for (edge, source) in chain.edges.iter().zip(&chain.sources).skip(skipped) {
        let doubt = doubt_text(edge.confidence, &edge_reason(edge));
        let (source, more) = (source_text(source), more_text(edge));
        out.push_str(&format!("     at {}: {source}{more}{doubt}\n", edge.line));
        file = step_text(out, &edge.to, file, &mut told);
    }
}

/// Returns the length of a chain: of calls, or of steps if some are none.
fn length_text(chain: &ChainView) -> String {
    let are_calls = chain.edges.iter().all(EdgeView::is_call);
    units::count(chain.length, if are_calls { "call" } else { "step" })
}

/// Returns the number of other calls that a step stands for.
fn more_text(edge: &EdgeView) -> String {
    match edge.more {
        0 => String::new(),
        more => format!("  {DIM}+{more} more{DIM:#}"),
    }
}

/// Writes a definition of a chain, with its path where that differs from `file`, the one before.
fn step_text<'a>(out: &mut String, node: &'a NodeView, file: &str, told: &mut Vec<&'a NodeView>) -> &'a str {
    let name = match node.kind {
        HitKind::File => format!("top level of {}", shown(&node.path)),
        _ => shown(node.full_name()).into_owned(),
    };
    let place = match (told.contains(&node), node.path == file) {
        (true, _) => String::new(),
        (false, true) => format!("  line {}", node.line),
        (false, false) => format!("  {}:{}", shown(&node.path), node.line),
    };
    out.push_str(&format!("   {name}{}{place}\n", role_text(node)));
    told.push(node);
    &node.path
}
