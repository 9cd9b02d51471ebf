//! Text of `state`.

use std::fmt::Write as _;
use std::path::Path;

use codecompass_engine::ArchivedView;

use crate::api::store::state::{ArchiveAnswer, ImportAnswer};
use crate::render;
use crate::terminal::output::{DIM, NAME};
use crate::units;

/// Returns the text of `state export`.
pub fn export_text(answer: &ArchiveAnswer) -> String {
    format!(
        "exported {} to {} ({}, {} unpacked)\n",
        counts(&answer.views),
        answer.file,
        render::bytes(answer.archive_bytes),
        render::bytes(answer.total_bytes)
    )
}

fn counts(views: &[ArchivedView]) -> String {
    let commits = views.iter().filter(|view| view.kind == "commit").count();
    let all = render::count(views.len(), "view");
    format!("{all} ({} of checkouts, {commits} of commits)", views.len() - commits)
}

/// Returns the text of `state import`.
pub fn import_text(answer: &ImportAnswer) -> String {
    let imported = &answer.imported;
    let verb = if imported.has_replaced { "replaced the index by" } else { "imported" };
    let views = render::count(imported.kept_views, "view");
    let mut out = format!("{verb} {views}, {}\n", render::bytes(answer.archive.total_bytes));
    let root = &imported.root;
    match &imported.taken_from {
        Some(taken) if Path::new(taken) == Path::new(root) => {}
        Some(taken) => {
            let _ = writeln!(out, "the view of {taken} now is the one of {root}");
        }
        None => {
            let _ = writeln!(out, "there was no view for {root}; the next question makes one");
        }
    }
    for dropped in &imported.dropped_roots {
        let _ = writeln!(out, "{DIM}left out {dropped}: no checkout of this repository is there{DIM:#}");
    }
    out
}

/// Returns the text of `state inspect`.
pub fn inspect_text(answer: &ArchiveAnswer) -> String {
    let usable = if answer.is_compatible { "this program can import it" } else { "this program cannot import it" };
    let mut out = format!(
        "{NAME}{}{NAME:#} {DIM}({}, {} unpacked, all checksums match){DIM:#}\n\
         {} {}, exported from {}\n\
         archive version {}, format {}, facts version {}, written by codecompass {}; {usable}\n",
        answer.file,
        render::bytes(answer.archive_bytes),
        render::bytes(answer.total_bytes),
        answer.repository.kind,
        answer.repository.name,
        answer.root.as_ref().unwrap_or(&answer.repository.path),
        answer.archive_version,
        answer.format,
        answer.facts_version,
        answer.program,
    );
    answer.views.iter().for_each(|view| view_line(&mut out, view));
    out
}

fn view_line(out: &mut String, view: &ArchivedView) {
    let head = view.head_ref.iter().chain(&view.head_commit).map(String::as_str);
    let head: Vec<&str> = head.filter(|head| *head != view.name).collect();
    let _ = writeln!(
        out,
        "{:>8} {:<5}  {} {}  {DIM}generation {}{}{}{DIM:#}",
        view.files,
        units::noun(view.files.max(0) as usize, "file"),
        view.kind,
        view.name,
        view.generation,
        if head.is_empty() { "" } else { ", " },
        head.join(" ")
    );
}
