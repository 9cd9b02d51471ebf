//! Text of `outline`.

use std::fmt::Write as _;

use crate::api::symbols::outline::{FileOutlineView, OutlineAnswer, OutlineLevel, OutlineRequest};
use crate::remedy::Audience;
use crate::render::symbols::outline_rows::{self, Form, Row};
use crate::render::{count, shown};
use crate::terminal::output::{DIM, LINE, NAME};

/// The paths that have no part in the answer and are named.
const MAX_REFUSED: usize = 5;

pub fn text(request: &OutlineRequest, answer: &OutlineAnswer, audience: Audience) -> String {
    let writer = OutlineWriter { request, audience, is_one: answer.files.is_none() };
    let mut out = String::new();
    let mut is_shortened = false;
    if let Some(files) = &answer.files {
        let symbols: usize = files.iter().map(|file| file.symbol_count).sum();
        let of_all = if answer.file_total > files.len() { format!(" of {}", answer.file_total) } else { String::new() };
        let _ = writeln!(out, "{}{of_all}, {}", count(files.len(), "file"), count(symbols, "definition"));
    }
    let level = answer.level.unwrap_or(OutlineLevel::All);
    for file in answer.file.iter().chain(answer.files.iter().flatten()) {
        match level {
            OutlineLevel::All | OutlineLevel::Top => is_shortened |= writer.file(&mut out, file),
            OutlineLevel::Names | OutlineLevel::FirstNames => writer.names(&mut out, file),
        }
    }
    for refused in answer.refused.iter().take(MAX_REFUSED) {
        let _ = writeln!(out, "{}: {}", shown(&refused.path), shown(&refused.reason));
    }
    if let more @ 1.. = answer.refused.len().saturating_sub(MAX_REFUSED) {
        let _ = writeln!(out, "{} without an outline", count(more, "more file"));
    }
    let asked = audience.question("outline", "get_file_outline");
    let _ = match level {
        OutlineLevel::Top if request.depth != crate::api::symbols::outline::OutlineDepth::Top => {
            writeln!(out, "{DIM}top-level definitions only; {asked} of one of them shows all{DIM:#}")
        }
        OutlineLevel::Names => writeln!(out, "{DIM}top-level names only; {asked} of one of them shows all{DIM:#}"),
        OutlineLevel::FirstNames => {
            writeln!(out, "{DIM}the first top-level names only; {asked} of one of them shows all{DIM:#}")
        }
        _ if is_shortened => {
            let option = if audience == Audience::Cli { "--full" } else { "`detail_level` signature" };
            writeln!(out, "{DIM}shortened; {option} shows everything{DIM:#}")
        }
        _ => Ok(()),
    };
    out
}

/// Writes outlines of files for a reader.
struct OutlineWriter<'a> {
    request: &'a OutlineRequest,
    audience: Audience,
    is_one: bool,
}

impl OutlineWriter<'_> {
    /// Writes the outline of a file; returns whether it is shortened.
    fn file(&self, out: &mut String, file: &FileOutlineView) -> bool {
        let lines = count(file.line_count as usize, "line");
        let gap = if self.is_one || self.audience == Audience::Tools { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{NAME}{}{NAME:#} {DIM}{}, {lines}{DIM:#}", shown(&file.path), file.language);
        let imports = outline_rows::import_rows(file);
        if !imports.is_empty() {
            let _ = writeln!(out, "{DIM}imports{DIM:#}");
            imports.iter().for_each(|row| self.row(out, row));
        }
        let (rows, form) = outline_rows::rows(file, self.request.is_full());
        rows.iter().for_each(|row| self.row(out, row));
        for problem in &file.problems {
            let _ = writeln!(out, "{DIM}line {}: {}{DIM:#}", problem.line, problem.message);
        }
        form >= Form::Short
    }

    fn row(&self, out: &mut String, row: &Row) {
        let (lines, text, depth) = (row.lines(), shown(&row.text), row.depth);
        let _ = match self.audience {
            Audience::Cli => writeln!(out, "{LINE}{lines:>6}{LINE:#}  {:indent$}{text}", "", indent = depth * 2),
            Audience::Tools => writeln!(out, "{:depth$}{lines} {text}", ""),
        };
    }

    /// Writes the names in a file on one line.
    fn names(&self, out: &mut String, file: &FileOutlineView) {
        let names = outline_rows::names(file);
        let lines = count(file.line_count as usize, "line");
        let gap = if names.is_empty() { "" } else { ": " };
        let _ = writeln!(out, "{NAME}{}{NAME:#} {DIM}{lines}{DIM:#}{gap}{names}", shown(&file.path));
    }
}
