//! `codecompass deps`: what a file imports, who imports it, and import cycles.

use std::fmt::Write as _;

use codecompass_engine::query::{self, Cycle, DepsAnswer, DepsOptions, EdgeKind, ImportEdge, Navigator};
use serde_json::{Value, json};

use super::{counts, metadata};
use crate::api::page::Page;
use crate::cli::DepsArgs;
use crate::error::AppError;
use crate::render;
use crate::session::{CallContext, Session};
use crate::terminal::output::{self, DIM, LINE, NAME, Outcome, PATH};

/// Names taken from one module that are shown in text; JSON has all.
const NAMES_SHOWN: usize = 6;
/// Cycles shown below the imports of a file; JSON has all.
const CYCLES_SHOWN: usize = 5;

pub(crate) fn run(context: &CallContext, args: &DepsArgs) -> Result<Outcome, AppError> {
    let (session, answer) = ask(context, args)?;
    if context.is_json() {
        output::object(&to_json(&session, args, &answer));
    } else {
        let mut out = String::new();
        match &answer.path {
            Some(path) => imports_text(&mut out, args, &answer, path),
            None => all_cycles_text(&mut out, args, &answer),
        }
        output::text(&out);
    }
    Ok(Outcome::of(answer.edges.total + answer.cycles.total > 0))
}

/// The answer as JSON.
pub(crate) fn answer(context: &CallContext, args: &DepsArgs) -> Result<Value, AppError> {
    ask(context, args).map(|(session, answer)| to_json(&session, args, &answer))
}

fn ask(context: &CallContext, args: &DepsArgs) -> Result<(Session, DepsAnswer), AppError> {
    let session = Session::open_at(context, args.at.name())?;
    if args.path.as_deref().is_some_and(|path| path.trim().is_empty()) {
        return Err(AppError::invalid("the path is empty", "give a file, a folder or a module; `.` is the root"));
    }
    let path = args.path.as_deref().map(|path| session.relative_path(path.trim())).transpose()?;
    let options = DepsOptions {
        reverse: args.reverse,
        depth: if args.transitive { args.depth } else { 1 },
        limit: page(args).end(),
    };
    let mut answer = session.ask(|snapshot| query::deps(&Navigator::new(snapshot), path.as_deref(), &options))?;
    page(args).skip_listed(&mut answer.edges);
    page(args).skip_listed(&mut answer.cycles);
    Ok((session, answer))
}

fn page(args: &DepsArgs) -> Page {
    Page::new(args.page, args.limit as usize)
}

fn to_json(session: &Session, args: &DepsArgs, answer: &DepsAnswer) -> Value {
    let mut metadata = metadata(session);
    let returned = answer.edges.items.len() + answer.cycles.items.len();
    counts(&mut metadata, answer.edges.total + answer.cycles.total, returned);
    page(args).note(&mut metadata, &[answer.edges.total, answer.cycles.total]);
    json!({
        "path": answer.path,
        "is_folder": answer.is_folder,
        "package": answer.package,
        "direction": if args.reverse { "importers" } else { "imports" },
        "edges": answer.edges.items.iter().map(edge_json).collect::<Vec<_>>(),
        "cycles": answer.cycles.items.iter().map(cycle_json).collect::<Vec<_>>(),
        "totals": {
            "edges": answer.edges.total,
            "files": answer.files,
            "external": answer.external,
            "unresolved": answer.unresolved,
            "inside": answer.inside,
            "cycles": answer.cycles.total,
            "knots": answer.knots,
        },
        "others": answer.others,
        "metadata": metadata,
    })
}

fn edge_json(edge: &ImportEdge) -> Value {
    json!({
        "from": edge.from,
        "to": edge.to,
        "line": edge.line,
        "names": edge.names,
        "kind": edge.kind.as_str(),
        "external": edge.kind == EdgeKind::External,
        "depth": edge.depth,
    })
}

fn cycle_json(cycle: &Cycle) -> Value {
    let steps = cycle.steps.iter();
    steps.map(|step| json!({"unit": step.unit, "path": step.path, "line": step.line})).collect()
}

