//! A tree that is asked. All calls of the engine are here, so that a change of its interface is one
//! here.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use codecompass_engine::query::{
    self, AtAnswer, AtMeaning, CallsAnswer, CallsOptions, DepsAnswer, DepsOptions, Direction, Filter, FindOptions,
    HierarchyAnswer, HierarchyOptions, Hit, HitKind, ImpactAnswer, ImpactOptions, NamePattern, Navigator, Node,
    OutlineNode, RefsAnswer, RefsOptions, Scope, Side, TraceAnswer, TraceOptions, UseClass, UseSite,
};
use codecompass_engine::syntax::facts::Kind;
use codecompass_engine::{Engine, Result, Snapshot};

/// Calls that a chain may have.
const CHAIN_LENGTH: u32 = 4;

/// An indexed tree with what it answered.
pub(crate) struct CheckedTree<'a> {
    engine: &'a Engine,
    pub(super) snapshot: &'a Snapshot,
    navigator: Navigator<'a>,
    /// Answers of `refs` by place: most checks need them.
    known: RefCell<HashMap<String, Rc<CheckedSymbol>>>,
    texts: RefCell<HashMap<String, Rc<str>>>,
}

/// A definition with its uses.
pub(crate) struct CheckedSymbol {
    /// The argument of commands that means it.
    pub(super) place: String,
    /// The name and place, as a reader sees them.
    pub(super) label: String,
    pub(super) hit: Hit,
    pub(super) answer: RefsAnswer,
}

impl CheckedSymbol {
    pub(super) fn kind(&self) -> Option<Kind> {
        kind_of(&self.hit)
    }

    /// All definitions of the symbol: overloads, declarations, parts.
    pub(super) fn homes(&self) -> impl Iterator<Item = &Hit> {
        std::iter::once(&self.hit).chain(&self.answer.parts)
    }

    /// Returns whether a definition is the symbol, one of its parts, the type that a constructor
    /// makes, or the constructor of a type.
    pub(super) fn is(&self, path: &str, line: u32) -> bool {
        let is_maker = |home: &&Hit| kind_of(home).is_some_and(|kind| kind.is_type() || kind == Kind::Constructor);
        self.homes().any(|home| home.path == path && home.name_line == line)
            || self.homes().filter(is_maker).any(|home| home.path == path && self.surrounds(home, line))
            || self.hit.other_places.iter().any(|place| place.path == path && place.line_start == line)
    }

    fn surrounds(&self, home: &Hit, line: u32) -> bool {
        let is_constructor = kind_of(home) == Some(Kind::Constructor);
        (home.line_start..=home.line_end).contains(&line) || is_constructor && line < home.line_start
    }

    /// Returns whether a place lies within the symbol's own code.
    pub(super) fn contains(&self, path: &str, line: u32) -> bool {
        self.homes().any(|home| home.path == path && (home.line_start..=home.line_end).contains(&line))
    }

    /// The uses that are proven or likely.
    pub(super) fn sure(&self) -> impl Iterator<Item = &UseSite> {
        self.answer.uses.iter().filter(|site| site.class != UseClass::Possible && !site.is_declaration)
    }
}

/// Returns the kind of a hit that is a definition.
pub(super) fn kind_of(hit: &Hit) -> Option<Kind> {
    match hit.kind {
        HitKind::Symbol(kind) => Some(kind),
        _ => None,
    }
}

/// The place of a site as commands take it.
pub(super) fn place_of(site: &UseSite) -> String {
    format!("{}:{}:{}", site.path, site.line, site.column)
}

/// Returns the columns of a line, in bytes from 1, at which a name begins.
fn columns(line: &str, name: &str) -> Vec<u32> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: &usize| {
        !line[..*at].ends_with(is_word) && !line[*at + name.len()..].starts_with(is_word) && !name.is_empty()
    };
    line.match_indices(name).map(|(at, _)| at).filter(is_whole).map(|at| at as u32 + 1).collect()
}

