//! Names that functions bind for themselves: what is known of each, and which of them a use means.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Walk;
use crate::extract::Narrowing;
use crate::facts::{Binding, BindingKind, ChainStep, Definition, FileFacts, Projection};
use crate::node_kinds::{BLOCK_SCOPE, WRAPPER};
use crate::tree::Node;

/// Names are looked up in at most this many scopes around a use, so that nesting cannot make a file
/// slow.
pub(super) const MAX_SCOPES: usize = 64;

/// The names that definitions and nameless functions bind, as far as the walk has come.
#[derive(Default)]
pub(super) struct Scopes<'tree> {
    /// By the index of the definition.
    pub of_definitions: FxHashMap<u32, Scope>,
    /// The nameless functions so far.
    pub nameless: Vec<Nameless>,
    /// Those around the current node, as indexes.
    pub open_nameless: Vec<usize>,
    /// All bindings, in source order.
    pub bound: Vec<Bound>,
    /// The places that the values of definitions are looked up from.
    pub values_at: Vec<(u32, LookupPlace)>,
    /// Names of functions that are variables of the function around them, by its index.
    pub functions_in: FxHashMap<u32, FxHashSet<u32>>,
    /// Names and the bindings that tests narrow them to, in source order.
    pub narrowed: Vec<(u32, u32)>,
    /// A wrapper and the type parameters in it that wait for the definition they belong to.
    pub waiting_types: Option<(Node<'tree>, Vec<(u32, u32)>)>,
}

impl Scopes<'_> {
    /// Closes the nameless functions that end before a byte.
    pub(super) fn close_before(&mut self, byte: usize) {
        while self.open_nameless.last().is_some_and(|index| byte >= self.nameless[*index].end) {
            self.open_nameless.pop();
        }
    }
}

/// A binding with what only the walk needs to know of it.
pub(super) struct Bound {
    pub binding: Binding,
    byte: usize,
    /// An earlier binding of the same name in the same scope.
    previous: Option<u32>,
    /// The nameless function around it.
    nameless: Option<usize>,
    /// The bytes in which it holds.
    holds: Range<usize>,
    /// The bytes of the block that it belongs to.
    block: Range<usize>,
}

/// Names that mean something else inside a definition than outside: indexes into
/// [`FileFacts::names`], with their last bindings.
#[derive(Default)]
pub(super) struct Scope {
    pub values: FxHashMap<u32, u32>,
    pub types: FxHashMap<u32, u32>,
    pub nonlocals: FxHashSet<u32>,
}

/// A function or block that is no definition and yet has names of its own.
pub(super) struct Nameless {
    pub names: FxHashMap<u32, u32>,
    /// The nameless function around it.
    pub outer: Option<usize>,
    /// The number of definitions around it.
    pub depth: usize,
    pub end: usize,
    /// It is the whole of the definition around it (`const f = () => …`).
    pub is_body: bool,
}

/// A place that names are looked up from.
#[derive(Clone, Copy)]
pub(super) struct LookupPlace {
    pub enclosing: Option<u32>,
    pub nameless: Option<usize>,
    pub byte: usize,
}

impl<'text, 'tree> Walk<'text, 'tree> {
    pub(super) fn bind_local(&mut self, node: Node<'tree>) {
        let name = self.names.intern(self.name_text(node));
        if let Some(index) = self.innermost_nameless() {
            let previous = self.scopes.nameless[index].names.get(&name).copied();
            let bound = self.bind(node, name, BindingKind::Variable, previous);
            self.scopes.nameless[index].names.insert(name, bound);
            return;
        }
        let Some(scope) = self.binding_scope() else { return };
        let known = self.scopes.of_definitions.entry(scope).or_default();
        if known.nonlocals.contains(&name) || self.is_function_in(scope, name) {
            return self.reclaim_as_write(node);
        }
        let known = self.scopes.of_definitions.entry(scope).or_default();
        let previous = known.values.get(&name).copied();
        let bound = self.bind(node, name, BindingKind::Variable, previous);
        self.scopes.of_definitions.entry(scope).or_default().values.insert(name, bound);
    }

    /// Returns whether a name is a function's in a scope where functions are variables.
    fn is_function_in(&self, scope: u32, name: u32) -> bool {
        let is_written = |functions: &&FxHashSet<u32>| functions.contains(&name);
        self.scopes.functions_in.get(&scope).filter(is_written).is_some()
    }

    /// Makes the name of a function a variable of the function around it, in place of those that
    /// are bound there.
    pub(super) fn bind_function(&mut self, definition: &Definition, name: Node<'tree>) {
        let is_function = definition.kind.is_callable() || definition.kind.is_type();
        let scope = definition.parent.filter(|_| self.language.settings().functions_are_variables && is_function);
        if let Some(scope) = scope.filter(|scope| self.facts.definitions[*scope as usize].kind.is_callable()) {
            let name = self.names.intern(self.name_text(name));
            self.scopes.functions_in.entry(scope).or_default().insert(name);
            self.scopes.of_definitions.entry(scope).or_default().values.remove(&name);
        }
    }

