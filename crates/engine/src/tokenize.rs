//! Cuts code and prose into search terms. Index and query use the same function, so both sides always agree.
//!
//! A word is a run of letters, digits, `_` and `$`. It gives one term per part (`getHTTPResponse` → get, http,
//! respons; stemmed, so that "parsing" finds `parse`), and, when it has several parts, one for the whole without
//! separators (`gethttpresponse`), so that `user_name` finds `userName`. Words without letters or of absurd length give
//! nothing: nobody looks for them by meaning, and they would be most of the index.

use std::cell::RefCell;

use frostem::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

const MAX_WORD_BYTES: usize = 80;
const MAX_PART_BYTES: usize = 40;

/// Calls `sink` with each term of `text`, in order.
pub(crate) fn tokenize(text: &str, sink: &mut dyn FnMut(&str)) {
    STEMS.with_borrow_mut(|stems| {
        for word in words(text) {
            word_terms(word, stems, sink);
        }
    });
}

/// The distinct terms of `text`, in order of first appearance.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    tokenize(text, &mut |term| {
        if !found.iter().any(|known| known == term) {
            found.push(term.to_string());
        }
    });
    found
}

/// The runs of word characters in `text`.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty())
}

/// True for what an identifier is made of.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || (!c.is_ascii() && c.is_alphanumeric())
}

/// The lower-case parts of an identifier: `getHTTPResponse_v2` → get, http, response, v2.
pub(crate) fn parts(word: &str) -> Vec<String> {
    let mut parts = Vec::new();
    split_parts(word, &mut |part| parts.push(part.to_lowercase()));
    parts
}

fn word_terms(word: &str, stems: &mut StemCache, sink: &mut dyn FnMut(&str)) {
    if word.len() > MAX_WORD_BYTES || !word.bytes().any(|b| b.is_ascii_alphabetic() || !b.is_ascii()) {
        return;
    }
    let mut count = 0;
    let mut whole = std::mem::take(&mut stems.word);
    whole.clear();
    split_parts(word, &mut |part| {
        count += 1;
        let start = whole.len();
        push_lower(&mut whole, part);
        let lower = &whole[start..];
        if lower.len() > 1 && lower.len() <= MAX_PART_BYTES {
            stems.stem(lower, sink);
        }
    });
    if count > 1 {
        sink(&whole);
    }
    stems.word = whole;
}

fn push_lower(out: &mut String, part: &str) {
    if part.is_ascii() {
        out.extend(part.bytes().map(|byte| byte.to_ascii_lowercase() as char));
    } else {
        out.push_str(&part.to_lowercase());
    }
}

fn split_parts(word: &str, sink: &mut dyn FnMut(&str)) {
    let mut start = 0;
    let mut previous = Class::Separator;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let class = Class::of(c);
        let mut next_is_lower = || chars.peek().is_some_and(|(_, next)| Class::of(*next) == Class::Lower);
        let starts_part = match (previous, class) {
            (Class::Lower | Class::Digit, Class::Upper) => true,
            // The last capital of `HTTPResponse` belongs to the next part.
            (Class::Upper, Class::Upper) => next_is_lower(),
            _ => false,
        };
        if (starts_part || class == Class::Separator) && at > start {
            sink(&word[start..at]);
            start = at;
        }
        if class == Class::Separator {
            start = at + c.len_utf8();
        }
        previous = class;
    }
    if start < word.len() {
        sink(&word[start..]);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Separator,
}

impl Class {
    fn of(c: char) -> Class {
        match c {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            '_' | '$' => Class::Separator,
            c if c.is_uppercase() => Class::Upper,
            _ => Class::Lower,
        }
    }
}

/// Stems seen lately: code repeats its words, and stemming costs more than a look-up.
struct StemCache {
    stemmer: Stemmer,
    /// Room for the word being cut, kept from one to the next.
    word: String,
    stems: FxHashMap<Box<str>, Box<str>>,
}

const MAX_CACHED_STEMS: usize = 150_000;

thread_local! {
    static STEMS: RefCell<StemCache> =
        RefCell::new(StemCache { stemmer: Stemmer::new(Algorithm::English), word: String::new(), stems: FxHashMap::default() });
}

impl StemCache {
    /// Passes the stem of `word` to `sink`.
    fn stem(&mut self, word: &str, sink: &mut dyn FnMut(&str)) {
        // No English word this short changes.
        if word.len() < 3 {
            return sink(word);
        }
        if let Some(stem) = self.stems.get(word) {
            return sink(stem);
        }
        if self.stems.len() > MAX_CACHED_STEMS {
            self.stems.clear();
        }
        let stem: Box<str> = self.stemmer.stem(word).into();
        sink(&stem);
        self.stems.insert(word.into(), stem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_give_their_parts_and_the_whole() {
        assert_eq!(terms("getHTTPResponse"), ["get", "http", "respons", "gethttpresponse"]);
        assert_eq!(terms("user_name userName"), ["user", "name", "username"]);
        assert_eq!(terms("sha256 utf8"), ["sha256", "utf8"]);
        assert_eq!(terms("__init__"), ["init"]);
        assert_eq!(parts("XMLHttpRequest"), ["xml", "http", "request"]);
    }

    #[test]
    fn prose_is_stemmed_like_code() {
        assert_eq!(terms("parsing parse parsed"), ["pars"]);
        assert_eq!(terms("validation validator validate"), ["valid"]);
    }

    #[test]
    fn noise_gives_nothing() {
        assert!(terms("12345 0 == { x").is_empty());
        assert!(terms(&"a".repeat(500)).is_empty());
        assert_eq!(terms("größe ÜberFall"), ["größe", "über", "fall", "überfall"]);
    }
}
