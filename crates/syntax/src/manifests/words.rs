//! Manifests that are programs: their texts without comments, read as words and literals, never
//! executed.

/// Replaces comments by spaces; line ends and the contents of literals stay. `line_marks` begin a
/// comment that ends with its line.
pub(super) fn without_comments(text: &str, line_marks: &[&str], has_blocks: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' => {
                let length = literal_length(rest, c);
                out.push_str(&rest[..length]);
                length
            }
            _ if line_marks.iter().any(|mark| rest.starts_with(mark)) => rest.find('\n').unwrap_or(rest.len()),
            '/' if has_blocks && rest.starts_with("/*") => {
                let length = rest.find("*/").map_or(rest.len(), |at| at + 2);
                out.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
                length
            }
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out
}

/// Returns the length of the literal that a text begins with; one without an end ends with its
/// line.
fn literal_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the line of a byte.
pub(super) fn line_at(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}

/// Returns the text between the bracket that `text` begins with and the one that closes it; without
/// one, all behind it. At most `most` bytes are looked at.
pub(super) fn bracketed(text: &str, most: usize) -> &str {
    let text = &text[..text.floor_char_boundary(most)];
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' | '\'' => {
                at += literal_length(&text[at..], c);
                continue;
            }
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(1..at).unwrap_or_default();
        }
        at += c.len_utf8();
    }
    text.get(1..).unwrap_or_default()
}
