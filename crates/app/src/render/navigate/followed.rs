//! Text of `trace --value` and `trace --raises`.

use codecompass_engine::query::UseClass;

use crate::api::navigate::followed::{FollowedAnswer, FollowedStepView};
use crate::remedy::Audience;
use crate::render::{shown, source_text};
use crate::terminal::output::{DIM, LINE, NAME, PATH};
use crate::units;

/// Places in tests that are listed.
const MAX_TESTS: usize = 12;
/// Names that one line lists.
const MAX_NAMED: usize = 8;

pub(super) fn text(answer: &FollowedAnswer, audience: Audience) -> String {
    let mut out = summary(answer);
    if answer.steps.is_empty() {
        nothing(&mut out, answer, audience);
        return out;
    }
    if answer.looked_for.len() > 1 || answer.symbol.is_none() {
        out.push_str(&format!("{DIM}looked for: {}{DIM:#}\n", listed(&answer.looked_for)));
    }
    if !answer.longer_keys.is_empty() {
        out.push_str(&format!("longer keys: {}\n", listed(&answer.longer_keys)));
    }
    for steps in answer.steps.chunk_by(|one, next| one.event == next.event) {
        out.push_str(&format!("\n{NAME}{}{NAME:#}\n", steps.first().map_or("", |step| heading(step.event))));
        let is_test = steps.first().is_some_and(|step| step.event == "tested");
        let most = if is_test { MAX_TESTS } else { steps.len() };
        steps.iter().take(most).for_each(|step| step_text(&mut out, step));
        if steps.len() > most {
            out.push_str(&format!("     {} more\n", steps.len() - most));
        }
    }
    if answer.merged_calls > 0 {
        let calls = units::count(answer.merged_calls, "other call");
        out.push_str(&format!("\n{calls} in functions that let it out anyway\n"));
    }
    if !answer.not_followed.is_empty() {
        out.push_str(&format!("\nnot followed, too many places: {}\n", listed(&answer.not_followed)));
    }
    if answer.not_shown_total > 0 {
        let (steps, tokens) = (units::count(answer.not_shown_total, "place"), audience.option("max-tokens"));
        out.push_str(&format!("\n{steps} without room; {DIM}more {tokens} shows them{DIM:#}\n"));
    }
    if answer.metadata.safety_limit_applied == Some(true) {
        out.push_str("\na limit left places out: there may be more\n");
    }
    out
}

/// Returns the name that was asked for, with the numbers of its places.
fn summary(answer: &FollowedAnswer) -> String {
    let name = answer.value.as_ref().or(answer.raises.as_ref()).map_or("", String::as_str);
    let place = answer
        .symbol
        .as_ref()
        .map_or(String::new(), |symbol| format!(" ({}:{})", shown(&symbol.hit.path), symbol.hit.name_line));
    let what = if answer.value.is_some() { "value" } else { "error" };
    if answer.steps.is_empty() {
        return format!("nothing was found of the {what} `{}`{place}\n", shown(name));
    }
    let counts: Vec<String> = answer.counts.iter().map(|one| format!("{} {}", one.count, one.event)).collect();
    let total: usize = answer.counts.iter().map(|one| one.count).sum();
    let are_possible = answer.steps.iter().all(|step| step.confidence == UseClass::Possible);
    let places = if are_possible { format!("no proven place; {total} possible") } else { units::count(total, "place") };
    let is_raised = answer.counts.iter().any(|one| one.event == "raised");
    let lacks = if answer.raises.is_some() && !is_raised { "; no place that raises it was found" } else { "" };
    format!("{what} `{}`{place}: {places}: {}{lacks}\n", shown(name), counts.join(", "))
}

/// Returns the words for what happens at some places.
fn heading(event: &str) -> &str {
    match event {
        "passed" => "passes through",
        "mapped" => "mapped to another error",
        "leaves" => "caught by no caller",
        "handler" => "handlers elsewhere",
        "tested" => "in tests",
        event => event,
    }
}

fn step_text(out: &mut String, step: &FollowedStepView) {
    let number = step.step;
    let around = step.enclosing.as_ref().map_or(String::new(), |around| format!(" {}", shown(&around.local_name)));
    let from = step.from.map(|from| format!("from {from}"));
    let call = step.call_line.map(|line| format!("call at {line}"));
    let way = step.way.as_ref().map(|way| shown(way).into_owned());
    let doubt = match step.confidence {
        UseClass::Static => None,
        class => Some(format!("{}: {}", class.as_str(), step.evidence.replace('_', " "))),
    };
    let notes: Vec<String> = [from, way, call, doubt].into_iter().flatten().collect();
    let notes = if notes.is_empty() { String::new() } else { format!("  {DIM}({}){DIM:#}", notes.join("; ")) };
    let source = source_text(&step.source);
    let source = if source.is_empty() { String::new() } else { format!("  {source}") };
    let (path, line) = (shown(&step.path), step.line);
    out.push_str(&format!("{number:>3}. {PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}{around}{source}{notes}\n"));
}

/// Says what was looked for in vain, and what is like it.
fn nothing(out: &mut String, answer: &FollowedAnswer, audience: Audience) {
    out.push_str(&format!("looked for: {}\n", listed(&answer.looked_for)));
    if !answer.suggestions.is_empty() {
        out.push_str(&format!("names like it: {}\n", listed(&answer.suggestions)));
    }
    let grep = audience.question("grep", "grep_code");
    out.push_str(&format!("{DIM}{grep} finds any text{DIM:#}\n"));
}

fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MAX_NAMED).map(|name| shown(name).into_owned()).collect();
    if names.len() > MAX_NAMED {
        shown.push(format!("{} more", names.len() - MAX_NAMED));
    }
    shown.join(", ")
}
