//! Cuts a file into the pieces that search treats as documents: one per function, one per type's own lines, one per
//! stretch of code between definitions. Long pieces are cut into windows of whole lines.
//!
//! A chunk belongs to a symbol, so that a text hit can be answered with the symbol around it. Small members (fields,
//! variants, constants) stay in their parent's chunk: alone they say too little to be found by meaning.

use crate::facts::{Chunk, Definition, Kind, Span};

/// Chunks are cut to about this size.
pub(crate) const MAX_CHUNK_BYTES: usize = 2400;

/// Sections of a text that are shorter than this stay with the section around them.
const MIN_SECTION_BYTES: u32 = 300;

/// The chunks of a file with these definitions.
pub(crate) fn code_chunks(text: &str, definitions: &[Definition]) -> Vec<Chunk> {
    let line_starts = line_starts(text);
    let last_line = line_starts.len() as u32 - 1;
    // `owner[line]` is the definition whose chunk the line belongs to; later, that is inner, definitions overwrite.
    let mut owner: Vec<u32> = vec![NO_OWNER; line_starts.len()];
    for (index, definition) in definitions.iter().enumerate() {
        if has_own_chunk(definition, definitions) {
            let first = definition.outer_start_line.max(1);
            let last = definition.span.end_line.min(last_line);
            for line in first..=last {
                owner[line as usize] = index as u32;
            }
        }
    }
    let mut chunks = Vec::new();
    let mut parts = vec![0u16; definitions.len()];
    let mut first = 1;
    while first <= last_line {
        let current = owner[first as usize];
        let mut last = first;
        while last < last_line && owner[last as usize + 1] == current {
            last += 1;
        }
        let span = Span {
            start_byte: line_starts[first as usize],
            end_byte: line_starts.get(last as usize + 1).copied().unwrap_or(text.len() as u32),
            start_line: first,
            end_line: last,
        };
        if !is_filler(&text[span.start_byte as usize..span.end_byte as usize]) {
            for span in windows(text, span) {
                let definition = (current != NO_OWNER).then_some(current);
                let part = definition.map_or(0, |index| {
                    let part = &mut parts[index as usize];
                    *part = part.saturating_add(1);
                    *part - 1
                });
                chunks.push(Chunk { span, definition, part });
            }
        }
        first = last + 1;
    }
    chunks
}

const NO_OWNER: u32 = u32::MAX;

fn has_own_chunk(definition: &Definition, definitions: &[Definition]) -> bool {
    let parent = definition.parent.map(|parent| definitions[parent as usize].kind);
    let lines = definition.span.end_line + 1 - definition.outer_start_line.min(definition.span.end_line);
    match definition.kind {
        // A long table or literal is worth finding by itself.
        Kind::Field | Kind::Variant | Kind::Constant | Kind::Variable | Kind::Key => lines > 8,
        // A short section reads best with what is around it; the first one is the text's title.
        Kind::Heading => {
            let is_first = definition.name_line == definitions[0].name_line;
            is_first || definition.span.end_byte - definition.span.start_byte >= MIN_SECTION_BYTES
        }
        Kind::Index => lines > 3,
        _ if parent.is_some_and(Kind::is_callable) => false,
        // A member that is only declared, or trivial, reads best beside its siblings.
        _ if parent.is_some_and(|parent| parent.is_type() || parent.is_value()) => lines > 2,
        _ => true,
    }
}

/// True for a stretch that holds no word: closing brackets and blank lines between members.
fn is_filler(text: &str) -> bool {
    !text.chars().any(|c| c.is_alphanumeric())
}

/// Byte offset of each line's start; index 0 is unused so that lines can be 1-based.
fn line_starts(text: &str) -> Vec<u32> {
    let mut starts = vec![0];
    if !text.is_empty() {
        starts.push(0);
    }
    starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1));
    if starts.len() > 2 && starts.last() == Some(&(text.len() as u32)) {
        starts.pop();
    }
    starts
}

/// Cuts a stretch into windows of whole lines of at most about [`MAX_CHUNK_BYTES`], of even size.
pub(crate) fn windows(text: &str, span: Span) -> impl Iterator<Item = Span> + use<> {
    let stretch = &text[span.start_byte as usize..span.end_byte as usize];
    let count = stretch.len().div_ceil(MAX_CHUNK_BYTES).max(1);
    let target = stretch.len().div_ceil(count);
    let mut spans = Vec::with_capacity(count);
    let mut start = (span.start_byte, span.start_line);
    let mut byte = span.start_byte;
    for (line, text_line) in (span.start_line..).zip(stretch.split_inclusive('\n')) {
        byte += text_line.len() as u32;
        if (byte - start.0) as usize >= target || byte == span.end_byte {
            spans.push(Span { start_byte: start.0, end_byte: byte, start_line: start.1, end_line: line });
            start = (byte, line + 1);
        }
    }
    spans.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_the_stretch_in_whole_lines() {
        let text: String = (0..400).map(|n| format!("line number {n}\n")).collect();
        let span = Span { start_byte: 0, end_byte: text.len() as u32, start_line: 1, end_line: 400 };
        let windows: Vec<_> = windows(&text, span).collect();
        assert!(windows.len() > 1);
        assert_eq!(windows[0].start_line, 1);
        assert_eq!(windows.last().unwrap().end_line, 400);
        for pair in windows.windows(2) {
            assert_eq!(pair[0].end_byte, pair[1].start_byte);
            assert_eq!(pair[0].end_line + 1, pair[1].start_line);
        }
    }

    #[test]
    fn short_sections_and_keys_have_no_chunks_of_their_own() {
        let chunks = |language: &str, text: &str| {
            let limit = std::time::Duration::from_secs(10);
            let crate::Parsed::Facts(facts) = crate::parse(text, crate::language_named(language), limit) else {
                panic!("timed out");
            };
            let name = |chunk: &Chunk| chunk.definition.map(|index| facts.definitions[index as usize].name.clone());
            facts.chunks.iter().map(|c| (c.span.start_line, c.span.end_line, name(c))).collect::<Vec<_>>()
        };
        let long = "words and more words\n".repeat(20);
        let text = format!("# Top\n\n## A\none\n\n## B\ntwo\n\n## Long\n{long}\n### C\nthree\n");
        let named = |name: &str| Some(name.to_string());
        assert_eq!(chunks("markdown", &text), [(1, 8, named("Top")), (9, 32, named("Long"))]);
        let table = "x = 1\n".repeat(9);
        let text = format!("a = 1\n[short]\nb = 2\n\n[long]\n{table}");
        assert_eq!(chunks("toml", &text), [(1, 4, None), (5, 14, named("long"))]);
    }

    #[test]
    fn line_starts_ignore_a_final_newline() {
        assert_eq!(line_starts("a\nb\n"), [0, 0, 2]);
        assert_eq!(line_starts("a\nb"), [0, 0, 2]);
        assert_eq!(line_starts(""), [0]);
        assert_eq!(line_starts("\n"), [0, 0]);
    }
}
