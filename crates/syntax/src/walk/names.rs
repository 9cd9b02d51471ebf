//! What each name in the tree is: a binding, a use of some kind, or nothing of interest.

use tree_sitter::Node;

use super::{Level, Walk};
use crate::classes::{ATTRIBUTE, IDENTIFIER, MEMBER, TOKENS, TYPE_IDENTIFIER};
use crate::expression;
use crate::extract::{Arguments, Claim, Within};
use crate::facts::{RefKind, Reference};

impl<'text, 'tree> Walk<'text, 'tree> {
    /// Gives a definition the type parameters that its wrapper declares before it, and the uses among them.
    pub(super) fn take_waiting_types(&mut self, node: Node<'tree>, index: u32) {
        let Some((wrapper, names)) = self.waiting_types.take() else { return };
        if node.start_byte() >= wrapper.end_byte() {
            return;
        }
        for (name, bound) in names {
            self.bound[bound as usize].binding.enclosing = Some(index);
            self.scopes.entry(index).or_default().types.insert(name, bound);
        }
        let start = wrapper.start_position();
        let start = (start.row as u32 + 1, start.column as u32 + 1);
        let references = self.facts.references.iter_mut().rev();
        for reference in references.take_while(|reference| (reference.line, reference.column) >= start) {
            reference.enclosing = Some(index);
        }
    }

    pub(super) fn identifier(&mut self, node: Node<'tree>, class: u32) {
        let start = node.start_byte();
        let claims = &self.matches.claims;
        while claims.get(self.next_claim).is_some_and(|(byte, _)| *byte < start) {
            self.next_claim += 1;
        }
        let claim = claims.get(self.next_claim).filter(|(byte, _)| *byte == start).map(|(_, claim)| claim.clone());
        while self.receivers.last().is_some_and(|(byte, _)| *byte < start) {
            self.receivers.pop();
        }
        let member_of = self.receiver_at(start);
        let ranges = &self.matches.import_ranges;
        while ranges.get(self.next_import).is_some_and(|range| range.end <= start) {
            self.next_import += 1;
        }
        let in_import = ranges.get(self.next_import).is_some_and(|range| range.contains(&start));
        let within = self.within_at(start).filter(|_| class & TYPE_IDENTIFIER == 0);
        let arguments = match &claim {
            Some(Claim::Reference { arguments, .. }) => *arguments,
            _ => Arguments::Unknown,
        };
        let (kind, receiver) = match claim {
            Some(Claim::DefinitionName | Claim::Skip) => return,
            Some(Claim::Local) => return self.bind_local(node),
            Some(Claim::LocalType) => return self.bind_type(node),
            Some(Claim::Nonlocal) => return self.bind_nonlocal(node),
            Some(Claim::Reference { kind: RefKind::Import, .. }) => (RefKind::Import, None),
            Some(Claim::Reference { kind: RefKind::Call | RefKind::Read, receiver, .. })
                if within == Some(Within::Type) =>
            {
                (RefKind::Type, receiver.or(member_of))
            }
            // Neither a pattern nor a type assigns to a field it names.
            Some(Claim::Reference { kind: RefKind::Write, receiver, .. })
                if matches!(within, Some(Within::Local | Within::Type)) =>
            {
                (RefKind::Read, receiver.or(member_of))
            }
            Some(Claim::Reference { kind, receiver, .. }) => (kind, receiver.or(member_of)),
            None if in_import => (RefKind::Import, None),
            None if within == Some(Within::Skip) => return,
            None if within == Some(Within::Local) && member_of.is_none() => return self.bind_local(node),
            None if within == Some(Within::Type) => (RefKind::Type, member_of),
            None if class & TYPE_IDENTIFIER != 0 || self.in_type(start, member_of.is_some()) => {
                (RefKind::Type, member_of)
            }
            None if self.in_tokens() => self.token_use(node),
            None => (RefKind::Read, member_of),
        };
        if matches!(kind, RefKind::Read | RefKind::Write) && self.text[node.byte_range()] == *"_" {
            return;
        }
        let arguments = if kind == RefKind::Type { None } else { self.count_arguments(node, arguments) };
        self.around.push((self.open_nameless.last().copied(), start));
        let position = node.start_position();
        let name = self.name_text(node);
        // What stands before the last part of a qualified word is a receiver too.
        let inside = if self.classes.qualified_leaf(node) { node.byte_range().len() - name.len() } else { 0 };
        let before = node.start_byte()..(node.start_byte() + inside).saturating_sub(self.language.separator().len());
        let receiver = receiver.or((inside > 0).then_some(before));
        let reference = Reference {
            name: self.intern(name),
            kind,
            receiver: receiver.map(|range| self.intern_owned(expression::shortened(&self.text[range]))),
            root: None,
            enclosing: self.parent(),
            line: position.row as u32 + 1,
            column: (position.column + inside) as u32 + 1,
            arguments,
        };
        self.facts.references.push(reference);
    }

