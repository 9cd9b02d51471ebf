//! Files without a grammar: no definitions, only chunks of whole lines cut at blank lines and headings.

use crate::chunks::{self, MAX_CHUNK_BYTES};
use crate::facts::{Chunk, FileFacts, Span};
use crate::source_text::line_count;

/// Builds the facts of a text that no language claims.
pub(crate) fn plain_facts(text: &str) -> FileFacts {
    let mut chunks = Vec::new();
    let mut start = (0, 1);
    let mut byte = 0;
    let mut line_number = 1;
    let mut previous_blank = false;
    let mut close = |start: (usize, u32), end_byte: usize, end_line: u32| {
        if !text[start.0..end_byte].trim().is_empty() {
            let span = Span { start_byte: start.0 as u32, end_byte: end_byte as u32, start_line: start.1, end_line };
            chunks.extend(chunks::windows(text, span).map(|span| Chunk { span, definition: None, part: 0 }));
        }
    };
    for line in text.split_inclusive('\n') {
        let size = byte - start.0;
        let heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        let full = size + line.len() > MAX_CHUNK_BYTES / 2 && previous_blank;
        if size > 0 && (full || (heading && size > MAX_CHUNK_BYTES / 8)) {
            close(start, byte, line_number - 1);
            start = (byte, line_number);
        }
        previous_blank = line.trim().is_empty();
        byte += line.len();
        line_number += 1;
    }
    close(start, byte, line_number - 1);
    FileFacts { line_count: line_count(text), chunks, ..FileFacts::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_cut_at_headings_and_blank_lines() {
        let paragraph = "word ".repeat(60);
        let text = format!("# One\n\n{paragraph}\n\n# Two\n\n{paragraph}\n");
        let facts = plain_facts(&text);
        let lines: Vec<_> = facts.chunks.iter().map(|c| (c.span.start_line, c.span.end_line)).collect();
        assert_eq!(lines, [(1, 4), (5, 7)]);
        assert_eq!(facts.line_count, 7);
    }

    #[test]
    fn empty_and_blank_texts_have_no_chunks() {
        assert!(plain_facts("").chunks.is_empty());
        assert!(plain_facts("\n \n").chunks.is_empty());
    }
}
