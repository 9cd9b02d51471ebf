//! Small measures of source text that several extractors share: line counts, one-line forms, content hashes.

/// Counts lines, including a last line without a newline.
pub(crate) fn line_count(text: &str) -> u32 {
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    (newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))) as u32
}

/// Puts `text` on one line, as if it had been written so: `f(\n    a,\n)` becomes `f(a)`.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    // Only the head of a long text can end up in the result.
    let head = &text[..text.floor_char_boundary(limit * 4)];
    let mut line = String::with_capacity(head.len().min(limit));
    for word in head.split_whitespace() {
        let opened =
            line.ends_with(['(', '[']) || (line.ends_with('<') && !line.ends_with(" <") && !line.ends_with(" <<"));
        let closes = word.starts_with([')', ']']) || (word.starts_with('>') && line.ends_with(','));
        if closes && line.ends_with(',') {
            line.pop();
        }
        if !line.is_empty() && !opened && !closes {
            line.push(' ');
        }
        line.push_str(word);
    }
    truncate(&mut line, limit);
    line
}

/// Cuts `text` to at most `limit` bytes at a character boundary.
pub(crate) fn truncate(text: &mut String, limit: usize) {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
    }
}

/// Hashes the text; indentation, line ends and blank lines do not count.
pub(crate) fn body_hash(text: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let mut text = "é".repeat(10);
        truncate(&mut text, 5);
        assert_eq!(text, "éé");
    }
}
