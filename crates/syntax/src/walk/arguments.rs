//! Counts the arguments of calls, and reads those that overloads are chosen by.
//!
//! A call whose arguments cannot be counted for sure has no count: a wrong number would lead to the
//! wrong overload, none leads to all of them.

use super::Walk;
use crate::extract::Arguments;
use crate::facts::{CallArgument, Chain, ChainRoot, DeclaredType, TypeForm, TypeNode};
use crate::node_kinds::ExpressionRole;
use crate::node_kinds::{ANY_ARGUMENTS, ARGUMENTS, AROUND_ARGUMENTS, COMMENT, LAST_ARGUMENT, SEVERAL_ALONE};
use crate::tree::Node;

/// Wrappers in wrappers are looked into this far.
const MAX_WRAPPERS: usize = 4;
/// A node with more parts than this is no call; a name in it may be one, without a list.
const MAX_PARTS: usize = 16;
/// Operands of one text are looked for this far.
const MAX_OPERANDS: usize = 32;
/// Stands for the type of a function without a name.
const FUNCTION: &str = "()";
/// No more arguments of a call are kept.
const MAX_VALUES: usize = 8;
/// Literal numbers with more digits may be of a larger type, by the start of the number.
const MOST_DIGITS: [(&str, usize); 3] = [("0x", 7), ("0b", 31), ("", 9)];

/// The arguments of a call.
pub(super) struct Given<'tree> {
    pub count: u8,
    list: Option<Node<'tree>>,
    /// The number of those that stand in the list, or before what is behind it.
    listed: usize,
}

/// The parts of a call behind its name.
#[derive(Default)]
struct Behind<'tree> {
    list: Option<Node<'tree>>,
    blocks: usize,
}

