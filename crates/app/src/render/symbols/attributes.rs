//! Text of attributes and counts, on one line each.

use crate::api::symbols::attributes::{AttributesView, CountsView};
use crate::render::shown;
use crate::units::{count, noun};

/// Modifiers that say something that a signature may not show.
const TOLD: [&str; 9] =
    ["async", "suspend", "static", "abstract", "virtual", "override", "final", "sealed", "deprecated"];

/// Returns what is special about a definition; empty for most.
pub fn special_text(attributes: &AttributesView, role: Option<&str>) -> String {
    let told = |word: &&str| TOLD.contains(word) && *word != "deprecated";
    let modifiers: Vec<&str> = attributes.modifiers.iter().copied().filter(told).collect();
    let mut parts = Vec::new();
    if !modifiers.is_empty() {
        parts.push(modifiers.join(" "));
    }
    if attributes.is_deprecated {
        parts.push("deprecated".into());
    }
    parts.extend(role.map(|role| role.replace('_', " ")));
    if !attributes.decorators.is_empty() {
        parts.push(count(attributes.decorators.len(), "decorator"));
    }
    parts.extend(problem_text(attributes));
    parts.join(", ")
}

/// Returns where the first syntax error is, if there is one.
fn problem_text(attributes: &AttributesView) -> Option<String> {
    attributes.problem_line.map(|line| format!("parsed only in part: syntax error on line {line}"))
}

/// Returns all attributes of a definition, with the texts of its decorators.
pub fn all_text(attributes: &AttributesView, visibility: Option<&str>, role: Option<&str>) -> String {
    let mut parts: Vec<String> = visibility.map(str::to_string).into_iter().collect();
    if !attributes.modifiers.is_empty() {
        parts.push(attributes.modifiers.join(" "));
    }
    parts.extend(role.map(|role| role.replace('_', " ")));
    parts.push(if attributes.has_doc { "doc" } else { "no doc" }.into());
    if attributes.is_public_api {
        parts.push("public API".into());
    }
    parts.extend(attributes.decorators.iter().map(|decorator| shown(decorator).into_owned()));
    parts.extend(problem_text(attributes));
    parts.join(", ")
}

/// Returns the numbers of what is tied to a definition.
pub fn counts_text(counts: &CountsView) -> String {
    let files = match counts.callers {
        0 => String::new(),
        _ => format!(" in {}", count(counts.calling_files, "file")),
    };
    let mut parts = vec![format!("{}{files}", count(counts.callers, "caller"))];
    parts.extend(counts.callees.map(|callees| count(callees, "callee")));
    parts.extend(counts.tests.map(|tests| count(tests, "test")));
    parts.extend(counts.subtypes.map(|subtypes| count(subtypes, "subtype")));
    parts.push(format!("{} {}", counts.references, noun(counts.references, "reference")));
    parts.join(", ")
}
