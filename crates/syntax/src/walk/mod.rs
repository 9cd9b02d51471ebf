//! One pass over the tree that turns query matches into definitions and references.
//!
//! The nodes come as a list, and the walk keeps the ancestors of the current node on an explicit
//! stack, so depth cannot make it overflow.
//! Comments and attributes wait beside their level until the node they stand before is reached.

mod arguments;
mod bindings;
mod chains;
mod define;
mod definition;
mod finish;
mod interner;
mod names;
mod parameters;
mod token_chains;
mod types;

use std::ops::Range;
use std::time::Instant;

use self::bindings::{Nameless, Scopes};
use self::define::Outline;
use self::interner::{ChainTable, Interner, TypeTable};
use self::names::Uses;
use crate::doc;
use crate::extract::{DefinitionMatch, Matches};
use crate::facts::{Definition, FileFacts, Kind, MAX_PROBLEMS, Problem, TextSpan, Visibility};
use crate::node_kinds::{
    ATTRIBUTE, BLOCK, CLAIMED, COMMENT, COMPONENT, GROUP, IDENTIFIER, MEMBER, NodeKinds, QUOTED_TYPE, SCOPE, TEXT,
    TOKENS, TYPE_NODE,
};
use crate::registry::Language;
use crate::tree::{Node, SyntaxTree};

/// The text to walk over, and how.
#[derive(Clone, Copy)]
pub(crate) struct WalkInput<'text> {
    pub text: &'text str,
    pub language: &'static Language,
    pub has_errors: bool,
    /// References and bindings are wanted.
    pub uses: bool,
    pub deadline: Instant,
}

/// An ancestor of the current node.
struct Level<'tree> {
    node: Node<'tree>,
    /// Comments and attributes right before `node`.
    lead: Vec<Node<'tree>>,
    /// The same, gathered for `node`'s next child.
    child_lead: Vec<Node<'tree>>,
    /// The child before, unless it was a comment or attribute.
    last: Option<Node<'tree>>,
    /// The visibility that the section around the next child gives.
    section: Option<Visibility>,
    /// The children so far, where they are a row of words.
    tokens: Vec<Node<'tree>>,
}

/// A definition around the current node.
#[derive(Clone, Copy)]
struct OpenDefinition {
    index: u32,
    /// The byte where its node ends.
    end: usize,
    /// The number of its node's ancestors.
    depth: usize,
}

/// The next match of each sorted list; they advance with the walk.
#[derive(Default)]
struct Cursors {
    definition: usize,
    claim: usize,
    import: usize,
    name_role: usize,
    mark: usize,
    narrowing: usize,
}

struct Walk<'text, 'tree> {
    text: &'text str,
    language: &'static Language,
    node_kinds: &'static NodeKinds,
    has_errors: bool,
    records_uses: bool,
    matches: Matches<'tree>,
    cursors: Cursors,
    /// Ancestors of the current node, outermost first.
    levels: Vec<Level<'tree>>,
    /// Definitions around the current node, outermost first.
    open: Vec<OpenDefinition>,
    outline: Outline<'text>,
    scopes: Scopes<'tree>,
    uses: Uses<'tree>,
    names: Interner<'text>,
    types: TypeTable,
    chains: ChainTable,
    facts: FileFacts,
}

/// Walks the nodes and gathers their facts, all but chunks; `None` when the deadline passes.
pub(crate) fn walk<'tree>(
    input: WalkInput<'_>,
    tree: &'tree SyntaxTree,
    mut matches: Matches<'tree>,
) -> Option<FileFacts> {
    let imports = std::mem::take(&mut matches.imports);
    let mut walk = Walk {
        text: input.text,
        language: input.language,
        node_kinds: &input.language.compiled().node_kinds,
        has_errors: input.has_errors,
        records_uses: input.uses,
        matches,
        cursors: Cursors::default(),
        levels: Vec::new(),
        open: Vec::new(),
        outline: Outline::default(),
        scopes: Scopes::default(),
        uses: Uses::default(),
        names: Interner::default(),
        types: TypeTable::default(),
        chains: ChainTable::default(),
        facts: FileFacts { imports, ..FileFacts::default() },
    };
    for node in tree.nodes() {
        if node.id().is_multiple_of(512) && Instant::now() > input.deadline {
            return None;
        }
        walk.leave(node.depth() as usize);
        let lead = walk.enter(node);
        walk.note_token(node);
        if !node.is_leaf() {
            let child_lead = if walk.node_kinds.of(&node) & GROUP != 0 { lead.clone() } else { Vec::new() };
            walk.levels.push(Level { node, lead, child_lead, last: None, section: None, tokens: Vec::new() });
        }
    }
    walk.end_sections(0, input.text.len());
    Some(walk.finish())
}