fn imports_text(out: &mut String, args: &DepsArgs, answer: &DepsAnswer, path: &str) {
    let reverse = args.reverse;
    let shown = shown_path(path);
    let slash = if answer.is_folder { "/" } else { "" };
    let _ = writeln!(out, "{NAME}{shown}{slash}{NAME:#}");
    if let Some(package) = answer.package.as_ref().filter(|_| reverse) {
        let package = shown_path(package);
        let _ = writeln!(out, "{DIM}its package is the folder {package}; that is what others import{DIM:#}");
    }
    let of_kind = |kinds: &'static [EdgeKind]| answer.edges.items.iter().filter(move |edge| kinds.contains(&edge.kind));
    let inside: Vec<&ImportEdge> = of_kind(&[EdgeKind::File, EdgeKind::Folder]).collect();
    let what = if reverse { "imported by" } else { "imports" };
    let _ = match answer.files {
        0 if reverse => writeln!(out, "imported by no file"),
        0 => writeln!(out, "imports no file of the repository"),
        count => writeln!(out, "{what} {}", render::count(count, "file")),
    };
    let mut depth = 1;
    for edge in inside {
        if edge.depth != depth {
            depth = edge.depth;
            let _ = writeln!(out, "{DIM}{depth} steps away{DIM:#}");
        }
        let _ = match reverse || answer.is_folder || edge.depth > 1 {
            true => write!(out, "  {PATH}{}{PATH:#}:{LINE}{}{LINE:#}", edge.from, edge.line),
            false => write!(out, "  {LINE}{:>4}{LINE:#}", edge.line),
        };
        let is_plain = reverse && edge.depth == 1 && !answer.is_folder;
        if !is_plain {
            let slash = if edge.kind == EdgeKind::Folder { "/" } else { "" };
            let _ = write!(out, "  {DIM}->{DIM:#} {PATH}{}{slash}{PATH:#}", shown_path(&edge.to));
        }
        let _ = writeln!(out, "{}", names(edge));
    }
    let outside = [
        ("external", &[EdgeKind::External], answer.external),
        ("unresolved", &[EdgeKind::Unresolved], answer.unresolved),
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
    if answer.inside > 0 {
        let _ = writeln!(out, "{DIM}{} within the folder not listed{DIM:#}", render::count(answer.inside, "import"));
    }
    more(out, page(args).behind(answer.edges.total, answer.edges.items.len()));
    if answer.cycles.total > 0 {
        let sizes: usize = answer.knots.iter().sum();
        let _ = writeln!(out, "\n{NAME}in import cycles{NAME:#} {DIM}({sizes} files import each other){DIM:#}");
        answer.cycles.items.iter().take(CYCLES_SHOWN).for_each(|cycle| cycle_text(out, cycle));
        more(out, page(args).behind(answer.cycles.total, CYCLES_SHOWN.min(answer.cycles.items.len())));
    }
    if !answer.others.is_empty() {
        let _ = writeln!(out, "\n{DIM}could also mean {}{DIM:#}", answer.others.join(", "));
    }
}

fn all_cycles_text(out: &mut String, args: &DepsArgs, answer: &DepsAnswer) {
    if answer.cycles.total == 0 {
        let _ = writeln!(out, "no import cycles");
        return;
    }
    let files = render::count(answer.knots.iter().sum(), "file");
    let groups = match answer.knots.as_slice() {
        [largest, _, ..] => format!(" in {} groups, the largest of {largest}", answer.knots.len()),
        _ => String::new(),
    };
    let cycles = render::count(answer.cycles.total, "import cycle");
    let _ = writeln!(out, "{NAME}{cycles}{NAME:#} {DIM}({files} import each other{groups}){DIM:#}");
    answer.cycles.items.iter().for_each(|cycle| cycle_text(out, cycle));
    more(out, page(args).behind(answer.cycles.total, answer.cycles.items.len()));
}

fn cycle_text(out: &mut String, cycle: &Cycle) {
    for (number, step) in cycle.steps.iter().enumerate() {
        let arrow = if number == 0 { "  " } else { "  -> " };
        let _ = write!(out, "{DIM}{arrow}{DIM:#}{PATH}{}{PATH:#}:{LINE}{}{LINE:#}", step.path, step.line);
    }
    let first = cycle.steps.first().map_or("", |step| step.unit.as_str());
    let _ = writeln!(out, "{DIM}  -> {DIM:#}{}", shown_path(first));
}

/// The root is the empty path, which nobody would see.
fn shown_path(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

fn names(edge: &ImportEdge) -> String {
    let shown = edge.names.iter().take(NAMES_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if edge.names.len() > NAMES_SHOWN { ", …" } else { "" };
    if shown.is_empty() { String::new() } else { format!("  {DIM}{shown}{more}{DIM:#}") }
}

fn more(out: &mut String, left_out: usize) {
    if left_out > 0 {
        let _ = writeln!(out, "{DIM}{left_out} more; --limit or --json shows them{DIM:#}");
    }
}
