//! Runs a language's query over a syntax tree and gathers what it finds, by byte and by node, for
//! the walk.
//!
//! The captures are explained in [`crate::query`]. Each kind of capture has one handler;
//! [`Collector::capture`] is the table of them. Once all captures of a match are seen,
//! [`definitions`], [`references`], [`bindings`] and [`imports`] each take what concerns them.

mod bindings;
mod definitions;
mod imports;
mod references;

use std::ops::Range;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::bindings::{Hint, Narrowing, TypePlace};
pub(crate) use self::definitions::{DefinitionMatch, DefinitionsAt};
pub(crate) use self::references::{Arguments, Claim};
use crate::facts::{Import, Kind, RefKind, Visibility};
use crate::node_kinds::NodeKinds;
use crate::pattern::Captures;
use crate::query::{Capture, CompiledQuery, NameRole, Part, PatternProperties};
use crate::registry::Language;
use crate::tree::{Node, SyntaxTree};

/// Everything the query found in one text.
#[derive(Default)]
pub(crate) struct Matches<'tree> {
    /// Sorted by the start of the definitions' nodes.
    pub definitions: Vec<DefinitionsAt<'tree>>,
    /// Sorted by byte, one per byte.
    pub claims: Vec<(usize, Claim<'tree>)>,
    /// Byte ranges of import statements, sorted.
    pub import_ranges: Vec<Range<usize>>,
    pub imports: Vec<Import>,
    /// The roles of all names in byte ranges; sorted, outer ones first.
    pub name_roles: Vec<(Range<usize>, NameRole)>,
    /// Names whose top-level definitions are public.
    pub exported: FxHashSet<String>,
    /// Names whose definitions in the container around the byte have a visibility; sorted by byte.
    pub marks: Vec<(usize, String, Visibility)>,
    /// The visibility of what follows a node, by the node's id.
    pub sections: FxHashMap<usize, Visibility>,
    /// Parts of the text whose definitions reach further than their nodes, and how far; in source
    /// order.
    pub reaches: Vec<(Range<usize>, usize)>,
    /// Declared types and values, by the first bytes of the names that are given to them.
    pub hints: FxHashMap<usize, Hint<'tree>>,
    /// Names that tests tell the types of, sorted by where that begins to hold.
    pub narrowings: Vec<Narrowing<'tree>>,
    /// Nodes of expressions that functions return.
    pub returned: FxHashSet<usize>,
    /// Packages and where each starts to hold, in source order.
    pub packages: Vec<(usize, String)>,
}

/// Gathers matches; `None` when `deadline` passes.
pub(crate) fn find_matches<'tree>(
    text: &str,
    language: &'static Language,
    tree: &'tree SyntaxTree,
    deadline: Instant,
) -> Option<Matches<'tree>> {
    let compiled = language.compiled();
    let mut collector = Collector {
        text,
        language,
        query: &compiled.query,
        node_kinds: &compiled.node_kinds,
        found: Matches::default(),
        definitions: FxHashMap::default(),
        claims: Vec::new(),
    };
    let mut sink = |pattern: usize, captures: &Captures<'tree>| collector.take_match(pattern, captures);
    compiled.query.set.matches(tree, text, deadline, &mut sink).ok()?;
    collector.add_macro_definitions(tree);
    Some(collector.finish())
}

