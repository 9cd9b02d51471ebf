//! Finds the comments of a Rust file. `syn` drops all of them but doc comments, so the text is
//! scanned.

/// One line comment, or one block comment of any number of lines.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    /// The number of its first line, from 1.
    pub line: usize,
    /// Its text with the marks.
    pub text: String,
    /// The characters before it on its first line.
    pub indent: usize,
    /// True if there is code before it on its line.
    pub follows_code: bool,
}

impl Comment {
    /// Returns the mark of a doc comment, `///`, `//!`, `/**` or `/*!`.
    pub(crate) fn doc_mark(&self) -> Option<&'static str> {
        let starts = |mark: &&str| self.text.starts_with(*mark);
        if ["////", "/***", "/**/"].iter().any(starts) {
            return None;
        }
        ["///", "//!", "/**", "/*!"].into_iter().find(starts)
    }
}

/// Returns the text of doc comments with the line each begins at; lines of one comment are joined.
pub(crate) fn doc_blocks(comments: &[Comment]) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut previous: Option<(usize, &str)> = None;
    for comment in comments {
        let Some(mark) = comment.doc_mark() else {
            previous = None;
            continue;
        };
        let text = comment.text[mark.len()..].trim_end_matches("*/");
        match blocks.last_mut() {
            Some((_, block)) if mark.starts_with("//") && previous == Some((comment.line - 1, mark)) => {
                block.push('\n');
                block.push_str(text);
            }
            _ => blocks.push((comment.line, text.to_string())),
        }
        previous = Some((comment.line, mark));
    }
    blocks
}

/// Returns all comments of a file in their order.
pub(crate) fn comments(text: &str) -> Vec<Comment> {
    let mut scanner = Scanner { text, at: 0, line: 1, line_start: 0, found: Vec::new() };
    scanner.run();
    scanner.found
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    found: Vec<Comment>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'/' if self.peek(1) == Some(b'/') => {
                    let end = self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length);
                    self.comment_to(end);
                }
                b'/' if self.peek(1) == Some(b'*') => self.comment_to(self.block_end()),
                b'"' => self.string(),
                b'\'' => self.quote(),
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
                _ => self.advance(self.at + 1),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Moves on and counts lines.
    fn advance(&mut self, to: usize) {
        let to = to.min(self.text.len());
        for (offset, byte) in self.text.as_bytes()[self.at..to].iter().enumerate() {
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.at + offset + 1;
            }
        }
        self.at = to;
    }

    fn comment_to(&mut self, end: usize) {
        let before = &self.text[self.line_start..self.at];
        self.found.push(Comment {
            line: self.line,
            text: self.text[self.at..end].trim_end().to_string(),
            indent: before.chars().count(),
            follows_code: !before.trim().is_empty(),
        });
        self.advance(end);
    }

    /// The end of the block comment that begins here; they nest.
    fn block_end(&self) -> usize {
        let (bytes, mut depth, mut at) = (self.text.as_bytes(), 0, self.at);
        while at < bytes.len() {
            if bytes[at..].starts_with(b"/*") {
                depth += 1;
                at += 2;
            } else if bytes[at..].starts_with(b"*/") {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            } else {
                at += 1;
            }
        }
        bytes.len()
    }

    fn string(&mut self) {
        let (bytes, mut at) = (self.text.as_bytes(), self.at + 1);
        while at < bytes.len() && bytes[at] != b'"' {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        self.advance(at + 1);
    }

    /// A character literal, or the mark of a lifetime.
    fn quote(&mut self) {
        let rest = &self.text[self.at + 1..];
        let mut characters = rest.char_indices();
        let end = match characters.next() {
            Some((_, '\\')) => rest[2..].find('\'').map(|length| length + 3),
            Some(_) => characters.next().filter(|(_, next)| *next == '\'').map(|(at, _)| at + 1),
            None => None,
        };
        self.advance(self.at + 1 + end.unwrap_or(0));
    }

    /// A word, with the raw string that it may be the prefix of.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let hashes = after.len() - after.trim_start_matches('#').len();
        if matches!(word, "r" | "br" | "cr") && after[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = self.at + length + hashes + 1;
            let to = self.text[start..].find(&end).map_or(self.text.len(), |at| start + at + end.len());
            return self.advance(to);
        }
        self.advance(self.at + length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_characters_and_lifetimes_hold_no_comments() {
        let text = "let a = \"// no \\\" // no\"; // one\nlet b = '\"'; // two\nlet c = r#\"\" // no\"#;\n\
                    fn f<'a>(x: &'a str) {} /* three /* nested */ */ let d = '\\''; // four\n";
        let found: Vec<(usize, String)> = comments(text).into_iter().map(|found| (found.line, found.text)).collect();
        let expected =
            [(1, "// one"), (2, "// two"), (4, "/* three /* nested */ */"), (4, "// four")].map(|(l, t)| (l, t.into()));
        assert_eq!(found, expected);
    }

    #[test]
    fn doc_lines_are_joined() {
        let found = comments("//! One.\n//! Two.\n\n/// Three.\n// no doc\n/// Four.\n//// no doc\n/** Five. */\n");
        let blocks = doc_blocks(&found);
        let blocks: Vec<(usize, &str)> = blocks.iter().map(|(line, text)| (*line, text.trim())).collect();
        assert_eq!(blocks, [(1, "One.\n Two."), (4, "Three."), (6, "Four."), (8, "Five.")]);
    }
}
