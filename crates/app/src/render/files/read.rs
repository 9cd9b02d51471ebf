//! Text of `read`.

use std::fmt::Write as _;

use crate::api::files::read::{LinesView, NamedDefinition, ReadAnswer, ReadRequest};
use crate::remedy::Audience;
use crate::render::{count, shown};
use crate::terminal::output::{DIM, LINE, NAME};

pub fn text(_: &ReadRequest, answer: &ReadAnswer, audience: Audience) -> String {
    let mut out = String::new();
    let mut refused = answer.refused.iter().zip(&answer.refused_behind).peekable();
    for number in 0..=answer.files.len() {
        while let Some((refused, _)) = refused.next_if(|(_, behind)| **behind <= number) {
            let _ = writeln!(out, "{}: {}", shown(&refused.path), shown(&refused.reason));
        }
        let Some(file) = answer.files.get(number) else { break };
        if !out.is_empty() && audience == Audience::Cli {
            out.push('\n');
        }
        file_text(&mut out, file, audience);
    }
    if let (Some(next), Audience::Cli) = (&answer.next_path, audience) {
        let _ = writeln!(out, "\n{DIM}cut; `codecompass read {}` goes on{DIM:#}", shown(next));
    }
    out
}

fn file_text(out: &mut String, file: &LinesView, audience: Audience) {
    let is_whole = file.line_start == 1 && file.line_count == Some(file.line_end);
    let lines = match (is_whole, file.line_count) {
        (true, Some(all)) => count(all as usize, "line"),
        (_, Some(all)) if file.line_start == file.line_end => format!("line {} of {all}", file.line_start),
        (_, Some(all)) => format!("{}-{} of {}", file.line_start, file.line_end, count(all as usize, "line")),
        (_, None) => format!("{}-{}", file.line_start, file.line_end),
    };
    let lines = match &file.symbol {
        Some(NamedDefinition { name, others: 0 }) => format!("{lines}, {}", shown(name)),
        Some(NamedDefinition { name, others }) => {
            format!("{lines}, {}; {others} more may be meant", shown(name))
        }
        None => lines,
    };
    let is_last = file.line_count == Some(file.line_end);
    let has_no_end = is_last && !file.text.is_empty() && !file.text.ends_with('\n');
    let notes = [
        (file.text.contains("\r\n"), "CRLF"),
        (file.lossy, "invalid bytes replaced"),
        (file.cut_lines > 0, "long lines cut"),
        (has_no_end, "no newline at the end"),
    ];
    let notes: String = notes.iter().filter(|(is_so, _)| *is_so).map(|(_, note)| format!(", {note}")).collect();
    let _ = writeln!(out, "{NAME}{}{NAME:#} {DIM}{lines}{notes}{DIM:#}", shown(&file.path));
    for (number, line) in (file.line_start..).zip(file.text.split_inclusive('\n')) {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = shown(line.strip_suffix('\r').unwrap_or(line));
        let _ = match (audience, line.is_empty()) {
            (Audience::Cli, true) => writeln!(out, "{LINE}{number:>6}{LINE:#} {DIM}|{DIM:#}"),
            (Audience::Cli, false) => writeln!(out, "{LINE}{number:>6}{LINE:#} {DIM}|{DIM:#} {line}"),
            (Audience::Tools, true) => writeln!(out, "{number}"),
            (Audience::Tools, false) => writeln!(out, "{number} {line}"),
        };
    }
}
