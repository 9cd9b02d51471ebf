//! Text of `symbols`: definitions by file, one line each.

use std::fmt::Write as _;

use crate::api::symbols::find::{FindAnswer, FindRequest, FoundView};
use crate::remedy::Audience;
use crate::render::symbols::attributes::{all_text, counts_text};
use crate::render::{shortened, shown};
use crate::terminal::output::{DIM, KIND, LINE, PATH};
use crate::units::count;

pub fn text(request: &FindRequest, answer: &FindAnswer, audience: Audience) -> String {
    let mut out = summary(answer);
    let mut path = "";
    for found in answer.results.iter().flatten() {
        if found.hit.hit.path != path {
            path = &found.hit.hit.path;
            let gap = if audience == Audience::Cli { "\n" } else { "" };
            let _ = writeln!(out, "{gap}{PATH}{}{PATH:#}", shown(path));
        }
        symbol_text(&mut out, found, request.attributes, audience);
    }
    if answer.behind > 0 {
        let option = |name| audience.option(name);
        let narrow = format!("{} and {} narrow", option("kind"), option("path"));
        let go_on = match (audience, answer.metadata.next_offset) {
            (Audience::Cli, Some(next)) => format!("--offset {next} goes on, --limit shows more at once, "),
            // The last line of the answer says it.
            _ => String::new(),
        };
        let _ = writeln!(out, "{DIM}{} more; {go_on}{narrow}{DIM:#}", answer.behind);
    }
    out
}

/// Returns the numbers of definitions and files, and of kinds if there are several.
fn summary(answer: &FindAnswer) -> String {
    let Some(extra) = answer.metadata.extra.as_ref().filter(|_| answer.total > 0) else {
        return "no definition fits\n".into();
    };
    let mut out = format!("{} in {}", count(answer.total, "definition"), count(extra.files, "file"));
    let mut kinds: Vec<(&str, usize)> = extra.by_kind.iter().map(|(kind, number)| (*kind, *number)).collect();
    kinds.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    if kinds.len() > 1 {
        let kinds: Vec<String> = kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
        let _ = write!(out, " {DIM}({}){DIM:#}", kinds.join(", "));
    }
    out.push('\n');
    out
}

fn symbol_text(out: &mut String, found: &FoundView, shows_attributes: bool, audience: Audience) {
    let hit = &found.hit.hit;
    let width = if audience == Audience::Cli { 5 } else { 0 };
    let what = if hit.signature.is_empty() {
        format!("{} {}", hit.kind.as_str(), hit.name)
    } else {
        shortened(&hit.signature).into_owned()
    };
    let _ = write!(out, "  {LINE}{:>width$}{LINE:#}  ", hit.name_line);
    if let Some(container) = &found.container {
        let _ = write!(out, "{KIND}{}{KIND:#}  ", shown(container));
    }
    out.push_str(&shown(&what));
    if let Some(attributes) = found.attributes.as_ref().filter(|_| shows_attributes) {
        let visibility = hit.visibility.map(|visibility| visibility.as_str());
        let _ = write!(out, "  {DIM}[{}]{DIM:#}", all_text(attributes, visibility, found.role));
    }
    if let Some(counts) = &found.counts {
        let _ = write!(out, "  {DIM}{}{DIM:#}", counts_text(counts));
    }
    out.push('\n');
}
