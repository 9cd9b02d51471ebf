//! One pass over the tree that turns query matches into definitions and references.
//!
//! The nodes come as a list. The walk keeps the ancestors of the current node on an explicit stack, so neither depth
//! nor `Node::parent` (which searches from the root) can make it slow or overflow. Comments and attributes wait beside
//! their level until the node they stand before is reached.

mod arguments;
mod bind;
mod names;
mod settle;

use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use self::bind::{Bound, Nameless, Scope};
use crate::classes::{ATTRIBUTE, BLOCK, COMMENT, COMPONENT, GROUP, IDENTIFIER, MEMBER, NodeClasses, SCOPE, TYPE_NODE};
use crate::declare::{self, Surroundings};
use crate::doc;
use crate::extract::{self, Arguments, Claim, DefinitionMatch, Matches, Within};
use crate::facts::{Definition, FileFacts, Kind, MAX_PROBLEMS, RefKind, Visibility};
use crate::languages::Language;
use crate::pattern::Visited;
use crate::settings::Settings;

/// An ancestor of the current node.
pub(crate) struct Level<'tree> {
    pub node: Node<'tree>,
    /// Comments and attributes right before `node`.
    pub lead: Vec<Node<'tree>>,
    /// The same, gathered for `node`'s next child.
    child_lead: Vec<Node<'tree>>,
    /// The child before, unless it was a comment or attribute.
    last: Option<Node<'tree>>,
    /// What the section that the next child stands in makes of its visibility.
    section: Option<Visibility>,
}

/// What becomes of a definition that the query found.
enum Place {
    /// Recorded, below this parent.
    Under(Option<u32>),
    /// The enclosing function's own business.
    Local,
    /// An assignment to what is declared elsewhere.
    Write,
    /// Of no use to anyone: a field of a nameless type inside a function.
    Nowhere,
}

/// A definition around the current node.
#[derive(Clone, Copy)]
struct Open {
    index: u32,
    /// The byte where its node ends.
    end: usize,
    /// How many ancestors its node has.
    depth: usize,
}

