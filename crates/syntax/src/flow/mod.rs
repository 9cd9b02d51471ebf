//! The way of a value at a place, and where errors are raised and handled: questions to the syntax
//! trees of one file, asked when an answer needs them. Nothing of it is stored.
//!
//! `climb.rs` follows a value from its name outwards, `errors.rs` does so for errors and knows the
//! handlers around a place, `names.rs` finds uses of local names and literal texts. The kinds of
//! nodes stand in `[code]` and `[flow]` of `language.toml`.

mod climb;
mod errors;
mod names;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tree_sitter::{Node, Tree};

pub use self::climb::{ArgumentPlace, ValuePlace, ValueRole};
pub use self::errors::{ErrorGuard, ErrorHandler, ErrorUse, HandlerEffect};
pub use self::names::{LiteralText, LocalUse};
use crate::code::{CodeKinds, CodePlace, FlowRules, NodeRole};
use crate::registry::Language;
use crate::settings::Content;

/// Steps outwards from a name.
const MAX_CLIMB: usize = 64;

/// The syntax trees of one file, for questions about its places.
pub struct FlowCode {
    text: Arc<str>,
    trees: Vec<Tree>,
    language: &'static Language,
    kinds: &'static CodeKinds,
    rules: &'static FlowRules,
    /// The first byte of each line.
    lines: Vec<u32>,
}

impl FlowCode {
    /// Parses a text; `None` for what is no code, for a language without a grammar, and where
    /// parsing does not end within the limit.
    pub fn parse(text: Arc<str>, language: &'static Language, limit: Duration) -> Option<FlowCode> {
        if !language.has_grammar() || language.settings().content != Content::Code {
            return None;
        }
        let compiled = language.compiled();
        if compiled.grammar.too_deep(&text).is_some() {
            return None;
        }
        let trees = compiled.grammar.parse(&text, Instant::now() + limit)?.trees;
        let settings = language.settings();
        let kinds = compiled.code_kinds(&settings.code);
        let starts = text.match_indices('\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        Some(FlowCode { text, trees, language, kinds, rules: &settings.flow, lines })
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the language.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// Returns the names of types of which all errors are.
    pub fn root_errors(&self) -> &'static [String] {
        &self.rules.root_errors
    }

    /// Returns the type above a type of the language's library: empty above the highest, `None` for
    /// one that is not known.
    pub fn error_parent(&self, name: &str) -> Option<&'static str> {
        if self.rules.root_errors.iter().any(|root| root == name) {
            return Some("");
        }
        self.rules.error_parents.get(name).map(String::as_str)
    }

    /// Returns whether errors are values that functions return.
    pub fn returns_errors(&self) -> bool {
        self.rules.returns_errors
    }

    /// Returns the byte at a place.
    pub fn byte_at(&self, place: CodePlace) -> Option<usize> {
        let start = self.lines.get((place.line as usize).checked_sub(1)?)?;
        let byte = *start as usize + (place.column as usize).checked_sub(1)?;
        (byte < self.text.len() && self.text.is_char_boundary(byte)).then_some(byte)
    }

    /// Returns the place of a byte.
    pub fn place_of(&self, byte: usize) -> CodePlace {
        let line = self.lines.partition_point(|start| *start as usize <= byte);
        let start = self.lines.get(line.saturating_sub(1)).map_or(0, |start| *start as usize);
        CodePlace { line: line as u32, column: (byte.saturating_sub(start)) as u32 + 1 }
    }

    /// Returns a line without the blanks around it; lines count from 1.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = (line as usize).checked_sub(1).and_then(|at| self.lines.get(at)) else { return "" };
        self.text.get(*start as usize..).and_then(|rest| rest.lines().next()).unwrap_or("").trim()
    }

    /// Returns the smallest node at a byte.
    fn leaf(&self, byte: usize) -> Option<Node<'_>> {
        let holds = |tree: &&Tree| tree.root_node().byte_range().contains(&byte);
        let root = self.trees.iter().find(holds)?.root_node();
        root.named_descendant_for_byte_range(byte, byte + 1)
    }

    fn role(&self, node: Node<'_>) -> Option<NodeRole> {
        self.kinds.role(node)
    }

    fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Returns whether a node is a list of statements.
    fn is_block(&self, node: Node<'_>) -> bool {
        self.rules.blocks.iter().any(|kind| kind == node.kind())
    }

    /// Returns the name by which a call names what it calls.
    fn callee<'tree>(&self, call: Node<'tree>) -> Option<Node<'tree>> {
        const CALLEES: [&str; 8] = ["function", "method", "macro", "constructor", "target", "type", "name", "class"];
        let callee = CALLEES.iter().find_map(|name| call.child_by_field_name(name)).or_else(|| call.named_child(0))?;
        self.last_name(callee)
    }

    /// Returns the last name of an expression: that of a member, or of what is declared.
    fn last_name<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        const MEMBERS: [&str; 5] = ["property", "attribute", "field", "name", "suffix"];
        const NAMES: [&str; 5] = ["name", "declarator", "left", "pattern", "method"];
        let mut at = node;
        for _ in 0..MAX_CLIMB {
            if at.named_child_count() == 0 {
                return Some(at);
            }
            let is_member = self.role(at) == Some(NodeRole::Member);
            let names: &[&str] = if is_member || at.kind().contains("suffix") { &MEMBERS } else { &NAMES };
            let by_field = names.iter().find_map(|name| at.child_by_field_name(name));
            let last = || at.named_child(at.named_child_count() as u32 - 1);
            let first = || named_children(at).into_iter().find(|child| !child.kind().contains("modifier"));
            at = by_field.or_else(|| if is_member { last() } else { first() })?;
        }
        None
    }
}

/// Returns the name of the field that a child is in.
fn field_of<'tree>(parent: Node<'tree>, child: Node<'tree>) -> Option<&'tree str> {
    let mut cursor = parent.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    loop {
        if cursor.node() == child {
            return cursor.field_name();
        }
        if !cursor.goto_next_sibling() {
            return None;
        }
    }
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

#[cfg(test)]
mod tests {
    use crate::registry::all;

    /// The kinds of nodes and the fields in `[flow]` are those of the grammars.
    #[test]
    fn grammars_have_the_kinds_and_fields() {
        let mut missing = String::new();
        for language in all() {
            if !language.has_grammar() {
                continue;
            }
            let (grammar, rules) = (&language.compiled().grammar.language, &language.settings().flow);
            let lists = [
                &rules.no_decisions,
                &rules.assignments,
                &rules.blocks,
                &rules.passes,
                &rules.keys,
                &rules.unguarded,
                &rules.type_tests,
            ];
            let tables = [&rules.decisions, &rules.raises, &rules.handlers];
            let kinds = lists.into_iter().flatten().chain(tables.into_iter().flat_map(|table| table.keys()));
            for kind in kinds.filter(|kind| grammar.id_for_node_kind(kind, true) == 0) {
                missing.push_str(&format!("{}: {kind}\n", language.name));
            }
            let ways = rules.handlers.values().chain(rules.decisions.values());
            for part in ways.flat_map(|way| way.split(['/', ' '])).filter(|part| !part.is_empty()) {
                let is_known = part.starts_with('#')
                    || grammar.field_id_for_name(part).is_some()
                    || grammar.id_for_node_kind(part, true) != 0;
                if !is_known {
                    missing.push_str(&format!("{}: {part}\n", language.name));
                }
            }
        }
        assert!(missing.is_empty(), "{missing}");
    }
}
