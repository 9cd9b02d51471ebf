//! Cuts a text into the pieces that the static model knows. The rules are those of
//! `model/static-code-256/SPEC.md`; the model was trained with them, so they must not drift.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

/// Longer words are data, not language.
const MAX_WORD_CHARS: usize = 28;
const MAX_WORD_DIGITS: usize = 4;

/// The known pieces and their numbers.
pub(crate) struct Vocabulary {
    numbers: FxHashMap<&'static str, u32>,
    /// Tells it from others in this process.
    id: usize,
}

impl Vocabulary {
    /// One piece a line; the line is its number.
    pub(crate) fn new(lines: &'static str) -> Vocabulary {
        static NEXT_ID: AtomicUsize = AtomicUsize::new(1);
        Vocabulary { numbers: lines.lines().zip(0..).collect(), id: NEXT_ID.fetch_add(1, Ordering::Relaxed) }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Calls `sink` with the number of each piece of `text`, at most `limit` of them.
    pub(crate) fn pieces(&self, text: &str, limit: usize, sink: &mut dyn FnMut(u32)) {
        let mut left = limit;
        let mut take = |piece: u32| {
            if left > 0 {
                left -= 1;
                sink(piece);
            }
            left > 0
        };
        if text.is_ascii() {
            RUNS.with_borrow_mut(|cache| {
                runs(text.as_bytes(), |run| cache.pieces(self, run).iter().all(|piece| take(*piece)))
            });
        } else {
            words(&text.chars().collect::<Vec<char>>(), &mut |word| {
                let mut wants_more = true;
                self.word_pieces(word, &mut |piece| wants_more = take(piece));
                wants_more
            });
        }
    }

    /// The whole word if it is known, else the longest known pieces from the left; what nothing
    /// matches is left out.
    fn word_pieces(&self, word: &str, sink: &mut dyn FnMut(u32)) {
        let mut rest = word;
        while !rest.is_empty() {
            let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
            let longest = ends.filter_map(|end| Some((end, *self.numbers.get(&rest[..end])?))).next();
            let end = match longest {
                Some((end, number)) => {
                    sink(number);
                    end
                }
                None => rest.chars().next().map_or(rest.len(), char::len_utf8),
            };
            rest = &rest[end..];
        }
    }
}

/// The pieces of runs of letters and digits seen lately: code repeats its names.
#[derive(Default)]
struct RunCache {
    /// The id of the vocabulary that the pieces are of.
    vocabulary: usize,
    /// The range in `pieces` of each run's pieces.
    runs: FxHashMap<Box<[u8]>, Range<u32>>,
    pieces: Vec<u32>,
}

const MAX_CACHED_RUNS: usize = 100_000;

thread_local! {
    static RUNS: RefCell<RunCache> = RefCell::default();
}

impl RunCache {
    fn pieces(&mut self, vocabulary: &Vocabulary, run: &[u8]) -> &[u32] {
        if self.vocabulary != vocabulary.id || self.runs.len() >= MAX_CACHED_RUNS {
            *self = RunCache { vocabulary: vocabulary.id, ..RunCache::default() };
        }
        let range = match self.runs.get(run) {
            Some(range) => range.clone(),
            None => {
                let start = self.pieces.len() as u32;
                words(run, &mut |word| {
                    vocabulary.word_pieces(word, &mut |piece| self.pieces.push(piece));
                    true
                });
                let range = start..self.pieces.len() as u32;
                self.runs.insert(run.into(), range.clone());
                range
            }
        };
        &self.pieces[range.start as usize..range.end as usize]
    }
}

/// Calls `sink` with the runs of letters and digits in an ASCII text, contractions whole, until it
/// returns false. No word reaches beyond such a run.
fn runs(text: &[u8], mut sink: impl FnMut(&[u8]) -> bool) {
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        while at < text.len() && (text[at].is_ascii_alphanumeric() || (text[at] == b'\'' && is_contraction(text, at))) {
            at += 1;
        }
        if !sink(&text[start..at]) {
            return;
        }
    }
}

/// A character of a text: a byte where all are ASCII, which is faster.
trait Unit: Copy {
    fn is_alphanumeric(self) -> bool;
    fn is_upper(self) -> bool;
    fn is_lower(self) -> bool;
    fn is_ascii_digit(self) -> bool;
    fn is(self, c: u8) -> bool;
    fn push_lower(self, word: &mut String);
}

impl Unit for u8 {
    fn is_alphanumeric(self) -> bool {
        self.is_ascii_alphanumeric()
    }
    fn is_upper(self) -> bool {
        self.is_ascii_uppercase()
    }
    fn is_lower(self) -> bool {
        self.is_ascii_lowercase()
    }
    fn is_ascii_digit(self) -> bool {
        u8::is_ascii_digit(&self)
    }
    fn is(self, c: u8) -> bool {
        self == c
    }
    fn push_lower(self, word: &mut String) {
        word.push(self.to_ascii_lowercase() as char);
    }
}

