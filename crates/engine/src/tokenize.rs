//! Cuts code and prose into search terms. Index and query use the same function, so both sides
//! always agree.
//!
//! A word is a run of letters, ASCII digits and `_`: an edge between a regular expression's `\w`
//! and `\W` is always an edge of a word. It gives one term per part (`getHTTPResponse` → get, http,
//! respons; stemmed, so that "parsing" finds `parse`), and, when it has several parts, one for the
//! whole without separators (`gethttpresponse`), so that `user_name` finds `userName`. Words
//! without letters or of absurd length give nothing: searches in words do not use them, and they
//! would be most of the index.

use std::cell::RefCell;
use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

const MAX_WORD_BYTES: usize = 80;
const MAX_PART_BYTES: usize = 40;

/// Calls `sink` with each term of `text`, in order.
pub(crate) fn tokenize(text: &str, sink: &mut dyn FnMut(&str)) {
    WORDS.with_borrow_mut(|cache| words(text).for_each(|word| cache.terms(word, sink)));
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
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphabetic())
}

/// The lower-case parts of an identifier: `getHTTPResponse_v2` → get, http, response, v2.
pub(crate) fn parts(word: &str) -> Vec<String> {
    let mut parts = Vec::new();
    split_parts(word, &mut |part| parts.push(part.to_lowercase()));
    parts
}

fn push_lower(out: &mut String, part: &str) {
    if part.is_ascii() {
        out.extend(part.bytes().map(|byte| byte.to_ascii_lowercase() as char));
    } else {
        out.extend(part.chars().map(lower));
    }
}

/// The lower-case form of a letter that all letters have that regular expressions take for the same
/// when they ignore case.
pub(crate) fn lower(letter: char) -> char {
    match letter {
        // The long s, whose upper case is `S`.
        'ſ' => 's',
        'ß' | 'ẞ' => 'ß',
        'ς' => 'σ',
        letter if letter.is_ascii() => letter.to_ascii_lowercase(),
        letter => letter.to_lowercase().next().unwrap_or(letter),
    }
}

/// The terms of a word that the index may have for it and for the same letters in other cases:
/// where the case changes, a word has parts. None for words that the index leaves out.
pub(crate) fn terms_in_any_case(word: &str) -> Vec<String> {
    if word.len() > MAX_WORD_BYTES {
        return Vec::new();
    }
    let letters: String = word.chars().filter(|letter| *letter != '_').map(lower).collect();
    let mut terms = terms(&letters);
    // With letters of both cases it would have several parts and be a term as it is.
    if !terms.is_empty() && !terms.contains(&letters) {
        terms.push(letters);
    }
    terms
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

/// The terms of words seen lately: code repeats its words, and cutting and stemming one costs more
/// than a look-up.
struct WordCache {
    stemmer: Stemmer,
    /// The range of a word's terms in `ends`.
    words: FxHashMap<Box<str>, Range<u32>>,
    /// The end of each term in `terms`; it starts at the end of the one before.
    ends: Vec<u32>,
    terms: String,
}

const MAX_CACHED_WORDS: usize = 100_000;

thread_local! {
    static WORDS: RefCell<WordCache> = RefCell::new(WordCache {
        stemmer: Stemmer::new(Algorithm::English),
        words: FxHashMap::default(),
        // So that every term has one before it.
        ends: vec![0],
        terms: String::new(),
    });
}

impl WordCache {
    /// Passes the terms of `word` to `sink`.
    fn terms(&mut self, word: &str, sink: &mut dyn FnMut(&str)) {
        if word.len() > MAX_WORD_BYTES || !word.bytes().any(|b| b.is_ascii_alphabetic() || !b.is_ascii()) {
            return;
        }
        let range = match self.words.get(word) {
            Some(range) => range.clone(),
            None => self.cut(word),
        };
        for at in range.start as usize..range.end as usize {
            sink(&self.terms[self.ends[at - 1] as usize..self.ends[at] as usize]);
        }
    }

    /// Cuts a word and keeps its terms.
    fn cut(&mut self, word: &str) -> Range<u32> {
        if self.words.len() >= MAX_CACHED_WORDS {
            self.words.clear();
            self.ends.truncate(1);
            self.terms.clear();
        }
        let WordCache { stemmer, words, ends, terms } = self;
        let mut keep = |term: &str| {
            terms.push_str(term);
            ends.push(terms.len() as u32);
        };
        let (mut count, mut whole, mut kept) = (0, String::with_capacity(word.len()), 0);
        split_parts(word, &mut |part| {
            count += 1;
            let start = whole.len();
            push_lower(&mut whole, part);
            let lower = &whole[start..];
            match lower.len() {
                // No English word this short changes.
                2 => keep(lower),
                3..=MAX_PART_BYTES => keep(&stemmer.stem(lower)),
                _ => return,
            }
            kept += 1;
        });
        if count > 1 {
            keep(&whole);
            kept += 1;
        }
        let range = ends.len() as u32 - kept..ends.len() as u32;
        words.insert(word.into(), range.clone());
        range
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
