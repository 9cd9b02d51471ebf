//! One pass over the tree that turns query matches into definitions and references.
//!
//! The nodes come as a list. The walk keeps the ancestors of the current node on an explicit stack, so neither depth
//! nor `Node::parent` (which searches from the root) can make it slow or overflow. Comments and attributes wait beside
//! their level until the node they stand before is reached.

use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree};

use crate::classes::{
    ATTRIBUTE, BLOCK, COMMENT, COMPONENT, IDENTIFIER, MEMBER, NodeClasses, SCOPE, TOKENS, TYPE_IDENTIFIER, TYPE_NODE,
};
use crate::declare::{self, Surroundings};
use crate::doc;
use crate::extract::{self, Claim, DefinitionMatch, Matches};
use crate::facts::{FileFacts, Kind, MAX_PROBLEMS, RefKind, Reference, Visibility};
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
}

/// Names that mean something else inside a definition than outside, as indexes into [`FileFacts::names`].
#[derive(Default)]
struct Scope {
    values: FxHashSet<u32>,
    types: FxHashSet<u32>,
    nonlocals: FxHashSet<u32>,
}

/// A function or block that is no definition and yet has names of its own.
struct Nameless {
    names: FxHashSet<u32>,
    /// The nameless function around it.
    outer: Option<usize>,
    /// How many definitions are around it.
    depth: usize,
    end: usize,
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

struct Walk<'text, 'tree> {
    text: &'text str,
    language: &'static Language,
    classes: &'static NodeClasses,
    matches: Matches<'tree>,
    has_errors: bool,
    next_definition: usize,
    next_claim: usize,
    next_import: usize,
    levels: Vec<Level<'tree>>,
    /// Definitions around the current node, with the byte where each ends.
    open: Vec<(u32, usize)>,
    /// Where a member name starts and what stands before it, innermost last.
    receivers: Vec<(usize, std::ops::Range<usize>)>,
    names: FxHashMap<&'text str, u32>,
    /// Where the type node around the current node ends, if there is one.
    type_end: usize,
    /// What each definition binds for itself.
    scopes: FxHashMap<u32, Scope>,
    /// The nameless functions so far.
    nameless: Vec<Nameless>,
    /// Those around the current node, as indexes.
    open_nameless: Vec<usize>,
    /// Bodies of definitions that the query captured apart from them, by node id.
    bodies: FxHashSet<usize>,
    /// Names defined so far, with the parents of the definitions.
    declared: FxHashSet<(Option<u32>, &'text str)>,
    /// The nameless function around each reference.
    nameless_around: Vec<Option<usize>>,
    components: FxHashSet<u32>,
    facts: FileFacts,
}

/// Walks `tree` and gathers its facts, all but chunks; `None` when `deadline` passes.
pub(crate) fn walk(
    text: &str,
    language: &'static Language,
    tree: &Tree,
    mut matches: Matches<'_>,
    deadline: Instant,
) -> Option<FileFacts> {
    let compiled = language.compiled();
    let imports = std::mem::take(&mut matches.imports);
    let nodes = std::mem::take(&mut matches.nodes);
    let mut walk = Walk {
        text,
        language,
        classes: compiled.query.classes.get_or_init(|| NodeClasses::new(&compiled.grammar, language.settings())),
        matches,
        has_errors: tree.root_node().has_error(),
        next_definition: 0,
        next_claim: 0,
        next_import: 0,
        levels: Vec::new(),
        open: Vec::new(),
        receivers: Vec::new(),
        names: FxHashMap::default(),
        type_end: 0,
        scopes: FxHashMap::default(),
        nameless: Vec::new(),
        open_nameless: Vec::new(),
        bodies: FxHashSet::default(),
        declared: FxHashSet::default(),
        nameless_around: Vec::new(),
        components: FxHashSet::default(),
        facts: FileFacts { imports, ..FileFacts::default() },
    };
    let mut nodes = nodes.into_iter().enumerate().peekable();
    while let Some((number, Visited { node, depth })) = nodes.next() {
        if number.is_multiple_of(512) && Instant::now() > deadline {
            return None;
        }
        walk.levels.truncate(depth as usize);
        let lead = walk.enter(node);
        if nodes.peek().is_some_and(|(_, next)| next.depth > depth) {
            walk.levels.push(Level { node, lead, child_lead: Vec::new(), last: None });
        }
    }
    Some(walk.finish())
}

impl<'text, 'tree> Walk<'text, 'tree> {
    /// Visits a node before its children; returns the comments and attributes that stand right before it.
    fn enter(&mut self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let class = self.classes.of(&node);
        let start = node.start_byte();
        while self.open.last().is_some_and(|(_, end)| start >= *end) {
            self.open.pop();
        }
        while self.open_nameless.last().is_some_and(|index| start >= self.nameless[*index].end) {
            self.open_nameless.pop();
        }
        let lead = self.take_lead(node, class);
        if self.has_errors && (node.is_error() || node.is_missing()) && self.facts.problems.len() < MAX_PROBLEMS {
            self.facts.problems.push(extract::problem(node));
        }
        if class & COMPONENT != 0 {
            self.components.extend(self.open.iter().map(|(index, _)| *index));
        }
        if class & MEMBER != 0 {
            self.note_receiver(node);
        }
        if class & TYPE_NODE != 0 {
            self.type_end = self.type_end.max(node.end_byte());
        }
        if let Some(found) = self.definitions_at(node) {
            self.define(node, &lead, found);
        }
        if class & SCOPE != 0 || (class & BLOCK != 0 && self.open_nameless.is_empty() && self.binding_scope().is_none())
        {
            let outer = self.open_nameless.last().copied();
            self.open_nameless.push(self.nameless.len());
            let depth = self.open.len();
            self.nameless.push(Nameless { names: FxHashSet::default(), outer, depth, end: node.end_byte() });
        }
        if class & IDENTIFIER != 0 && node.child_count() == 0 && !(self.has_errors && node.is_missing()) {
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

    fn take_lead(&mut self, node: Node<'tree>, class: u16) -> Vec<Node<'tree>> {
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

    fn note_receiver(&mut self, node: Node<'tree>) {
        let (object, member) = self.classes.members[&node.kind_id()];
        if let (Some(object), Some(member)) = (node.child_by_field_id(object), node.child_by_field_id(member)) {
            self.receivers.push((member.start_byte(), object.byte_range()));
        }
    }

    fn define(&mut self, node: Node<'tree>, lead: &[Node<'tree>], found: Vec<DefinitionMatch<'tree>>) {
        let mut opened = None;
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
            let surroundings = Surroundings {
                text: self.text,
                language: self.language,
                classes: self.classes,
                levels: &self.levels,
                lead,
                package: self.matches.package.as_deref(),
                definitions: &self.facts.definitions,
                parent,
            };
            if let Some(definition) = declare::definition(&surroundings, node, &found) {
                // What stands in an assignment to `self.x` still belongs to the function around it.
                let is_aside = found.through_instance || found.through_parameter;
                if !is_aside || found.kind.is_callable() {
                    opened.get_or_insert(self.facts.definitions.len() as u32);
                }
                self.facts.definitions.push(definition);
                self.bodies.extend(found.body.map(|body| body.id()));
            }
        }
        if let Some(index) = opened {
            self.open.push((index, node.end_byte()));
        }
    }

    fn place(&mut self, node: Node<'tree>, found: &DefinitionMatch<'tree>) -> Place {
        let definitions = &self.facts.definitions;
        let mut parent = self.open.last().map(|(index, _)| *index);
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
        } else if self.is_whole_value(node, found) {
            return Place::Local;
        }
        let is_first = self.declared.insert((parent, &self.text[found.name.byte_range()]));
        let by_assignment = found.through_instance || self.language.settings().assignment_declares;
        if !is_first && found.kind.is_value() && by_assignment {
            return Place::Write;
        }
        Place::Under(parent)
    }

    /// True for the function in `f = function g() {}`: the definition around it is the same thing.
    fn is_whole_value(&self, node: Node<'tree>, found: &DefinitionMatch<'tree>) -> bool {
        let body = || node.child_by_field_name("body").map(|body| body.id());
        found.body.is_none() && !self.bodies.is_empty() && body().is_some_and(|body| self.bodies.contains(&body))
    }

    /// Makes the name of a definition that turned out to be none an ordinary assignment.
    fn reclaim_as_write(&mut self, name: Node<'tree>) {
        let claims = &mut self.matches.claims;
        if let Ok(index) = claims.binary_search_by_key(&name.start_byte(), |(byte, _)| *byte) {
            claims[index].1 = Claim::Reference { kind: RefKind::Write, receiver: None };
        }
    }

    /// The definition that a name bound here belongs to: the function around, or else the variable around.
    fn binding_scope(&self) -> Option<u32> {
        let kind = |index: u32| self.facts.definitions[index as usize].kind;
        let innermost = self.open.last().map(|(index, _)| *index);
        let callable = self.open.iter().rev().map(|(index, _)| *index).find(|index| kind(*index).is_callable());
        callable.or(innermost.filter(|index| kind(*index).is_value() || kind(*index) == Kind::TypeAlias))
    }

    /// The nameless function that a name bound here belongs to, when no definition is nearer.
    fn innermost_nameless(&self) -> Option<usize> {
        self.open_nameless.last().copied().filter(|index| self.nameless[*index].depth == self.open.len())
    }

    fn bind_local(&mut self, name: Node<'tree>) {
        if let Some(index) = self.innermost_nameless() {
            let name = self.intern(&self.text[name.byte_range()]);
            self.nameless[index].names.insert(name);
            return;
        }
        let Some(scope) = self.binding_scope() else { return };
        let bound = self.intern(&self.text[name.byte_range()]);
        let scope = self.scopes.entry(scope).or_default();
        if scope.nonlocals.contains(&bound) {
            self.reclaim_as_write(name);
        } else {
            scope.values.insert(bound);
        }
    }

    fn bind_nonlocal(&mut self, name: Node<'tree>) {
        let Some(scope) = self.binding_scope() else { return };
        let name = self.intern(&self.text[name.byte_range()]);
        self.scopes.entry(scope).or_default().nonlocals.insert(name);
    }

    fn bind_type(&mut self, name: Node<'tree>) {
        let Some((scope, _)) = self.open.last().copied() else { return };
        let name = self.intern(&self.text[name.byte_range()]);
        self.scopes.entry(scope).or_default().types.insert(name);
    }

    fn identifier(&mut self, node: Node<'tree>, class: u16) {
        let start = node.start_byte();
        let claims = &self.matches.claims;
        while claims.get(self.next_claim).is_some_and(|(byte, _)| *byte < start) {
            self.next_claim += 1;
        }
        let claim = claims.get(self.next_claim).filter(|(byte, _)| *byte == start).map(|(_, claim)| claim.clone());
        while self.receivers.last().is_some_and(|(byte, _)| *byte < start) {
            self.receivers.pop();
        }
        let member_of = self.receivers.last().filter(|(byte, _)| *byte == start).map(|(_, object)| object.clone());
        let ranges = &self.matches.import_ranges;
        while ranges.get(self.next_import).is_some_and(|range| range.end <= start) {
            self.next_import += 1;
        }
        let in_import = ranges.get(self.next_import).is_some_and(|range| range.contains(&start));
        let (kind, receiver) = match claim {
            Some(Claim::DefinitionName | Claim::Skip) => return,
            Some(Claim::Local) => return self.bind_local(node),
            Some(Claim::LocalType) => return self.bind_type(node),
            Some(Claim::Nonlocal) => return self.bind_nonlocal(node),
            Some(Claim::Reference { kind: RefKind::Import, .. }) => (RefKind::Import, None),
            Some(Claim::Reference { kind, receiver }) => (kind, receiver.or(member_of)),
            None if in_import => (RefKind::Import, None),
            None if class & TYPE_IDENTIFIER != 0 || self.in_type(start, member_of.is_some()) => {
                (RefKind::Type, member_of)
            }
            None if self.in_tokens() => self.token_use(node),
            None => (RefKind::Read, member_of),
        };
        if matches!(kind, RefKind::Read | RefKind::Write) && self.text[node.byte_range()] == *"_" {
            return;
        }
        self.nameless_around.push(self.open_nameless.last().copied());
        let position = node.start_position();
        let reference = Reference {
            name: self.intern(&self.text[node.byte_range()]),
            kind,
            receiver: receiver.map(|range| self.intern_receiver(range)),
            enclosing: self.open.last().map(|(index, _)| *index),
            line: position.row as u32 + 1,
            column: position.column as u32 + 1,
        };
        self.facts.references.push(reference);
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
        let receiver = object.and_then(|object| {
            let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
            let length: usize = object.chars().rev().take(80).take_while(is_part).map(char::len_utf8).sum();
            // The end of an expression stands for the whole of it.
            let length = length.max(object.chars().next_back()?.len_utf8());
            Some(object.len() - length..object.len())
        });
        (if called { RefKind::Call } else { RefKind::Read }, receiver)
    }

    fn intern(&mut self, name: &'text str) -> u32 {
        *self.names.entry(name).or_insert_with(|| {
            self.facts.names.push(name.to_string());
            self.facts.names.len() as u32 - 1
        })
    }

    /// Interns what stands before a member; a long expression keeps its end, which is nearest to the member.
    fn intern_receiver(&mut self, range: std::ops::Range<usize>) -> u32 {
        const MAX_RECEIVER_BYTES: usize = 80;
        let receiver = &self.text[range];
        if receiver.len() <= MAX_RECEIVER_BYTES && !receiver.contains('\n') {
            return self.intern(receiver);
        }
        let tail = &receiver[receiver.ceil_char_boundary(receiver.len().saturating_sub(MAX_RECEIVER_BYTES))..];
        let tail = tail.rsplit('\n').next().unwrap_or(tail).trim_start();
        self.intern(tail)
    }

    fn finish(self) -> FileFacts {
        let Walk { mut facts, matches, scopes, nameless, nameless_around, components, .. } = self;
        for definition in facts.definitions.iter_mut().filter(|definition| definition.parent.is_none()) {
            if matches.exported.contains(&definition.name) {
                definition.visibility = Visibility::Public;
            }
        }
        for index in components {
            let definition = &mut facts.definitions[index as usize];
            let capitalised = definition.name.chars().next().is_some_and(char::is_uppercase);
            if capitalised && matches!(definition.kind, Kind::Function | Kind::Class | Kind::Variable | Kind::Constant)
            {
                definition.kind = Kind::Component;
            }
        }
        let definitions = &facts.definitions;
        let is_nameless_local = |reference: &Reference, innermost: Option<usize>| {
            let mut outwards = std::iter::successors(innermost, |index| nameless[*index].outer).take(MAX_SCOPES);
            reference.kind != RefKind::Type && outwards.any(|index| nameless[index].names.contains(&reference.name))
        };
        let is_local = |reference: &Reference| {
            let outwards = std::iter::successors(reference.enclosing, |index| definitions[*index as usize].parent);
            outwards.take(MAX_SCOPES).filter_map(|index| scopes.get(&index)).any(|scope| {
                let is_value = || scope.values.contains(&reference.name) && !scope.nonlocals.contains(&reference.name);
                scope.types.contains(&reference.name) || (reference.kind != RefKind::Type && is_value())
            })
        };
        let mut nameless_around = nameless_around.into_iter();
        facts.references.retain(|reference| {
            let innermost = nameless_around.next().flatten();
            let bare = reference.receiver.is_none() && reference.kind != RefKind::Import;
            !(bare && (is_local(reference) || is_nameless_local(reference, innermost)))
        });
        keep_used_names(&mut facts);
        facts
    }
}

/// Names are looked up in at most this many definitions around a use, so that nesting cannot make a file slow.
const MAX_SCOPES: usize = 64;

/// Drops the names that only left-out references used.
fn keep_used_names(facts: &mut FileFacts) {
    const UNUSED: u32 = u32::MAX;
    let mut moved = vec![UNUSED; facts.names.len()];
    let mut names = Vec::new();
    let mut keep = |name: &mut u32| {
        let index = *name as usize;
        if moved[index] == UNUSED {
            moved[index] = names.len() as u32;
            names.push(std::mem::take(&mut facts.names[index]));
        }
        *name = moved[index];
    };
    for reference in &mut facts.references {
        keep(&mut reference.name);
        reference.receiver.as_mut().map(&mut keep);
    }
    facts.names = names;
}

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