    pub(super) fn bind_nonlocal(&mut self, name: Node<'tree>) {
        let Some(scope) = self.binding_scope() else { return };
        let name = self.names.intern(self.name_text(name));
        self.scopes.of_definitions.entry(scope).or_default().nonlocals.insert(name);
    }

    pub(super) fn bind_type(&mut self, node: Node<'tree>) {
        let name = self.names.intern(self.name_text(node));
        let bound = self.bind(node, name, BindingKind::Type, None);
        let inside = self.open.last().map_or(0, |open| open.depth + 1);
        let wrapper = self.levels.iter().skip(inside).find(|level| self.node_kinds.of(&level.node) & WRAPPER != 0);
        if let Some(wrapper) = wrapper {
            let waiting = self.scopes.waiting_types.get_or_insert_with(|| (wrapper.node, Vec::new()));
            if waiting.0.id() != wrapper.node.id() {
                *waiting = (wrapper.node, Vec::new());
            }
            waiting.1.push((name, bound));
            return;
        }
        let Some(scope) = self.parent() else { return };
        self.scopes.of_definitions.entry(scope).or_default().types.insert(name, bound);
    }

    fn bind(&mut self, node: Node<'tree>, name: u32, kind: BindingKind, previous: Option<u32>) -> u32 {
        let hint = self.matches.hints.get(&node.start_byte()).cloned().unwrap_or_default();
        let hint_end = hint.value.map(|value| value.end_byte());
        let declared = hint.declared.as_ref().and_then(|place| self.declared_type(place));
        let declared = declared.map(|declared| self.types.intern(declared));
        let value = hint.value.and_then(|value| self.value_or_member(value, hint.member));
        let position = node.start_position();
        let holds_late = self.language.settings().declared_before_use;
        // In what a name is set to anew, it means what it did before.
        let from = hint_end.filter(|_| holds_late || previous.is_some()).unwrap_or(node.start_byte());
        let block = self.block_of_binding();
        let holds = from..block.end;
        let binding = Binding {
            name,
            enclosing: self.parent(),
            line: position.row as u32 + 1,
            declared,
            value,
            root: None,
            projection: hint.projection,
            kind: if hint.is_first { BindingKind::First } else { kind },
        };
        let nameless = self.scopes.open_nameless.last().copied();
        self.scopes.bound.push(Bound { binding, byte: node.start_byte(), previous, nameless, holds, block });
        self.scopes.bound.len() as u32 - 1
    }

