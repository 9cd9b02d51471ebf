//! From the name of a value outwards: to the name it is given to, the call it is passed to, the
//! function that returns it, or the condition that it decides.

use tree_sitter::Node;

use super::{FlowCode, MAX_CLIMB, field_of, named_children};
use crate::code::{CodePlace, NodeRole};

/// The use of a value at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePlace {
    /// The way that the value takes.
    pub role: ValueRole,
    /// The line of the condition that it decides.
    pub decides: Option<u32>,
    /// True if not the value itself goes there, but what is computed from it.
    pub is_derived: bool,
    /// True if what goes there is the key of the value, not yet the value.
    pub is_key: bool,
}

/// The way that a value takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueRole {
    /// It is written there.
    Written,
    /// It is given to a name.
    Copied {
        /// The name.
        name: String,
        /// The place of the name.
        place: CodePlace,
        /// True for the key of a map or the field of an initialiser.
        is_key: bool,
    },
    /// It is an argument of a call.
    Argument(ArgumentPlace),
    /// The function around it returns it.
    Returned,
    /// Anything else.
    Read,
}

/// The place of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentPlace {
    /// The name of what is called.
    pub callee: String,
    /// The place of that name.
    pub place: CodePlace,
    /// The number of arguments before it.
    pub position: usize,
    /// The name that the call gives to the argument.
    pub label: Option<String>,
}

