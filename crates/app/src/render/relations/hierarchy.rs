//! Text of `hierarchy`.

use codecompass_engine::Confidence;
use codecompass_engine::query::{Hit, HitKind, Relation};

use crate::api::Answer as _;
use crate::api::page::Page;
use crate::api::relations::hierarchy::{
    HierarchyAnswer, HierarchyDirection, HierarchyRequest, RelativeSymbol, RelativeView,
};
use crate::choices::Explain;
use crate::remedy::Audience;
use crate::render::by_file::{ByFile, name_in_file};
use crate::render::navigate::account::{account_text, is_proven, last_names};
use crate::render::{
    SymbolArgument, count, hit_text, left_out_text, line, more_text, other_meanings, shortened, shown,
};
use crate::terminal::output::{DIM, KIND, LINE, NAME, PATH};

/// Titles of lists that are told apart.
const OVERRIDES: &str = "overrides";
const SUPERTYPES: &str = "supertypes";
/// Overriding members of a type that are named.
const MAX_OVERRIDING: usize = 12;

pub fn text(request: &HierarchyRequest, answer: &HierarchyAnswer, audience: Audience) -> String {
    let mut out = String::new();
    hit_text(&mut out, &answer.symbol.hit, None, Explain::Off);
    let others: Vec<_> = answer.others.iter().map(|other| &other.hit).collect();
    other_meanings(
        &mut out,
        &others,
        answer.others_total,
        &SymbolArgument { argument: request.subject.only(), audience },
    );
    if let Some(accounting) = answer.metadata.extra.as_ref().and_then(|extra| extra.accounting.as_ref())
        && !is_proven(accounting)
    {
        out.push_str(&format!("{DIM}{}{DIM:#}\n", account_text(accounting)));
    }
    if !answer.containers.is_empty() {
        out.push_str(&format!("\n{NAME}in{NAME:#}\n"));
        for (depth, container) in answer.containers.iter().enumerate() {
            out.push_str(&"  ".repeat(depth + 1));
            line(&mut out, &container.hit);
        }
    }
    let (page, totals) = (request.page(), &answer.totals);
    let is_extended = |relative: &RelativeView| relative.relation == Relation::Extension;
    let above = if answer.supertypes.iter().any(is_extended) { "extends" } else { SUPERTYPES };
    let sections = [
        (OVERRIDES, &answer.overrides, totals.overrides),
        (above, &answer.supertypes, totals.supertypes),
        ("subtypes", &answer.subtypes, totals.subtypes),
        ("overridden or implemented by", &answer.implementations, totals.implementations),
    ];
    // Members say themselves what they override.
    let is_marked = |title: &str| title == OVERRIDES && !answer.children.is_empty();
    for (title, relatives, total) in sections.into_iter().filter(|(title, ..)| !is_marked(title)) {
        section(&mut out, title, relatives, total, answer.symbol.hit.kind, audience);
        more(&mut out, page.behind(total, relatives.len()), audience);
    }
    members_text(&mut out, page, answer, audience);
    let left_out = answer.metadata.extra.as_ref().map_or(0, |extra| extra.left_out_by_filters);
    if let Some(extra) = answer.metadata.extra.as_ref().filter(|_| left_out > 0) {
        out.push_str(&format!("\n{DIM}{}{DIM:#}\n", left_out_text(&extra.left_out_by, audience)));
    }
    if !answer.is_found() && left_out == 0 && request.only.is_empty() {
        let where_to = match request.direction {
            HierarchyDirection::Up => "above",
            HierarchyDirection::Down => "below",
            HierarchyDirection::Both => "above or below",
        };
        let possible = answer.metadata.extra.as_ref().and_then(|extra| extra.accounting.as_ref());
        match possible.map_or(0, |accounting| accounting.possible) {
            0 => out.push_str(&format!("{DIM}nothing {where_to} it{DIM:#}\n")),
            possible => {
                let (uses, refs) = (count(possible, "possible use"), audience.question("refs", "find_references"));
                out.push_str(&format!("{DIM}nothing proven {where_to} it; {refs} lists {uses}{DIM:#}\n"));
            }
        }
    } else if !answer.is_found() {
        out.push_str(&format!("{DIM}nothing that fits{DIM:#}\n"));
    }
    if answer.is_cut {
        let depth = audience.option("depth");
        out.push_str(&format!("{DIM}the search stopped at its limit; a smaller {depth} sees all nearby{DIM:#}\n"));
    }
    out
}

fn members_text(out: &mut String, page: Page, answer: &HierarchyAnswer, audience: Audience) {
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
            "  {PATH}{}{PATH:#}{mark}{LINE}{}{LINE:#}  {KIND}{}{KIND:#}  {}{}\n",
            shown(path),
            hit.line_start,
            hit.kind.as_str(),
            shown(&signature),
            overrides_text(answer, hit)
        ));
    }
    more(out, page.behind(total, answer.children.len()), audience);
}

/// Returns the place of the member that a member of the type overrides.
fn overrides_text(answer: &HierarchyAnswer, member: &Hit) -> String {
    let is_of = |relative: &&RelativeView| {
        let place = relative.stated_at.as_ref().map(|place| (place.path.as_str(), place.line));
        relative.of == member.qualified_name && place == Some((&member.path, member.name_line))
    };
    match answer.overrides.iter().find(is_of).map(|relative| &relative.symbol) {
        Some(RelativeSymbol::Defined(base)) => {
            format!("  {DIM}overrides {}:{}{DIM:#}", shown(&base.hit.path), base.hit.name_line)
        }
        _ => String::new(),
    }
}

