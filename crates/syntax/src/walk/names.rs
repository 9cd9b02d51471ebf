//! The meaning of each name in the tree: a binding, a use of some kind, or nothing of interest.

use std::ops::Range;

use super::chains::{ChainReader, MAX_STEPS, Receiver};
use super::{Level, Walk};
use crate::extract::{Arguments, Claim};
use crate::facts::{Chain, ChainRoot, Kind, Projection, RefKind, Reference};
use crate::node_kinds::{ATTRIBUTE, ExpressionRole, IDENTIFIER, MEMBER, TOKENS, TYPE_IDENTIFIER};
use crate::query::NameRole;
use crate::tree::Node;

/// Names around the current node, and the places of all uses.
#[derive(Default)]
pub(super) struct Uses<'tree> {
    /// The first byte of a member's name and what stands before it, innermost last.
    receivers: Vec<(usize, Receiver<'tree>)>,
    /// Ranges around the current node and the role of the names in them, innermost last.
    name_roles: Vec<(Range<usize>, NameRole)>,
    /// The end of the type node around the current node, if there is one.
    pub type_end: usize,
    /// The first byte of each name that is bound.
    pub bound_at: Vec<u32>,
    /// The nameless function around each reference, and its byte.
    pub around: Vec<(Option<usize>, usize)>,
}

impl<'text, 'tree> Walk<'text, 'tree> {
    pub(super) fn note_receiver(&mut self, node: Node<'tree>) {
        let (object, member) = self.node_kinds.members[&node.kind_id()];
        if let (Some(object), Some(member)) = (node.child_by_field_id(object), node.child_by_field_id(member)) {
            let mut receiver = Receiver::from(object);
            // Of `a::(b::c)`, all that stands before `c` is its receiver.
            let outer = self.uses.receivers.last().filter(|(byte, _)| *byte == object.start_byte());
            if let Some((_, outer)) = outer {
                // A longer chain is unknown at its start.
                let kept = outer.before.len().saturating_sub(MAX_STEPS);
                receiver.before.extend(outer.before[kept..].iter().copied());
                receiver.before.push(Some(outer.object));
            }
            self.uses.receivers.push((member.start_byte(), receiver));
        }
    }

    /// Gives a definition the type parameters that its wrapper declares before it, and the uses
    /// among them.
    pub(super) fn take_waiting_types(&mut self, node: Node<'tree>, index: u32) {
        let Some((wrapper, names)) = self.scopes.waiting_types.take() else { return };
        if node.start_byte() >= wrapper.end_byte() {
            return;
        }
        for (name, bound) in names {
            self.scopes.bound[bound as usize].binding.enclosing = Some(index);
            self.scopes.of_definitions.entry(index).or_default().types.insert(name, bound);
        }
        let start = wrapper.start_position();
        let start = (start.row as u32 + 1, start.column as u32 + 1);
        let references = self.facts.references.iter_mut().rev();
        for reference in references.take_while(|reference| (reference.line, reference.column) >= start) {
            reference.enclosing = Some(index);
        }
    }

    pub(super) fn identifier(&mut self, node: Node<'tree>, flags: u32) {
        let start = node.start_byte();
        let claim = self.claim_at(start);
        let arguments = match &claim {
            Some(Claim::Reference { arguments, .. }) => *arguments,
            _ => Arguments::Unknown,
        };
        let Some((kind, receiver)) = self.meaning(node, flags, claim) else { return };
        if matches!(kind, RefKind::Read | RefKind::Write) && self.text[node.byte_range()] == *"_" {
            return;
        }
        let given = if kind == RefKind::Type { None } else { self.given_arguments(node, arguments) };
        let arguments = Reference::packed(given.as_ref().map(|given| given.count), self.count_type_arguments(node));
        self.uses.around.push((self.scopes.open_nameless.last().copied(), start));
        let position = node.start_position();
        let name = self.name_text(node);
        // The part of a qualified word before its last name is a receiver too.
        let inside = if self.node_kinds.qualified_leaf(node) { node.byte_range().len() - name.len() } else { 0 };
        let before = node.start_byte()..(node.start_byte() + inside).saturating_sub(self.language.separator().len());
        let receiver = match receiver {
            Some(receiver) => Some(receiver),
            None if inside > 0 => Some(self.path_chain(before)),
            None if kind == RefKind::Call && self.is_at_root(start) => {
                Some(ChainReader::default().finish(ChainRoot::Global))
            }
            None => None,
        };
        let kind = if kind == RefKind::Inherit && self.is_in_body_of_type(node) { RefKind::Call } else { kind };
        let (line, column) = (position.row as u32 + 1, (position.column + inside) as u32 + 1);
        let reference = Reference {
            name: self.names.intern(name),
            kind,
            receiver: receiver.map(|receiver| self.chains.intern(receiver)),
            root: None,
            enclosing: self.around(kind, line, column),
            line,
            column,
            arguments,
        };
        self.facts.references.push(reference);
        if let Some(given) = given
            && kind == RefKind::Call
        {
            self.note_labels(&given);
            if self.language.types_arguments() {
                self.note_arguments(&given);
            }
        }
    }

