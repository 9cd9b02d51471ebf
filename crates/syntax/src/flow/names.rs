//! Uses of the names that a function binds for itself, and literal texts with their fixed parts.

use std::ops::Range;

use tree_sitter::Node;

use super::{FlowCode, children, field_of, named_children};
use crate::code::{NodeRole, literal_body};

/// Nodes that one question about a name looks at.
const MAX_NODES: usize = 200_000;

/// A use of a local name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalUse {
    /// The first byte of the name.
    pub byte: usize,
    /// True if the name is given another value there.
    pub is_written: bool,
}

/// A literal text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralText {
    /// The first byte, with its quotes.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// Its fixed parts in order; code and marks of formats stand between them.
    pub parts: Vec<String>,
    /// True for a word that stands for itself, or a key, without quotes.
    pub is_word: bool,
}

impl LiteralText {
    /// Returns whether the whole literal is a text.
    pub fn is_text(&self, text: &str) -> bool {
        matches!(self.parts.as_slice(), [only] if only == text)
    }
}

impl FlowCode {
    /// Returns the literal text or word at a byte.
    pub fn literal_at(&self, byte: usize) -> Option<LiteralText> {
        let mut at = self.leaf(byte)?;
        let mut found = None;
        for _ in 0..4 {
            let is_key = self.rules.keys.iter().any(|kind| kind == at.kind());
            match self.role(at) {
                Some(NodeRole::Interpolation) => break,
                Some(NodeRole::String | NodeRole::Symbol) => found = Some(at),
                _ if is_key => found = Some(at),
                _ => {}
            }
            at = match at.parent() {
                Some(parent) => parent,
                None => break,
            };
        }
        let node = found?;
        let is_word = self.role(node) != Some(NodeRole::String);
        let parts = if is_word { vec![word_of(self.text_of(node)).to_string()] } else { self.fixed_parts(node) };
        Some(LiteralText { start: node.start_byte(), end: node.end_byte(), parts, is_word })
    }

    /// Returns the name at a byte as a whole: of a variable, a member, a key.
    pub fn name_at(&self, byte: usize) -> Option<&str> {
        let leaf = self.leaf(byte).filter(|leaf| leaf.named_child_count() == 0 && leaf.start_byte() == byte)?;
        (!leaf.is_extra() && !leaf.kind().contains("comment")).then(|| self.text_of(leaf))
    }

    /// Returns the uses of the name that is bound at a byte, in the function around it, or in the
    /// file if there is none.
    pub fn uses_of_local(&self, binding: usize) -> Vec<LocalUse> {
        let Some(leaf) = self.leaf(binding) else { return Vec::new() };
        let scope = self.scope_of(leaf);
        let mut found = self.uses_in(self.text_of(leaf), scope.byte_range());
        found.retain(|local| local.byte > leaf.start_byte());
        found
    }

    /// Returns the uses of a local name in a part of the text.
    pub fn uses_in(&self, name: &str, range: Range<usize>) -> Vec<LocalUse> {
        let mut found = Vec::new();
        let mut pending: Vec<Node<'_>> = self.trees.iter().map(|tree| tree.root_node()).collect();
        let mut looked_at = 0;
        while let Some(node) = pending.pop() {
            looked_at += 1;
            if looked_at > MAX_NODES {
                break;
            }
            if node.end_byte() <= range.start || node.start_byte() >= range.end {
                continue;
            }
            if node.child_count() > 0 {
                let mut below = children(node);
                below.reverse();
                pending.extend(below);
            } else if node.is_named() && self.text_of(node) == name && self.is_variable(node) {
                let is_written = self.value_at(node.start_byte(), false).role == super::ValueRole::Written;
                found.push(LocalUse { byte: node.start_byte(), is_written });
            }
        }
        found.sort_by_key(|local| local.byte);
        found
    }

    /// Returns the part of the text that the function around a byte has.
    pub fn function_around(&self, byte: usize) -> Range<usize> {
        self.leaf(byte).map_or(0..self.text.len(), |leaf| self.scope_of(leaf).byte_range())
    }

