//! Text of `deps`.

use std::borrow::Cow;
use std::fmt::Write as _;

use codecompass_engine::query::EdgeKind;

use crate::api::relations::deps::{CycleStepView, DepsAnswer, DepsRequest, ImportView, ProjectEdgeView};
use crate::api::relations::folder_map::{FolderEdgeView, FolderMapView};
use crate::api::relations::projects::ManifestPlace;
use crate::remedy::Audience;
use crate::render::{count, more_text, shown};
use crate::terminal::output::{DIM, LINE, NAME, PATH};

/// Names taken from one module that are shown; JSON has all.
const MAX_NAMES: usize = 6;
/// Cycles shown below the imports of a file; JSON has all.
const MAX_CYCLES: usize = 5;

pub fn text(request: &DepsRequest, answer: &DepsAnswer, audience: Audience) -> String {
    let mut out = String::new();
    if let Some(map) = &answer.folder_map {
        map_text(&mut out, map, answer.path.as_deref().unwrap_or_default());
        return out;
    }
    match (&answer.path, &answer.project_edges) {
        (_, Some(edges)) => projects_text(&mut out, request, edges, answer.totals.edges, audience),
        (Some(path), None) => imports_text(&mut out, request, answer, path, audience),
        (None, None) => all_cycles_text(&mut out, request, answer, audience),
    }
    out
}

fn map_text(out: &mut String, map: &FolderMapView, below: &str) {
    let place = if below.is_empty() { "the root" } else { below };
    let entries = count(map.nodes.len(), "entry");
    let _ = writeln!(out, "{NAME}{entries}{NAME:#} below {}, {}", shown(place), count(map.edges.len(), "edge"));
    for group in map.edges.chunk_by(|a, b| a.from == b.from) {
        let Some(first) = group.first() else { continue };
        let _ = writeln!(out, "{NAME}{}{NAME:#}", shown(&first.from));
        for FolderEdgeView { to, files, first, is_circular, .. } in group {
            let circle = if *is_circular { "  circular" } else { "" };
            let files = count(*files, "file");
            let (path, line) = (shown(&first.path), first.line);
            let _ = writeln!(
                out,
                "  {DIM}->{DIM:#} {}  imported by {files}, first {PATH}{path}{PATH:#}:{LINE}{line}{LINE:#}{NAME}{circle}{NAME:#}",
                shown(to)
            );
        }
    }
    if map.is_cut {
        let _ = writeln!(out, "{DIM}not all files were looked at: ask about a folder{DIM:#}");
    }
}

fn projects_text(out: &mut String, request: &DepsRequest, edges: &[ProjectEdgeView], total: usize, audience: Audience) {
    if total == 0 {
        let _ = writeln!(out, "no project imports another or declares that it depends on it");
        return;
    }
    let undeclared = edges.iter().filter(|edge| edge.declared.is_none()).count();
    let of_them = if undeclared > 0 { format!("; {undeclared} that no manifest declares") } else { String::new() };
    let _ = writeln!(out, "{NAME}{}{NAME:#} between projects{DIM}{of_them}{DIM:#}", count(total, "edge"));
    for group in edges.chunk_by(|a, b| a.from == b.from) {
        let Some(first) = group.first() else { continue };
        let _ = writeln!(out, "{NAME}{}{NAME:#}", shown(&first.from));
        for edge in group {
            project_edge_text(out, edge);
        }
    }
    more(out, request.page().behind(total, edges.len()), audience);
}

fn project_edge_text(out: &mut String, edge: &ProjectEdgeView) {
    let place = |place: &ManifestPlace| format!("{PATH}{}{PATH:#}:{LINE}{}{LINE:#}", shown(&place.path), place.line);
    let _ = write!(out, "  {DIM}->{DIM:#} {}  ", shown(&edge.to));
    let _ = match &edge.first {
        Some(first) => write!(out, "imported by {}, first {}", count(edge.files, "file"), place(first)),
        None => write!(out, "imported nowhere"),
    };
    let _ = match &edge.declared {
        Some(declared) => writeln!(out, "  {DIM}declared{DIM:#} {}", place(declared)),
        None => writeln!(out, "  {NAME}not declared{NAME:#}"),
    };
}

