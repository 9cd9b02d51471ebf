//! Texts that leave the machine. An [`Outgoing`] is made here and nowhere else, and requests are
//! made of these alone, so that what is done here is done to all that is sent.

use std::borrow::Cow;

use serde::Serialize;

use super::redact::redact;
use crate::Document;

/// The longest texts for a model whose limit is 8,192 tokens, as most have it: a tokenizer makes at
/// most one token of a byte.
pub(super) const USUAL_MAX_BYTES: usize = 8_000;

/// A text as it is sent.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Outgoing(String);

/// The preparation of texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preparation {
    /// The longest text that is sent.
    pub(super) max_bytes: usize,
    /// True if secrets are removed.
    pub(super) redacts: bool,
}

impl Outgoing {
    /// The number of bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Preparation {
    /// Prepares a text on its own, such as a question; what is too long is cut.
    pub(super) fn text(&self, text: &str) -> Outgoing {
        Outgoing(cut(&self.clean(text.trim()), self.max_bytes).to_string())
    }

    /// Prepares a document: its path, which says as much as the code, a line feed and the code. A
    /// long one becomes several texts, each with the path. None for a document without content.
    pub(super) fn document(&self, document: &Document<'_>) -> Vec<Outgoing> {
        let Document { path, text } = document;
        if path.trim().is_empty() && text.trim().is_empty() {
            return Vec::new();
        }
        // Before it is split, or half of a secret would pass.
        let (path, text) = (self.clean(path), self.clean(text));
        let path = cut(&path, self.max_bytes / 2);
        let pieces = split(&text, self.max_bytes - path.len() - 1);
        pieces.into_iter().map(|piece| Outgoing(format!("{path}\n{piece}"))).collect()
    }

    fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.redacts { redact(text) } else { Cow::Borrowed(text) }
    }
}

/// As much of the text as fits, whole characters only.
fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Splits a text at line ends into pieces of at most `max_bytes`, a line that is longer between
/// characters. Blank pieces are left out, unless there is no other.
fn split(text: &str, max_bytes: usize) -> Vec<&str> {
    // Any character fits.
    let max_bytes = max_bytes.max(4);
    let (mut pieces, mut rest) = (Vec::new(), text);
    while rest.len() > max_bytes {
        let head = cut(rest, max_bytes);
        let (piece, after) = rest.split_at(head.rfind('\n').map_or(head.len(), |at| at + 1));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    if pieces.iter().any(|piece| !piece.trim().is_empty()) {
        pieces.retain(|piece| !piece.trim().is_empty());
    } else {
        pieces.truncate(1);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREPARATION: Preparation = Preparation { max_bytes: 20, redacts: false };

    fn texts(path: &str, text: &str) -> Vec<String> {
        PREPARATION.document(&Document { path, text }).into_iter().map(|text| text.0).collect()
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("größe", 3), "gr");
        assert_eq!(cut("größe", 4), "grö");
        assert_eq!(cut("a", 100), "a");
        assert_eq!(PREPARATION.text(&format!(" {} ", "é".repeat(99))).0, "é".repeat(10));
    }

    #[test]
    fn long_documents_are_split_at_line_ends() {
        assert_eq!(texts("a/b.rs", "fn a() {}\n"), ["a/b.rs\nfn a() {}\n"]);
        assert_eq!(texts("a/b.rs", "one\ntwo\nthree\nfour"), ["a/b.rs\none\ntwo\n", "a/b.rs\nthree\nfour"]);
        let long = texts("a/b.rs", &"é".repeat(20));
        assert_eq!(long.len(), 4);
        assert!(long.iter().all(|text| text.starts_with("a/b.rs\né") && text.len() <= 20));
        assert_eq!(texts("p", &format!("a\n{}\nb", " ".repeat(17))), ["p\na\n", "p\nb"]);
        assert!(texts(&"d/".repeat(40), "code").iter().all(|text| text.len() <= 20 && text.ends_with("code")));
    }

    #[test]
    fn secrets_are_removed_before_texts_are_split() {
        let preparation = Preparation { max_bytes: 30, redacts: true };
        let text = format!("let a = 1;\nlet b = \"ghp_{}\";\n", "a1B2c3D4".repeat(6));
        let made = preparation.document(&Document { path: "a.rs", text: &text });
        let made: Vec<&str> = made.iter().map(|text| text.0.as_str()).collect();
        assert_eq!(made, ["a.rs\nlet a = 1;\n", "a.rs\nlet b = \"[redacted]\";\n"]);
        assert_eq!(preparation.text("is postgres://a:b1@c used?").0, "is postgres://a:[redacted]@c u");
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert!(texts("", " \n").is_empty());
        assert_eq!(texts("a", &"\n".repeat(99)).len(), 1);
        assert!(PREPARATION.text(" \n").is_empty());
    }
}
