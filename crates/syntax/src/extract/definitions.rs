//! Definitions as the query sees them, before the walk knows their surroundings.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Claim, Collector, Hint, MatchParts, TypePlace};
use crate::facts::{Kind, Modifiers, SymbolRole, Visibility};
use crate::hooks::MacroDefinition;
use crate::query::Part;
use crate::tree::{Node, SyntaxTree};

/// One definition at a node.
pub(crate) struct DefinitionMatch<'tree> {
    pub kind: Kind,
    pub name: Node<'tree>,
    /// The place of the name of a container that is elsewhere.
    pub container: Option<Range<usize>>,
    /// A fixed word and a place in the text that come before the name in the qualified name and are
    /// no container.
    pub qualifiers: (Option<&'static str>, Option<Range<usize>>),
    pub body: Option<Node<'tree>>,
    /// The number of parameters, where it tells clauses apart.
    pub arity: Option<usize>,
    /// The separator before the name in the qualified name.
    pub separator: Option<&'static str>,
    /// The depth of a heading or key in the outline.
    pub level: Option<u8>,
    pub visibility: Option<Visibility>,
    pub modifiers: Modifiers,
    pub role: Option<SymbolRole>,
    /// Declared by a parameter.
    pub through_parameter: bool,
    /// Declared by assignment through an instance.
    pub through_instance: bool,
    /// Places of the names of other definitions in the same list of arguments.
    pub beside: Vec<Range<usize>>,
    pattern: usize,
}

/// The definitions of one node.
pub(crate) struct DefinitionsAt<'tree> {
    pub start: usize,
    /// The node's id.
    pub node: usize,
    pub found: Vec<DefinitionMatch<'tree>>,
}

impl<'tree> DefinitionMatch<'tree> {
    /// Makes a definition of which only the name is known.
    fn bare(kind: Kind, name: Node<'tree>) -> DefinitionMatch<'tree> {
        DefinitionMatch {
            kind,
            name,
            container: None,
            qualifiers: (None, None),
            body: None,
            arity: None,
            separator: None,
            level: None,
            visibility: None,
            modifiers: Modifiers::default(),
            role: None,
            through_parameter: false,
            through_instance: false,
            beside: Vec::new(),
            pattern: usize::MAX,
        }
    }

    /// Returns the body, if it stands after the definition's node.
    pub(crate) fn body_after(&self, node: Node<'_>) -> Option<Node<'tree>> {
        self.body.filter(|body| body.start_byte() >= node.end_byte())
    }
}

impl<'tree> Collector<'_, 'tree> {
    pub(super) fn define(&mut self, parts: &MatchParts<'tree>, pattern: usize) {
        let (Some((kind, node)), Some(name)) = (parts.definition, parts.get(Part::Name)) else { return };
        let properties = &self.query.patterns[pattern];
        // What a block adds to is named in it: the names in `extension Outer.Inner` are uses.
        if kind != Kind::Impl || name.is_leaf() {
            self.claim(name, pattern, Claim::DefinitionName);
        }
        let definition = DefinitionMatch {
            kind,
            name,
            container: parts.range(Part::Container).or(parts.name_container.clone()),
            qualifiers: (properties.qualifier.as_deref(), parts.range(Part::Qualifier)),
            body: parts.get(Part::Body),
            arity: parts.get(Part::Arity).map(|node| node.named_child_count()),
            separator: properties.separator.as_deref(),
            level: properties.level,
            visibility: properties.visibility,
            modifiers: properties.modifiers,
            role: properties.role,
            through_parameter: parts.is_local,
            through_instance: parts.get(Part::Receiver).is_some(),
            beside: Vec::new(),
            pattern,
        };
        let (_, same_node) = self.definitions.entry(node.id()).or_insert_with(|| (node.start_byte(), Vec::new()));
        match same_node.iter_mut().find(|other| other.name.id() == name.id()) {
            Some(other) if other.pattern > pattern => {}
            Some(other) => *other = definition,
            None => same_node.push(definition),
        }
    }

    /// Adds what macros of the same file define.
    pub(super) fn add_macro_definitions(&mut self, tree: &'tree SyntaxTree) {
        let Some(hook) = self.language.hooks.macro_definitions else { return };
        for MacroDefinition { name, kind, declared } in hook(tree, self.text) {
            if let Some(range) = declared {
                let declared = Some(TypePlace { range, node: None });
                self.found.hints.insert(name.start_byte(), Hint { declared, ..Hint::default() });
            }
            self.claim(name, usize::MAX, Claim::DefinitionName);
            let definition = DefinitionMatch::bare(kind, name);
            self.definitions.entry(name.id()).or_insert_with(|| (name.start_byte(), Vec::new())).1.push(definition);
        }
    }
}

/// Sorts definitions by the start of their nodes.
pub(super) fn sorted<'tree>(
    definitions: FxHashMap<usize, (usize, Vec<DefinitionMatch<'tree>>)>,
) -> Vec<DefinitionsAt<'tree>> {
    let definitions = definitions.into_iter();
    let mut sorted: Vec<_> = definitions.map(|(node, (start, found))| DefinitionsAt { start, node, found }).collect();
    sorted.sort_by_key(|at| at.start);
    limit_outline(&mut sorted);
    sorted
}

/// More keys than this are no outline of a data file.
const MAX_KEYS: usize = 3000;

/// Leaves out the innermost keys of a file that has too many of them, level by level, and what is
/// too much even then.
fn limit_outline(definitions: &mut Vec<DefinitionsAt<'_>>) {
    let is_key = |found: &DefinitionMatch<'_>| found.kind == Kind::Key;
    let mut per_level = [0usize; 8];
    for found in definitions.iter().flat_map(|at| &at.found).filter(|found| is_key(found)) {
        per_level[usize::from(found.level.unwrap_or(1)).min(7)] += 1;
    }
    let mut total: usize = per_level.iter().sum();
    let mut deepest = 7;
    while total > MAX_KEYS && deepest > 1 {
        total -= per_level[deepest];
        deepest -= 1;
    }
    if deepest == 7 {
        return;
    }
    let mut kept = 0;
    for at in definitions.iter_mut() {
        at.found.retain(|found| {
            let fits = usize::from(found.level.unwrap_or(1)) <= deepest && kept < MAX_KEYS;
            kept += usize::from(is_key(found) && fits);
            !is_key(found) || fits
        });
    }
    definitions.retain(|at| !at.found.is_empty());
}