    /// Returns the function around a node, or the whole file.
    fn scope_of<'tree>(&self, leaf: Node<'tree>) -> Node<'tree> {
        let (mut at, mut closure) = (leaf, None);
        while let Some(parent) = at.parent() {
            at = parent;
            let is_call = || {
                let callee = self.callee(at).map(|callee| self.text_of(callee));
                self.role(at) == Some(NodeRole::Call) && callee.is_some_and(|name| self.kinds.is_function_call(name))
            };
            match self.role(at) {
                Some(NodeRole::Function) => return at,
                Some(NodeRole::Closure) => closure = Some(at),
                Some(NodeRole::Class) => break,
                _ if is_call() => return at,
                _ => {}
            }
        }
        closure.unwrap_or_else(|| {
            let mut root = leaf;
            while let Some(parent) = root.parent() {
                root = parent;
            }
            root
        })
    }

    /// Returns whether a name stands for a variable: it is no member, key or label, and no method
    /// of an object.
    fn is_variable(&self, leaf: Node<'_>) -> bool {
        let kind = leaf.kind();
        if kind.contains("comment") || kind.contains("string") || kind.contains("content") {
            return false;
        }
        let Some(mut parent) = leaf.parent() else { return false };
        let mut at = leaf;
        // The name of a variable may have marks around it.
        if self.role(parent) == Some(NodeRole::Name) && parent.named_child_count() == 1 {
            at = parent;
            parent = match at.parent() {
                Some(parent) => parent,
                None => return false,
            };
        }
        if is_parameter(parent, at) || self.is_in_head(parent) {
            return false;
        }
        let is_first = named_children(parent).first() == Some(&at);
        match self.role(parent) {
            Some(NodeRole::Member) => is_first || field_of(parent, at) == Some("index"),
            Some(NodeRole::Pair) => !is_first,
            Some(NodeRole::WrappedArgument) => is_first == (parent.named_child_count() == 1) || !is_first,
            Some(NodeRole::Call) => {
                let is_method = matches!(field_of(parent, at), Some("method" | "name"));
                let has_receiver = ["receiver", "object"].iter().any(|name| parent.child_by_field_name(name).is_some());
                !(is_method && has_receiver)
            }
            Some(NodeRole::Symbol) => false,
            _ => !parent.kind().contains("suffix") && !parent.kind().contains("label"),
        }
    }

    /// Returns whether arguments are the parameters of a function that is a call by its name.
    fn is_in_head(&self, arguments: Node<'_>) -> bool {
        let around = arguments
            .parent()
            .and_then(|head| head.parent())
            .filter(|_| self.role(arguments) == Some(NodeRole::Arguments));
        let call = around.filter(|around| self.role(*around) == Some(NodeRole::Arguments)).and_then(|one| one.parent());
        let name = call.and_then(|call| self.callee(call));
        name.is_some_and(|name| self.kinds.is_function_call(self.text_of(name)))
    }

    /// Returns the fixed parts of a literal.
    fn fixed_parts(&self, node: Node<'_>) -> Vec<String> {
        let pieces: Vec<Node<'_>> =
            named_children(node).into_iter().filter(|child| self.role(*child) == Some(NodeRole::String)).collect();
        if !pieces.is_empty() {
            return joined(pieces.into_iter().map(|piece| self.fixed_parts(piece)));
        }
        let text = self.text_of(node);
        let body = literal_body(text);
        let (mut at, end) = (node.start_byte() + body.start, node.start_byte() + body.end);
        let mut parts = Vec::new();
        for child in named_children(node) {
            if self.role(child) == Some(NodeRole::Interpolation) && child.start_byte() >= at {
                parts.extend(without_marks(self.text.get(at..child.start_byte()).unwrap_or("")));
                at = child.end_byte();
            }
        }
        parts.extend(without_marks(self.text.get(at..end.max(at)).unwrap_or("")));
        parts
    }
}

/// Returns whether a name is declared as a parameter there.
fn is_parameter(parent: Node<'_>, name: Node<'_>) -> bool {
    let (mut parent, mut at) = (parent, name);
    for _ in 0..3 {
        let field = field_of(parent, at);
        if matches!(field, Some("value" | "default_value" | "default" | "right" | "body")) {
            return false;
        }
        if parent.kind().contains("parameter") || matches!(field, Some("parameter" | "parameters")) {
            return true;
        }
        at = parent;
        parent = match at.parent() {
            Some(parent) => parent,
            None => return false,
        };
    }
    false
}

/// Joins literals that stand one behind the other.
fn joined(pieces: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for piece in pieces {
        let mut piece = piece.into_iter();
        if let (Some(last), Some(first)) = (all.last_mut(), piece.next()) {
            last.push_str(&first);
            all.extend(piece);
        } else {
            all.extend(piece);
        }
    }
    all
}

/// Returns a word without the marks around it.
fn word_of(text: &str) -> &str {
    text.trim().trim_matches([':', '"', '\'', '`'])
}

/// Cuts a text at the marks that a format replaces: `{name}`, `{}`, `%s`, `%(name)d`.
fn without_marks(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text;
    while let Some(at) = rest.find(['{', '%', '#']) {
        let (before, mark) = rest.split_at(at);
        let length = mark_length(mark);
        if let Some(last) = parts.last_mut() {
            last.push_str(before);
            if length == 0 {
                last.push_str(&mark[..1]);
            }
        }
        if length > 0 {
            parts.push(String::new());
        }
        rest = &mark[length.max(1)..];
    }
    if let Some(last) = parts.last_mut() {
        last.push_str(rest);
    }
    parts
}

/// Returns the length of the mark of a format at the start of a text; 0 if there is none.
fn mark_length(text: &str) -> usize {
    const LONGEST: usize = 60;
    let inside = match text.as_bytes() {
        [b'#', b'{', ..] => 2,
        [b'{', ..] => 1,
        [b'%', ..] => {
            let flags = text[1..].find(|c: char| !matches!(c, '-' | '+' | '.' | '#' | '0'..='9')).unwrap_or(0);
            let rest = &text[1 + flags..];
            let named = rest.strip_prefix('(').and_then(|rest| rest.find(')')).map_or(0, |end| end + 2);
            let letter = rest.get(named..).and_then(|rest| rest.chars().next());
            let is_mark = letter.is_some_and(|c| "sdvqfxXeEgGiuctTwrapl@".contains(c));
            return if is_mark { 1 + flags + named + 1 } else { 0 };
        }
        _ => return 0,
    };
    let Some(end) = text.find('}').filter(|end| *end <= LONGEST) else { return 0 };
    let is_name = !text[inside..end].contains(['{', ' ', '"', '\'']) || text[inside..end].contains(':');
    if is_name || inside == 2 { end + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_formats() {
        assert_eq!(without_marks("no {} in %s, {name:?} 5% off"), ["no ", " in ", ", ", " 5% off"]);
        assert_eq!(without_marks("plain { text"), ["plain { text"]);
        assert_eq!(without_marks("%(name)s #{x}"), ["", " ", ""]);
        assert_eq!(without_marks(""), [""]);
        assert_eq!(without_marks("ü{ö}%ä"), ["ü", "%ä"]);
    }
}
