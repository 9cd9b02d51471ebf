//! `go.mod` and `go.work`: the module's path, and the modules it needs, read line by line.

use super::OutlineEntry;
use crate::facts::{Kind, Span};

const MAX_NAME_BYTES: usize = 200;

/// Directives as keys, with what stands in their brackets below them; the name of `module` is the module's path.
pub(crate) fn directives(text: &str) -> Vec<OutlineEntry> {
    let mut entries: Vec<OutlineEntry> = Vec::new();
    let mut block: Option<usize> = None;
    let mut byte = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = byte;
        byte += line.len();
        let content = line.split("//").next().unwrap_or("").trim();
        let indent = line.len() - line.trim_start().len();
        let line_number = number as u32 + 1;
        let mut words = content.split_whitespace();
        let Some(first) = words.next() else { continue };
        if first == ")" {
            if let Some(open) = block.take() {
                entries[open].span.end_byte = (start + line.trim_end().len()) as u32;
                entries[open].span.end_line = line_number;
            }
            continue;
        }
        let second = words.next();
        // What is declared has a name of its own; the others are called after their word.
        let (kind, name, offset) = match (first, second) {
            ("module", Some(path)) => (Kind::Module, path.trim_matches('"'), line.find(path).unwrap_or(indent)),
            _ => (Kind::Key, first.trim_matches('"'), indent),
        };
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            continue;
        }
        let span = Span {
            start_byte: (start + indent) as u32,
            end_byte: (start + line.trim_end().len()) as u32,
            start_line: line_number,
            end_line: line_number,
        };
        let column = offset as u32 + 1;
        entries.push(OutlineEntry { kind, name: name.to_string(), parent: block, span, column });
        if block.is_none() && second == Some("(") {
            block = Some(entries.len() - 1);
        }
    }
    entries
}