    /// Returns the bytes of the innermost block around the current node that keeps a name bound
    /// there; all bytes if none does.
    fn block_of_binding(&self) -> Range<usize> {
        /// Words that say how names are bound are among the first children.
        const MAX_CHILDREN: usize = 4;
        let words = &self.language.settings().hoisting_words;
        let is_hoisted = |node: &Node<'_>| {
            !words.is_empty()
                && node.children().take(MAX_CHILDREN).any(|child| words.iter().any(|word| word == child.kind()))
        };
        let inside = self.open.last().map_or(0, |open| open.depth + 1);
        for level in self.levels.iter().skip(inside).rev() {
            if is_hoisted(&level.node) {
                break;
            }
            if self.node_kinds.of(&level.node) & BLOCK_SCOPE != 0 {
                return level.node.byte_range();
            }
        }
        0..usize::MAX
    }

    /// Notes what tests say of names from a byte on.
    pub(super) fn narrow_before(&mut self, byte: usize) {
        while self.matches.narrowings.get(self.cursors.narrowing).is_some_and(|next| next.holds.start <= byte) {
            let Narrowing { name, declared, holds } = &self.matches.narrowings[self.cursors.narrowing];
            let (node, holds, declared) = (*name, holds.clone(), self.declared_type(declared));
            self.cursors.narrowing += 1;
            let name = self.names.intern(self.name_text(node));
            let binding = Binding {
                name,
                enclosing: self.parent(),
                line: node.start_position().row as u32 + 1,
                declared: declared.map(|declared| self.types.intern(declared)),
                value: None,
                root: None,
                projection: Projection::Whole,
                kind: BindingKind::Variable,
            };
            let nameless = self.scopes.open_nameless.last().copied();
            self.scopes.narrowed.push((name, self.scopes.bound.len() as u32));
            self.scopes.bound.push(Bound {
                binding,
                byte: holds.start,
                previous: None,
                nameless,
                holds,
                block: 0..usize::MAX,
            });
        }
    }

    /// Reads a value; `None` if nothing is known of it.
    fn value(&mut self, node: Node<'tree>) -> Option<u32> {
        let chain = self.chain(node);
        (!chain.is_unknown()).then(|| self.chains.intern(chain))
    }

    /// Notes what the query says of the thing that `definition` names.
    pub(super) fn take_hint(&mut self, name: Node<'tree>, definition: &mut Definition) {
        let Some(hint) = self.matches.hints.get(&name.start_byte()) else { return };
        definition.declared_type = hint.declared.as_ref().and_then(|place| self.declared_type(place));
        let (value, member, projection) = (hint.value, hint.member, hint.projection);
        definition.value = match projection {
            Projection::Whole => value.and_then(|value| self.value_or_member(value, member)),
            // A name that takes the member of its own name is that member.
            Projection::Member => value.and_then(|value| self.member_value(value, name)),
            _ => None,
        };
    }

    /// Reads a value, or the member of it that a name says.
    fn value_or_member(&mut self, value: Node<'tree>, member: Option<Node<'tree>>) -> Option<u32> {
        match member {
            Some(member) => self.member_value(value, member),
            None => self.value(value),
        }
    }

    /// Reads the member of a value that has a name; `None` if nothing is known of the value.
    fn member_value(&mut self, value: Node<'tree>, name: Node<'tree>) -> Option<u32> {
        let mut chain = self.chain(value);
        if chain.is_unknown() {
            return None;
        }
        chain.steps.push(ChainStep::Member(self.names.intern(self.name_text(name))));
        Some(self.chains.intern(chain))
    }

    /// Notes where the value of the next definition is looked up from.
    pub(super) fn note_value_place(&mut self, name: Node<'tree>, definition: &Definition) {
        if definition.value.is_some() {
            let (enclosing, nameless) = (self.parent(), self.scopes.open_nameless.last().copied());
            let index = self.facts.definitions.len() as u32;
            self.scopes.values_at.push((index, LookupPlace { enclosing, nameless, byte: name.start_byte() }));
        }
    }

    /// Notes that the function around returns `node`; the first that says anything counts.
    pub(super) fn note_returned(&mut self, node: Node<'tree>) {
        let Some(index) = self.binding_scope() else { return };
        let nameless = self.innermost_nameless();
        if nameless.is_some_and(|index| !self.scopes.nameless[index].is_body) {
            return;
        }
        let definition = &self.facts.definitions[index as usize];
        // What a facade returns says more than its type, which is that of any text.
        let is_facade = self.language.settings().resolve.facade_methods.contains(&definition.name);
        if definition.declared_type.is_some() && !is_facade
            || definition.value.is_some()
            || !definition.kind.is_callable()
        {
            return;
        }
        let Some(value) = self.value(node) else { return };
        self.facts.definitions[index as usize].value = Some(value);
        let byte = node.start_byte();
        self.scopes.values_at.push((index, LookupPlace { enclosing: Some(index), nameless, byte }));
    }
}

/// Looks names up in the scopes that a walk found.
pub(super) struct Lookup<'walk> {
    pub definitions: &'walk [Definition],
    pub scopes: &'walk FxHashMap<u32, Scope>,
    pub nameless: &'walk [Nameless],
    pub bound: &'walk [Bound],
    pub narrowed: &'walk [(u32, u32)],
    /// See [`crate::settings::Settings::declared_before_use`].
    pub declared_before_use: bool,
}