/// Writes types or members: for people as a tree, for agents by file.
fn section(out: &mut String, title: &str, relatives: &[RelativeView], total: usize, own: HitKind, audience: Audience) {
    if total == 0 {
        return;
    }
    // What holds for all is said once.
    let is_had = |relative: &RelativeView| relative.relation == Relation::Structural;
    let all_have = audience == Audience::Tools && relatives.len() > 1 && relatives.iter().all(is_had);
    let likely = if all_have {
        ", likely: types that have all methods of the interface, with as many parameters and results"
    } else {
        ""
    };
    out.push_str(&format!("\n{NAME}{title}{NAME:#} {DIM}({total}){likely}{DIM:#}\n"));
    match audience {
        Audience::Cli => relatives.iter().for_each(|relative| tree_text(out, relative)),
        Audience::Tools => list_text(out, relatives, title == SUPERTYPES, own, all_have),
    }
}

/// Writes a type or member, indented by how far away it is.
fn tree_text(out: &mut String, relative: &RelativeView) {
    let indent = "  ".repeat(relative.depth.min(20) as usize);
    let notes = notes(relative, "", false);
    match &relative.symbol {
        RelativeSymbol::Named { name } => {
            out.push_str(&format!("{indent}{NAME}{}{NAME:#}{notes}\n", shown(name)));
        }
        RelativeSymbol::Defined(view) => {
            let (line, kind, name) = (relative.line(&view.hit), relative.kind(&view.hit), &view.hit.local_name);
            let place = format!("{indent}{PATH}{}{PATH:#}:{LINE}{line}{LINE:#}", shown(&view.hit.path));
            out.push_str(&format!("{place}  {KIND}{kind}{KIND:#}  {NAME}{}{NAME:#}{notes}\n", shown(name)));
        }
    }
}

/// Writes types or members by file, without the kind that is `own`, the symbol's. Those that are
/// farther away name what they are directly below, or above if `is_above`. With `all_have`, what is
/// said about types that have all methods is left out.
fn list_text(out: &mut String, relatives: &[RelativeView], is_above: bool, own: HitKind, all_have: bool) {
    let is_type = !matches!(own, HitKind::Symbol(kind) if kind.is_callable());
    let mut found: Vec<(&str, &RelativeView)> = Vec::new();
    for relative in relatives {
        let path = match &relative.symbol {
            RelativeSymbol::Defined(view) => view.hit.path.as_str(),
            RelativeSymbol::Named { .. } => "",
        };
        // Behind the last one of the same file.
        let at = found.iter().rposition(|(other, _)| *other == path).map_or(found.len(), |at| at + 1);
        found.insert(at, (path, relative));
    }
    let mut list = ByFile::default();
    for (path, relative) in found {
        let notes = notes(relative, path, all_have);
        let of = if is_type && relative.depth > 1 && relative.relation != Relation::Block {
            let side = if is_above { "above" } else { "below" };
            format!("  {side} {}", shown(last_names(&relative.of)))
        } else {
            String::new()
        };
        match &relative.symbol {
            RelativeSymbol::Named { name } => {
                std::mem::take(&mut list).write(out);
                out.push_str(&format!("{}{of}{notes}\n", shown(name)));
            }
            RelativeSymbol::Defined(view) => {
                let (hit, kind) = (&view.hit, relative.kind(&view.hit));
                let kind = if kind == own.as_str() { String::new() } else { format!("{kind}  ") };
                let name = shown(name_in_file(&hit.local_name, path));
                list.add(path, 0, format!("{}  {kind}{name}{of}{notes}", relative.line(hit)));
            }
        }
    }
    list.write(out);
}

/// Returns what is said about a relative beside its place and name, below the heading of a file;
/// `all_have` is as in [`list_text`].
fn notes(relative: &RelativeView, file: &str, all_have: bool) -> String {
    let is_unknown = matches!(relative.symbol, RelativeSymbol::Named { .. });
    let mut notes = Vec::new();
    if is_unknown {
        notes.push(if relative.is_external { "external" } else { "not found where it is imported from" }.to_string());
    }
    match (relative.relation, &relative.stated_at) {
        (Relation::Block, Some(place)) => {
            let path = if place.path == file { String::new() } else { format!("{}:", shown(&place.path)) };
            let of = match relative.depth {
                1 => String::new(),
                _ => format!(" of {}", shown(last_names(&relative.of))),
            };
            notes.push(format!("impl{of} at {path}{}", place.line));
        }
        (Relation::Alias, _) => notes.push("alias".into()),
        (Relation::Props, _) => notes.push("props".into()),
        (Relation::Structural, _) if !all_have => notes.push("has all its methods".into()),
        (_, Some(place)) if is_unknown => notes.push(format!("named at {}:{}", shown(&place.path), place.line)),
        _ => {}
    }
    if relative.confidence == Confidence::Heuristic && !all_have {
        notes.push("likely".into());
    }
    if !relative.overriding.is_empty() {
        let members = relative.overriding.iter().take(MAX_OVERRIDING);
        let members: Vec<String> = members.map(|member| format!("{} {}", shown(&member.name), member.line)).collect();
        let more = match relative.overriding.len() - members.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        notes.push(format!("overrides {}{more}", members.join(", ")));
    }
    if notes.is_empty() { String::new() } else { format!("  {DIM}{}{DIM:#}", notes.join(", ")) }
}

fn more(out: &mut String, left_out: usize, audience: Audience) {
    if left_out > 0 {
        out.push_str(&format!("  {}", more_text(left_out, audience)));
    }
}
