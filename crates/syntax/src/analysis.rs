//! From the text of one file to its facts: parse, match, walk, cut into chunks.

use std::ops::Range;
use std::time::{Duration, Instant};

use tree_sitter::Tree;

use crate::facts::{FileFacts, MAX_PROBLEMS, Problem};
use crate::parse::SyntaxTrees;
use crate::plain_text::plain_facts;
use crate::registry::Language;
use crate::source_text::line_count;
use crate::tree::SyntaxTree;
use crate::walk::{self, WalkInput};
use crate::{chunks, extract};

/// The facts of one file.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// Complete, apart from the syntax problems it lists.
    Facts(Box<FileFacts>),
    /// The grammar did not finish within the limit.
    TimedOut,
}

/// Extracts the facts of `text`, giving up after `limit`; without `uses` no references and
/// bindings.
pub(crate) fn analyze(text: &str, language: &'static Language, limit: Duration, uses: bool) -> Parsed {
    let deadline = Instant::now() + limit;
    let grammar = &language.compiled().grammar;
    if let Some(line) = grammar.too_deep(text) {
        let problem = Problem { line, message: "indented too deeply for the grammar; read as plain text".into() };
        return Parsed::Facts(Box::new(FileFacts { problems: vec![problem], ..plain_facts(text) }));
    }
    let facts = grammar.parse(text, deadline).and_then(|parsed| facts_of(&parsed, language, deadline, uses));
    match facts {
        Some(mut facts) => {
            facts.chunks = chunks::code_chunks(text, &facts.definitions);
            facts.line_count = line_count(text);
            Parsed::Facts(Box::new(facts))
        }
        None => Parsed::TimedOut,
    }
}

/// Gathers all facts but the chunks; `None` when `deadline` passes.
fn facts_of(parsed: &SyntaxTrees<'_>, language: &'static Language, deadline: Instant, uses: bool) -> Option<FileFacts> {
    let names = &language.compiled().grammar.names;
    let of_trees = |trees: &[Tree]| {
        let tree = SyntaxTree::new(trees, &parsed.text, names);
        let mut matches = extract::find_matches(&parsed.text, language, &tree, deadline)?;
        matches.reaches.clone_from(&parsed.reaches);
        let input = WalkInput { text: &parsed.text, language, has_errors: parsed.has_errors, uses, deadline };
        walk::walk(input, &tree, matches)
    };
    let mut facts = of_trees(&parsed.trees)?;
    // Where the grammar lost its way in the whole text, its pieces may tell more, and so may the
    // text without what it cannot read.
    if !parsed.pieces.is_empty() {
        let of_pieces = of_trees(&parsed.pieces)?;
        if of_pieces.definitions.len() > facts.definitions.len() {
            facts = of_pieces;
        }
    }
    if let Some(mended) = &parsed.mended {
        let mut of_mended = of_trees(&mended.trees)?;
        if language.always_hides_unread() || order(&of_mended) > order(&facts) {
            add_unread(&mut of_mended.problems, &parsed.text, &mended.hidden);
            facts = of_mended;
        }
    }
    Some(facts)
}

/// Counts definitions, and those in others once more: members whose class the grammar gave up on
/// stand by themselves.
fn order(facts: &FileFacts) -> usize {
    let inner = facts.definitions.iter().filter(|definition| definition.parent.is_some());
    facts.definitions.len() + inner.count()
}

/// Adds the statements that the grammar was not shown to the problems.
fn add_unread(problems: &mut Vec<Problem>, text: &str, unread: &[Range<usize>]) {
    for range in unread.iter().take(MAX_PROBLEMS.saturating_sub(problems.len())) {
        let blanks = text[range.clone()].bytes().take_while(u8::is_ascii_whitespace).count();
        let line = text[..range.start + blanks].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        problems.push(Problem { line, message: "syntax error".into() });
    }
    problems.sort_by_key(|problem| problem.line);
}