impl Unit for char {
    fn is_alphanumeric(self) -> bool {
        char::is_alphanumeric(self)
    }
    fn is_upper(self) -> bool {
        self.is_uppercase()
    }
    fn is_lower(self) -> bool {
        self.is_lowercase()
    }
    fn is_ascii_digit(self) -> bool {
        char::is_ascii_digit(&self)
    }
    fn is(self, c: u8) -> bool {
        self == c as char
    }
    fn push_lower(self, word: &mut String) {
        word.extend(self.to_lowercase());
    }
}

/// Calls `sink` with each word in lower case until it returns false.
fn words<U: Unit>(text: &[U], sink: &mut dyn FnMut(&str) -> bool) {
    let mut word = String::new();
    let (mut length, mut digits) = (0, 0);
    let at = |index: usize| text.get(index).copied();
    for (index, unit) in text.iter().copied().enumerate() {
        let is_word = unit.is_alphanumeric();
        if !is_word && unit.is(b'\'') && is_contraction(text, index) {
            continue;
        }
        let ends =
            !is_word || (index > 0 && unit.is_upper() && starts_word(text[index - 1], at(index + 1), at(index + 2)));
        if ends && length > 0 {
            let fits = length <= MAX_WORD_CHARS && digits <= MAX_WORD_DIGITS;
            if fits && !sink(&word) {
                return;
            }
            word.clear();
            (length, digits) = (0, 0);
        }
        if is_word {
            unit.push_lower(&mut word);
            length += 1;
            digits += usize::from(unit.is_ascii_digit());
        }
    }
    if length > 0 && length <= MAX_WORD_CHARS && digits <= MAX_WORD_DIGITS {
        sink(&word);
    }
}

/// Returns whether a capital begins a word: `getName`, `utf8Text`, the R of `HTTPResponse`, but not
/// the D of `IDs`.
fn starts_word<U: Unit>(previous: U, next: Option<U>, after_next: Option<U>) -> bool {
    let is_plural = |next: U| next.is(b's') && !after_next.is_some_and(Unit::is_lower);
    previous.is_lower()
        || previous.is_ascii_digit()
        || (previous.is_upper() && next.is_some_and(|next| next.is_lower() && !is_plural(next)))
}

/// Returns whether the apostrophe at `index` is that of `don't` or `it's`.
fn is_contraction<U: Unit>(text: &[U], index: usize) -> bool {
    let is_ascii_lower = |unit: &U| (b'a'..=b'z').any(|c| unit.is(c));
    let ending = text.get(index + 1).is_some_and(|next| next.is(b's') || next.is(b't'));
    let is_last = text.get(index + 2).is_none_or(|after| !after.is_alphanumeric());
    index > 0 && is_ascii_lower(&text[index - 1]) && ending && is_last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut keep = |word: &str| {
            found.push(word.to_string());
            true
        };
        if text.is_ascii() {
            words(text.as_bytes(), &mut keep);
            let mut as_chars = Vec::new();
            words(&text.chars().collect::<Vec<_>>(), &mut |word| {
                as_chars.push(word.to_string());
                true
            });
            assert_eq!(found, as_chars);
        } else {
            words(&text.chars().collect::<Vec<_>>(), &mut keep);
        }
        found
    }

    #[test]
    fn words_end_where_the_model_expects_it() {
        assert_eq!(cut("getHTTPResponse user_name"), ["get", "http", "response", "user", "name"]);
        assert_eq!(cut("IDs URLsFor utf8Text sha256"), ["ids", "urls", "for", "utf8", "text", "sha256"]);
        assert_eq!(cut("don't it's 'sock' rock'n"), ["dont", "its", "sock", "rock", "n"]);
        assert_eq!(cut("ÜberGröße naïve"), ["über", "größe", "naïve"]);
    }

    #[test]
    fn data_is_no_word() {
        assert!(cut("a12345b").is_empty());
        assert!(cut(&"a".repeat(29)).is_empty());
        assert_eq!(cut(&"a".repeat(28)).len(), 1);
        assert!(cut("").is_empty());
    }

    #[test]
    fn unknown_words_fall_into_known_pieces() {
        let vocabulary = Vocabulary::new("a\nb\nab\nabc\nxyz");
        let pieces = |text: &str, limit| {
            let mut found = Vec::new();
            vocabulary.pieces(text, limit, &mut |piece| found.push(piece));
            found
        };
        assert_eq!(pieces("abc ab abab axyzé q", 100), [3, 2, 2, 2, 0, 4]);
        assert_eq!(pieces("abc ab abab", 2), [3, 2]);
        // What was kept of one vocabulary is not given for another.
        let other = Vocabulary::new("abc");
        other.pieces("abc", 9, &mut |piece| assert_eq!(piece, 0));
        assert_eq!(pieces("abc abc", 9), [3, 3]);
    }
}
