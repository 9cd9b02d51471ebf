//! YAML: keys of block mappings, read line by line.
//!
//! The grammar crate's scanner overruns its buffer when collections nest deeply and ends the
//! process, and templates (`{{ … }}`) are no YAML. An outline needs neither: a key is a line's
//! first word before `: `, and indentation nests.

use super::OutlineEntry;
use crate::facts::{Kind, Span};

/// Keys nested deeper are data rather than outline.
const MAX_DEPTH: usize = 3;
const MAX_KEY_BYTES: usize = 120;

/// A mapping key whose contents are being read.
struct OpenKey {
    indent: usize,
    entry: usize,
}

/// The keys of block mappings outside of lists, down to [`MAX_DEPTH`].
pub(crate) fn keys(text: &str) -> Vec<OutlineEntry> {
    let mut entries: Vec<OutlineEntry> = Vec::new();
    let mut open: Vec<OpenKey> = Vec::new();
    // Lines indented deeper than this belong to a scalar, a list or a flow collection.
    let mut skip_below: Option<usize> = None;
    let mut quoted: Option<char> = None;
    let (mut byte, mut line_number) = (0usize, 0u32);
    let mut last_content = (0usize, 0u32);
    for line in text.split_inclusive('\n') {
        let start = byte;
        byte += line.len();
        line_number += 1;
        let content = line.trim_end();
        let bare = content.trim_start_matches(' ');
        if let Some(quote) = quoted {
            last_content = (start + content.len(), line_number);
            if closes(content, quote) {
                quoted = None;
            }
            continue;
        }
        if bare.is_empty() || bare.starts_with(['#', '\t']) {
            continue;
        }
        let indent = content.len() - bare.len();
        let is_item = bare == "-" || bare.starts_with("- ");
        let inside = skip_below.is_some_and(|limit| indent > limit);
        if !inside {
            skip_below = is_item.then_some(indent);
            let is_marker = indent == 0 && (bare.starts_with("---") || bare == "...");
            // A list may stand as deep as the key it belongs to.
            let ends = |key: &OpenKey| is_marker || key.indent > indent || (key.indent == indent && !is_item);
            while let Some(key) = open.pop_if(|key| ends(key)) {
                close(&mut entries[key.entry].span, last_content.0, last_content.1);
            }
            if let Some((key, value)) = key_of(bare).filter(|_| !is_item && !is_marker) {
                if open.len() < MAX_DEPTH {
                    let at = (start + indent) as u32;
                    let span = Span { start_byte: at, end_byte: at, start_line: line_number, end_line: line_number };
                    let parent = open.last().map(|key| key.entry);
                    open.push(OpenKey { indent, entry: entries.len() });
                    let name = key.to_string();
                    entries.push(OutlineEntry { kind: Kind::Key, name, parent, span, column: indent as u32 + 1 });
                }
                match value.chars().next() {
                    Some('|' | '>' | '{' | '[') => skip_below = Some(indent),
                    Some(quote @ ('"' | '\'')) if !closes(&value[1..], quote) => quoted = Some(quote),
                    _ => {}
                }
            }
        }
        last_content = (start + content.len(), line_number);
    }
    while let Some(key) = open.pop() {
        close(&mut entries[key.entry].span, last_content.0, last_content.1);
    }
    entries
}

fn close(span: &mut Span, end_byte: usize, end_line: u32) {
    span.end_byte = (end_byte as u32).max(span.start_byte);
    span.end_line = end_line.max(span.start_line);
}

/// The key that a line starts with, and its value.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (key, rest) = match quote {
        Some(quote) => {
            let (key, rest) = line[1..].split_once(quote)?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        None => {
            if line.starts_with(['?', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`']) {
                return None;
            }
            let end = line
                .match_indices(':')
                .map(|(at, _)| at)
                .find(|at| line[at + 1..].chars().next().is_none_or(char::is_whitespace))?;
            (line[..end].trim_end(), &line[end + 1..])
        }
    };
    let is_key = !key.is_empty() && key.len() <= MAX_KEY_BYTES && !key.contains(" #");
    is_key.then_some((key, rest.trim_start())).filter(|(_, rest)| rest.is_empty() || !rest.starts_with(':'))
}

/// Returns whether a quoted scalar that is open at the start of `text` ends in it.
fn closes(text: &str, quote: char) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' => _ = chars.next(),
            '\'' if quote == '\'' && chars.peek() == Some(&'\'') => _ = chars.next(),
            _ if c == quote => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Vec<String> {
        let entries = keys(text);
        let path = |entry: &OutlineEntry| {
            let mut names = vec![entry.name.as_str()];
            let mut parent = entry.parent;
            while let Some(index) = parent {
                names.insert(0, entries[index].name.as_str());
                parent = entries[index].parent;
            }
            format!("{} {}-{}", names.join("."), entry.span.start_line, entry.span.end_line)
        };
        entries.iter().map(path).collect()
    }

    #[test]
    fn keys_nest_by_indentation() {
        let text = "a:\n  b: 1\n  c:\n    d:\n      e: 2\n\nf: x\n";
        assert_eq!(outline(text), ["a 1-5", "a.b 2-2", "a.c 3-5", "a.c.d 4-5", "f 7-7"]);
    }

    #[test]
    fn lists_scalars_and_flows_hold_no_keys() {
        let text = "run: |\n  not: a key\nlist:\n- name: x\n  id: 1\nflow: {\n  k: v\n}\ntext: \"two\nlines: here\"\nlast: 1\n";
        assert_eq!(outline(text), ["run 1-2", "list 3-5", "flow 6-7", "text 9-10", "last 11-11"]);
    }

    #[test]
    fn odd_lines_are_no_keys() {
        assert_eq!(outline("http://x\n{{- if .a }}\n\"q k\": 1\n? x\n: y\n--- # doc\nz:\n"), ["q k 3-3", "z 7-7"]);
        assert!(outline("").is_empty());
    }
}
