//! Counts the arguments of calls. A call whose arguments cannot be counted for sure has no count: a
//! wrong number would lead to the wrong overload, none leads to all of them.

use tree_sitter::Node;

use super::Walk;
use crate::extract::Arguments;
use crate::node_kinds::{ANY_ARGUMENTS, ARGUMENTS, AROUND_ARGUMENTS, COMMENT, LAST_ARGUMENT, SEVERAL_ALONE};

/// Wrappers in wrappers are looked into this far.
const MAX_WRAPPERS: usize = 4;
/// A node with more parts than this is no call; a name in it may be one, without a list.
const MAX_PARTS: usize = 16;

/// The parts of a call behind its name.
#[derive(Default)]
struct Behind<'tree> {
    list: Option<Node<'tree>>,
    blocks: usize,
}

impl<'tree> Walk<'_, 'tree> {
    /// The number of arguments that the use of `name` has.
    pub(super) fn count_arguments(&self, name: Node<'tree>, arguments: Arguments<'tree>) -> Option<u8> {
        let (call, outside) = match arguments {
            Arguments::Unknown => return None,
            Arguments::Written(count) => return Some(count),
            Arguments::In(list) => return u8::try_from(self.listed(list.start_byte(), list)?).ok(),
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
        u8::try_from(listed + behind.blocks + usize::from(outside.unwrap_or(0))).ok()
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
        let mut cursor = list.walk();
        // `typeof(Pair<,>)` has nothing but the marks between them.
        list.children(&mut cursor).filter(|part| part.kind() == ",").count() + 1
    }

    /// The node that holds `node`, an ancestor of the current one.
    fn node_around(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let at = self.levels.iter().rposition(|level| level.node.id() == node.id())?;
        self.levels.get(at.checked_sub(1)?).map(|level| level.node)
    }

    /// Looks for arguments in `node` from a byte on.
    fn look_behind(&self, node: Node<'tree>, from: usize, wrappers: usize, behind: &mut Behind<'tree>) {
        let mut cursor = node.walk();
        let parts = node.named_children(&mut cursor).take(MAX_PARTS);
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
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor) {
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

    fn is_spread(&self, argument: Node<'tree>, class: u32) -> bool {
        if class & AROUND_ARGUMENTS == 0 {
            return class & ANY_ARGUMENTS != 0;
        }
        let mut cursor = argument.walk();
        argument.named_children(&mut cursor).any(|part| self.node_kinds.of(&part) & ANY_ARGUMENTS != 0)
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
