//! Upper estimates of the tokens that a text costs a language model, without a tokenizer.
//!
//! Tokenizers cut text into words, numbers, signs and blanks, and look each piece up in a
//! vocabulary. The cuts are simple and are made here, too; what a piece costs is guessed from its
//! length and from how unusual its letters are, on the safe side: `tests/tokens.rs` holds the guess
//! against two real vocabularies, over source code in all languages as well as hex, Base64 and
//! minified text. Code comes out about a quarter too high; lists of made-up names are the one thing
//! that was seen to come out too low, by up to 7%. Beyond ASCII every byte counts as a token, which
//! no tokenizer that works on bytes exceeds.
//!
//! A line costs the same wherever it stands, so the parts of an answer can be weighed one by one.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// At least as many tokens as a tokenizer makes of `text`.
pub fn estimate_tokens(text: &str) -> usize {
    text.split_inclusive('\n').map(line).sum::<usize>().div_ceil(TOKEN)
}

/// Costs are whole numbers, so that sums do not depend on their order.
const TOKEN: usize = 100;

/// Per letter, the letters that hardly ever follow it within a piece of a vocabulary: bit 0 is `a`.
/// Counted over 29,000 words of source code in 19 languages.
#[rustfmt::skip]
const UNUSUAL: [u32; 26] = [
    0x0004011, 0x2edb4ee, 0x2e5a26a, 0x2e9bce4, 0x0104382, 0x261b6ce, 0x0e99e2f, 0x2e5beee, 0x1500100, 0x3ebafee,
    0x2fbdeef, 0x2e3b2e6, 0x2eb2eec, 0x2c39882, 0x2010090, 0x2e1366e, 0x3edf7ff, 0x2c18aa6, 0x2e32a2b, 0x2f1be6e,
    0x1710280, 0x3ffbeee, 0x3fd9e6e, 0x2777fff, 0x3f34fef, 0x0fffeee,
];

/// Words that are a token each, in small letters and with a capital, in both vocabularies: the most
/// frequent ones in the same source code.
static COMMON: LazyLock<FxHashSet<&[u8]>> =
    LazyLock::new(|| include_str!("common_words.txt").split_ascii_whitespace().map(str::as_bytes).collect());

fn line(line: &str) -> usize {
    let bytes = line.as_bytes();
    let indent = run(bytes, is_blank);
    let mut cost = match &bytes[..indent] {
        [] | [b' '] => 0,
        blanks => TOKEN + indent + blanks.iter().filter(|byte| **byte == b'\t').count().min(2) * 20,
    };
    let mut at = indent;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => run(rest, |byte| byte.is_ascii_alphabetic()),
            b'0'..=b'9' => run(rest, |byte| byte.is_ascii_digit()),
            b' ' | b'\t' => run(rest, is_blank),
            // An escape in a string is a piece of its own, whatever follows.
            b'\\' if rest.get(1).is_some_and(u8::is_ascii_alphanumeric) => 2,
            _ if byte.is_ascii_punctuation() => {
                let signs = run(rest, |byte| byte.is_ascii_punctuation());
                // The backslash of an escape belongs to it.
                rest[1..signs].iter().position(|byte| *byte == b'\\').map_or(signs, |escape| escape + 1)
            }
            _ => 1,
        };
        let piece = &rest[..length];
        let next = rest.get(length);
        cost += match byte {
            b'a'..=b'z' | b'A'..=b'Z' => letters(piece),
            b'0'..=b'9' => length.div_ceil(3) * 120,
            // The last blank belongs to the word after it, but not to a number.
            b' ' | b'\t' => {
                let before_number = usize::from(next.is_some_and(u8::is_ascii_digit));
                let others = usize::from(length > 1 || *byte == b'\t');
                (before_number + others) * 105 + length
            }
            b'\n' | b'\r' => match at.checked_sub(1).map(|before| bytes[before]) {
                Some(before) if before.is_ascii_punctuation() => 15,
                Some(b'\r') => 30,
                // Empty lines are one piece with the line end before them.
                None => 40,
                _ => 115,
            },
            b'\\' if length == 2 => 120,
            _ if byte.is_ascii_punctuation() => {
                let opens_word = length == 1 && next.is_some_and(u8::is_ascii_alphabetic);
                let stands_alone = at == 0 || is_blank(bytes[at - 1]);
                if opens_word && !stands_alone { 64 } else { signs(piece) }
            }
            _ => TOKEN,
        };
        at += length;
    }
    cost
}

/// A run of letters: words in `camelCase` count one by one.
fn letters(run_of: &[u8]) -> usize {
    let (mut cost, mut rest) = (0, run_of);
    while !rest.is_empty() {
        let upper = run(rest, |byte| byte.is_ascii_uppercase());
        let lower = run(&rest[upper..], |byte| byte.is_ascii_lowercase());
        // In `HTTPServer` the last of the capitals belongs to the word after them.
        let length = match (upper, lower) {
            (0 | 1, _) => upper + lower,
            (_, 0) => upper,
            _ => upper - 1,
        };
        cost += word(&rest[..length]);
        rest = &rest[length..];
    }
    cost
}

/// A word in one case, or with a capital first.
fn word(word: &[u8]) -> usize {
    let lower = word.to_ascii_lowercase();
    let unusual = lower.windows(2).filter(|pair| is_unusual(pair[0], pair[1])).count();
    // What no word has is no word, and falls to pieces.
    let strange = unusual.saturating_sub(2);
    let is_upper = word.len() > 1 && word[1].is_ascii_uppercase();
    match word.len() {
        length if is_upper => 84 + 18 * length + unusual * 50 + strange * 45,
        1 => 110,
        _ if COMMON.contains(lower.as_slice()) => TOKEN,
        2..=3 => 132 + unusual * 60,
        length => 48 + 25 * length + unusual * 36 + strange * 40,
    }
}

fn is_unusual(first: u8, second: u8) -> bool {
    let letter = |byte: u8| usize::from(byte.wrapping_sub(b'a'));
    UNUSUAL.get(letter(first)).is_some_and(|followers| followers >> letter(second).min(31) & 1 == 1)
}

/// A run of signs. Lines drawn with one sign are cheap.
fn signs(run_of: &[u8]) -> usize {
    let is_line = run_of.len() > 3 && run_of.iter().all(|byte| *byte == run_of[0]);
    match run_of.len() {
        length if is_line => 130 + length * 12,
        1 => 106,
        2 => 130,
        length => 140 + (length - 3) * 78,
    }
}

fn run(bytes: &[u8], accepts: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !accepts(*byte)).unwrap_or(bytes.len())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