    /// What stands before the member that starts at a byte. Where paths nest to the right, later members are noted first.
    pub(super) fn receiver_at(&self, start: usize) -> Option<std::ops::Range<usize>> {
        const FAR_ENOUGH: usize = 16;
        let mut here = self.receivers.iter().rev().take(FAR_ENOUGH).take_while(|(byte, _)| *byte >= start);
        here.find(|(byte, _)| *byte == start).map(|(_, object)| object.clone())
    }

    /// A block that adds to a type uses the type's name.
    pub(super) fn refer_to_type(&mut self, node: Node<'tree>, enclosing: Option<u32>) {
        if self.classes.of(&node) & IDENTIFIER == 0 {
            return;
        }
        let position = node.start_position();
        self.around.push((self.open_nameless.last().copied(), node.start_byte()));
        let reference = Reference {
            name: self.intern(self.name_text(node)),
            kind: RefKind::Type,
            receiver: None,
            root: None,
            enclosing,
            line: position.row as u32 + 1,
            column: position.column as u32 + 1,
            arguments: None,
        };
        self.facts.references.push(reference);
    }

    /// What the query says of all names in the innermost of its ranges around `start`.
    fn within_at(&mut self, start: usize) -> Option<Within> {
        while let Some((range, within)) =
            self.matches.within.get(self.next_within).filter(|(range, _)| range.start <= start)
        {
            self.within.push((range.clone(), *within));
            self.next_within += 1;
        }
        while self.within.last().is_some_and(|(range, _)| range.end <= start) {
            self.within.pop();
        }
        self.within.last().map(|(_, within)| *within)
    }

    /// Whether the name at `start` stands in a type; what precedes a member (`typing` in `typing.Any`) is no type.
    fn in_type(&self, start: usize, is_member: bool) -> bool {
        let before_member = || self.levels.last().is_some_and(|level| self.classes.of(&level.node) & MEMBER != 0);
        start < self.type_end && (is_member || !before_member())
    }

    /// Whether the current node is one of a row of words that stands for code.
    fn in_tokens(&self) -> bool {
        const FAR_ENOUGH: usize = 16;
        let class = |level: &Level<'_>| self.classes.of(&level.node);
        self.levels.last().is_some_and(|level| class(level) & TOKENS != 0)
            && !self.levels.iter().rev().take(FAR_ENOUGH).any(|level| class(level) & ATTRIBUTE != 0)
    }

    /// What a word in a row of words is used for, by the marks around it.
    fn token_use(&self, node: Node<'tree>) -> (RefKind, Option<std::ops::Range<usize>>) {
        let (before, after) = (&self.text[..node.start_byte()], &self.text[node.end_byte()..]);
        let called =
            after.trim_start_matches('!').starts_with('(') || after.starts_with("![") || after.starts_with("!{");
        let object = before.strip_suffix("::").or_else(|| before.strip_suffix('.').filter(|rest| !rest.ends_with('.')));
        let receiver = object.map(|object| object.len() - chain_length(object)..object.len());
        (if called { RefKind::Call } else { RefKind::Read }, receiver)
    }

    pub(super) fn intern(&mut self, name: &'text str) -> u32 {
        *self.names.entry(name).or_insert_with(|| {
            self.facts.names.push(name.to_string());
            self.facts.names.len() as u32 - 1
        })
    }
}

/// How long the chain of names, calls and indexes at the end of a text is.
fn chain_length(text: &str) -> usize {
    const MAX_CHAIN: usize = 400;
    let bytes = text.as_bytes();
    let start = text.ceil_char_boundary(text.len().saturating_sub(MAX_CHAIN));
    let (mut at, mut depth) = (text.len(), 0usize);
    while at > start {
        let byte = bytes[at - 1];
        let is_name = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.') || !byte.is_ascii();
        match byte {
            b')' | b']' | b'>' if byte != b'>' || bytes[..at - 1].last() != Some(&b'-') => depth += 1,
            b'(' | b'[' | b'<' if depth > 0 => depth -= 1,
            b'(' | b'[' | b'<' => break,
            _ if depth > 0 || is_name => {}
            _ => break,
        }
        at -= 1;
    }
    // The end of an expression stands for the whole of it.
    let length = if depth > 0 { 0 } else { text.len() - text.ceil_char_boundary(at) };
    length.max(text.chars().next_back().map_or(0, char::len_utf8))
}
