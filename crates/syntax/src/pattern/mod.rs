//! Tree patterns in tree-sitter's query syntax, compiled and matched by our own engine.
//!
//! Tree-sitter analyses every pattern against the whole grammar when a query is made: 50 to 400 ms
//! of computing per language, which a short-lived process would pay on every edit. These patterns
//! are checked by the tests instead and read in about a millisecond. Each is filed under the kinds
//! its root can have, so a node is tried only against those.
//!
//! Supported: nested nodes, `(_)` and `_`, anonymous nodes, fields, `!field`, `[…]`, `?`, anchors
//! (`.`), captures, `(ERROR …)`, `#eq?`, `#match?`, `#any-of?` with their `not-` forms, and
//! `#set!`. Not supported, and refused: `*` and `+`, supertypes, and sequences of siblings without
//! a node around them. As in tree-sitter, every way to match counts, and an anchor lets anonymous
//! nodes and comments lie between.

mod matcher;
mod parse;

use std::sync::OnceLock;

pub(crate) use matcher::Captures;
use regex::Regex;

/// Patterns ready to be matched.
pub(crate) struct PatternSet {
    patterns: Vec<Pattern>,
    /// Capture names; captures are numbered by their place here.
    pub(crate) capture_names: Vec<String>,
    /// Pattern numbers by the kind id of the root.
    by_kind: Vec<Vec<u32>>,
    /// Pattern numbers for error nodes.
    for_errors: Vec<u32>,
}

/// One top-level pattern.
struct Pattern {
    /// Any of these may match.
    roots: Vec<NodePattern>,
    predicates: Vec<Predicate>,
    properties: Vec<Property>,
}

/// `(#set! key value)`.
pub(crate) struct Property {
    pub key: String,
    pub value: Option<String>,
}

/// A test of a node.
enum Test {
    /// One of these kind ids.
    Kinds(Vec<u16>),
    /// A named node.
    Named,
    /// A node.
    Any,
    /// A place the grammar could not make sense of.
    Error,
}

/// A node with what must be inside it.
struct NodePattern {
    test: Test,
    captures: Vec<u16>,
    absent_fields: Vec<u16>,
    steps: Vec<Step>,
    /// No named node may follow what the last step matched.
    closed: bool,
}

/// One child that must be there.
struct Step {
    /// No named node may lie between it and what was matched before.
    anchored: bool,
    optional: bool,
    field: Option<u16>,
    alternatives: Vec<NodePattern>,
}

/// A condition on the text of captures.
struct Predicate {
    capture: u16,
    condition: Condition,
    negated: bool,
}

enum Condition {
    /// Equal to one of these.
    AnyOf(Vec<String>),
    /// Equal to another capture's text.
    Same(u16),
    /// Matched by this expression, which is compiled when first needed.
    Matches(String, OnceLock<Option<Regex>>),
}

impl PatternSet {
    /// Reads patterns for a grammar; the error says what is wrong and in which line.
    pub(crate) fn new(grammar: &tree_sitter::Language, source: &str) -> Result<PatternSet, String> {
        let (patterns, capture_names) = parse::parse(grammar, source)?;
        let mut by_kind = vec![Vec::new(); grammar.node_kind_count()];
        let mut for_errors = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            for root in &pattern.roots {
                match &root.test {
                    Test::Kinds(kinds) => {
                        for kind in kinds {
                            let filed: &mut Vec<u32> = &mut by_kind[usize::from(*kind)];
                            if filed.last() != Some(&(number as u32)) {
                                filed.push(number as u32);
                            }
                        }
                    }
                    Test::Error => for_errors.push(number as u32),
                    Test::Named | Test::Any => return Err("a pattern must not start with a wildcard".into()),
                }
            }
        }
        Ok(PatternSet { patterns, capture_names, by_kind, for_errors })
    }

    /// Returns the number of patterns.
    pub(crate) fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Returns the `(#set! …)` properties of a pattern.
    pub(crate) fn properties(&self, pattern: usize) -> &[Property] {
        &self.patterns[pattern].properties
    }

    /// The first regular expression that cannot be compiled, if any; for the tests.
    #[cfg(test)]
    pub(crate) fn bad_expression(&self) -> Option<&str> {
        self.patterns.iter().flat_map(|pattern| &pattern.predicates).find_map(|predicate| match &predicate.condition {
            Condition::Matches(source, _) => Regex::new(source).is_err().then_some(source.as_str()),
            _ => None,
        })
    }
}