    /// Returns the definition around a use at a place. A definition is not around its own name when
    /// that is written to, or when it is what a block adds to.
    fn around(&self, kind: RefKind, line: u32, column: u32) -> Option<u32> {
        let inner = self.parent()?;
        let definition = self.facts.definitions.get(inner as usize)?;
        let is_its_name = (kind == RefKind::Write || definition.kind == Kind::Impl)
            && (definition.name_line, definition.name_column) == (line, column);
        if is_its_name { definition.parent } else { Some(inner) }
    }

    /// Returns whether a separator right before a name says that it is looked up from the root of
    /// all names (`\strlen`).
    fn is_at_root(&self, start: usize) -> bool {
        let before = self.text[..start].strip_suffix(self.language.separator());
        let before = before.filter(|_| self.language.settings().root_separator);
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    /// Returns whether a node stands in the body of the type around it, and in no member. What a
    /// class without a name inherits from there is not what the type inherits from.
    fn is_in_body_of_type(&self, node: Node<'tree>) -> bool {
        let around = self.parent().and_then(|parent| self.facts.definitions.get(parent as usize));
        let Some(around) = around.filter(|around| around.kind.is_type()) else { return false };
        let mut inner = node;
        while let Some(outer) = inner.parent().filter(|outer| outer.start_byte() >= around.span.start_byte as usize) {
            if outer.child_by_field_name("body") == Some(inner) && inner.kind() == "class_body" {
                return outer.end_byte() >= around.span.end_byte as usize;
            }
            inner = outer;
        }
        false
    }

    /// Returns the kind and the receiver of a use; binds the name and returns `None` if it is no
    /// use.
    fn meaning(
        &mut self,
        node: Node<'tree>,
        flags: u32,
        claim: Option<Claim<'tree>>,
    ) -> Option<(RefKind, Option<Chain>)> {
        let start = node.start_byte();
        let member_of = self.receiver_at(start);
        let in_import = self.in_import(start);
        let role = self.name_role_at(start).filter(|_| flags & TYPE_IDENTIFIER == 0);
        match claim {
            Some(Claim::Skip) => None,
            Some(Claim::DefinitionName) => match self.taken_from(node) {
                Some(object) => Some((RefKind::Read, Some(object))),
                None => member_of.filter(|object| self.is_written(object)).map(|object| {
                    let object = self.read_receiver(Some(object));
                    (RefKind::Write, object)
                }),
            },
            Some(Claim::Local) => {
                let object = self.taken_from(node);
                self.binds::<()>(node, |walk| walk.bind_local(node));
                match object {
                    Some(_) if in_import => Some((RefKind::Import, None)),
                    object => object.map(|object| (RefKind::Read, Some(object))),
                }
            }
            Some(Claim::LocalType) => self.binds(node, |walk| walk.bind_type(node)),
            Some(Claim::Nonlocal) => self.binds(node, |walk| walk.bind_nonlocal(node)),
            Some(Claim::Reference { kind: RefKind::Import, .. }) => Some((RefKind::Import, None)),
            Some(Claim::Reference { kind, receiver, binds, .. }) => {
                if binds {
                    self.bind_local(node);
                }
                let kind = match (kind, role) {
                    (RefKind::Call | RefKind::Read, Some(NameRole::Type)) => RefKind::Type,
                    // Neither a pattern nor a type assigns to a field it names.
                    (RefKind::Write, Some(NameRole::Local | NameRole::Type)) => RefKind::Read,
                    (kind, _) => kind,
                };
                let receiver = receiver.map(Receiver::from).or(member_of);
                Some((kind, self.read_receiver(receiver)))
            }
            None if in_import => Some((RefKind::Import, None)),
            None if role == Some(NameRole::Skip) => None,
            None if role == Some(NameRole::Local) && member_of.is_none() => {
                self.binds(node, |walk| walk.bind_local(node))
            }
            None if role == Some(NameRole::Type) => Some((RefKind::Type, self.read_receiver(member_of))),
            None if flags & TYPE_IDENTIFIER != 0 || self.in_type(start, member_of.is_some()) => {
                Some((RefKind::Type, self.read_receiver(member_of)))
            }
            None if self.in_tokens() => Some(self.token_use(node)),
            None => Some((RefKind::Read, self.read_receiver(member_of))),
        }
    }

    /// Returns the object that a name takes the member of its own name from (`const { a } = f()`).
    fn taken_from(&mut self, node: Node<'tree>) -> Option<Chain> {
        let hint = self.matches.hints.get(&node.start_byte());
        let hint = hint.filter(|hint| hint.projection == Projection::Member)?.clone();
        Some(match (hint.value, hint.declared) {
            (Some(value), _) => self.chain(value),
            (None, declared) => self.cast_chain(declared),
        })
    }

    /// Returns whether a function that is assigned to a member of an object is written to a member
    /// that may be declared elsewhere.
    fn is_written(&self, object: &Receiver<'tree>) -> bool {
        let Some(defining) = &self.language.settings().defining_objects else { return false };
        let text = &self.text[object.object.byte_range()];
        let last = text.rsplit('.').next().unwrap_or(text);
        !defining.iter().any(|word| word == text || word == last)
    }

    fn read_receiver(&mut self, receiver: Option<Receiver<'tree>>) -> Option<Chain> {
        receiver.map(|receiver| match self.node_kinds.expression_role(&receiver.object) {
            Some(ExpressionRole::Group) if receiver.object.named_child_count() > 1 => {
                ChainReader::default().finish(ChainRoot::List)
            }
            _ => self.receiver_chain(receiver),
        })
    }

    /// Records the names in a text that stands where a type does, or one that is interpolated.
    fn note_quoted(&mut self, node: Node<'tree>, words: &[Range<usize>], bare: RefKind) {
        let position = node.start_position();
        for (at, word) in words.iter().enumerate() {
            let is_member = word.start > 0 && self.text.as_bytes()[word.start - 1] == b'.';
            let is_before_member = self.text.as_bytes().get(word.end) == Some(&b'.');
            let before = words[..at].iter().rev().scan(word.start, |next, before| {
                let joins = before.end + 1 == *next && self.text.as_bytes()[before.end] == b'.';
                *next = before.start;
                joins.then_some(before.start)
            });
            let receiver = before.last().filter(|_| is_member).map(|first| self.path_chain(first..word.start - 1));
            self.uses.around.push((self.scopes.open_nameless.last().copied(), word.start));
            let reference = Reference {
                name: self.names.intern(&self.text[word.clone()]),
                kind: if is_before_member && bare == RefKind::Type { RefKind::Read } else { bare },
                receiver: receiver.map(|receiver| self.chains.intern(receiver)),
                root: None,
                enclosing: self.parent(),
                line: position.row as u32 + 1,
                column: (position.column + word.start - node.start_byte()) as u32 + 1,
                arguments: None,
            };
            self.facts.references.push(reference);
        }
    }

    /// Records the names in a text if it is a type.
    pub(super) fn quoted_names(&mut self, node: Node<'tree>) {
        let start = node.start_byte();
        let is_type = match self.name_role_at(start) {
            Some(NameRole::Type) => true,
            Some(_) => false,
            None => start < self.uses.type_end,
        };
        if is_type && let Some(words) = type_words(self.text, node.byte_range()) {
            self.note_quoted(node, &words, RefKind::Type);
        }
    }

    /// Records the name that a text begins with, if a mark of interpolation stands before it
    /// (`"$name"`).
    pub(super) fn interpolated_name(&mut self, node: Node<'tree>) {
        let settings = self.language.settings();
        let mark = settings.interpolation_mark.as_str();
        let start = node.start_byte();
        if mark.is_empty() || !self.text[..start].ends_with(mark) {
            return;
        }
        // A mark before the whole literal says that another one is in use: `$$"$name"`.
        if node.parent().is_none_or(|literal| self.text[..literal.start_byte()].ends_with(mark)) {
            return;
        }
        // An escaped mark is none, and belongs to another node.
        let before = node.prev_sibling().filter(|before| before.kind_id() == node.kind_id());
        let word = self.text[node.byte_range()].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let is_name = !word.is_empty() && !word.starts_with(|c: char| c.is_numeric());
        let is_instance = settings.resolve.instance_words.iter().any(|known| known == word);
        if before.is_some() && is_name && !is_instance {
            let name = start..start + word.len();
            self.note_quoted(node, std::slice::from_ref(&name), RefKind::Read);
        }
    }

    /// Binds the name at `node`, which is no use.
    fn binds<T>(&mut self, node: Node<'tree>, bind: impl FnOnce(&mut Self)) -> Option<T> {
        self.uses.bound_at.push(node.start_byte() as u32);
        bind(self);
        None
    }

    /// Returns what the query says of the name at a byte.
    fn claim_at(&mut self, start: usize) -> Option<Claim<'tree>> {
        let claims = &self.matches.claims;
        while claims.get(self.cursors.claim).is_some_and(|(byte, _)| *byte < start) {
            self.cursors.claim += 1;
        }
        claims.get(self.cursors.claim).filter(|(byte, _)| *byte == start).map(|(_, claim)| claim.clone())
    }

