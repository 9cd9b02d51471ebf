//! The words, strings, comments and marks of SQL's dialects.

use std::ops::Range;

use super::Splitter;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    Space,
    Comment,
    Word,
    /// A name in quotes, brackets or backticks.
    Quoted,
    String,
    /// `$tag$ … $tag$`; the number is the length of the tag.
    Dollar(usize),
    Mark(u8),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// After so many tags without an end no more ends are looked for: each search may read the whole text.
const MAX_OPEN_TAGS: usize = 50;

impl Splitter<'_> {
    /// The token that starts at a byte. Names in brackets and backticks get double quotes on the way.
    pub(super) fn token(&mut self, start: usize) -> Token {
        let bytes = self.text.as_bytes();
        let rest = &bytes[start..];
        let line_end = || rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let run = |belongs: fn(u8) -> bool| rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
        let (kind, length) = match rest[0] {
            byte if byte.is_ascii_whitespace() => (TokenKind::Space, run(|byte| byte.is_ascii_whitespace())),
            b'-' if rest.starts_with(b"--") => (TokenKind::Comment, line_end()),
            b'#' if self.backslashes || start == 0 || bytes[start - 1] == b'\n' => (TokenKind::Comment, line_end()),
            b'/' if rest.starts_with(b"/*") => {
                (TokenKind::Comment, self.text[start..].find("*/").map_or(rest.len(), |end| end + 2))
            }
            b'\'' => (TokenKind::String, self.string(start)),
            b'"' => match self.quoted(start, b'"') {
                Some(length) => (TokenKind::Quoted, length),
                None => (TokenKind::Mark(b'"'), 1),
            },
            mark @ (b'`' | b'[') => match self.quoted(start, if mark == b'[' { b']' } else { mark }) {
                Some(length) => {
                    // The grammar knows double quotes only.
                    self.out[start] = b'"';
                    self.out[start + length - 1] = b'"';
                    (TokenKind::Quoted, length)
                }
                None => (TokenKind::Mark(mark), 1),
            },
            b'$' => match self.dollar(start) {
                Some((tag, length)) => (TokenKind::Dollar(tag), length),
                None => {
                    // Part of a name, or a tag without an end; only `$1` is something else to the grammar.
                    let in_word = start > 0 && is_word_byte(bytes[start - 1]);
                    if in_word || !rest.get(1).is_some_and(u8::is_ascii_digit) {
                        self.out[start] = b'_';
                    }
                    (TokenKind::Mark(b'$'), 1)
                }
            },
            byte if is_word_byte(byte) => (TokenKind::Word, run(is_word_byte)),
            byte => (TokenKind::Mark(byte), 1),
        };
        Token { kind, start, end: start + length }
    }

    fn string(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if self.backslashes && at + 1 < bytes.len() => {
                    if bytes[at + 1] == b'\'' {
                        // The grammar knows doubled quotes only.
                        self.out[at] = b'\'';
                    }
                    at += 1 + char_length(bytes[at + 1]);
                }
                b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
                b'\'' => return at + 1 - start,
                _ => at += 1,
            }
        }
        // A quote that was never closed must not swallow what follows.
        self.text[start..].find('\n').unwrap_or(bytes.len() - start)
    }

    /// The length of a name in quotes; brackets may be subscripts instead.
    fn quoted(&self, start: usize, close: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if close == b']' {
            let before = start.checked_sub(1).map(|before| bytes[before]);
            if before.is_some_and(|byte| is_word_byte(byte) || matches!(byte, b']' | b')' | b'"')) {
                return None;
            }
        }
        let inside = &bytes[start + 1..];
        let length = inside.iter().take(200).position(|byte| *byte == close || *byte == b'\n')?;
        let name = &inside[..length];
        let is_name = close != b']'
            || (name.first().is_some_and(|byte| is_word_byte(*byte) && !byte.is_ascii_digit())
                && name.iter().all(|byte| is_word_byte(*byte) || matches!(byte, b' ' | b'-' | b'.' | b'/')));
        (inside[length] == close && length > 0 && is_name && (close == b'"' || !name.contains(&b'"')))
            .then_some(length + 2)
    }

    /// The lengths of the tag and of the whole of a dollar-quoted text.
    fn dollar(&mut self, start: usize) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        let after = &bytes[start + 1..];
        let name = after.iter().take(64).position(|byte| !is_word_byte(*byte) || *byte == b'$')?;
        if after[name] != b'$' || after.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let tag = &self.text[start..start + name + 2];
        let length = if self.open_tags < MAX_OPEN_TAGS { self.text[start + tag.len()..].find(tag) } else { None };
        self.open_tags += usize::from(length.is_none());
        length.map(|length| (tag.len(), tag.len() + length + tag.len()))
    }
}

/// Counts the tokens of the bracket that `tokens` start with.
pub(super) fn group(tokens: &[Token]) -> Option<usize> {
    let mut nesting = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark(b'(') => nesting += 1,
            TokenKind::Mark(b')') => nesting = nesting.checked_sub(1)?,
            _ => {}
        }
        if nesting == 0 {
            return (index > 0).then_some(index + 1);
        }
    }
    None
}

/// Returns what stands between the tags of a dollar-quoted text.
pub(super) fn dollar_body(token: &Token) -> Option<Range<usize>> {
    match token.kind {
        TokenKind::Dollar(tag) => Some(token.start + tag..token.end - tag),
        _ => None,
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn char_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}