fn imports_text(out: &mut String, request: &DepsRequest, answer: &DepsAnswer, path: &str, audience: Audience) {
    let (reverse, totals, page) = (request.reverse, &answer.totals, request.page());
    let slash = if answer.is_folder { "/" } else { "" };
    let _ = writeln!(out, "{NAME}{}{slash}{NAME:#}", shown_path(path));
    if let Some(package) = answer.package.as_ref().filter(|_| reverse) {
        let package = shown_path(package);
        let _ = writeln!(out, "{DIM}its package is the folder {package}; that is what others import{DIM:#}");
    }
    let of_kind = |kinds: &'static [EdgeKind]| answer.edges.iter().filter(move |edge| kinds.contains(&edge.kind));
    let what = if reverse { "imported by" } else { "imports" };
    let _ = match totals.files {
        0 if reverse => writeln!(out, "imported by no file"),
        0 => writeln!(out, "imports no file of the repository"),
        files => writeln!(out, "{what} {}", count(files, "file")),
    };
    let mut depth = 1;
    for edge in of_kind(&[EdgeKind::File, EdgeKind::Folder]) {
        if edge.depth != depth {
            depth = edge.depth;
            let _ = writeln!(out, "{DIM}{depth} steps away{DIM:#}");
        }
        let _ = if reverse || answer.is_folder || edge.depth > 1 {
            write!(out, "  {PATH}{}{PATH:#}:{LINE}{}{LINE:#}", shown(&edge.from), edge.line)
        } else {
            write!(out, "  {LINE}{:>4}{LINE:#}", edge.line)
        };
        let is_plain = reverse && edge.depth == 1 && !answer.is_folder;
        if !is_plain {
            let slash = if edge.kind == EdgeKind::Folder { "/" } else { "" };
            let _ = write!(out, "  {DIM}->{DIM:#} {PATH}{}{slash}{PATH:#}", shown_path(&edge.to));
        }
        let _ = writeln!(out, "{}", names(edge));
    }
    let outside = [
        ("external", &[EdgeKind::External], totals.external),
        ("unresolved", &[EdgeKind::Unresolved], totals.unresolved),
    ];
    for (title, kinds, total) in outside {
        let mut modules: Vec<&str> = of_kind(kinds).map(|edge| edge.to.as_str()).collect();
        modules.sort_unstable();
        modules.dedup();
        if !modules.is_empty() {
            let more = if total > modules.len() { ", …" } else { "" };
            let _ = writeln!(out, "{title} {DIM}({total}){DIM:#}: {}{more}", modules.join(", "));
        }
    }
    if totals.inside > 0 {
        let _ = writeln!(out, "{DIM}{} within the folder not listed{DIM:#}", count(totals.inside, "import"));
    }
    more(out, page.behind(totals.edges, answer.edges.len()), audience);
    if totals.cycles > 0 {
        let files: usize = totals.knots.iter().map(|knot| knot.0).sum();
        let _ = writeln!(out, "\n{NAME}in import cycles{NAME:#} {DIM}({files} files import each other){DIM:#}");
        answer.cycles.iter().take(MAX_CYCLES).for_each(|cycle| cycle_text(out, cycle));
        more(out, page.behind(totals.cycles, MAX_CYCLES.min(answer.cycles.len())), audience);
    }
    if !answer.others.is_empty() {
        let _ = writeln!(out, "\n{DIM}could also mean {}{DIM:#}", answer.others.join(", "));
    }
}

fn all_cycles_text(out: &mut String, request: &DepsRequest, answer: &DepsAnswer, audience: Audience) {
    let totals = &answer.totals;
    if totals.cycles == 0 {
        let _ = writeln!(out, "no import cycles");
        return;
    }
    let files = count(totals.knots.iter().map(|knot| knot.0).sum(), "file");
    let groups = match totals.knots.as_slice() {
        [largest, _, ..] => format!(" in {} groups, the largest of {}", totals.knots.len(), largest.0),
        _ => String::new(),
    };
    let cycles = count(totals.cycles, "import cycle");
    let _ = writeln!(out, "{NAME}{cycles}{NAME:#} {DIM}({files} import each other{groups}){DIM:#}");
    answer.cycles.iter().for_each(|cycle| cycle_text(out, cycle));
    more(out, request.page().behind(totals.cycles, answer.cycles.len()), audience);
}

fn cycle_text(out: &mut String, cycle: &[CycleStepView]) {
    for (number, step) in cycle.iter().enumerate() {
        let arrow = if number == 0 { "  " } else { "  -> " };
        let _ = write!(out, "{DIM}{arrow}{DIM:#}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}", shown(&step.path), step.line);
    }
    let first = cycle.first().map_or("", |step| step.unit.as_str());
    let _ = writeln!(out, "{DIM}  -> {DIM:#}{}", shown_path(first));
}

/// Returns a path as text shows it; that of the root is empty.
fn shown_path(path: &str) -> Cow<'_, str> {
    shown(if path.is_empty() { "." } else { path })
}

fn names(edge: &ImportView) -> String {
    let shown = edge.names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if edge.names.len() > MAX_NAMES { ", …" } else { "" };
    if shown.is_empty() { String::new() } else { format!("  {DIM}{shown}{more}{DIM:#}") }
}

fn more(out: &mut String, left_out: usize, audience: Audience) {
    if left_out > 0 {
        out.push_str(&more_text(left_out, audience));
    }
}