impl<'text, 'tree> Walk<'text, 'tree> {
    /// Leaves all but the outermost `depth` levels; comments at the end of a group wait for what
    /// follows it.
    fn leave(&mut self, depth: usize) {
        while self.levels.len() > depth {
            let Some(level) = self.levels.pop() else { return };
            let is_group = self.node_kinds.of(&level.node) & GROUP != 0;
            if let Some(outer) = self.levels.last_mut().filter(|_| is_group && !level.child_lead.is_empty()) {
                outer.child_lead = level.child_lead;
            }
        }
    }

    /// Visits a node before its children; returns the comments and attributes that stand right
    /// before it.
    fn enter(&mut self, node: Node<'tree>) -> Vec<Node<'tree>> {
        let flags = self.node_kinds.of(&node);
        let start = node.start_byte();
        while self.open.last().is_some_and(|open| start >= open.end) {
            self.open.pop();
        }
        self.scopes.close_before(start);
        self.note_marks(node);
        let found = self.definitions_at(node);
        // A definition does not decorate another.
        let lead = self.take_lead(node, if found.is_some() { flags & !ATTRIBUTE } else { flags });
        self.note_problem(node);
        if flags & TEXT != 0 && self.records_uses {
            self.note_text(node);
        }
        if flags & COMPONENT != 0 {
            self.outline.components.extend(self.open.iter().map(|open| open.index));
        }
        if flags & MEMBER != 0 {
            self.note_receiver(node);
        }
        if flags & TYPE_NODE != 0 {
            self.uses.type_end = self.uses.type_end.max(node.end_byte());
        }
        if let Some(found) = found {
            self.define(node, &lead, found);
        }
        self.open_nameless(node, flags);
        self.narrow_before(start);
        if !self.matches.returned.is_empty() && self.matches.returned.contains(&node.id()) {
            self.note_returned(node);
        }
        if self.records_uses
            && flags & (IDENTIFIER | CLAIMED) != 0
            && node.is_leaf()
            && node.end_byte() > start
            && (flags & CLAIMED == 0 || self.has_claim(start))
        {
            self.identifier(node, flags);
        }
        if self.records_uses && flags & CLAIMED != 0 {
            self.interpolated_name(node);
        }
        if self.records_uses && flags & QUOTED_TYPE != 0 {
            self.quoted_names(node);
        }
        lead
    }

    /// Records a comment or literal text, unless it is a part of one.
    fn note_text(&mut self, node: Node<'tree>) {
        let range = self.text_range(node);
        let is_inside = |last: &TextSpan| range.start < (last.start + last.length) as usize;
        // The words of a list of symbols are names.
        if node.parent().is_some_and(|around| around.kind() == "bare_symbol") {
            return;
        }
        if !range.is_empty() && !self.facts.texts.last().is_some_and(is_inside) {
            self.facts.texts.push(TextSpan { start: range.start as u32, length: range.len() as u32 });
        }
    }

    /// Returns where a comment or literal text stands. What is left of a literal where the grammar
    /// lost its way, without its marks, may run over code: it is text from the mark before it to
    /// the end of the line.
    fn text_range(&self, node: Node<'tree>) -> Range<usize> {
        let range = node.byte_range();
        let is_rest = self.has_errors
            && node.is_leaf()
            && self.node_kinds.of(&node) & COMMENT == 0
            && self.levels.last().is_some_and(|level| level.node.is_error());
        if !is_rest {
            return range;
        }
        let before = self.text.as_bytes()[..range.start].last();
        if !before.is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`')) {
            return range.start..range.start;
        }
        let line = self.text[range.clone()].find('\n').unwrap_or(range.len());
        range.start..range.start + line
    }

    /// Keeps a word of a row of words for those that follow it.
    fn note_token(&mut self, node: Node<'tree>) {
        if let Some(level) = self.levels.last_mut().filter(|level| self.node_kinds.of(&level.node) & TOKENS != 0) {
            level.tokens.push(node);
        }
    }

    /// Records an `ERROR` or missing node.
    fn note_problem(&mut self, node: Node<'tree>) {
        if !self.has_errors || !(node.is_error() || node.is_missing()) || self.facts.problems.len() >= MAX_PROBLEMS {
            return;
        }
        // A part that goes on where the grammar cannot follow need not be wrong.
        if self.reach(node.start_byte()).is_some() {
            return;
        }
        let message = if node.is_missing() { format!("missing {}", node.kind()) } else { "syntax error".to_string() };
        self.facts.problems.push(Problem { line: node.start_position().row as u32 + 1, message });
    }

    /// Opens the scope of a function or block that is no definition and yet has names of its own.
    fn open_nameless(&mut self, node: Node<'tree>, flags: u32) {
        let is_block = || flags & BLOCK != 0 && self.scopes.open_nameless.is_empty() && self.binding_scope().is_none();
        if flags & SCOPE == 0 && !is_block() {
            return;
        }
        let outer = self.scopes.open_nameless.last().copied();
        let body = node.child_by_field_name("body");
        let is_body = body.is_some_and(|body| self.outline.bodies.contains(&body.id()));
        let (depth, end) = (self.open.len(), node.end_byte());
        self.scopes.open_nameless.push(self.scopes.nameless.len());
        self.scopes.nameless.push(Nameless { names: Default::default(), outer, depth, end, is_body });
    }

    /// Returns what the query found to be defined by `node`.
    fn definitions_at(&mut self, node: Node<'tree>) -> Option<Vec<DefinitionMatch<'tree>>> {
        let start = node.start_byte();
        let definitions = &mut self.matches.definitions;
        while definitions.get(self.cursors.definition).is_some_and(|at| at.start < start) {
            self.cursors.definition += 1;
        }
        let mut same_start = definitions[self.cursors.definition..].iter_mut().take_while(|at| at.start == start);
        same_start.find(|at| at.node == node.id()).map(|at| std::mem::take(&mut at.found))
    }

    /// Returns the comments and attributes before `node`, or keeps `node` if it is one.
    fn take_lead(&mut self, node: Node<'tree>, flags: u32) -> Vec<Node<'tree>> {
        if flags & COMMENT != 0 && self.document_last(node) {
            return Vec::new();
        }
        let Some(level) = self.levels.last_mut() else { return Vec::new() };
        if flags & (COMMENT | ATTRIBUTE) != 0 {
            let row = node.start_position().row;
            let trailing = flags & COMMENT != 0 && level.last.is_some_and(|last| last_row(&last) == row);
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

    /// Gives a comment that documents what stands before it to the last definition; false for any
    /// other comment.
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

    /// Notes the visibility that the query gives here to definitions elsewhere.
    fn note_marks(&mut self, node: Node<'tree>) {
        let parent = self.parent();
        while let Some((_, name, visibility)) =
            self.matches.marks.get(self.cursors.mark).filter(|(byte, ..)| *byte <= node.start_byte())
        {
            self.outline.marked.insert((parent, name.clone()), *visibility);
            self.cursors.mark += 1;
        }
        if let Some(visibility) = self.matches.sections.get(&node.id())
            && let Some(level) = self.levels.last_mut()
        {
            level.section = Some(*visibility);
        }
    }

    /// Returns the innermost definition around the current node.
    fn parent(&self) -> Option<u32> {
        self.open.last().map(|open| open.index)
    }

    /// Returns the visibility that the sections of the body around the current node give.
    fn section(&self) -> Option<Visibility> {
        let inside = self.open.last().map_or(0, |open| open.depth + 1);
        self.levels.get(inside..)?.iter().rev().find_map(|level| level.section)
    }

    /// Returns the package that holds at a byte.
    fn package_at(&self, byte: usize) -> Option<&str> {
        let packages = &self.matches.packages;
        let after = packages.partition_point(|(start, _)| *start <= byte);
        packages.get(after.saturating_sub(1)).filter(|_| after > 0).map(|(_, package)| package.as_str())
    }

    fn name_text(&self, node: Node<'tree>) -> &'text str {
        self.node_kinds.bare_name(node, self.text, self.language.settings())
    }

    /// Returns where a definition that starts at `byte` ends, when that is not where its node does.
    fn reach(&self, byte: usize) -> Option<usize> {
        let reaches = &self.matches.reaches;
        let next = reaches.partition_point(|(range, _)| range.end < byte);
        reaches.get(next).filter(|(range, _)| range.start <= byte).map(|(_, until)| *until)
    }

    /// Returns the definition that a name bound here belongs to: the function around, or else the
    /// variable around.
    fn binding_scope(&self) -> Option<u32> {
        let kind = |index: u32| self.facts.definitions[index as usize].kind;
        let innermost = self.parent();
        let callable = self.open.iter().rev().map(|open| open.index).find(|index| kind(*index).is_callable());
        callable.or(innermost.filter(|index| kind(*index).is_value() || kind(*index) == Kind::TypeAlias))
    }

    /// Returns the nameless function that a name bound here belongs to, when no definition is
    /// nearer.
    fn innermost_nameless(&self) -> Option<usize> {
        self.scopes.open_nameless.last().copied().filter(|index| self.scopes.nameless[*index].depth == self.open.len())
    }
}

/// Returns the last row that holds a character of `node`; some grammars count a comment's newline
/// into it.
fn last_row(node: &Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}
