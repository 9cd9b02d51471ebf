//! The text of a definition as tokens, to compare it with another one whatever they are called.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::query::similarity::jaccard;

/// Tokens in a row that lead from one definition to others like it.
const SHINGLE: usize = 3;

/// The tokens of a definition: words and signs, without spaces.
pub(super) struct Tokens {
    /// Hashes of all tokens, sorted; the definition's own name and that of its container are one
    /// and the same for all.
    sorted: Vec<u64>,
    /// Hashes of tokens in a row, sorted, each once.
    pub(super) shingles: Vec<u64>,
    /// A hash of all tokens in order, with both names replaced everywhere; and one where only the
    /// first occurrence of the own one is, as a body may well name something else by the same word.
    pub(super) texts: [u64; 2],
}

impl Tokens {
    pub(super) fn new(text: &str, own_name: &str, container: &str) -> Tokens {
        let [own, outer] = [hash(b"\0"), hash(b"\0\0")];
        let mut tokens: Vec<u64> = Vec::new();
        let mut first = Vec::new();
        let mut is_named = false;
        for token in split(text) {
            let is_own = token == own_name;
            let plain = hash(token.as_bytes());
            let is_outer = token == container;
            tokens.push(if is_own {
                own
            } else if is_outer {
                outer
            } else {
                plain
            });
            first.push(if is_own && !is_named { own } else { plain });
            is_named |= is_own;
        }
        let mut shingles: Vec<u64> = tokens.windows(SHINGLE).map(hash_all).collect();
        shingles.sort_unstable();
        shingles.dedup();
        let texts = [hash_all(&tokens), hash_all(&first)];
        tokens.sort_unstable();
        Tokens { sorted: tokens, shingles, texts }
    }

    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The share of tokens that both have, from 0 to 1.
    pub(super) fn similarity(&self, other: &Tokens) -> f64 {
        jaccard(&self.sorted, &other.sorted)
    }
}

/// Words, and all other characters one by one.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end =
            if is_part(first) { rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.write_usize(bytes.len());
    hasher.finish()
}

fn hash_all(hashes: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    hashes.iter().for_each(|hash| hasher.write_u64(*hash));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_name_does_not_count() {
        let old = Tokens::new("def load(path):\n    return app.load(path)", "load", "");
        let new = Tokens::new("def open_it(path):\n  return app.load(path)", "open_it", "");
        assert_ne!(old.texts[0], new.texts[0]);
        assert_eq!(old.texts[1], new.texts[1]);
        assert!(old.similarity(&new) > 0.8);
        let recursive = Tokens::new("def walk(n):\n    walk(n - 1)", "walk", "");
        let renamed = Tokens::new("def visit(n):\n    visit(n - 1)", "visit", "");
        assert_eq!(recursive.texts[0], renamed.texts[0]);
        assert_eq!(recursive.similarity(&renamed), 1.0);
        let member = Tokens::new("func (f *Old) Flush() { f.fl.Flush() }", "Flush", "Old");
        let moved = Tokens::new("func (f *New) Flush() { f.fl.Flush() }", "Flush", "New");
        assert_eq!(member.texts[0], moved.texts[0]);
    }

    #[test]
    fn words_and_signs() {
        assert_eq!(split("a_1+=é( x)").collect::<Vec<_>>(), ["a_1", "+", "=", "é", "(", "x", ")"]);
        assert_eq!(split(" \n").count(), 0);
    }
}