impl<'tree> Walk<'_, 'tree> {
    /// Finds the arguments that the use of `name` has.
    pub(super) fn given_arguments(&self, name: Node<'tree>, arguments: Arguments<'tree>) -> Option<Given<'tree>> {
        let counted = |count: usize| u8::try_from(count).ok();
        let (call, outside) = match arguments {
            Arguments::Unknown => return None,
            Arguments::Written(count) => return Some(Given { count, list: None, listed: 0 }),
            Arguments::In(list) => {
                let listed = self.listed(list.start_byte(), list)?;
                return Some(Given { count: counted(listed)?, list: Some(list), listed });
            }
            Arguments::Of(call, outside) => (call, outside),
        };
        let rules = &self.language.settings().arguments;
        if rules.lists.is_empty() {
            return None;
        }
        let mut behind = Behind::default();
        self.look_behind(call, name.end_byte(), MAX_WRAPPERS, &mut behind);
        if rules.blocks_outside
            && let Some(around) = self.node_around(call)
            && around.kind_id() == call.kind_id()
        {
            // A second list there calls what the call gives.
            let mut outer = Behind::default();
            self.look_behind(around, call.end_byte(), 0, &mut outer);
            behind.blocks += outer.blocks;
        }
        let listed = match behind.list {
            // What is made of a type that is written elsewhere has a list of its own.
            Some(list) if call.start_byte() > name.start_byte() => self.listed(list.start_byte(), list)?,
            Some(list) => self.listed(name.end_byte(), list)?,
            None if behind.blocks > 0 || outside.is_some() => 0,
            None => return None,
        };
        let outside = usize::from(outside.unwrap_or(0));
        let count = counted(listed + behind.blocks + outside)?;
        // Arguments outside of the list stand before those in it.
        let (list, listed) = if outside == 0 { (behind.list, listed) } else { (None, usize::from(count)) };
        Some(Given { count, list, listed })
    }

    /// Records what the arguments of the last reference are, in languages whose overloads are
    /// chosen by their types.
    pub(super) fn note_arguments(&mut self, given: &Given<'tree>) {
        let Some(reference) = self.facts.references.len().checked_sub(1) else { return };
        let mut arguments: Vec<Node<'tree>> = Vec::new();
        if let Some(list) = given.list {
            let listed = list.named_children().filter(|node| self.node_kinds.of(node) & COMMENT == 0);
            arguments.extend(listed.take(MAX_VALUES));
        }
        for (position, argument) in arguments.into_iter().enumerate() {
            if let Some(value) = self.argument_value(argument) {
                let (reference, position) = (reference as u32, position as u8);
                self.facts.arguments.push(CallArgument { reference, position, value, root: None });
            }
        }
        // A function behind the list.
        if given.listed + 1 == usize::from(given.count) {
            let value = self.function_value();
            let (reference, position) = (reference as u32, CallArgument::LAST);
            self.facts.arguments.push(CallArgument { reference, position, value, root: None });
        }
    }

    /// Records the labels of the arguments of the last reference, in languages where they belong to
    /// the name.
    pub(super) fn note_labels(&mut self, given: &Given<'tree>) {
        let field = &self.language.settings().arguments.label;
        let (Some(reference), Some(list)) = (self.facts.references.len().checked_sub(1), given.list) else { return };
        if field.is_empty() {
            return;
        }
        let written = &self.text[list.byte_range()];
        let mut labels = String::new();
        if written.ends_with(":)") {
            labels.extend(written.chars().filter(|c| !matches!(c, '(' | ')') && !c.is_whitespace()));
        } else {
            let arguments = list.named_children().filter(|node| self.node_kinds.of(node) & COMMENT == 0);
            for argument in arguments {
                let label = argument.child_by_field_name(field);
                labels.push_str(label.map_or("_", |label| &self.text[label.byte_range()]));
                labels.push(':');
            }
        }
        if labels.is_empty() {
            return;
        }
        let root = ChainRoot::Cast(self.types.intern(DeclaredType::new(labels, Vec::new())));
        let (reference, value) = (reference as u32, self.chains.intern(Chain { root, steps: Vec::new() }));
        self.facts.arguments.push(CallArgument { reference, position: CallArgument::LABELS, value, root: None });
    }

    fn function_value(&mut self) -> u32 {
        let node = |form, parts| TypeNode { form, start: 0, end: 0, parts };
        let form = vec![node(TypeForm::Function, 1), node(TypeForm::Unknown, 0)];
        let declared = self.types.intern(DeclaredType::new(FUNCTION.to_string(), form));
        self.chains.intern(Chain { root: ChainRoot::Cast(declared), steps: Vec::new() })
    }

    /// Reads an argument; `None` if nothing is known of it. A literal is something of its type.
    fn argument_value(&mut self, argument: Node<'tree>) -> Option<u32> {
        let mut node = argument;
        while let Some(only) = node.named_child(0).filter(|only| only.byte_range() == node.byte_range()) {
            node = only;
        }
        let settings = self.language.settings();
        if self.node_kinds.expression_role(&node) == Some(ExpressionRole::Unary)
            && let Some(operand) = node.named_child(0)
            && self.text[operand.byte_range()].starts_with(|first: char| first.is_ascii_digit())
        {
            node = operand;
        }
        let chain = match settings.arguments.types.get(node.kind()) {
            Some(literal) if literal.is_empty() => return None,
            Some(literal) if literal == FUNCTION => return Some(self.function_value()),
            Some(literal) => {
                let declared = DeclaredType::new(self.literal_type(node, literal)?.to_string(), Vec::new());
                Chain { root: ChainRoot::Cast(self.types.intern(declared)), steps: Vec::new() }
            }
            None if self.is_of_other_type(node) => return None,
            None if self.is_joined_text(node, MAX_OPERANDS) => {
                let text = DeclaredType::new(settings.resolve.text_type.clone(), Vec::new());
                Chain { root: ChainRoot::Cast(self.types.intern(text)), steps: Vec::new() }
            }
            None => self.chain(node),
        };
        let is_known = !matches!(chain.root, ChainRoot::Unknown | ChainRoot::Number | ChainRoot::Map);
        is_known.then(|| self.chains.intern(chain))
    }

    /// Returns the type of a literal.
    fn literal_type<'a>(&'a self, node: Node<'tree>, literal: &'a str) -> Option<&'a str> {
        let settings = self.language.settings();
        let written = self.text[node.byte_range()].to_lowercase();
        if !written.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            let is_text = literal == settings.resolve.text_type;
            return (!is_text || written.ends_with('"')).then_some(literal);
        }
        let is_hex = written.starts_with("0x");
        let is_digit = |suffix: &str| is_hex && suffix.bytes().all(|c| c.is_ascii_hexdigit());
        let suffixes = settings.arguments.suffixes.iter();
        let ends = suffixes.filter(|(suffix, _)| written.ends_with(suffix.as_str()) && !is_digit(suffix));
        if let Some((_, suffixed)) = ends.max_by_key(|(suffix, _)| suffix.len()) {
            return Some(suffixed);
        }
        let (start, most) = MOST_DIGITS.into_iter().find(|(start, _)| written.starts_with(start))?;
        let digits = written[start.len()..].bytes().filter(|digit| *digit != b'_').count();
        (written.contains(['.', 'e']) && !is_hex || digits <= most).then_some(literal)
    }

    /// Returns whether an expression may be of another type than what it starts with.
    fn is_of_other_type(&self, node: Node<'tree>) -> bool {
        let mut node = node;
        while self.node_kinds.expression_role(&node) == Some(ExpressionRole::Same)
            && let Some(inner) = node.named_child(0)
        {
            node = inner;
        }
        let written = &self.text[node.byte_range()];
        let settings = self.language.settings();
        // A function behind a list may have an instance of its own.
        let is_instance = !settings.arguments.blocks.is_empty()
            && !self.scopes.open_nameless.is_empty()
            && settings.resolve.instance_words.iter().any(|word| word == written);
        let role = self.node_kinds.expression_role(&node);
        let is_operator = matches!(role, Some(ExpressionRole::Either | ExpressionRole::Unary));
        is_instance || written.contains("?.") || is_operator && !self.is_joined_text(node, MAX_OPERANDS)
    }

    /// Counts the type arguments behind a name, in languages whose types differ by their number.
    pub(super) fn count_type_arguments(&self, name: Node<'tree>) -> usize {
        let settings = self.language.settings();
        let is_generic = || self.text[name.end_byte()..].trim_start().starts_with('<');
        if !settings.resolve.types_by_arity || !is_generic() {
            return 0;
        }
        let list = name.next_sibling().filter(|next| settings.types.arguments.iter().any(|kind| kind == next.kind()));
        let Some(list) = list else { return 0 };
        // `typeof(Pair<,>)` has nothing but the marks between them.
        list.children().filter(|part| part.kind() == ",").count() + 1
    }

    /// The node that holds `node`, an ancestor of the current one.
    fn node_around(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let at = self.levels.iter().rposition(|level| level.node.id() == node.id())?;
        self.levels.get(at.checked_sub(1)?).map(|level| level.node)
    }

    /// Looks for arguments in `node` from a byte on.
    fn look_behind(&self, node: Node<'tree>, from: usize, wrappers: usize, behind: &mut Behind<'tree>) {
        let parts = node.named_children().take(MAX_PARTS);
        for child in parts.filter(|child| child.start_byte() >= from) {
            let class = self.node_kinds.of(&child);
            if class & ARGUMENTS != 0 {
                behind.list = behind.list.or(Some(child));
            } else if class & LAST_ARGUMENT != 0 {
                behind.blocks += 1;
            } else if class & AROUND_ARGUMENTS != 0 && wrappers > 0 {
                self.look_behind(child, from, wrappers - 1, behind);
            }
        }
    }

    /// The number of arguments in a list right behind a name that ends at a byte.
    fn listed(&self, name_end: usize, list: Node<'tree>) -> Option<usize> {
        let between = self.text.get(name_end..list.start_byte())?;
        let written = &self.text[list.byte_range()];
        if list.has_error() || written.starts_with('[') || !belongs_together(between) {
            return None;
        }
        let (mut count, mut last) = (0, 0);
        for argument in list.named_children() {
            let class = self.node_kinds.of(&argument);
            if class & COMMENT != 0 {
                continue;
            }
            if self.is_spread(argument, class) {
                return None;
            }
            count += 1;
            last = class;
        }
        // `run(_:with:)` is not called, but named with the labels of its arguments.
        if written.ends_with(":)") {
            return Some(written.matches(':').count());
        }
        (count != 1 || last & SEVERAL_ALONE == 0).then_some(count)
    }

    /// Returns whether an operator joins a literal text and something (`"a" + b`).
    fn is_joined_text(&self, node: Node<'tree>, depth: usize) -> bool {
        let operands: Vec<Node<'tree>> = node.children().take(3).collect();
        let [left, mark, right] = operands[..] else { return false };
        let rules = self.language.settings();
        let is_text = |operand: &Node<'tree>| {
            rules.arguments.types.get(operand.kind()).is_some_and(|literal| *literal == rules.resolve.text_type)
        };
        let is_right_text = || rules.arguments.joins_any && is_text(&right);
        depth > 0 && mark.kind() == "+" && (is_text(&left) || is_right_text() || self.is_joined_text(left, depth - 1))
    }

    fn is_spread(&self, argument: Node<'tree>, class: u32) -> bool {
        if class & AROUND_ARGUMENTS == 0 {
            return class & ANY_ARGUMENTS != 0;
        }
        argument.named_children().any(|part| self.node_kinds.of(&part) & ANY_ARGUMENTS != 0)
    }
}

/// Returns whether a list behind a name is its own: between them are type arguments or marks, not
/// the name of a member.
fn belongs_together(between: &str) -> bool {
    let between = between.trim_start();
    let marks = between.trim_start_matches(['?', '!', ')']);
    let is_own = marks.is_empty() || marks.starts_with(['<', '[']) || marks.starts_with("::<");
    // `f?.(x)`
    is_own || marks == "." && between.len() > 1 || marks.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_other_names() {
        for own in ["", " ", "<A, B.C>", "::<T>", "[int]", "!", "?", "?.", ")", " <T>"] {
            assert!(belongs_together(own), "{own}");
        }
        for other in [".b", "?.b", "::c", ".b<T>", "!.b", " b", "."] {
            assert!(!belongs_together(other), "{other}");
        }
    }
}
