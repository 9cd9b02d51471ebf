//! A text pattern, compiled, and the words that every text it matches must have.
//!
//! The words choose the files that are read. They come from the syntax tree of the regular
//! expression: a run of word characters counts if whatever may stand before and after it is no word
//! character, so that the index has it as a word of its own. `get_user\(` has none, because
//! `forget_user(` matches, too; `\bget_user\(` and `self.get_user(` do.

use std::sync::{Arc, Mutex, PoisonError};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{self, Ast, ClassSetItem};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::error::{Error, Result};
use crate::query::grep::{CaseMode, GrepOptions, trigrams};
use crate::store::trigrams::RequiredTrigrams;
use crate::tokenize;

/// Ways through the alternatives of a pattern that are followed; beyond that it requires nothing.
const MAX_PATHS: usize = 64;
/// Words of one way that are looked up, the longest first.
const MAX_WORDS: usize = 6;
/// The memory that a compiled pattern may take.
const MAX_COMPILED_BYTES: usize = 64 << 20;

/// Literals that stay compiled: a question to many repositories has one for all of them.
const KEPT_LITERALS: usize = 8;
/// Longer literals do not stay.
const MAX_KEPT_BYTES: usize = 200;

/// The literals that were compiled last, newest first.
static LITERALS: Mutex<Vec<(LiteralKey, Arc<Pattern>)>> = Mutex::new(Vec::new());

/// A literal and the options that change how it is compiled.
#[derive(Clone, PartialEq, Eq)]
struct LiteralKey {
    text: String,
    case: CaseMode,
    is_word: bool,
    is_multi_line: bool,
    is_dot_all: bool,
}

/// A pattern that is ready to search.
pub(super) struct Pattern {
    pub(super) matcher: RegexMatcher,
    pub(super) required: Required,
    /// Trigrams that a text must have to be matched; `None` if any text may match.
    pub(super) trigrams: Option<RequiredTrigrams>,
    /// True if letters match in both cases.
    pub(super) ignores_case: bool,
}

/// Words that a text must have to be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Required {
    /// Any text may match.
    Nothing,
    /// At least one of these lists of words, complete.
    AnyOf(Vec<Vec<String>>),
}

