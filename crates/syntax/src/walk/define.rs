//! Records definitions at the current node: under which parent, as part of which section, or not at
//! all.

use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::{self, DefinitionContext};
use super::{OpenDefinition, Walk};
use crate::extract::{Arguments, Claim, DefinitionMatch};
use crate::facts::{Definition, Kind, RefKind, Visibility};
use crate::node_kinds::ARGUMENTS;
use crate::tree::Node;

/// Values in one object that are definitions.
const MAX_OBJECT_FIELDS: usize = 200;

/// The definitions so far, as far as later ones depend on them.
#[derive(Default)]
pub(super) struct Outline<'text> {
    /// Bodies of definitions that the query captured apart from them, by node id.
    pub bodies: FxHashSet<usize>,
    /// Names defined so far, with the parents of the definitions.
    declared: FxHashSet<(Option<u32>, &'text str)>,
    /// The headings whose sections are not at their end yet, with their levels.
    headings: Vec<(u32, u8)>,
    /// The last definition below each parent, with its arity.
    last_below: FxHashMap<Option<u32>, (u32, Option<usize>)>,
    /// Visibilities said elsewhere than at the definition, by parent and name.
    pub marked: FxHashMap<(Option<u32>, String), Visibility>,
    /// Definitions around a component marker.
    pub components: FxHashSet<u32>,
}

/// The outcome of a definition that the query found.
enum Placement {
    /// Recorded, below this parent.
    Under(Option<u32>),
    /// The enclosing function's own business.
    Local,
    /// An assignment to what is declared elsewhere.
    Write,
    /// Left out: a field of a nameless type inside a function.
    Nowhere,
}