    /// Returns whether the query says anything of the name at a byte.
    pub(super) fn has_claim(&mut self, start: usize) -> bool {
        self.claim_at(start).is_some()
    }

    fn in_import(&mut self, start: usize) -> bool {
        let ranges = &self.matches.import_ranges;
        while ranges.get(self.cursors.import).is_some_and(|range| range.end <= start) {
            self.cursors.import += 1;
        }
        ranges.get(self.cursors.import).is_some_and(|range| range.contains(&start))
    }

    /// Returns what stands before the member that starts at a byte. Where paths nest
    /// to the right, later members are noted first.
    fn receiver_at(&mut self, start: usize) -> Option<Receiver<'tree>> {
        const FAR_ENOUGH: usize = 16;
        while self.uses.receivers.last().is_some_and(|(byte, _)| *byte < start) {
            self.uses.receivers.pop();
        }
        let mut here = self.uses.receivers.iter().rev().take(FAR_ENOUGH).take_while(|(byte, _)| *byte >= start);
        here.find(|(byte, _)| *byte == start).map(|(_, object)| object.clone())
    }

    /// A block that adds to a type uses the type's name.
    pub(super) fn refer_to_type(&mut self, node: Node<'tree>, enclosing: Option<u32>) {
        if self.node_kinds.of(&node) & IDENTIFIER == 0 {
            return;
        }
        let position = node.start_position();
        self.uses.around.push((self.scopes.open_nameless.last().copied(), node.start_byte()));
        // `impl super::Type`
        let path = node.parent().and_then(|around| {
            let (object, member) = self.node_kinds.members.get(&around.kind_id())?;
            around.child_by_field_id(*object).filter(|_| around.child_by_field_id(*member) == Some(node))
        });
        let receiver = self.read_receiver(path.map(Receiver::from));
        let reference = Reference {
            name: self.names.intern(self.name_text(node)),
            kind: RefKind::Type,
            receiver: receiver.map(|receiver| self.chains.intern(receiver)),
            root: None,
            enclosing,
            line: position.row as u32 + 1,
            column: position.column as u32 + 1,
            arguments: None,
        };
        self.facts.references.push(reference);
    }

    /// Returns what the query says of all names in the innermost of its ranges around `start`.
    fn name_role_at(&mut self, start: usize) -> Option<NameRole> {
        while let Some((range, role)) =
            self.matches.name_roles.get(self.cursors.name_role).filter(|(range, _)| range.start <= start)
        {
            self.uses.name_roles.push((range.clone(), *role));
            self.cursors.name_role += 1;
        }
        while self.uses.name_roles.last().is_some_and(|(range, _)| range.end <= start) {
            self.uses.name_roles.pop();
        }
        self.uses.name_roles.last().map(|(_, role)| *role)
    }

    /// Returns whether the name at `start` stands in a type; what precedes a member (`typing` in
    /// `typing.Any`) is no type.
    fn in_type(&self, start: usize, is_member: bool) -> bool {
        let before_member = || self.levels.last().is_some_and(|level| self.node_kinds.of(&level.node) & MEMBER != 0);
        start < self.uses.type_end && (is_member || !before_member())
    }

    /// Returns whether the current node is one of a row of words that stands for code.
    fn in_tokens(&self) -> bool {
        const FAR_ENOUGH: usize = 16;
        let class = |level: &Level<'_>| self.node_kinds.of(&level.node);
        self.levels.last().is_some_and(|level| class(level) & TOKENS != 0)
            && !self.levels.iter().rev().take(FAR_ENOUGH).any(|level| class(level) & ATTRIBUTE != 0)
    }

    /// Returns the words before a member that is a node of its own, beside what it is a member of.
    fn row_before(&self, tokens: &[Node<'tree>]) -> Option<Vec<Node<'tree>>> {
        const FAR_ENOUGH: usize = 64;
        let [mark] = tokens else { return None };
        let around = self.levels.get(self.levels.len().checked_sub(2)?)?.node;
        let mut row = Vec::new();
        for child in around.children().take(FAR_ENOUGH) {
            if child.start_byte() > mark.start_byte() {
                break;
            }
            let before = child.start_byte() <= mark.start_byte();
            if self.node_kinds.of(&child) & TOKENS != 0 {
                row.extend(child.children().filter(|word| before && word.start_byte() <= mark.start_byte()));
            } else {
                row.push(child);
            }
        }
        row.last().is_some_and(|last| last.id() == mark.id()).then_some(row)
    }

    /// Tells what a word in a row of words is used for by the marks around it.
    fn token_use(&mut self, node: Node<'tree>) -> (RefKind, Option<Chain>) {
        let after = &self.text[node.end_byte()..];
        let called =
            after.trim_start_matches('!').starts_with('(') || after.starts_with("![") || after.starts_with("!{");
        let Some(level) = self.levels.last_mut() else { return (RefKind::Read, None) };
        let tokens = std::mem::take(&mut level.tokens);
        let row = self.row_before(&tokens);
        let receiver = self.token_chain(row.as_deref().unwrap_or(&tokens));
        if let Some(level) = self.levels.last_mut() {
            level.tokens = tokens;
        }
        (if called { RefKind::Call } else { RefKind::Read }, receiver)
    }
}

/// Returns the places of the names in a quoted type; `None` if the text is something else.
fn type_words(text: &str, quoted: Range<usize>) -> Option<Vec<Range<usize>>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_mark = |c: char| matches!(c, '"' | '\'' | '.' | ',' | '|' | '[' | ']');
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut is_apart = true;
    for (at, c) in text[quoted.clone()].char_indices() {
        let byte = quoted.start + at;
        match words.last_mut().filter(|word| word.end == byte) {
            Some(word) if is_word(c) => word.end += c.len_utf8(),
            // Two words without a mark between them are a sentence.
            _ if is_word(c) && (!is_apart || c.is_numeric()) => return None,
            _ if is_word(c) => {
                words.push(byte..byte + c.len_utf8());
                is_apart = false;
            }
            _ if is_mark(c) => is_apart = true,
            _ if c == ' ' => {}
            _ => return None,
        }
    }
    Some(words)
}