impl Lookup<'_> {
    /// The binding that a value's name means at a place, innermost scope first.
    pub(super) fn value(&self, name: u32, place: LookupPlace) -> Option<u32> {
        let mut definition = place.enclosing;
        let mut depth = self.depth(definition);
        let mut nameless = place.nameless;
        for _ in 0..2 * MAX_SCOPES {
            let found = match (nameless, definition) {
                (Some(index), _) if self.nameless[index].depth >= depth => {
                    nameless = self.nameless[index].outer;
                    self.nameless[index].names.get(&name)
                }
                (_, Some(index)) => {
                    definition = self.definitions[index as usize].parent;
                    depth = depth.saturating_sub(1);
                    let scope = self.scopes.get(&index);
                    let scope = scope.filter(|scope| !scope.nonlocals.contains(&name));
                    scope.and_then(|scope| scope.values.get(&name).or_else(|| scope.types.get(&name)))
                }
                (Some(index), None) => {
                    nameless = self.nameless[index].outer;
                    self.nameless[index].names.get(&name)
                }
                (None, None) => return None,
            };
            if let Some(found) = found.and_then(|last| self.at(*last, place)) {
                return Some(found);
            }
        }
        None
    }

    /// Returns the binding that a name means at a place if it takes the member of its own name from
    /// a value that is named.
    pub(super) fn taken(&self, name: u32, place: LookupPlace) -> Option<&Bound> {
        let bound = &self.bound[self.value(name, place)? as usize];
        Some(bound).filter(|bound| bound.binding.projection == Projection::Member && bound.binding.value.is_some())
    }

    /// Returns the binding that the innermost test around a place narrows a name to.
    pub(super) fn narrowed(&self, name: u32, place: LookupPlace) -> Option<u32> {
        let holds = |index: &u32| self.bound[*index as usize].holds.contains(&place.byte);
        let mut of_name = self.narrowed.iter().filter(|(known, _)| *known == name).map(|(_, index)| *index);
        let narrowed = of_name.rfind(holds)?;
        // A name that is bound after the test is another one.
        let is_newer = |bound: u32| self.bound[bound as usize].byte > self.bound[narrowed as usize].byte;
        (!self.value(name, place).is_some_and(is_newer)).then_some(narrowed)
    }

    /// Returns the same for the instance of the function around, which those inside need not have.
    pub(super) fn narrowed_instance(&self, name: u32, place: LookupPlace) -> Option<u32> {
        let is_of = |bound: &Bound| bound.binding.enclosing == place.enclosing && bound.nameless == place.nameless;
        self.narrowed(name, place).filter(|index| is_of(&self.bound[*index as usize]))
    }

    /// Returns whether a binding is of a value.
    pub(super) fn is_variable(&self, index: u32) -> bool {
        self.bound[index as usize].binding.kind != BindingKind::Type
    }

    /// Returns whether a type's name is a type parameter at a place.
    pub(super) fn is_type_parameter(&self, name: u32, enclosing: Option<u32>) -> bool {
        let outwards = std::iter::successors(enclosing, |index| self.definitions[*index as usize].parent);
        outwards
            .take(MAX_SCOPES)
            .filter_map(|index| self.scopes.get(&index))
            .any(|scope| scope.types.contains_key(&name))
    }

    fn depth(&self, definition: Option<u32>) -> usize {
        let outwards = std::iter::successors(definition, |index| self.definitions[*index as usize].parent);
        outwards.take(MAX_SCOPES).count()
    }

    /// The last of a name's bindings in one scope that holds at a place; where names hold before
    /// they are declared, else the first of those whose block is around the place.
    fn at(&self, last: u32, place: LookupPlace) -> Option<u32> {
        let mut found = last;
        let mut first = None;
        loop {
            let bound = &self.bound[found as usize];
            if bound.holds.start < place.byte && place.byte < bound.holds.end {
                return Some(found);
            }
            if bound.block.contains(&place.byte) {
                first = Some(found);
            }
            match bound.previous {
                Some(previous) => found = previous,
                None => return first.filter(|_| !self.declared_before_use),
            }
        }
    }
}

impl Bound {
    /// Returns the place that the binding's value is looked up from: names in it mean what they
    /// meant before.
    pub(super) fn place(&self) -> LookupPlace {
        LookupPlace { enclosing: self.binding.enclosing, nameless: self.nameless, byte: self.byte }
    }
}

/// Keeps the bindings that something starts with, and says which; references and definitions are
/// changed to match.
pub(super) fn keep_used(facts: &mut FileFacts, bound: &[Bound], roots: Vec<Option<u32>>, value_roots: &[(u32, u32)]) {
    let mut used: Vec<u32> = facts.references.iter().filter_map(|reference| reference.root).collect();
    used.extend(facts.arguments.iter().filter_map(|argument| argument.root));
    used.extend(value_roots.iter().map(|(_, root)| *root));
    let mut keep = vec![false; bound.len()];
    while let Some(index) = used.pop() {
        if !std::mem::replace(&mut keep[index as usize], true) {
            used.extend(roots[index as usize]);
        }
    }
    for (index, bound) in bound.iter().enumerate() {
        keep[index] |= bound.binding.kind == BindingKind::Type;
    }
    let mut moved = vec![None; bound.len()];
    for (next, (index, _)) in keep.iter().enumerate().filter(|(_, keep)| **keep).enumerate() {
        moved[index] = Some(next as u32);
    }
    let target = |root: u32| moved[root as usize];
    facts.bindings = bound
        .iter()
        .zip(&roots)
        .zip(&keep)
        .filter(|(_, keep)| **keep)
        .map(|((bound, root), _)| Binding { root: root.and_then(target), ..bound.binding })
        .collect();
    for reference in &mut facts.references {
        reference.root = reference.root.and_then(target);
    }
    for argument in &mut facts.arguments {
        argument.root = argument.root.and_then(target);
    }
    for (definition, root) in value_roots {
        facts.definitions[*definition as usize].value_root = target(*root);
    }
}