impl<'a> CheckedTree<'a> {
    /// A tree whose index is the snapshot.
    pub(crate) fn new(engine: &'a Engine, snapshot: &'a Snapshot) -> CheckedTree<'a> {
        let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
        CheckedTree { engine, snapshot, navigator, known: RefCell::default(), texts: RefCell::default() }
    }

    /// Returns the text of a file; an empty one if it cannot be read.
    pub(super) fn text(&self, path: &str) -> Rc<str> {
        if let Some(known) = self.texts.borrow().get(path) {
            return Rc::clone(known);
        }
        let bytes = std::fs::read(self.engine.workspace().root.join(path)).unwrap_or_default();
        let text: Rc<str> = String::from_utf8_lossy(&bytes).into();
        self.texts.borrow_mut().insert(path.to_string(), Rc::clone(&text));
        text
    }

    /// Returns the argument that means a definition: with the column of its name. `None` if no
    /// place means it, such as what has no name of its own.
    pub(super) fn place(&self, path: &str, line: u32, name: &str, kind: HitKind) -> Option<String> {
        let text = self.text(path);
        let written = text.lines().nth(line as usize - 1)?;
        let is_here = |column: &u32| {
            let Ok(answer) = self.at(path, line, *column) else { return false };
            let is_it = |hit: &Hit| hit.kind == kind && hit.name == name && hit.name_line == line;
            answer.meaning == AtMeaning::Definition && answer.hits.first().is_some_and(is_it)
        };
        let column = columns(written, name).into_iter().find(is_here)?;
        Some(format!("{path}:{line}:{column}"))
    }

    /// Returns whether a line has a name.
    pub(super) fn has_name(&self, path: &str, line: u32, name: &str) -> bool {
        self.text(path).lines().nth(line as usize - 1).is_some_and(|written| !columns(written, name).is_empty())
    }

    /// The place of an end of a call.
    pub(super) fn place_of_node(&self, node: &Node) -> Option<String> {
        self.place(&node.path, node.line, &node.name, node.kind)
    }

    pub(super) fn place_of_hit(&self, hit: &Hit) -> Option<String> {
        self.place(&hit.path, hit.name_line, &hit.name, hit.kind)
    }

    /// Returns the definitions of a file in the order of the source.
    pub(super) fn definitions(&self, path: &str) -> Vec<OutlineNode> {
        let Ok(outline) = query::outline(self.snapshot, path) else { return Vec::new() };
        let (mut found, mut pending) = (Vec::new(), outline.symbols);
        while let Some(mut node) = pending.pop() {
            pending.append(&mut node.children);
            found.push(node);
        }
        found.sort_by(|a, b| (a.line_start, a.line_end, &a.name).cmp(&(b.line_start, b.line_end, &b.name)));
        found
    }

    /// Asks for the uses of what a place means.
    pub(super) fn symbol(&self, place: &str) -> Result<Rc<CheckedSymbol>> {
        if let Some(known) = self.known.borrow().get(place) {
            return Ok(Rc::clone(known));
        }
        let options = RefsOptions { limit: usize::MAX, ..RefsOptions::default() };
        let answer = query::refs(&self.navigator, place, &options)?;
        let hit = answer.subject.hit.clone();
        let label = format!("{} {place}", hit.qualified_name);
        let symbol = Rc::new(CheckedSymbol { place: place.to_string(), label, hit, answer });
        self.known.borrow_mut().insert(place.to_string(), Rc::clone(&symbol));
        Ok(symbol)
    }

    pub(super) fn calls(&self, place: &str, direction: Direction, overrides: bool) -> Result<CallsAnswer> {
        let options = CallsOptions {
            directions: vec![direction],
            depth: 1,
            limit: usize::MAX,
            overrides,
            least: UseClass::Possible,
            scope: Scope::default(),
        };
        query::calls(&self.navigator, place, &options)
    }

    pub(super) fn impact(&self, place: &str) -> Result<ImpactAnswer> {
        let options = ImpactOptions { depth: 1, least: UseClass::Possible, limit: usize::MAX, scope: Scope::default() };
        query::impact(&self.navigator, place, &options)
    }

    pub(super) fn trace(&self, from: Option<&str>, to: &str) -> Result<TraceAnswer> {
        let least = UseClass::Possible;
        let options = TraceOptions { depth: CHAIN_LENGTH, max_paths: 3, with_variants: false, least, projects: None };
        query::trace(&self.navigator, from, to, &options)
    }

    pub(super) fn hierarchy(&self, place: &str) -> Result<HierarchyAnswer> {
        let options = HierarchyOptions {
            filter: Filter::default(),
            up: true,
            down: true,
            depth: 1,
            limit: usize::MAX,
            scope: Scope::default(),
            overriding: false,
        };
        query::hierarchy(&self.navigator, place, &options)
    }

    /// Asks what the name at a place means.
    pub(super) fn at(&self, path: &str, line: u32, column: u32) -> Result<AtAnswer> {
        let side = Side { snapshot: self.snapshot, source: self.engine.source() };
        query::at(&self.navigator, side, &self.engine.config().index, (path, line, column), usize::MAX)
    }

    pub(super) fn deps(&self, path: &str, reverse: bool) -> Result<DepsAnswer> {
        let options = DepsOptions { reverse, depth: 1, limit: usize::MAX, projects: None };
        query::deps(&self.navigator, Some(path), &options)
    }

    /// Returns the places of the definitions of a name, by `symbols`.
    pub(super) fn named(&self, name: &str) -> Result<Vec<(String, u32)>> {
        let names = vec![NamePattern::new(name)?];
        let options = FindOptions { names, limit: usize::MAX, ..FindOptions::default() };
        let found = query::find_symbols(&self.navigator, &options)?.symbols;
        Ok(found.into_iter().map(|found| (found.hit.path, found.hit.line_start)).collect())
    }
}
