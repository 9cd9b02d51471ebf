//! The trigrams that every text which a pattern matches must have.
//!
//! They come from the syntax tree of the regular expression: from the runs of characters that stand
//! one behind the other in every match, on each way through its alternatives. Letters count without
//! their case, as in the filters of files.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::store::trigrams::{RequiredTrigrams, Trigram, fold};

/// Ways through the alternatives of a pattern that are followed; beyond that they are not told
/// apart.
const MAX_WAYS: usize = 64;
/// Trigrams of one way that are looked up.
const MAX_TRIGRAMS: usize = 64;
/// Larger classes stand for any text.
const MAX_CLASS: usize = 16;

/// One way through a pattern.
#[derive(Clone, Default)]
struct Way {
    trigrams: Vec<Trigram>,
    /// The folded characters that stand directly before what comes next.
    run: Vec<u8>,
}

impl Way {
    /// Ends the run, since any text may come next.
    fn interrupt(&mut self) {
        let left = MAX_TRIGRAMS - self.trigrams.len();
        self.trigrams.extend(Trigram::of(&self.run).take(left));
        self.run.clear();
    }
}

/// Returns the trigrams that a text must have to be matched; `None` if any text may match.
pub(super) fn required(hir: &Hir) -> Option<RequiredTrigrams> {
    let mut ways = vec![Way::default()];
    append(hir, &mut ways);
    interrupt(&mut ways);
    let mut lists: Vec<Vec<Trigram>> = ways.into_iter().map(|way| way.trigrams).collect();
    lists.sort_unstable();
    lists.dedup();
    lists.iter().all(|trigrams| !trigrams.is_empty()).then_some(lists)
}

/// Appends what `hir` matches to every way.
fn append(hir: &Hir, ways: &mut Vec<Way>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => ways.iter_mut().for_each(|way| fold(text.as_bytes(), &mut way.run)),
            Err(_) => interrupt(ways),
        },
        HirKind::Class(class) => match characters(class) {
            Some(characters) if characters.len() * ways.len() <= MAX_WAYS => {
                branch(ways, &characters, |character, ways| {
                    ways.iter_mut().for_each(|way| way.run.extend_from_slice(character));
                });
            }
            _ => interrupt(ways),
        },
        HirKind::Repetition(repetition) if repetition.min == 0 => interrupt(ways),
        HirKind::Repetition(repetition) => {
            append(&repetition.sub, ways);
            if repetition.max != Some(1) {
                interrupt(ways);
                // What is last in a row stands before what comes next.
                if matches!(repetition.sub.kind(), HirKind::Literal(_) | HirKind::Class(_)) {
                    append(&repetition.sub, ways);
                }
            }
        }
        HirKind::Capture(capture) => append(&capture.sub, ways),
        HirKind::Concat(parts) => parts.iter().for_each(|part| append(part, ways)),
        HirKind::Alternation(branches) if branches.len() * ways.len() <= MAX_WAYS => {
            let before = ways.clone();
            branch(ways, branches, append);
            if ways.len() > MAX_WAYS {
                *ways = before;
                interrupt(ways);
            }
        }
        HirKind::Alternation(_) => interrupt(ways),
    }
}

/// Replaces each way by one for each alternative.
fn branch<T>(ways: &mut Vec<Way>, alternatives: &[T], append: impl Fn(&T, &mut Vec<Way>)) {
    let before = std::mem::take(ways);
    for alternative in alternatives {
        let mut branched = before.clone();
        append(alternative, &mut branched);
        ways.append(&mut branched);
    }
}

fn interrupt(ways: &mut [Way]) {
    ways.iter_mut().for_each(Way::interrupt);
}

/// The different characters of a small class, folded; `None` of a large one.
fn characters(class: &Class) -> Option<Vec<Vec<u8>>> {
    let folded = |letter: char| {
        let mut folded = Vec::new();
        fold(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut folded);
        folded
    };
    let characters: BTreeSet<Vec<u8>> = match class {
        Class::Unicode(class) => {
            let letters = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            letters.take(MAX_CLASS + 1).map(folded).collect()
        }
        Class::Bytes(class) if class.is_ascii() => {
            let bytes = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            bytes.take(MAX_CLASS + 1).map(char::from).map(folded).collect()
        }
        Class::Bytes(_) => return None,
    };
    let is_small = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| range.len()).sum::<usize>() <= MAX_CLASS,
        Class::Bytes(class) => class.ranges().iter().map(|range| range.len()).sum::<usize>() <= MAX_CLASS,
    };
    is_small.then(|| characters.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trigrams(text: &str) -> Vec<Trigram> {
        let mut folded = Vec::new();
        fold(text.as_bytes(), &mut folded);
        Trigram::of(&folded).collect()
    }

    fn of(pattern: &str) -> Option<RequiredTrigrams> {
        let parser = regex_syntax::ParserBuilder::new().utf8(false).multi_line(true).build();
        { parser }.parse(pattern).ok().and_then(|hir| required(&hir))
    }

    /// Lists of runs, as the trigrams they are expected to give.
    fn lists(lists: &[&[&str]]) -> Option<RequiredTrigrams> {
        let list = |runs: &&[&str]| runs.iter().flat_map(|run| trigrams(run)).collect::<Vec<_>>();
        let mut lists: RequiredTrigrams = lists.iter().map(list).collect();
        lists.sort_unstable();
        Some(lists)
    }

    #[test]
    fn runs_of_characters_are_required() {
        assert_eq!(of("get_user"), lists(&[&["get_user"]]));
        assert_eq!(of("(?i)Get_Sky"), lists(&[&["get_sky"]]));
        assert_eq!(of(r"^return\s+-ENOMEM;$"), lists(&[&["return", "-enomem;"]]));
        assert_eq!(of("get(_user|_name)s"), lists(&[&["get_users"], &["get_names"]]));
        assert_eq!(of("[gs]et_x"), lists(&[&["get_x"], &["set_x"]]));
        assert_eq!(of("(?:abc)+def"), lists(&[&["abc", "abcdef"]]));
        assert_eq!(of("abcx?def"), lists(&[&["abc", "def"]]));
        assert_eq!(of(r"abc\bdef"), lists(&[&["abcdef"]]));
        assert_eq!(of("größe"), lists(&[&["größe"]]));
    }

    #[test]
    fn patterns_without_a_run_require_nothing() {
        for pattern in ["", "ab", "a.b.c", r"\w+", "abc|d", "(abc)?", "(abc)*", "[a-z]{3}", r"(?-u)\xc5"] {
            assert_eq!(of(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn nested_and_wide_patterns_stay_small() {
        let nested = format!("{}abc{}", "(".repeat(100), ")+".repeat(100));
        assert_eq!(of(&nested), lists(&[&["abc"]]));
        let wide = "(abc|def|ghi|jkl)".repeat(20);
        assert!(of(&wide).is_some_and(|lists| lists.len() <= MAX_WAYS));
    }
}
