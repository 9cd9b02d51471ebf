//! Text of `hierarchy`.

use codecompass_engine::Confidence;
use codecompass_engine::query::Relation;

use crate::api::Answer as _;
use crate::api::page::Page;
use crate::api::relations::hierarchy::{
    HierarchyAnswer, HierarchyDirection, HierarchyRequest, RelativeSymbol, RelativeView,
};
use crate::choices::Explain;
use crate::remedy::Voice;
use crate::render::navigate::refs::accounting_text;
use crate::render::{SymbolArgument, hit_text, left_out_text, line, more_text, other_meanings, shortened, shown};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

pub(crate) fn text(request: &HierarchyRequest, answer: &HierarchyAnswer, voice: Voice) -> String {
    let mut out = String::new();
    hit_text(&mut out, &answer.symbol.hit, None, Explain::Off);
    let others: Vec<_> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(&mut out, &others, answer.others_total, &SymbolArgument { argument: request.subject.only(), voice });
    if let Some(accounting) = answer.metadata.extra.as_ref().and_then(|extra| extra.accounting.as_ref()) {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", accounting_text(accounting)));
    }
    if !answer.containers.is_empty() {
        out.push_str(&format!("\n{NAME}in{NAME:#}\n"));
        for (depth, container) in answer.containers.iter().enumerate() {
            out.push_str(&"  ".repeat(depth + 1));
            line(&mut out, &container.hit);
        }
    }
    let (page, totals) = (request.page(), &answer.totals);
    let sections = [
        ("overrides", &answer.overrides, totals.overrides),
        ("supertypes", &answer.supertypes, totals.supertypes),
        ("subtypes", &answer.subtypes, totals.subtypes),
        ("overridden or implemented by", &answer.implementations, totals.implementations),
    ];
    for (title, relatives, total) in sections {
        section(&mut out, title, relatives, total, voice);
        more(&mut out, page.behind(total, relatives.len()), voice);
    }
    members_text(&mut out, page, answer, voice);
    let left_out = answer.metadata.extra.as_ref().map_or(0, |extra| extra.left_out_by_filters);
    if left_out > 0 {
        out.push_str(&format!("\n{}\n", left_out_text(left_out)));
    }
    if !answer.is_found() && left_out == 0 && request.only.is_empty() {
        let where_to = match request.direction {
            HierarchyDirection::Up => "above",
            HierarchyDirection::Down => "below",
            HierarchyDirection::Both => "above or below",
        };
        out.push_str(&format!("{DIM}nothing {where_to} it{DIM:#}\n"));
    } else if !answer.is_found() {
        out.push_str(&format!("{DIM}nothing that fits{DIM:#}\n"));
    }
    if answer.is_cut {
        let depth = voice.option("depth");
        out.push_str(&format!("{DIM}the search stopped at its limit; a smaller {depth} sees all nearby{DIM:#}\n"));
    }
    out
}

fn members_text(out: &mut String, page: Page, answer: &HierarchyAnswer, voice: Voice) {
    let total = answer.totals.children;
    if total == 0 {
        return;
    }
    out.push_str(&format!("\n{NAME}members{NAME:#} {DIM}({total}){DIM:#}\n"));
    for child in &answer.children {
        let hit = &child.hit;
        let signature = shortened(if hit.signature.is_empty() { &hit.name } else { &hit.signature });
        // Members may stand apart from the type, in other files.
        let path = if hit.path == answer.symbol.hit.path { "" } else { &hit.path };
        let mark = if path.is_empty() { "" } else { ":" };
        out.push_str(&format!(
            "  {PATH}{}{PATH:#}{mark}{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {}\n",
            shown(path),
            hit.line_start,
            hit.kind.as_str(),
            shown(&signature)
        ));
    }
    more(out, page.behind(total, answer.children.len()), voice);
}

/// Writes types or members, indented by how far away they are.
fn section(out: &mut String, title: &str, relatives: &[RelativeView], total: usize, voice: Voice) {
    if total == 0 {
        return;
    }
    out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({total}){DIM:#}\n"));
    let mut file = "";
    for relative in relatives {
        let indent = "  ".repeat(relative.depth.min(20) as usize);
        match &relative.symbol {
            RelativeSymbol::Defined(view) => {
                let (line, kind, name) = (relative.line(&view.hit), relative.kind(&view.hit), &view.hit.local_name);
                let (path, name) = (shown(&view.hit.path), shown(name));
                let place = match voice {
                    Voice::Cli => format!("{indent}{PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}"),
                    // Files once, and a line for each.
                    Voice::Tools if file == view.hit.path => format!("{indent}{line}"),
                    Voice::Tools => format!("{path}\n{indent}{line}"),
                };
                out.push_str(&format!("{place}  {KIND}{kind}{KIND:#}  {NAME}{name}{NAME:#}"));
                file = &view.hit.path;
            }
            RelativeSymbol::Named { name } => out.push_str(&format!("{indent}{NAME}{}{NAME:#}", shown(name))),
        }
        let notes = notes(relative);
        if !notes.is_empty() {
            out.push_str(&format!("  {DIM}{}{DIM:#}", notes.join(", ")));
        }
        out.push('\n');
    }
}

/// Returns what is said about a relative beside its place and name.
fn notes(relative: &RelativeView) -> Vec<String> {
    let is_unknown = matches!(relative.symbol, RelativeSymbol::Named { .. });
    let mut notes = Vec::new();
    if is_unknown {
        notes.push(if relative.is_external { "external" } else { "not found where it is imported from" }.to_string());
    }
    match (relative.relation, &relative.stated_at) {
        (Relation::Block, Some(place)) => notes.push(format!("impl at {}:{}", shown(&place.path), place.line)),
        (Relation::Alias, _) => notes.push("alias".into()),
        (Relation::Structural, _) => notes.push("has all its methods".into()),
        (_, Some(place)) if is_unknown => notes.push(format!("named at {}:{}", shown(&place.path), place.line)),
        _ => {}
    }
    if relative.confidence == Confidence::Heuristic {
        notes.push("likely".into());
    }
    notes
}

fn more(out: &mut String, left_out: usize, voice: Voice) {
    if left_out > 0 {
        out.push_str(&format!("  {}", more_text(left_out, voice)));
    }
}