struct Collector<'text, 'tree> {
    text: &'text str,
    language: &'static Language,
    query: &'static CompiledQuery,
    node_kinds: &'static NodeKinds,
    found: Matches<'tree>,
    /// By the id of the defining node: its first byte and what it defines.
    definitions: FxHashMap<usize, (usize, Vec<DefinitionMatch<'tree>>)>,
    /// Byte, pattern number and claim.
    claims: Vec<(usize, usize, Claim<'tree>)>,
}

/// The captures of one match.
#[derive(Default)]
struct MatchParts<'tree> {
    definition: Option<(Kind, Node<'tree>)>,
    reference: Option<(RefKind, Node<'tree>)>,
    nodes: [Option<Node<'tree>>; Part::COUNT],
    /// The place of the container in a qualified name.
    name_container: Option<Range<usize>>,
    is_local: bool,
}

impl<'tree> MatchParts<'tree> {
    fn get(&self, part: Part) -> Option<Node<'tree>> {
        self.nodes[part as usize]
    }

    fn range(&self, part: Part) -> Option<Range<usize>> {
        self.get(part).map(|node| node.byte_range())
    }
}

impl<'tree> Collector<'_, 'tree> {
    fn take_match(&mut self, pattern: usize, captures: &Captures<'tree>) {
        let properties = &self.query.patterns[pattern];
        let mut parts = MatchParts::default();
        for (number, node) in captures.iter().copied() {
            self.capture(self.query.captures[usize::from(number)], node, pattern, &mut parts);
        }
        self.bind(&parts, properties);
        self.narrow(&parts);
        self.define(&parts, pattern);
        self.refer(&parts, pattern);
        self.import(&parts, pattern);
    }

    /// Hands one capture to its handler.
    fn capture(&mut self, capture: Capture, node: Node<'tree>, pattern: usize, parts: &mut MatchParts<'tree>) {
        let properties = &self.query.patterns[pattern];
        match capture {
            Capture::Definition(kind) => parts.definition = Some((kind, node)),
            Capture::Reference(kind) => parts.reference = Some((kind, node)),
            Capture::Part(Part::Name) => self.name(node, parts),
            Capture::Part(Part::Bind) => parts.nodes[Part::Bind as usize] = Some(self.node_kinds.innermost(node).0),
            Capture::Part(part) => parts.nodes[part as usize] = Some(node),
            Capture::Local => {
                parts.is_local = true;
                self.claim(self.node_kinds.innermost(node).0, pattern, Claim::Local);
            }
            Capture::LocalType => self.claim(node, pattern, Claim::LocalType),
            Capture::Nonlocal => self.claim(node, pattern, Claim::Nonlocal),
            Capture::Skip => self.claim(node, pattern, Claim::Skip),
            Capture::All(role) => self.found.name_roles.push((node.byte_range(), role)),
            Capture::Exported => self.exported(node, properties),
            Capture::Section => self.found.sections.extend(properties.visibility.map(|it| (node.id(), it))),
            Capture::Package => self.package(node, pattern),
            Capture::Returned => _ = self.found.returned.insert(node.id()),
            Capture::Helper => {}
        }
    }

    fn name(&self, node: Node<'tree>, parts: &mut MatchParts<'tree>) {
        let (name, container) = self.node_kinds.innermost(node);
        parts.nodes[Part::Name as usize] = Some(name);
        parts.name_container = container.map(|start| start..name.start_byte()).or_else(|| {
            let whole = self.node_kinds.qualified_leaf(name).then(|| &self.text[name.byte_range()])?;
            let (before, _) = whole.rsplit_once(self.language.separator())?;
            Some(name.start_byte()..name.start_byte() + before.len())
        });
    }

    fn exported(&mut self, node: Node<'tree>, properties: &PatternProperties) {
        let name = self.language.settings().trim_name(&self.text[node.byte_range()]).to_string();
        match properties.visibility {
            Some(visibility) => self.found.marks.push((node.start_byte(), name, visibility)),
            None => _ = self.found.exported.insert(name),
        }
    }

    fn package(&mut self, node: Node<'tree>, pattern: usize) {
        let package: String = self.text[node.byte_range()].split_whitespace().collect();
        self.found.packages.push((node.start_byte(), package));
        self.claim(node, pattern, Claim::Skip);
    }

    fn claim(&mut self, name: Node<'tree>, pattern: usize, claim: Claim<'tree>) {
        self.claims.push((name.start_byte(), pattern, claim));
    }

    /// Sorts everything as the walk needs it.
    fn finish(mut self) -> Matches<'tree> {
        let mut found = self.found;
        found.marks.sort_by_key(|(byte, ..)| *byte);
        found.narrowings.sort_by_key(|narrowing| (narrowing.holds.start, narrowing.name.start_byte()));
        found.name_roles.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        join_packages(&mut found.packages, self.language);
        found.definitions = definitions::sorted(self.definitions);
        found.import_ranges.sort_by_key(|range| (range.start, range.end));
        found.import_ranges.dedup();
        found.imports.sort_by_key(|import| import.line);
        imports::drop_bare_imports(&mut found.imports);
        if let Some((byte, _)) = found.packages.first().filter(|_| self.language.resolve_rules().packages_nest) {
            let line = self.text.as_bytes()[..*byte].iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
            found.imports.iter_mut().for_each(|import| import.nested = import.line >= line);
        }
        references::sort_claims(&mut self.claims);
        found.claims = self.claims.into_iter().map(|(byte, _, claim)| (byte, claim)).collect();
        found
    }
}

/// Package clauses are joined up to this length.
const MAX_PACKAGE_BYTES: usize = 200;

/// Puts packages in source order, each whole.
fn join_packages(clauses: &mut Vec<(usize, String)>, language: &Language) {
    clauses.sort();
    clauses.dedup_by_key(|(byte, _)| *byte);
    if language.settings().packages_join {
        for index in 1..clauses.len() {
            let joined = [clauses[index - 1].1.as_str(), clauses[index].1.as_str()].join(language.separator());
            if joined.len() <= MAX_PACKAGE_BYTES {
                clauses[index].1 = joined;
            }
        }
    }
}