impl Pattern {
    /// Returns a compiled pattern, which another search may have compiled just before.
    pub(super) fn of(pattern: &str, options: &GrepOptions) -> Result<Arc<Pattern>> {
        if !options.fixed_strings || pattern.len() > MAX_KEPT_BYTES {
            return Ok(Arc::new(Pattern::compile(pattern, options)?));
        }
        let key = LiteralKey {
            text: pattern.to_string(),
            case: options.case,
            is_word: options.word,
            is_multi_line: options.multi_line,
            is_dot_all: options.dot_all,
        };
        let kept = || LITERALS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept().iter().find(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        let compiled = Arc::new(Pattern::compile(pattern, options)?);
        let mut kept = kept();
        kept.insert(0, (key, compiled.clone()));
        kept.truncate(KEPT_LITERALS);
        Ok(compiled)
    }

    fn compile(pattern: &str, options: &GrepOptions) -> Result<Pattern> {
        let source = if options.fixed_strings { regex_syntax::escape(pattern) } else { pattern.to_string() };
        let tree = ast::parse::ParserBuilder::new()
            .build()
            .parse(&source)
            .map_err(|error| invalid(&source, error.span().start.offset, error.kind().to_string()))?;
        let ignores_case = match options.case {
            CaseMode::Insensitive => true,
            CaseMode::Sensitive => false,
            CaseMode::Smart => Letters::of(&tree).all_lower(),
        };
        let hir = regex_syntax::hir::translate::TranslatorBuilder::new()
            .case_insensitive(ignores_case)
            .multi_line(true)
            .dot_matches_new_line(options.dot_all)
            .utf8(false)
            .build()
            .translate(&source, &tree)
            .map_err(|error| invalid(&source, error.span().start.offset, error.kind().to_string()))?;
        if !options.multi_line && needs_line_end(&hir) {
            let at = source.find("\\n").or_else(|| source.find('\n')).unwrap_or(0);
            let column = source.get(..at).map_or(1, |before| before.chars().count() + 1);
            return Err(Error::LineEndInPattern { column });
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(ignores_case)
            .multi_line(true)
            .unicode(true)
            .dot_matches_new_line(options.dot_all)
            .word(options.word)
            .size_limit(MAX_COMPILED_BYTES);
        if !options.multi_line {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder
            .build(&source)
            .map_err(|error| Error::InvalidPattern { column: None, detail: single_line(&error.to_string()) })?;
        let trigrams = trigrams::required(&hir);
        Ok(Pattern { matcher, required: required(&hir, options.word), trigrams, ignores_case })
    }
}

fn invalid(source: &str, at: usize, detail: String) -> Error {
    let column = source.get(..at).map_or(1, |before| before.chars().count() + 1);
    Error::InvalidPattern { column: Some(column), detail: single_line(&detail) }
}

fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether every text that matches has a line end.
fn needs_line_end(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Capture(capture) => needs_line_end(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && needs_line_end(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().any(needs_line_end),
        HirKind::Alternation(branches) => branches.iter().all(needs_line_end),
        HirKind::Class(class) => class.literal().is_some_and(|literal| literal.contains(&b'\n')),
        HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// The letters that a pattern spells out, as ripgrep counts them for smart case.
#[derive(Default)]
struct Letters {
    any: bool,
    upper: bool,
}

impl Letters {
    fn of(tree: &Ast) -> Letters {
        ast::visit(tree, Letters::default()).unwrap_or_default()
    }

    fn all_lower(&self) -> bool {
        self.any && !self.upper
    }

    fn add(&mut self, letter: char) {
        self.any = true;
        self.upper |= letter.is_uppercase();
    }
}

impl ast::Visitor for Letters {
    type Output = Letters;
    type Err = ();

    fn finish(self) -> std::result::Result<Letters, ()> {
        Ok(self)
    }

    fn visit_pre(&mut self, tree: &Ast) -> std::result::Result<(), ()> {
        if let Ast::Literal(literal) = tree {
            self.add(literal.c);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> std::result::Result<(), ()> {
        match item {
            ClassSetItem::Literal(literal) => self.add(literal.c),
            ClassSetItem::Range(range) => {
                self.add(range.start.c);
                self.add(range.end.c);
            }
            _ => {}
        }
        Ok(())
    }
}

/// One step of a text that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextStep {
    /// This word character, in lower case.
    Letter(char),
    /// No word character, or an edge of a word or line.
    Edge,
    /// Nothing, or characters that are no word characters.
    MaybeEdge,
    /// Any text.
    Unknown,
}

type Path = Vec<TextStep>;

fn required(hir: &Hir, whole_word: bool) -> Required {
    let outside = if whole_word { TextStep::Edge } else { TextStep::Unknown };
    let mut paths = vec![vec![outside]];
    append(hir, &mut paths);
    let mut lists = Vec::with_capacity(paths.len());
    for mut path in paths {
        path.push(outside);
        let words = complete_words(&path);
        if words.is_empty() {
            return Required::Nothing;
        }
        if !lists.contains(&words) {
            lists.push(words);
        }
    }
    Required::AnyOf(lists)
}

/// Appends what `hir` matches to every path.
fn append(hir: &Hir, paths: &mut Vec<Path>) {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.chars().for_each(|letter| push(paths, step_of(letter))),
            Err(_) => push(paths, TextStep::Unknown),
        },
        HirKind::Class(class) => push(paths, class_step(class)),
        HirKind::Look(look) => push(paths, look_step(*look)),
        HirKind::Repetition(repetition) => {
            let is_edge = matches!(repetition.sub.kind(), HirKind::Class(class) if class_step(class) == TextStep::Edge)
                || matches!(repetition.sub.kind(), HirKind::Literal(literal)
                    if literal.0.iter().all(|byte| byte.is_ascii() && !tokenize::is_word_char(*byte as char)));
            match (repetition.min, is_edge) {
                (0, true) => push(paths, TextStep::MaybeEdge),
                (_, true) => push(paths, TextStep::Edge),
                (0, false) => push(paths, TextStep::Unknown),
                (1, false) if repetition.max == Some(1) => append(&repetition.sub, paths),
                (_, false) => {
                    push(paths, TextStep::Unknown);
                    append(&repetition.sub, paths);
                    push(paths, TextStep::Unknown);
                }
            }
        }
        HirKind::Capture(capture) => append(&capture.sub, paths),
        HirKind::Concat(parts) => parts.iter().for_each(|part| append(part, paths)),
        HirKind::Alternation(branches) if branches.len() * paths.len() > MAX_PATHS => push(paths, TextStep::Unknown),
        HirKind::Alternation(branches) => {
            let before = std::mem::take(paths);
            for branch in branches {
                let mut branch_paths = before.clone();
                append(branch, &mut branch_paths);
                paths.extend(branch_paths);
            }
            if paths.len() > MAX_PATHS {
                *paths = before;
                push(paths, TextStep::Unknown);
            }
        }
    }
}

fn push(paths: &mut [Path], step: TextStep) {
    paths.iter_mut().for_each(|path| path.push(step));
}

fn step_of(letter: char) -> TextStep {
    if tokenize::is_word_char(letter) { TextStep::Letter(tokenize::lower(letter)) } else { TextStep::Edge }
}

fn class_step(class: &Class) -> TextStep {
    let mut letters: Box<dyn Iterator<Item = char>> = match class {
        Class::Unicode(class) => {
            // Larger classes are no letter in several cases; whether they have word characters is
            // told by their ranges.
            let ranges: Vec<_> = class.ranges().iter().map(|range| (range.start(), range.end())).collect();
            Box::new(ranges.into_iter().flat_map(|(start, end)| start..=end))
        }
        Class::Bytes(class) => {
            let ranges: Vec<_> = class.ranges().iter().map(|range| (range.start(), range.end())).collect();
            if ranges.iter().any(|(_, end)| *end > 127) {
                return TextStep::Unknown;
            }
            Box::new(ranges.into_iter().flat_map(|(start, end)| start..=end).map(char::from))
        }
    };
    let Some(first) = letters.next() else { return TextStep::Unknown };
    let first = step_of(first);
    if letters.all(|letter| step_of(letter) == first) { first } else { TextStep::Unknown }
}

fn look_step(look: Look) -> TextStep {
    match look {
        Look::WordAsciiNegate | Look::WordUnicodeNegate => TextStep::Unknown,
        _ => TextStep::Edge,
    }
}

/// The runs of letters with an edge on both sides, as words.
fn complete_words(path: &[TextStep]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut starts_whole = false;
    for (at, step) in path.iter().enumerate() {
        if let TextStep::Letter(letter) = step {
            if word.is_empty() {
                starts_whole = edge_before(&path[..at]);
            }
            word.push(*letter);
            continue;
        }
        if !word.is_empty() && starts_whole && edge_after(&path[at..]) && !words.contains(&word) {
            words.push(word.clone());
        }
        word.clear();
    }
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.truncate(MAX_WORDS);
    words
}

/// Returns whether a path that ends here ends at an edge, whatever its last steps are.
fn edge_before(path: &[TextStep]) -> bool {
    path.iter().rev().find(|step| **step != TextStep::MaybeEdge) == Some(&TextStep::Edge)
}

fn edge_after(path: &[TextStep]) -> bool {
    path.iter().find(|step| **step != TextStep::MaybeEdge) == Some(&TextStep::Edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pattern: &str, options: GrepOptions) -> Vec<Vec<String>> {
        match Pattern::compile(pattern, &options).unwrap().required {
            Required::Nothing => Vec::new(),
            Required::AnyOf(lists) => lists,
        }
    }

    fn of(pattern: &str) -> Vec<String> {
        words(pattern, GrepOptions::default()).into_iter().map(|list| list.join(" ")).collect()
    }

    #[test]
    fn words_count_only_when_nothing_can_lengthen_them() {
        assert_eq!(of("get_user"), [""; 0]);
        assert_eq!(of(r"\bget_user\b"), ["get_user"]);
        assert_eq!(of(r"self\.get_user\("), ["get_user"]);
        assert_eq!(of(r"fn (get|set)_user\("), ["get_user", "set_user"]);
        assert_eq!(of(r"\bget\s*\("), ["get"]);
        assert_eq!(of(r"\bget\s*_"), [""; 0]);
        assert_eq!(of(r"\bget\B"), [""; 0]);
        assert_eq!(of(r"^import (.*) from 'react'$"), ["import react from"]);
        assert_eq!(of(r"^(import|use) +foo;"), ["import foo", "use foo"]);
        assert_eq!(of(r"\bfoo\b|bar"), [""; 0]);
        assert_eq!(of(r"(\bfoo\b)?x"), [""; 0]);
        assert_eq!(of(r"(?:\bfoo\b)+"), ["foo"]);
        assert_eq!(of(r"\w+"), [""; 0]);
    }

    #[test]
    fn whole_words_and_literals() {
        let word = || GrepOptions { word: true, ..GrepOptions::default() };
        assert_eq!(words("get_user", word()), [["get_user"]]);
        assert_eq!(words("Größe", word()), [["größe"]]);
        let literal = || GrepOptions { fixed_strings: true, ..GrepOptions::default() };
        assert_eq!(words("a.get(x[0])", literal()), [["get", "x", "0"]]);
    }

    #[test]
    fn smart_case_looks_at_letters_alone() {
        let ignores = |pattern| Pattern::compile(pattern, &GrepOptions::default()).unwrap().ignores_case;
        assert!(ignores("foo"));
        assert!(!ignores("Foo"));
        assert!(ignores(r"foo\W"));
        assert!(!ignores(r"\w+"));
        assert!(!ignores("[A-Z]oo"));
    }

    #[test]
    fn errors_have_a_column() {
        let error = |pattern| Pattern::compile(pattern, &GrepOptions::default()).err().map(|error| error.to_string());
        assert!(error("größe(").is_some_and(|error| error.contains("column 6")), "{:?}", error("größe("));
        assert!(error("a{2,1}").is_some());
        assert!(error("").is_none());
        assert!(error(r"a\nb").is_some_and(|error| error.contains("single lines")));
    }
}