/// One step from a node to the one around it.
enum Outwards<'tree> {
    /// It is the same value.
    Same,
    /// Something else is made of the value.
    Derived,
    /// A part of the value is used.
    Part,
    Decides,
    Written,
    Copied(Option<Node<'tree>>, bool),
    Argument(ArgumentPlace, Node<'tree>),
    /// The value that is kept under a key.
    Keyed(Node<'tree>),
    Returned,
    End,
}

/// Fields with the value that is given to the name beside it.
const VALUES: [&str; 5] = ["right", "value", "result", "default_value", "default"];
/// Fields with that name.
const TARGETS: [&str; 6] = ["left", "name", "target", "declarator", "pattern", "field"];
/// Beginnings of names of functions that keep a value under a key.
const WRITERS: [&str; 9] = ["set", "put", "add", "define", "register", "store", "option", "default", "declare"];
/// Words in kinds of nodes that hold an expression and are one.
const EXPRESSIONS: [&str; 18] = [
    "expression",
    "operator",
    "unary",
    "binary",
    "parenthesized",
    "conditional",
    "ternary",
    "interpol",
    "string",
    "list",
    "array",
    "tuple",
    "spread",
    "splat",
    "cast",
    "element",
    "literal",
    "substitution",
];
/// Words in kinds of nodes whose branches are values, where the last value of a block is its value.
const BRANCHES: [&str; 12] =
    ["if", "else", "match", "case", "when", "then", "arm", "unless", "begin", "try", "rescue", "clause"];

impl FlowCode {
    /// Returns what becomes of the value that is named at a byte. With `is_key` the name is the key
    /// of the value.
    pub fn value_at(&self, byte: usize, is_key: bool) -> ValuePlace {
        self.climb(self.leaf(byte).map(|leaf| self.whole_text(leaf)), is_key)
    }

    /// Returns what becomes of the result of the call that is named at a byte.
    pub fn result_at(&self, byte: usize) -> ValuePlace {
        let mut at = self.leaf(byte);
        for _ in 0..4 {
            at = match at {
                Some(node) if self.role(node) == Some(NodeRole::Call) => break,
                Some(node) => node.parent(),
                None => break,
            };
        }
        let is_call = at.is_some_and(|node| self.role(node) == Some(NodeRole::Call));
        self.climb(if is_call { at } else { self.leaf(byte) }, false)
    }

    /// Returns the literal text around a node in it.
    fn whole_text<'tree>(&self, leaf: Node<'tree>) -> Node<'tree> {
        let mut whole = leaf;
        let mut at = Some(leaf);
        for _ in 0..3 {
            match at {
                Some(node) if self.role(node) == Some(NodeRole::String) => whole = node,
                Some(node) if self.role(node) == Some(NodeRole::Interpolation) => break,
                _ => {}
            }
            at = at.and_then(|node| node.parent());
        }
        whole
    }

    fn climb<'tree>(&'tree self, start: Option<Node<'tree>>, is_key: bool) -> ValuePlace {
        let mut place = ValuePlace { role: ValueRole::Read, decides: None, is_derived: false, is_key };
        let Some(mut at) = start else { return place };
        let (mut is_settled, mut is_part) = (false, false);
        let mut before = at;
        for _ in 0..MAX_CLIMB {
            let Some(parent) = at.parent() else { break };
            let step = self.outwards(parent, at, before, place.is_key);
            let is_open = !is_settled && !is_part;
            let next = match step {
                Outwards::Same => parent,
                Outwards::Derived => {
                    place.is_derived |= !is_settled;
                    parent
                }
                Outwards::Part => {
                    is_part = true;
                    parent
                }
                Outwards::Keyed(call) => {
                    place.is_key = false;
                    call
                }
                Outwards::Argument(argument, call) => {
                    if is_open {
                        place.role = ValueRole::Argument(argument);
                        is_settled = true;
                    }
                    call
                }
                Outwards::Decides => {
                    place.decides = Some(parent.start_position().row as u32 + 1);
                    break;
                }
                Outwards::Written if is_open => {
                    place.role = ValueRole::Written;
                    break;
                }
                Outwards::Copied(target, is_key) if is_open => {
                    // The last leaf of a key in quotes is a quote.
                    let is_quoted = |leaf: &Node<'_>| is_key && self.key_text(*leaf).is_empty();
                    let name = target.and_then(|target| self.last_name(target).filter(|leaf| !is_quoted(leaf)));
                    if let Some(name) = name.or(target.filter(|_| is_key)) {
                        place.role = ValueRole::Copied {
                            name: self.key_text(name).trim_start_matches('$').to_string(),
                            place: self.place_of(name.start_byte()),
                            is_key,
                        };
                    }
                    break;
                }
                Outwards::Returned if is_open => {
                    place.role = ValueRole::Returned;
                    break;
                }
                _ => break,
            };
            before = at;
            at = next;
        }
        place
    }

    fn outwards<'tree>(
        &self,
        parent: Node<'tree>,
        at: Node<'tree>,
        before: Node<'tree>,
        is_key: bool,
    ) -> Outwards<'tree> {
        let field = field_of(parent, at);
        if self.is_decided(parent, at, field) {
            return Outwards::Decides;
        }
        match self.role(parent) {
            Some(NodeRole::Arguments) => self.argument(parent, at, is_key),
            Some(NodeRole::WrappedArgument | NodeRole::Same | NodeRole::Name | NodeRole::Symbol) => Outwards::Same,
            Some(NodeRole::Pair) => self.pair(parent, at),
            Some(NodeRole::Member) => match field {
                Some("index") if is_key => Outwards::Same,
                Some("index") => Outwards::Part,
                _ if is_first(parent, at) => Outwards::Part,
                _ => Outwards::Same,
            },
            Some(NodeRole::Call) if is_key && is_lookup(parent) => Outwards::Keyed(parent),
            Some(NodeRole::Call) if self.is_block(at) && self.is_function_call(parent) => Outwards::Returned,
            Some(NodeRole::Call | NodeRole::String | NodeRole::Interpolation | NodeRole::List | NodeRole::Map) => {
                Outwards::Derived
            }
            Some(NodeRole::Operation) => self.operation(parent, at),
            Some(NodeRole::Assignment) => {
                self.named_argument(parent, at).unwrap_or_else(|| self.assignment(parent, at, before))
            }
            Some(NodeRole::Loop) => match field {
                Some("body") => Outwards::End,
                _ => self.assignment(parent, at, before),
            },
            Some(NodeRole::Return) => Outwards::Returned,
            Some(NodeRole::Function) => match field {
                Some("body") => Outwards::Returned,
                _ if self.is_block(at) || self.passes(at) => Outwards::Returned,
                _ => self.given_beside(parent, field).unwrap_or(Outwards::End),
            },
            Some(NodeRole::Decorator) if is_key => Outwards::Written,
            Some(_) => Outwards::End,
            None => self.outwards_by_kind(parent, at, before, is_key),
        }
    }

    /// Returns the step to a node that is not listed, by the words of its kind and its fields.
    fn outwards_by_kind<'tree>(
        &self,
        parent: Node<'tree>,
        at: Node<'tree>,
        before: Node<'tree>,
        is_key: bool,
    ) -> Outwards<'tree> {
        let (kind, field) = (parent.kind(), field_of(parent, at));
        if self.rules.assignments.iter().any(|one| one == kind) {
            return self.assignment(parent, at, before);
        }
        if self.passes(parent) {
            return Outwards::Same;
        }
        if kind.starts_with("shorthand_") {
            return Outwards::Copied(Some(at), true);
        }
        if is_lookup(parent) {
            return if is_first(parent, at) {
                Outwards::Part
            } else if is_key {
                Outwards::Keyed(parent)
            } else {
                Outwards::Part
            };
        }
        if kind.contains("update_expression") || kind.contains("compound_assignment") {
            return if is_first(parent, at) { Outwards::Written } else { self.assignment(parent, at, before) };
        }
        if kind.contains("assign") {
            return self.assignment(parent, at, before);
        }
        if ["operator", "op"].iter().any(|name| parent.child_by_field_name(name).is_some()) {
            return self.operation(parent, at);
        }
        let is_last = || named_children(parent).last() == Some(&at);
        let gives_last = self.kinds.last_is_result();
        if self.is_block(parent) {
            return if gives_last && is_last() { Outwards::Same } else { Outwards::End };
        }
        // A list of statements that is a value: `(a; b)`.
        if gives_last && BRANCHES.iter().any(|word| kind.contains(word)) {
            return Outwards::Same;
        }
        if let Some(step) = self.given_beside(parent, field) {
            return step;
        }
        if kind.contains("statement") || kind.contains("declaration") && !kind.contains("expression") {
            return Outwards::End;
        }
        let is_branch = matches!(field, Some("consequence" | "alternative" | "if_true" | "if_false"));
        if !EXPRESSIONS.iter().any(|word| kind.contains(word)) {
            return Outwards::End;
        }
        if is_branch || kind.ends_with("_list") || kind.contains("parenthesized") {
            return Outwards::Same;
        }
        Outwards::Derived
    }

    /// Returns the step of a value that stands beside the name it is given to, as in the default of
    /// a parameter, or of that name.
    fn given_beside<'tree>(&self, parent: Node<'tree>, field: Option<&str>) -> Option<Outwards<'tree>> {
        let field = field?;
        let target = || TARGETS.iter().find_map(|name| parent.child_by_field_name(name));
        if VALUES.contains(&field) {
            let is_choice = parent.child_by_field_name("pattern").is_some();
            return target().filter(|_| !is_choice).map(|target| Outwards::Copied(Some(target), false));
        }
        let has_value = || VALUES.iter().any(|name| parent.child_by_field_name(name).is_some());
        (TARGETS.contains(&field) && has_value()).then_some(Outwards::Written)
    }

    /// Returns whether a node decides by a part of it.
    fn is_decided(&self, parent: Node<'_>, at: Node<'_>, field: Option<&str>) -> bool {
        let kind = parent.kind();
        if field == Some("condition") {
            return !self.rules.no_decisions.iter().any(|known| known == kind);
        }
        match self.rules.decisions.get(kind).map(String::as_str) {
            None => false,
            Some("") => !self.is_block(at) && !at.kind().contains("statement"),
            Some(part) => match part.strip_prefix('#').and_then(|number| number.parse::<usize>().ok()) {
                Some(number) => named_children(parent).get(number) == Some(&at),
                None => field == Some(part),
            },
        }
    }

    fn passes(&self, node: Node<'_>) -> bool {
        self.rules.passes.iter().any(|kind| kind == node.kind())
    }

    /// Returns whether a call is a function by its name.
    fn is_function_call(&self, call: Node<'_>) -> bool {
        self.callee(call).is_some_and(|name| self.kinds.is_function_call(self.text_of(name)))
    }

    /// Returns the argument that is written like an assignment in a list of arguments.
    fn named_argument<'tree>(&self, parent: Node<'tree>, at: Node<'tree>) -> Option<Outwards<'tree>> {
        let arguments = parent.parent().filter(|around| self.role(*around) == Some(NodeRole::Arguments))?;
        if is_first(parent, at) {
            return None;
        }
        let (callee, call) = self.call_around(arguments)?;
        let label = parent.named_child(0).map(|name| self.text_of(name).to_string());
        let position = named_children(arguments).iter().position(|child| *child == parent).unwrap_or(0);
        let place = self.place_of(callee.start_byte());
        let callee = self.text_of(callee).to_string();
        Some(Outwards::Argument(ArgumentPlace { callee, place, position, label }, call))
    }

    fn operation<'tree>(&self, parent: Node<'tree>, at: Node<'tree>) -> Outwards<'tree> {
        let operator = parent.child_by_field_name("operator").or_else(|| parent.child_by_field_name("op"));
        let operator = operator.or_else(|| super::children(parent).into_iter().find(|child| !child.is_named()));
        let operator = operator.map_or("", |operator| self.text_of(operator));
        if self.rules.deciding_operators.iter().any(|known| known == operator) {
            return Outwards::Decides;
        }
        if self.rules.assigning_operators.iter().any(|known| known == operator) {
            return if is_first(parent, at) {
                Outwards::Written
            } else {
                Outwards::Copied(parent.named_child(0), false)
            };
        }
        Outwards::Derived
    }

    fn assignment<'tree>(&self, parent: Node<'tree>, at: Node<'tree>, before: Node<'tree>) -> Outwards<'tree> {
        let by_field = |names: &[&str]| names.iter().find_map(|name| parent.child_by_field_name(name));
        let is_name =
            |child: &Node<'_>| matches!(self.role(*child), Some(NodeRole::Name | NodeRole::Member | NodeRole::Same));
        let target = by_field(&["left", "name", "pattern", "target", "declarator"]);
        let target = target.or_else(|| named_children(parent).into_iter().find(is_name));
        if target == Some(at) {
            return Outwards::Written;
        }
        if matches!(field_of(parent, at), Some("type" | "body")) {
            return Outwards::End;
        }
        // Both sides may be lists of the same length.
        let several = target.filter(|target| target.kind().ends_with("list") && target.named_child_count() > 1);
        if let Some(targets) = several
            && at.kind().ends_with("list")
            && let Some(number) = named_children(at).iter().position(|child| *child == before)
        {
            return Outwards::Copied(targets.named_child(number as u32), false);
        }
        Outwards::Copied(target, false)
    }

    fn pair<'tree>(&self, parent: Node<'tree>, at: Node<'tree>) -> Outwards<'tree> {
        let key = ["key", "name"].iter().find_map(|name| parent.child_by_field_name(name));
        let key = key.or_else(|| parent.named_child(0));
        if key == Some(at) {
            return Outwards::Written;
        }
        let call = parent.parent().filter(|around| self.role(*around) == Some(NodeRole::Arguments));
        let label = key.map(|key| self.key_text(key));
        if let (Some(arguments), Some(label)) = (call, label)
            && let Some((callee, call)) = self.call_around(arguments)
        {
            let position = named_children(arguments).iter().position(|child| *child == parent).unwrap_or(0);
            let place = self.place_of(callee.start_byte());
            let callee = self.text_of(callee).to_string();
            return Outwards::Argument(ArgumentPlace { callee, place, position, label: Some(label) }, call);
        }
        Outwards::Copied(key, true)
    }

    /// Returns a key without its marks.
    fn key_text(&self, key: Node<'_>) -> String {
        self.text_of(key).trim().trim_end_matches(':').trim_matches([':', '"', '\'', '`']).trim().to_string()
    }

    /// Returns the name that is called with some arguments, and the call.
    fn call_around<'tree>(&self, arguments: Node<'tree>) -> Option<(Node<'tree>, Node<'tree>)> {
        let mut at = arguments.parent();
        for _ in 0..3 {
            let node = at?;
            let is_call = self.role(node) == Some(NodeRole::Call) || node.child_by_field_name("macro").is_some();
            if is_call {
                return Some((self.callee(node)?, node));
            }
            if self.role(node).is_some() {
                return None;
            }
            at = node.parent();
        }
        None
    }

    fn argument<'tree>(&self, arguments: Node<'tree>, at: Node<'tree>, is_key: bool) -> Outwards<'tree> {
        let Some((callee, call)) = self.call_around(arguments) else {
            return Outwards::Same;
        };
        let all = named_children(arguments);
        let position = all.iter().position(|child| *child == at).unwrap_or(0);
        let name = self.text_of(callee);
        if position == 0 && self.rules.deciding_calls.iter().any(|known| known == name) {
            return Outwards::Decides;
        }
        if is_key {
            let lower = name.to_ascii_lowercase();
            let is_writer = WRITERS.iter().any(|word| lower.starts_with(word));
            let is_unused = call.parent().is_none_or(|around| {
                self.is_block(around) || around.kind().ends_with("statement") || around.parent().is_none()
            });
            let declares = call.parent().is_some_and(|around| self.role(around) == Some(NodeRole::Decorator));
            let is_written = all.len() > 1 && (is_writer || is_unused);
            return if is_written || declares { Outwards::Written } else { Outwards::Keyed(call) };
        }
        let label = match self.role(at) {
            Some(NodeRole::WrappedArgument) => self.label(at),
            _ => None,
        };
        let place = self.place_of(callee.start_byte());
        Outwards::Argument(ArgumentPlace { callee: name.to_string(), place, position, label }, call)
    }

    /// Returns the name that a call gives to an argument.
    fn label(&self, argument: Node<'_>) -> Option<String> {
        if let Some(name) = argument.child_by_field_name("name") {
            return Some(self.text_of(name).to_string());
        }
        let marked = super::children(argument).into_iter().any(|child| self.text_of(child) == "=");
        let first = argument.named_child(0).filter(|_| marked && argument.named_child_count() > 1)?;
        Some(self.text_of(first).to_string())
    }
}

/// Returns whether a node is the first part of another.
fn is_first(parent: Node<'_>, at: Node<'_>) -> bool {
    named_children(parent).first() == Some(&at)
}

/// Returns whether a node takes something out of what it names by a key.
fn is_lookup(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["subscript", "index", "element_access", "element_reference", "access_call"].iter().any(|word| kind.contains(word))
}