impl<'text, 'tree> Walk<'text, 'tree> {
    pub(super) fn define(&mut self, node: Node<'tree>, lead: &[Node<'tree>], mut found: Vec<DefinitionMatch<'tree>>) {
        self.note_names_beside(&mut found);
        let until = if self.open.is_empty() { self.reach(node.start_byte()) } else { None };
        let mut opened = None;
        let mut body_end = 0;
        for found in found {
            match self.placement(node, &found) {
                Placement::Under(parent) => {
                    let index = self.record(node, lead, &found, parent, until, &mut body_end);
                    opened = opened.or(index);
                }
                Placement::Local => {
                    self.uses.bound_at.push(found.name.start_byte() as u32);
                    self.bind_local(found.name);
                }
                Placement::Write => self.reclaim_as_write(found.name),
                Placement::Nowhere => {}
            }
        }
        if let Some(index) = opened {
            let end = until.unwrap_or(node.end_byte()).max(body_end);
            self.open.push(OpenDefinition { index, end, depth: self.levels.len() });
            self.take_waiting_types(node, index);
        }
    }

    /// Adds a definition below `parent`; returns its index if it encloses what is in its node.
    fn record(
        &mut self,
        node: Node<'tree>,
        lead: &[Node<'tree>],
        found: &DefinitionMatch<'tree>,
        parent: Option<u32>,
        until: Option<usize>,
        body_end: &mut usize,
    ) -> Option<u32> {
        let level = found.level.filter(|_| found.kind == Kind::Heading);
        let parent = level.map_or(parent, |level| self.end_sections(level, node.start_byte()));
        let context = DefinitionContext {
            text: self.text,
            language: self.language,
            node_kinds: self.node_kinds,
            levels: &self.levels,
            lead,
            package: self.package_at(node.start_byte()),
            section: self.section(),
            definitions: &self.facts.definitions,
            parent,
        };
        let mut definition = definition::definition(&context, node, found)?;
        if let Some(until) = until {
            definition::extend_to(self.text, &mut definition, until);
        }
        self.take_hint(found.name, &mut definition);
        definition.parameters = self.parameters(node, found, definition.kind);
        let is_second_name = self.is_whole_value(node, found);
        if let Some(index) = self.merge_clause(parent, &definition, found.arity) {
            let arguments =
                found.arity.and_then(|arity| u8::try_from(arity).ok()).map_or(Arguments::Unknown, Arguments::Written);
            self.reclaim(found.name, RefKind::Declaration, arguments);
            return Some(index);
        }
        let index = self.facts.definitions.len() as u32;
        self.outline.last_below.insert(parent, (index, found.arity));
        self.outline.headings.extend(level.map(|level| (index, level)));
        self.note_value_place(found.name, &definition);
        if definition.kind == Kind::Impl {
            self.refer_to_type(found.name, parent);
        }
        self.bind_function(&definition, found.name);
        self.facts.definitions.push(definition);
        self.outline.bodies.extend(found.body.map(|body| body.id()));
        *body_end = (*body_end).max(found.body_after(node).map_or(0, |body| body.end_byte()));
        // The contents of an assignment to `self.x` still belong to the function around it.
        let is_of_other = found.kind == Kind::Field && parent.is_none() && self.parent().is_some();
        let is_aside = found.through_instance || found.through_parameter || is_of_other;
        (!is_second_name && (!is_aside || found.kind.is_callable())).then_some(index)
    }

    /// Ends the sections of headings at `level` or below before `byte`; returns the heading around
    /// what follows.
    pub(super) fn end_sections(&mut self, level: u8, byte: usize) -> Option<u32> {
        while let Some((index, _)) = self.outline.headings.pop_if(|(_, open)| *open >= level) {
            definition::extend_to(self.text, &mut self.facts.definitions[index as usize], byte);
        }
        self.outline.headings.last().map(|(index, _)| *index)
    }

    /// Adds another clause to the definition right before it, if that is what it is.
    fn merge_clause(&mut self, parent: Option<u32>, clause: &Definition, arity: Option<usize>) -> Option<u32> {
        let kinds = &self.language.settings().merge_clauses;
        let merges = |kind: Kind| kinds.iter().any(|word| word == kind.as_str());
        if kinds.is_empty() || !merges(clause.kind) {
            return None;
        }
        let (index, first_arity) = self.outline.last_below.get(&parent).copied()?;
        let first = &mut self.facts.definitions[index as usize];
        let same_arity = arity.is_none() || first_arity.is_none() || arity == first_arity;
        if first.name != clause.name || !merges(first.kind) || !same_arity {
            return None;
        }
        first.span.end_byte = clause.span.end_byte;
        first.span.end_line = clause.span.end_line;
        first.body_hash = first.body_hash.rotate_left(1) ^ clause.body_hash;
        if first.doc.is_none() {
            first.doc.clone_from(&clause.doc);
        }
        self.outline.last_below.insert(parent, (index, first_arity.or(arity)));
        Some(index)
    }

    /// Notes, of several definitions that one call makes, the names of the others among its
    /// arguments.
    fn note_names_beside(&self, found: &mut [DefinitionMatch<'tree>]) {
        let list = |name: Node<'tree>| name.parent().filter(|list| self.node_kinds.of(list) & ARGUMENTS != 0);
        let names: Vec<Node<'tree>> = match found {
            [_, _, ..] => found.iter().map(|one| one.name).filter(|name| list(*name).is_some()).collect(),
            _ => return,
        };
        for one in found {
            let is_beside = |name: &&Node<'tree>| **name != one.name && list(**name) == list(one.name);
            one.beside = names.iter().filter(is_beside).map(|name| name.byte_range()).collect();
        }
    }

    fn placement(&mut self, node: Node<'tree>, found: &DefinitionMatch<'tree>) -> Placement {
        let definitions = &self.facts.definitions;
        let mut parent = self.parent();
        let around = parent.map(|index| &definitions[index as usize]);
        let in_callable = around.is_some_and(|around| around.kind.is_callable());
        let in_object = around.is_some_and(|around| around.kind.is_value());
        if found.through_instance {
            let owner = around.filter(|around| around.kind == Kind::Constructor).and_then(|around| around.parent);
            match owner.filter(|owner| definitions[*owner as usize].kind.is_type()) {
                Some(owner) if self.has_property(owner, found.name) => return Placement::Write,
                Some(owner) => parent = Some(owner),
                None if found.kind.is_callable() => {}
                None => return Placement::Write,
            }
        } else if matches!(found.kind, Kind::Variable | Kind::Constant)
            && around.is_some_and(|around| around.kind == Kind::Macro)
        {
            // An item in the rules of a macro.
        } else if matches!(found.kind, Kind::Variable | Kind::Constant) {
            if in_callable || self.innermost_nameless().is_some() || around.is_some_and(|around| around.kind.is_value())
            {
                return Placement::Local;
            }
        } else if found.kind == Kind::Field && in_callable && found.container.is_some() {
            // A field of a type that is elsewhere.
            return Placement::Under(None);
        } else if found.kind == Kind::Field && in_callable {
            let owner = around.filter(|around| found.through_parameter && around.kind == Kind::Constructor);
            let Some(owner) = owner.and_then(|around| around.parent) else { return Placement::Nowhere };
            parent = Some(owner);
            self.bind_local(found.name);
        } else if let Some(holder) = parent.filter(|_| found.kind == Kind::Field && in_object) {
            // A table of data is no list of names.
            if definitions.len() - holder as usize > MAX_OBJECT_FIELDS {
                return Placement::Nowhere;
            }
        } else if found.kind == Kind::Method && (in_callable || around.is_some_and(|around| around.kind.is_value())) {
            // A signature in the type of a parameter, a variable or a field.
            if found.body.is_none() && node.child_by_field_name("body").is_none() {
                return Placement::Nowhere;
            }
        } else if self.is_whole_value(node, found)
            && (!found.kind.is_callable() || around.is_none_or(|around| around.name == self.name_text(found.name)))
        {
            return Placement::Local;
        }
        // `a.x = 1` and `b.x = 2` declare two things.
        let name = match &found.container {
            Some(container) if container.start < found.name.start_byte() => {
                &self.text[container.start..found.name.end_byte()]
            }
            _ => self.name_text(found.name),
        };
        let is_first = self.outline.declared.insert((parent, name));
        let by_assignment = found.through_instance || self.language.settings().assignment_declares;
        if !is_first && found.kind.is_value() && by_assignment {
            return Placement::Write;
        }
        Placement::Under(parent)
    }

    /// Returns whether a type has a property of this name, before the current node or behind it.
    fn has_property(&self, owner: u32, name: Node<'tree>) -> bool {
        let name = self.name_text(name);
        let definitions = &self.facts.definitions;
        let end = definitions[owner as usize].span.end_byte as usize;
        let is_property = |found: &DefinitionMatch<'tree>| {
            found.kind == Kind::Property && !found.through_instance && self.name_text(found.name) == name
        };
        let mut before = definitions[owner as usize + 1..].iter();
        let behind = self.matches.definitions.iter().skip(self.cursors.definition).take_while(|at| at.start < end);
        before.any(|other| other.parent == Some(owner) && other.kind == Kind::Property && other.name == name)
            || behind.flat_map(|at| &at.found).any(is_property)
    }

    /// Returns true for the function in `f = function g() {}`: the definition around it is the same
    /// thing and holds what is in it. A second name is one more definition: the function calls
    /// itself by it, and it stands in stack traces.
    fn is_whole_value(&self, node: Node<'tree>, found: &DefinitionMatch<'tree>) -> bool {
        let body = || node.child_by_field_name("body").map(|body| body.id());
        found.body.is_none()
            && !self.outline.bodies.is_empty()
            && body().is_some_and(|body| self.outline.bodies.contains(&body))
    }

    /// Makes the name of a definition that turned out to be none an ordinary assignment.
    pub(super) fn reclaim_as_write(&mut self, name: Node<'tree>) {
        self.reclaim(name, RefKind::Write, Arguments::Unknown);
    }

    /// Makes the name of a definition that turned out to be none a use.
    fn reclaim(&mut self, name: Node<'tree>, kind: RefKind, arguments: Arguments<'tree>) {
        let claims = &mut self.matches.claims;
        if let Ok(index) = claims.binary_search_by_key(&name.start_byte(), |(byte, _)| *byte) {
            claims[index].1 = Claim::Reference { kind, receiver: None, arguments, binds: false };
        }
    }
}