struct Walk<'text, 'tree> {
    text: &'text str,
    language: &'static Language,
    classes: &'static NodeClasses,
    matches: Matches<'tree>,
    has_errors: bool,
    /// Whether references and bindings are wanted.
    uses: bool,
    next_definition: usize,
    next_claim: usize,
    next_import: usize,
    next_within: usize,
    /// Ranges around the current node and what the names in them are, innermost last.
    within: Vec<(std::ops::Range<usize>, Within)>,
    levels: Vec<Level<'tree>>,
    next_mark: usize,
    /// Definitions around the current node.
    open: Vec<Open>,
    /// Where a member name starts and what stands before it, innermost last.
    receivers: Vec<(usize, std::ops::Range<usize>)>,
    names: FxHashMap<&'text str, u32>,
    /// Where the type node around the current node ends, if there is one.
    type_end: usize,
    /// What each definition binds for itself.
    scopes: FxHashMap<u32, Scope>,
    /// A wrapper and the type parameters in it that wait for the definition they belong to.
    waiting_types: Option<(Node<'tree>, Vec<(u32, u32)>)>,
    /// What functions bind, in source order.
    bound: Vec<Bound>,
    /// Where the values that are noted of definitions stand.
    values_at: Vec<(u32, bind::Place)>,
    /// Names that do not stand in the text as they are.
    made_names: FxHashMap<String, u32>,
    /// The nameless functions so far.
    nameless: Vec<Nameless>,
    /// Those around the current node, as indexes.
    open_nameless: Vec<usize>,
    /// Bodies of definitions that the query captured apart from them, by node id.
    bodies: FxHashSet<usize>,
    /// Names defined so far, with the parents of the definitions.
    declared: FxHashSet<(Option<u32>, &'text str)>,
    /// The headings whose sections are not at their end yet, with their levels.
    sections: Vec<(u32, u8)>,
    /// The last definition below each parent, with its arity.
    last_below: FxHashMap<Option<u32>, (u32, Option<usize>)>,
    /// Visibilities said elsewhere than at the definition, by parent and name.
    marked: FxHashMap<(Option<u32>, String), Visibility>,
    /// The nameless function around each reference, and its byte.
    around: Vec<(Option<usize>, usize)>,
    components: FxHashSet<u32>,
    facts: FileFacts,
}

/// Walks the nodes and gathers their facts, all but chunks; `None` when `deadline` passes.
pub(crate) fn walk(
    text: &str,
    language: &'static Language,
    has_errors: bool,
    mut matches: Matches<'_>,
    deadline: Instant,
    uses: bool,
) -> Option<FileFacts> {
    let imports = std::mem::take(&mut matches.imports);
    let nodes = std::mem::take(&mut matches.nodes);
    let mut walk = Walk {
        text,
        language,
        classes: language.node_classes(),
        matches,
        has_errors,
        uses,
        next_definition: 0,
        next_claim: 0,
        next_import: 0,
        next_within: 0,
        within: Vec::new(),
        next_mark: 0,
        levels: Vec::new(),
        open: Vec::new(),
        receivers: Vec::new(),
        names: FxHashMap::default(),
        type_end: 0,
        scopes: FxHashMap::default(),
        waiting_types: None,
        bound: Vec::new(),
        values_at: Vec::new(),
        made_names: FxHashMap::default(),
        nameless: Vec::new(),
        open_nameless: Vec::new(),
        bodies: FxHashSet::default(),
        declared: FxHashSet::default(),
        sections: Vec::new(),
        last_below: FxHashMap::default(),
        marked: FxHashMap::default(),
        around: Vec::new(),
        components: FxHashSet::default(),
        facts: FileFacts { imports, ..FileFacts::default() },
    };
    let mut nodes = nodes.into_iter().enumerate().peekable();
    while let Some((number, Visited { node, depth })) = nodes.next() {
        if number.is_multiple_of(512) && Instant::now() > deadline {
            return None;
        }
        walk.leave(depth as usize);
        let lead = walk.enter(node);
        if nodes.peek().is_some_and(|(_, next)| next.depth > depth) {
            let child_lead = if walk.classes.of(&node) & GROUP != 0 { lead.clone() } else { Vec::new() };
            walk.levels.push(Level { node, lead, child_lead, last: None, section: None });
        }
    }
    walk.end_sections(0, text.len());
    Some(walk.finish())
}

impl<'text, 'tree> Walk<'text, 'tree> {
    /// Leaves all but the outermost `depth` levels; comments at the end of a group wait for what follows it.
    fn leave(&mut self, depth: usize) {
        while self.levels.len() > depth {
            let Some(level) = self.levels.pop() else { return };
            let is_group = self.classes.of(&level.node) & GROUP != 0;
            if let Some(outer) = self.levels.last_mut().filter(|_| is_group && !level.child_lead.is_empty()) {
                outer.child_lead = level.child_lead;
            }
        }
    }

    /// Visits a node before its children; returns the comments and attributes that stand right before it.
    fn enter(&mut self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let class = self.classes.of(&node);
        let start = node.start_byte();
        while self.open.last().is_some_and(|open| start >= open.end) {
            self.open.pop();
        }
        while self.open_nameless.last().is_some_and(|index| start >= self.nameless[*index].end) {
            self.open_nameless.pop();
        }
        self.note_marks(node);
        let found = self.definitions_at(node);
        // What is defined is not what decorates.
        let lead = self.take_lead(node, if found.is_some() { class & !ATTRIBUTE } else { class });
        if self.has_errors && (node.is_error() || node.is_missing()) && self.facts.problems.len() < MAX_PROBLEMS {
            // A part that goes on where the grammar cannot follow need not be wrong.
            if self.reach(start).is_none() {
                self.facts.problems.push(extract::problem(node));
            }
        }
        if class & COMPONENT != 0 {
            self.components.extend(self.open.iter().map(|open| open.index));
        }
        if class & MEMBER != 0 {
            self.note_receiver(node);
        }
        if class & TYPE_NODE != 0 {
            self.type_end = self.type_end.max(node.end_byte());
        }
        if let Some(found) = found {
            self.define(node, &lead, found);
        }
        if class & SCOPE != 0 || (class & BLOCK != 0 && self.open_nameless.is_empty() && self.binding_scope().is_none())
        {
            let outer = self.open_nameless.last().copied();
            self.open_nameless.push(self.nameless.len());
            let depth = self.open.len();
            let is_body = node.child_by_field_name("body").is_some_and(|body| self.bodies.contains(&body.id()));
            let end = node.end_byte();
            self.nameless.push(Nameless { names: FxHashMap::default(), outer, depth, end, is_body });
        }
        if !self.matches.returned.is_empty() && self.matches.returned.contains(&node.id()) {
            self.note_returned(node);
        }
        if self.uses && class & IDENTIFIER != 0 && node.child_count() == 0 && node.end_byte() > start {
            self.identifier(node, class);
        }
        lead
    }

    /// What the query found to be defined by `node`.
    fn definitions_at(&mut self, node: Node<'tree>) -> Option<Vec<DefinitionMatch<'tree>>> {
        let start = node.start_byte();
        let definitions = &mut self.matches.definitions;
        while definitions.get(self.next_definition).is_some_and(|at| at.start < start) {
            self.next_definition += 1;
        }
        let mut same_start = definitions[self.next_definition..].iter_mut().take_while(|at| at.start == start);
        same_start.find(|at| at.node == node.id()).map(|at| std::mem::take(&mut at.found))
    }

    fn take_lead(&mut self, node: Node<'tree>, class: u32) -> Vec<Node<'tree>> {
        if class & COMMENT != 0 && self.document_last(node) {
            return Vec::new();
        }
        let Some(level) = self.levels.last_mut() else { return Vec::new() };
        if class & (COMMENT | ATTRIBUTE) != 0 {
            let row = node.start_position().row;
            let trailing = class & COMMENT != 0 && level.last.is_some_and(|last| last_row(&last) == row);
            if level.child_lead.last().is_some_and(|last| row > last_row(last) + 1) {
                level.child_lead.clear();
            }
            if !trailing {
                level.child_lead.push(node);
            }
            return Vec::new();
        }
        level.last = Some(node);
        let lead = std::mem::take(&mut level.child_lead);
        match lead.last() {
            Some(last) if node.start_position().row <= last_row(last) + 1 => lead,
            _ => Vec::new(),
        }
    }

    /// Gives a comment that documents what stands before it to the last definition; false for any other comment.
    fn document_last(&mut self, comment: Node<'tree>) -> bool {
        let marks = &self.language.settings().docs.after;
        let text = &self.text[comment.byte_range()];
        if !marks.iter().any(|mark| text.starts_with(mark.as_str())) {
            return false;
        }
        let is_before =
            |last: &&mut Definition| last.doc.is_none() && last.span.end_byte as usize <= comment.start_byte();
        if let Some(last) = self.facts.definitions.last_mut().filter(is_before) {
            last.doc = doc::comment_doc(text);
        }
        true
    }

    /// Notes what the query said here about the visibility of definitions elsewhere.
    fn note_marks(&mut self, node: Node<'tree>) {
        let parent = self.parent();
        while let Some((_, name, visibility)) =
            self.matches.marks.get(self.next_mark).filter(|(byte, ..)| *byte <= node.start_byte())
        {
            self.marked.insert((parent, name.clone()), *visibility);
            self.next_mark += 1;
        }
        if let Some(visibility) = self.matches.sections.get(&node.id())
            && let Some(level) = self.levels.last_mut()
        {
            level.section = Some(*visibility);
        }
    }

    /// The innermost definition around the current node.
    fn parent(&self) -> Option<u32> {
        self.open.last().map(|open| open.index)
    }

    /// What the sections of the body around the current node say.
    fn section(&self) -> Option<Visibility> {
        let inside = self.open.last().map_or(0, |open| open.depth + 1);
        self.levels.get(inside..)?.iter().rev().find_map(|level| level.section)
    }

    /// The package that holds at a byte.
    fn package_at(&self, byte: usize) -> Option<&str> {
        let packages = &self.matches.packages;
        let after = packages.partition_point(|(start, _)| *start <= byte);
        packages.get(after.saturating_sub(1)).filter(|_| after > 0).map(|(_, package)| package.as_str())
    }

    fn name_text(&self, node: Node<'tree>) -> &'text str {
        self.classes.bare_name(node, self.text, self.language.settings())
    }

    fn note_receiver(&mut self, node: Node<'tree>) {
        let (object, member) = self.classes.members[&node.kind_id()];
        if let (Some(object), Some(member)) = (node.child_by_field_id(object), node.child_by_field_id(member)) {
            let settings = self.language.settings();
            let mut before = self.text[object.byte_range()].trim_end_matches(settings.separator.as_str());
            let end = object.start_byte() + before.len();
            for _ in 0..MAX_MARKS {
                let rest = settings.receiver_trim.iter().find_map(|mark| before.strip_prefix(mark.as_str()));
                before = rest.unwrap_or(before);
            }
            // Of `a::(b::c)`, all that stands before `c` is its receiver.
            let outer = self.receivers.last().filter(|(byte, _)| *byte == object.start_byte());
            let start = outer.map_or(end - before.len(), |(_, outer)| outer.start);
            self.receivers.push((member.start_byte(), start..end));
        }
    }

    fn define(&mut self, node: Node<'tree>, lead: &[Node<'tree>], found: Vec<DefinitionMatch<'tree>>) {
        let mut opened = None;
        let until = if self.open.is_empty() { self.reach(node.start_byte()) } else { None };
        let mut body_end = 0;
        for found in found {
            let parent = match self.place(node, &found) {
                Place::Under(parent) => parent,
                Place::Local => {
                    self.bind_local(found.name);
                    continue;
                }
                Place::Write => {
                    self.reclaim_as_write(found.name);
                    continue;
                }
                Place::Nowhere => continue,
            };
            let level = found.level.filter(|_| found.kind == Kind::Heading);
            let parent = level.map_or(parent, |level| self.end_sections(level, node.start_byte()));
            let surroundings = Surroundings {
                text: self.text,
                language: self.language,
                classes: self.classes,
                levels: &self.levels,
                lead,
                package: self.package_at(node.start_byte()),
                section: self.section(),
                definitions: &self.facts.definitions,
                parent,
            };
            if let Some(mut definition) = declare::definition(&surroundings, node, &found) {
                if let Some(until) = until {
                    declare::extend_to(self.text, &mut definition, until);
                }
                self.take_hint(found.name, &mut definition);
                // What stands in an assignment to `self.x` still belongs to the function around it.
                let is_aside = found.through_instance || found.through_parameter;
                let is_second_name = self.is_whole_value(node, &found);
                if let Some(index) = self.merge_clause(parent, &definition, found.arity) {
                    opened.get_or_insert(index);
                    continue;
                }
                self.last_below.insert(parent, (self.facts.definitions.len() as u32, found.arity));
                self.sections.extend(level.map(|level| (self.facts.definitions.len() as u32, level)));
                if !is_second_name && (!is_aside || found.kind.is_callable()) {
                    opened.get_or_insert(self.facts.definitions.len() as u32);
                }
                self.note_value_place(found.name, &definition);
                if definition.kind == Kind::Impl {
                    self.refer_to_type(found.name, parent);
                }
                self.facts.definitions.push(definition);
                self.bodies.extend(found.body.map(|body| body.id()));
                body_end = body_end.max(found.body_after(node).map_or(0, |body| body.end_byte()));
            }
        }
        if let Some(index) = opened {
            let end = until.unwrap_or(node.end_byte()).max(body_end);
            self.open.push(Open { index, end, depth: self.levels.len() });
            self.take_waiting_types(node, index);
        }
    }

    /// Where a definition that starts at `byte` ends, when that is not where its node does.
    fn reach(&self, byte: usize) -> Option<usize> {
        let reaches = &self.matches.reaches;
        let next = reaches.partition_point(|(range, _)| range.end < byte);
        reaches.get(next).filter(|(range, _)| range.start <= byte).map(|(_, until)| *until)
    }

    /// Ends the sections of headings at `level` or below before `byte`; returns the heading around what follows.
    fn end_sections(&mut self, level: u8, byte: usize) -> Option<u32> {
        while let Some((index, _)) = self.sections.pop_if(|(_, open)| *open >= level) {
            declare::extend_to(self.text, &mut self.facts.definitions[index as usize], byte);
        }
        self.sections.last().map(|(index, _)| *index)
    }

    /// Adds another clause to the definition right before it, if that is what it is.
    fn merge_clause(&mut self, parent: Option<u32>, clause: &Definition, arity: Option<usize>) -> Option<u32> {
        let kinds = &self.language.settings().merge_clauses;
        let merges = |kind: Kind| kinds.iter().any(|word| word == kind.as_str());
        if kinds.is_empty() || !merges(clause.kind) {
            return None;
        }
        let (index, first_arity) = self.last_below.get(&parent).copied()?;
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
        self.last_below.insert(parent, (index, first_arity.or(arity)));
        Some(index)
    }

    fn place(&mut self, node: Node<'tree>, found: &DefinitionMatch<'tree>) -> Place {
        let definitions = &self.facts.definitions;
        let mut parent = self.parent();
        let around = parent.map(|index| &definitions[index as usize]);
        let in_callable = around.is_some_and(|around| around.kind.is_callable());
        if found.through_instance {
            let owner = around.filter(|around| around.kind == Kind::Constructor).and_then(|around| around.parent);
            match owner.filter(|owner| definitions[*owner as usize].kind.is_type()) {
                Some(owner) => parent = Some(owner),
                None if found.kind.is_callable() => {}
                None => return Place::Write,
            }
        } else if matches!(found.kind, Kind::Variable | Kind::Constant) {
            if in_callable || self.innermost_nameless().is_some() || around.is_some_and(|around| around.kind.is_value())
            {
                return Place::Local;
            }
        } else if found.kind == Kind::Field && in_callable {
            let owner = around.filter(|around| found.through_parameter && around.kind == Kind::Constructor);
            let Some(owner) = owner.and_then(|around| around.parent) else { return Place::Nowhere };
            parent = Some(owner);
            self.bind_local(found.name);
        } else if found.kind == Kind::Method && (in_callable || around.is_some_and(|around| around.kind.is_value())) {
            // A signature in the type of a parameter, a variable or a field.
            if found.body.is_none() && node.child_by_field_name("body").is_none() {
                return Place::Nowhere;
            }
        } else if self.is_whole_value(node, found)
            && (!found.kind.is_callable() || around.is_none_or(|around| around.name == self.name_text(found.name)))
        {
            return Place::Local;
        }
        // `a.x = 1` and `b.x = 2` declare two things.
        let name = match &found.container {
            Some(container) if container.start < found.name.start_byte() => {
                &self.text[container.start..found.name.end_byte()]
            }
            _ => self.name_text(found.name),
        };
        let is_first = self.declared.insert((parent, name));
        let by_assignment = found.through_instance || self.language.settings().assignment_declares;
        if !is_first && found.kind.is_value() && by_assignment {
            return Place::Write;
        }
        Place::Under(parent)
    }

    /// True for the function in `f = function g() {}`: the definition around it is the same thing and holds what is in it.
    /// A second name is one more definition: the function calls itself by it, and it stands in stack traces.
    fn is_whole_value(&self, node: Node<'tree>, found: &DefinitionMatch<'tree>) -> bool {
        let body = || node.child_by_field_name("body").map(|body| body.id());
        found.body.is_none() && !self.bodies.is_empty() && body().is_some_and(|body| self.bodies.contains(&body))
    }

    /// Makes the name of a definition that turned out to be none an ordinary assignment.
    fn reclaim_as_write(&mut self, name: Node<'tree>) {
        let claims = &mut self.matches.claims;
        if let Ok(index) = claims.binary_search_by_key(&name.start_byte(), |(byte, _)| *byte) {
            let (kind, arguments) = (RefKind::Write, Arguments::Unknown);
            claims[index].1 = Claim::Reference { kind, receiver: None, arguments };
        }
    }

    /// The definition that a name bound here belongs to: the function around, or else the variable around.
    fn binding_scope(&self) -> Option<u32> {
        let kind = |index: u32| self.facts.definitions[index as usize].kind;
        let innermost = self.parent();
        let callable = self.open.iter().rev().map(|open| open.index).find(|index| kind(*index).is_callable());
        callable.or(innermost.filter(|index| kind(*index).is_value() || kind(*index) == Kind::TypeAlias))
    }

    /// The nameless function that a name bound here belongs to, when no definition is nearer.
    fn innermost_nameless(&self) -> Option<usize> {
        self.open_nameless.last().copied().filter(|index| self.nameless[*index].depth == self.open.len())
    }
}

/// At most this many marks are taken off an object.
const MAX_MARKS: usize = 4;

/// The last row that holds a character of `node`; some grammars count a comment's newline into it.
fn last_row(node: &Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}

/// The row of a comment or attribute that starts what belongs to a definition.
pub(crate) fn first_of_lead<'tree>(lead: &[Node<'tree>]) -> Option<Node<'tree>> {
    lead.first().copied()
}

/// The doc text among `lead`.
pub(crate) fn lead_doc(text: &str, classes: &NodeClasses, lead: &[Node<'_>], settings: &Settings) -> Option<String> {
    doc::leading_doc(text, lead, |node| classes.of(node) & COMMENT != 0, &settings.docs)
}
