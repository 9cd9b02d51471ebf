//! Parameters of definitions, read from the list beside their name or before their body.
//!
//! Grammars differ in where the parts of a parameter are: in a node of their own, or side by side
//! in the list. So the children of a list are taken together between commas, and what each such
//! slot is follows from the node kinds and words in `[parameters]` of `language.toml`.

use super::Walk;
use crate::extract::DefinitionMatch;
use crate::facts::{DeclaredType, Kind, Parameter, ParameterKind};
use crate::node_kinds::{ATTRIBUTE, COMMENT, DECORATOR, IDENTIFIER, MODIFIER, TYPE_IDENTIFIER};
use crate::settings::ParameterRules;
use crate::tree::Node;

/// A definition's name and body are looked for this deep in its node.
const MAX_PATH: usize = 24;
/// Marks of a parameter are looked for this deep in it.
const MAX_MARK_DEPTH: usize = 2;
/// Longer lists are data rather than parameters.
const MAX_PARAMETERS: usize = 255;

/// Children of a list between two commas.
#[derive(Default)]
struct Slot<'tree> {
    /// Named children that are no comments or decorations.
    nodes: Vec<Node<'tree>>,
    /// All children.
    all: Vec<Node<'tree>>,
}

impl<'tree> Walk<'_, 'tree> {
    /// Returns the parameters of the definition that `found` describes at `node`; `None` where it
    /// has no list that can be read.
    pub(super) fn parameters(
        &self,
        node: Node<'tree>,
        found: &DefinitionMatch<'tree>,
        kind: Kind,
    ) -> Option<Vec<Parameter>> {
        let rules = &self.language.settings().parameters;
        if rules.lists.is_empty() && rules.inline.is_empty() || !(kind.is_callable() || kind.is_type()) {
            return None;
        }
        let name_end = found.name.end_byte();
        let body = found.body.or_else(|| node.child_by_field_name("body"));
        let before = body.map_or(usize::MAX, |body| body.start_byte());
        let beside_name = self.list_on_path(node, found.name.start_byte(), name_end..before);
        let list = beside_name.or_else(|| {
            let body = body.filter(|body| body.start_byte() > name_end)?;
            self.list_on_path(node, body.start_byte(), name_end..before)
        });
        let Some(list) = list else {
            let takes_none = rules.may_be_left_out && matches!(kind, Kind::Function | Kind::Method);
            return takes_none.then(Vec::new);
        };
        let slots = self.slots(list, name_end)?;
        let mut parameters = Vec::with_capacity(slots.len());
        for slot in &slots {
            self.read_slot(slot, &mut parameters);
        }
        (parameters.len() <= MAX_PARAMETERS).then_some(parameters)
    }

    /// Follows the nodes around a byte inwards and returns the innermost list right beside one of
    /// them.
    fn list_on_path(&self, node: Node<'tree>, byte: usize, between: std::ops::Range<usize>) -> Option<Node<'tree>> {
        let rules = &self.language.settings().parameters;
        let is_one_of = |kinds: &[String], node: &Node<'_>| kinds.iter().any(|kind| kind == node.kind());
        let (mut found, mut around) = (None, Some(node));
        for _ in 0..MAX_PATH {
            let Some(node) = around.take() else { break };
            if is_one_of(&rules.inline, &node) {
                found = Some(node);
            }
            let mut beside = None;
            for child in node.children().take_while(|child| child.start_byte() < between.end) {
                if child.byte_range().contains(&byte) {
                    around = Some(child);
                } else if child.start_byte() >= between.start && beside.is_none() {
                    if is_one_of(&rules.lists, &child) {
                        beside = Some(child);
                    } else if is_one_of(&rules.wrappers, &child) {
                        beside = child.children().find(|inner| is_one_of(&rules.lists, inner));
                    }
                }
            }
            let single = || node.child_by_field_name("parameter").filter(|it| it.start_byte() >= between.start);
            found = beside.or_else(single).or(found);
        }
        found
    }

    /// Divides a list at its commas; `None` where the grammar did not understand it.
    fn slots(&self, list: Node<'tree>, name_end: usize) -> Option<Vec<Slot<'tree>>> {
        let rules = &self.language.settings().parameters;
        if self.node_kinds.of(&list) & IDENTIFIER != 0 {
            return Some(vec![Slot { nodes: vec![list], all: vec![list] }]);
        }
        let is_inline = rules.inline.iter().any(|kind| kind == list.kind());
        if !is_inline && list.has_error() {
            return None;
        }
        let mut slots = vec![Slot::default()];
        let mut is_open = !is_inline;
        let mut pending: Vec<Node<'tree>> = Vec::new();
        for child in list.children() {
            match child.kind() {
                "(" if child.start_byte() >= name_end => is_open = true,
                ")" if is_open && is_inline => break,
                _ if !is_open => {}
                _ if child.is_error() => return None,
                kind if rules.groups.iter().any(|group| group == kind) => {
                    pending.extend(child.children());
                }
                _ => pending.push(child),
            }
            for child in pending.drain(..) {
                if child.kind() == "," {
                    slots.push(Slot::default());
                } else if let Some(slot) = slots.last_mut() {
                    let flags = self.node_kinds.of(&child);
                    let is_decoration = flags & (COMMENT | ATTRIBUTE | DECORATOR | MODIFIER) != 0;
                    if child.is_named() && (!is_decoration || flags & IDENTIFIER != 0) {
                        slot.nodes.push(child);
                    }
                    slot.all.push(child);
                }
            }
        }
        Some(slots)
    }

    fn read_slot(&self, slot: &Slot<'tree>, parameters: &mut Vec<Parameter>) {
        let settings = self.language.settings();
        let rules = &settings.parameters;
        let has = |marks: &[String], depth: usize| slot.all.iter().any(|node| has_mark(*node, marks, depth));
        if slot.nodes.is_empty() && !has(&rules.variadic, 0) {
            return;
        }
        let is_none = |node: &Node<'tree>| rules.none.iter().any(|none| self.text[node.byte_range()] == **none);
        if has(&rules.separators, 0) || slot.nodes.iter().all(is_none) && !slot.nodes.is_empty() {
            return;
        }
        let names = self.parameter_names(slot);
        let is_first = parameters.is_empty();
        let is_self_word = |name: &&str| {
            let words = settings.resolve.instance_words.iter().chain(&settings.resolve.type_words);
            words.into_iter().any(|word| word == name)
        };
        let extension = &settings.resolve.extension_word;
        let is_extension = || !extension.is_empty() && slot.all.iter().any(|node| self.has_word(*node, extension));
        let is_receiver =
            || has(&rules.receivers, 0) || is_first && (names.first().is_some_and(&is_self_word) || is_extension());
        let kind = if is_receiver() {
            ParameterKind::Receiver
        } else if has(&rules.implicit, 0) || self.has_implicit_list(slot, rules) {
            ParameterKind::Implicit
        } else if has(&rules.keywords, 0) {
            ParameterKind::Keyword
        } else if has(&rules.variadic, MAX_MARK_DEPTH) {
            ParameterKind::Variadic
        } else if has(&rules.optional, 1) || rules.optional.is_empty() && has(&["=".to_string()], 1) {
            ParameterKind::Optional
        } else {
            ParameterKind::Required
        };
        let declared = self.parameter_type(slot);
        let make = |name: &str| Parameter { name: name.to_string(), declared: declared.clone(), kind };
        // The mark of an instance says all that there is to know of it.
        if names.is_empty() || has(&rules.receivers, 0) {
            parameters.push(make(""));
            return;
        }
        parameters.extend(names.into_iter().map(make));
    }

    /// Returns whether the slot stands in a list that a word at its start makes implicit.
    fn has_implicit_list(&self, slot: &Slot<'tree>, rules: &ParameterRules) -> bool {
        if rules.implicit.is_empty() {
            return false;
        }
        let list = slot.nodes.first().and_then(|node| node.parent());
        list.is_some_and(|list| has_mark(list, &rules.implicit, 1))
    }

    /// Returns whether a word stands right in a node.
    fn has_word(&self, node: Node<'tree>, word: &str) -> bool {
        node.children().any(|child| self.text[child.byte_range()] == *word)
    }

    /// Returns the names of a slot; `a, b int` may be one node with two names.
    fn parameter_names(&self, slot: &Slot<'tree>) -> Vec<&str> {
        let names = slot.nodes.iter().map(|node| self.names_in(*node)).find(|names| !names.is_empty());
        let text = |node: Node<'tree>| self.node_kinds.bare_name(node, self.text, self.language.settings());
        let is_word = |name: &&str| name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '.'));
        names.unwrap_or_default().into_iter().map(text).map(|name| Some(name).filter(is_word).unwrap_or("")).collect()
    }

    fn names_in(&self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let is_name = |node: &Node<'tree>| {
            self.node_kinds.of(node) & (IDENTIFIER | TYPE_IDENTIFIER) == IDENTIFIER || node.is_leaf()
        };
        if node.is_leaf() {
            return if is_name(&node) { vec![node] } else { Vec::new() };
        }
        let mut names: Vec<Node<'tree>> = node.children_by_field_name("name").collect();
        // Where the type has the same field, it comes last.
        if names.len() > 1 && !names.iter().all(|name| name.kind() == names[0].kind()) {
            names.truncate(1);
        }
        if !names.is_empty() {
            return names.into_iter().map(|name| self.node_kinds.innermost(name).0).collect();
        }
        if let Some(pattern) =
            ["pattern", "declarator", "left"].iter().find_map(|field| node.child_by_field_name(field))
        {
            let inner = self.node_kinds.innermost(pattern).0;
            // The name of `...rest` is one level further down.
            let rest = inner.named_child(0).filter(|_| self.is_variadic(inner));
            return vec![rest.unwrap_or(inner)];
        }
        if !node.kind().contains("parameter") && !self.is_variadic(node) {
            return Vec::new();
        }
        let declared = node.child_by_field_name("type").map(|node| node.id());
        let children: Vec<Node<'tree>> = node.named_children().collect();
        let inner = |child: &Node<'tree>| {
            let name = child.child_by_field_name("name");
            name.or_else(|| child.named_child(0).filter(|name| self.is_variadic(*child) && is_name(name)))
        };
        let is_leaf = |child: &&Node<'tree>| Some(child.id()) != declared && child.is_named() && is_name(child);
        let leaf = children.iter().find(is_leaf).copied();
        leaf.or_else(|| children.iter().find_map(inner)).into_iter().collect()
    }

    fn is_variadic(&self, node: Node<'tree>) -> bool {
        has_mark(node, &self.language.settings().parameters.variadic, 0)
    }

    /// Returns the type of a slot.
    fn parameter_type(&self, slot: &Slot<'tree>) -> Option<DeclaredType> {
        let in_node = |node: &Node<'tree>| {
            let children: Vec<Node<'tree>> = node.named_children().collect();
            let is_type = |child: &Node<'tree>| self.is_type_node(*child);
            node.child_by_field_name("type").or_else(|| children.into_iter().find(is_type))
        };
        let beside = slot.nodes.iter().find(|node| slot.nodes.len() > 1 && self.is_type_node(**node)).copied();
        let node = beside.or_else(|| slot.nodes.iter().find_map(in_node))?;
        // The colon is no part of the type.
        let inner = node.child(0).filter(|first| first.kind() == ":").and_then(|first| first.next_named_sibling());
        self.declared_type(&inner.unwrap_or(node).into())
    }

    fn is_type_node(&self, node: Node<'tree>) -> bool {
        node.kind() == "type" || node.kind().ends_with("_type")
    }
}

/// Returns whether a node, or one at most `depth` levels below it, has one of these kinds; words
/// are kinds, too.
fn has_mark(node: Node<'_>, marks: &[String], depth: usize) -> bool {
    if marks.is_empty() {
        return false;
    }
    if marks.iter().any(|mark| mark == node.kind()) {
        return true;
    }
    if depth == 0 {
        return false;
    }
    node.children().any(|child| has_mark(child, marks, depth - 1))
}
