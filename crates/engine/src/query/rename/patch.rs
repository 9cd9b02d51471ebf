//! Places as a patch in the unified format, for `git apply`.

use std::sync::Arc;

use crate::query::rename::RenamePlace;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Returns the bytes at which the lines of a text begin.
pub(super) fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    starts
}

/// Writes the certain places as a patch; the name has so many bytes, `files` have other paths
/// afterwards, and `text` gives the text of a file.
pub(super) fn of(
    places: &[RenamePlace],
    length: usize,
    files: &[(String, String)],
    text: impl Fn(&str) -> Option<Arc<str>>,
) -> String {
    let mut certain: Vec<&RenamePlace> =
        places.iter().filter(|place| place.class.is_certain() && place.left_out.is_none()).collect();
    certain.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
    let mut out = String::new();
    for in_file in certain.chunk_by(|a, b| a.path == b.path) {
        if let Some(first) = in_file.first()
            && let Some(text) = text(&first.path)
        {
            let new_path = files.iter().find(|(path, _)| *path == first.path).map(|(_, new)| new.as_str());
            file_patch(&mut out, &text, length, in_file, new_path);
        }
    }
    out
}

fn file_patch(out: &mut String, text: &str, length: usize, places: &[&RenamePlace], new_path: Option<&str>) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // By number, from 0.
    let mut changed: Vec<(usize, String)> = Vec::new();
    for on_line in places.chunk_by(|a, b| a.line == b.line) {
        let number = on_line.first().and_then(|place| (place.line as usize).checked_sub(1));
        let Some((number, line)) = number.and_then(|number| Some((number, lines.get(number)?))) else { continue };
        let (mut new, mut end) = (String::new(), 0);
        for place in on_line {
            // The file may have been written since the places were read.
            let at = (place.column as usize).saturating_sub(1);
            let Some(before) = line.get(end..at).filter(|_| line.get(at + length..).is_some()) else { continue };
            new.push_str(before);
            new.push_str(&place.replacement);
            end = at + length;
        }
        new.push_str(line.get(end..).unwrap_or_default());
        changed.push((number, new));
    }
    let Some(path) = places.first().map(|place| place.path.as_str()).filter(|_| !changed.is_empty()) else { return };
    let (old, new) = (name_of("a/", path), name_of("b/", new_path.unwrap_or(path)));
    if let Some(new_path) = new_path {
        let (from, to) = (name_of("", path), name_of("", new_path));
        out.push_str(&format!("diff --git {old} {new}\nrename from {from}\nrename to {to}\n"));
    }
    out.push_str(&format!("--- {old}\n+++ {new}\n"));
    for hunk in changed.chunk_by(|(one, _), (next, _)| next - one <= 2 * CONTEXT) {
        hunk_text(out, &lines, hunk);
    }
}

fn hunk_text(out: &mut String, lines: &[&str], changed: &[(usize, String)]) {
    let (Some((first, _)), Some((last, _))) = (changed.first(), changed.last()) else { return };
    let (start, end) = (first.saturating_sub(CONTEXT), (last + 1 + CONTEXT).min(lines.len()));
    let size = end - start;
    out.push_str(&format!("@@ -{0},{size} +{0},{size} @@\n", start + 1));
    let mut write = |mark: char, line: &str| {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    };
    let mut at = start;
    while at < end {
        let Some(from) = changed.iter().position(|(number, _)| *number == at) else {
            write(' ', lines[at]);
            at += 1;
            continue;
        };
        // Lines that follow each other are taken out together.
        let block = changed[from..].iter().zip(at..).take_while(|((number, _), line)| number == line).count();
        changed[from..from + block].iter().for_each(|(number, _)| write('-', lines[*number]));
        changed[from..from + block].iter().for_each(|(_, new)| write('+', new));
        at += block;
    }
}

/// Returns a path as a patch names it: quoted as git does where it has marks, and with a tab behind
/// it where it has spaces.
fn name_of(side: &str, path: &str) -> String {
    let is_mark = |c: char| c.is_control() || c == '"' || c == '\\';
    if !path.contains(is_mark) {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{side}{path}{end}");
    }
    let mut quoted = format!("\"{side}");
    for c in path.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push_str(&format!("\\{:03o}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
