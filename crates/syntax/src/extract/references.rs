//! The meanings that the query gives to single names: uses, bindings, and names that are neither.

use super::{Collector, MatchParts};
use crate::facts::RefKind;
use crate::query::Part;
use crate::tree::Node;

/// The meaning of the name that starts at a byte.
#[derive(Clone)]
pub(crate) enum Claim<'tree> {
    DefinitionName,
    Local,
    LocalType,
    Nonlocal,
    Skip,
    Reference {
        kind: RefKind,
        receiver: Option<Node<'tree>>,
        arguments: Arguments<'tree>,
        /// The name is also bound for the enclosing function.
        binds: bool,
    },
}

/// The place of a use's arguments.
#[derive(Clone, Copy)]
pub(crate) enum Arguments<'tree> {
    /// Nothing is called, or its arguments are not known.
    Unknown,
    /// In the list of this call; the number of those outside of it, if the query says so.
    Of(Node<'tree>, Option<u8>),
    /// In this list.
    In(Node<'tree>),
    /// As many as are written there.
    Written(u8),
}

impl<'tree> Collector<'_, 'tree> {
    pub(super) fn refer(&mut self, parts: &MatchParts<'tree>, pattern: usize) {
        let (Some((kind, node)), Some(name)) = (parts.reference, parts.get(Part::Name)) else { return };
        let receiver = parts.get(Part::Receiver);
        let arity = parts.get(Part::Arity);
        let written = arity.and_then(|node| self.text[node.byte_range()].parse().ok());
        let list = arity.filter(|list| list.named_child_count() > 0);
        let arguments = match (written, list, kind) {
            (Some(count), ..) => Arguments::Written(count),
            (None, Some(list), _) => Arguments::In(list),
            (None, None, RefKind::Call | RefKind::Declaration) => {
                Arguments::Of(node, self.query.patterns[pattern].arguments)
            }
            (None, None, _) => Arguments::Unknown,
        };
        self.claim(name, pattern, Claim::Reference { kind, receiver, arguments, binds: parts.is_local });
    }
}

/// Sorts claims by byte and keeps one for each. A definition's own name is never a use of it;
/// otherwise the later pattern wins, and a use beats a binding.
pub(super) fn sort_claims(claims: &mut Vec<(usize, usize, Claim<'_>)>) {
    claims.sort_by_key(|(byte, pattern, claim)| {
        let weight = match claim {
            Claim::DefinitionName => 2,
            Claim::Reference { .. } | Claim::Nonlocal | Claim::Skip => 1,
            Claim::Local | Claim::LocalType => 0,
        };
        (*byte, std::cmp::Reverse((weight, *pattern)))
    });
    claims.dedup_by_key(|(byte, ..)| *byte);
}
