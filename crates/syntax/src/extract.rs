//! Parses a text, runs the language's query over the tree and hands what it found to the walk.
//!
//! Query files use these captures:
//!
//! | capture | meaning |
//! |---|---|
//! | `@definition.KIND` + `@name` | a definition; `@body` ends its signature and may stand after it, `@container` names a type that is elsewhere, `@receiver` says that a field is declared by assignment through an instance (`self.x = 1`) |
//! | `@qualifier` | beside a definition's `@name`: comes before it in the qualified name and is no type (a schema) |
//! | `@reference.KIND` + `@name` | a use; `@receiver` is what stands before the name |
//! | `@local` | a name bound for the enclosing function only; beside a field's `@name`, a parameter that declares it |
//! | `@local.type` | a type parameter of the enclosing definition |
//! | `@nonlocal` | a name that the enclosing function assigns to without owning it |
//! | `@skip` | a name that is no use of anything (the name of a keyword argument) |
//! | `@local.all`, `@skip.all`, `@type.all` | a node in which every name is bound (a pattern), no use of anything, or a type, where nothing else is said of it; of nested ones the innermost counts |
//! | `@exported` | a name whose top-level definition in this file is public; with `(#set! visibility …)`, a name whose definition in the same container has that visibility |
//! | `@section` | with `(#set! visibility …)`: what follows in the same body has that visibility |
//! | `@arity` | the parameters of a clause; clauses are merged when they are as many; beside a use's `@name`, the number of arguments that is written there |
//! | `@package` | the package, the first part of every qualified name after it |
//! | `@bind` | a name of which the same pattern says more: `@bind.type` its type, or that of a function's result, `@bind.value` what it is set to, `@bind.element` what it runs through; `(#set! part 0)`, `(#set! part member)` that it is one part of that, `(#set! part "payload 0")` that the value names the variant which holds it there; `(#set! first)` that it is the first parameter |
//! | `@returned` | an expression that the function around returns |
//! | `@import` + `@import.module`, `.name`, `.alias` | one imported name; `@import.tree` leaves the rest to the row's hook |
//!
//! `(#set! visibility public)`, `(#set! modifier async)`, `(#set! role test)`, `(#set! separator "#")`,
//! `(#set! qualifier "var")`, `(#set! level 2)`, `(#set! reexport)`, `(#set! import.name default)` and `(#set! arguments 1)` (so
//! many of a call stand outside of its list) say what the tree does not. A later pattern beats an earlier one.
//! A captured name may be wrapped in the nodes that `language.toml` lists as `declarators`.

use std::ops::Range;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree};

use crate::Parsed;
use crate::chunks;
use crate::classes::NodeClasses;
use crate::conditionals;
use crate::facts::{FileFacts, Import, Kind, Modifiers, Problem, RefKind, SymbolRole, Taken, Visibility};
use crate::hooks::MadeName;
use crate::languages::Language;
use crate::pattern::{Captures, PatternSet, Visited};
use crate::settings::{HideConditionals, Settings};
use crate::text::plain_facts;
use crate::{trees, walk};

/// A query with its captures understood.
pub(crate) struct CompiledQuery {
    set: PatternSet,
    captures: Vec<Capture>,
    patterns: Vec<PatternProperties>,
    pub(crate) classes: OnceClasses,
}

type OnceClasses = std::sync::OnceLock<NodeClasses>;

#[derive(Clone, Copy)]
enum Capture {
    Definition(Kind),
    Reference(RefKind),
    Name,
    Receiver,
    Container,
    Qualifier,
    Body,
    Local,
    LocalType,
    Nonlocal,
    Skip,
    All(Within),
    Exported,
    Section,
    Arity,
    Package,
    Import,
    ImportModule,
    ImportName,
    ImportAlias,
    ImportTree,
    Bind,
    BindType,
    BindValue,
    BindElement,
    Returned,
    Helper,
}

#[derive(Clone, Default)]
struct PatternProperties {
    visibility: Option<Visibility>,
    modifiers: Modifiers,
    import_name: Option<String>,
    separator: Option<String>,
    qualifier: Option<String>,
    level: Option<u8>,
    role: Option<SymbolRole>,
    reexport: bool,
    taken: Option<Taken>,
    is_first: bool,
    arguments: Option<u8>,
}

impl CompiledQuery {
    pub(crate) fn new(grammar: &tree_sitter::Language, source: &str) -> Result<CompiledQuery, String> {
        let set = PatternSet::new(grammar, source)?;
        let captures = set.capture_names.iter().map(|name| capture(name)).collect::<Result<_, _>>()?;
        let mut patterns = vec![PatternProperties::default(); set.len()];
        for (index, properties) in patterns.iter_mut().enumerate() {
            for setting in set.properties(index) {
                match (setting.key.as_str(), setting.value.as_deref()) {
                    ("reexport", _) => properties.reexport = true,
                    ("role", Some(word)) => {
                        properties.role =
                            Some(SymbolRole::from_name(word).ok_or_else(|| format!("unknown role `{word}`"))?);
                    }
                    ("visibility", Some(word)) => {
                        properties.visibility =
                            Some(Visibility::from_name(word).ok_or_else(|| format!("unknown visibility `{word}`"))?);
                    }
                    ("modifier", Some(word)) if properties.modifiers.insert(word) => {}
                    ("separator", Some(text)) => properties.separator = Some(text.to_string()),
                    ("qualifier", Some(text)) => properties.qualifier = Some(text.to_string()),
                    ("level", Some(number)) => {
                        properties.level = Some(number.parse().map_err(|_| format!("bad level `{number}`"))?);
                    }
                    ("first", _) => properties.is_first = true,
                    ("arguments", Some(number)) => {
                        let count = number.parse().map_err(|_| format!("bad number `{number}`"))?;
                        properties.arguments = Some(count);
                    }
                    ("part", Some("member")) => properties.taken = Some(Taken::Member),
                    ("part", Some(words)) if words.starts_with("payload ") => {
                        let place = words[8..].parse().map_err(|_| format!("bad part `{words}`"))?;
                        properties.taken = Some(Taken::Payload(place));
                    }
                    ("part", Some(number)) => {
                        let place = number.parse().map_err(|_| format!("bad part `{number}`"))?;
                        properties.taken = Some(Taken::Part(place));
                    }
                    ("import.name", Some(name)) => properties.import_name = Some(name.to_string()),
                    (key, _) => return Err(format!("unknown property `{key}`")),
                }
            }
        }
        Ok(CompiledQuery { set, captures, patterns, classes: OnceClasses::new() })
    }
}

#[cfg(test)]
impl CompiledQuery {
    /// The first regular expression that cannot be compiled, if any.
    pub(crate) fn bad_expression(&self) -> Option<&str> {
        self.set.bad_expression()
    }
}

fn capture(name: &str) -> Result<Capture, String> {
    let unknown = || format!("unknown capture `@{name}`");
    Ok(match name {
        "name" => Capture::Name,
        "receiver" => Capture::Receiver,
        "container" => Capture::Container,
        "qualifier" => Capture::Qualifier,
        "body" => Capture::Body,
        "local" => Capture::Local,
        "local.type" => Capture::LocalType,
        "nonlocal" => Capture::Nonlocal,
        "skip" => Capture::Skip,
        "local.all" => Capture::All(Within::Local),
        "skip.all" => Capture::All(Within::Skip),
        "type.all" => Capture::All(Within::Type),
        "exported" => Capture::Exported,
        "section" => Capture::Section,
        "arity" => Capture::Arity,
        "package" => Capture::Package,
        "import" => Capture::Import,
        "import.module" => Capture::ImportModule,
        "import.name" => Capture::ImportName,
        "import.alias" => Capture::ImportAlias,
        "import.tree" => Capture::ImportTree,
        "bind" => Capture::Bind,
        "bind.type" => Capture::BindType,
        "bind.value" => Capture::BindValue,
        "bind.element" => Capture::BindElement,
        "returned" => Capture::Returned,
        _ => match name.split_once('.') {
            Some(("definition", kind)) => Capture::Definition(Kind::from_name(kind).ok_or_else(unknown)?),
            Some(("reference", kind)) => Capture::Reference(RefKind::from_name(kind).ok_or_else(unknown)?),
            _ if name.starts_with('_') => Capture::Helper,
            _ => return Err(unknown()),
        },
    })
}

/// A definition as the query sees it, before the walk knows its surroundings.
pub(crate) struct DefinitionMatch<'tree> {
    pub kind: Kind,
    pub name: Node<'tree>,
    /// Where the name of a container that is elsewhere stands.
    pub container: Option<Range<usize>>,
    /// What comes before the name in the qualified name without holding it: a fixed word and a place in the text.
    pub qualifiers: (Option<&'static str>, Option<Range<usize>>),
    pub body: Option<Node<'tree>>,
    /// The number of parameters, where it tells clauses apart.
    pub arity: Option<usize>,
    /// What stands before the name in the qualified name.
    pub separator: Option<&'static str>,
    /// How deep in the outline a heading or key stands.
    pub level: Option<u8>,
    pub visibility: Option<Visibility>,
    pub modifiers: Modifiers,
    pub role: Option<SymbolRole>,
    /// Declared by a parameter.
    pub through_parameter: bool,
    /// Declared by assignment through an instance.
    pub through_instance: bool,
    pattern: usize,
}

impl<'tree> DefinitionMatch<'tree> {
    /// A definition of which nothing is known but its name.
    fn made(kind: Kind, name: Node<'tree>) -> DefinitionMatch<'tree> {
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
            pattern: usize::MAX,
        }
    }

    /// The body, if it stands after the definition's node.
    pub(crate) fn body_after(&self, node: Node<'_>) -> Option<Node<'tree>> {
        self.body.filter(|body| body.start_byte() >= node.end_byte())
    }
}

/// What the query says about the name that starts at a byte.
#[derive(Clone)]
pub(crate) enum Claim<'tree> {
    DefinitionName,
    Local,
    LocalType,
    Nonlocal,
    Skip,
    Reference { kind: RefKind, receiver: Option<Range<usize>>, arguments: Arguments<'tree> },
}

/// Where the arguments of a use are.
#[derive(Clone, Copy)]
pub(crate) enum Arguments<'tree> {
    /// Nothing is called, or nobody knows with what.
    Unknown,
    /// In the list of this call; the number of those outside of it, if the query says so.
    Of(Node<'tree>, Option<u8>),
    /// As many as are written there.
    Written(u8),
}

/// What the query says of the thing that a name is given to.
#[derive(Clone, Default)]
pub(crate) struct Hint {
    pub declared: Option<Range<usize>>,
    pub value: Option<Range<usize>>,
    pub taken: Taken,
    pub is_first: bool,
}

/// What the names inside a node are, unless the query says more of them.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Within {
    Local,
    Skip,
    Type,
}

/// What one node defines.
pub(crate) struct DefinitionsAt<'tree> {
    pub start: usize,
    /// The node's id.
    pub node: usize,
    pub found: Vec<DefinitionMatch<'tree>>,
}

/// Everything the query found in one tree.
#[derive(Default)]
pub(crate) struct Matches<'tree> {
    /// Sorted by the start of the definitions' nodes.
    pub definitions: Vec<DefinitionsAt<'tree>>,
    /// Sorted by byte, one per byte.
    pub claims: Vec<(usize, Claim<'tree>)>,
    /// Byte ranges of import statements, sorted.
    pub import_ranges: Vec<Range<usize>>,
    pub imports: Vec<Import>,
    /// What the names in these byte ranges are; sorted, outer ones first.
    pub within: Vec<(Range<usize>, Within)>,
    /// All nodes of the tree in source order.
    pub nodes: Vec<Visited<'tree>>,
    /// Names whose top-level definitions are public.
    pub exported: FxHashSet<String>,
    /// Names whose definitions in the container around the byte have a visibility; sorted by byte.
    pub marks: Vec<(usize, String, Visibility)>,
    /// The visibility of what follows a node, by the node's id.
    pub sections: FxHashMap<usize, Visibility>,
    /// Parts of the text whose definitions reach further than their nodes, and how far; in source order.
    pub reaches: Vec<(Range<usize>, usize)>,
    /// What is known of the things that names are given to, by the names' first bytes.
    pub hints: FxHashMap<usize, Hint>,
    /// Nodes of expressions that functions return.
    pub returned: FxHashSet<usize>,
    /// Packages and where each starts to hold, in source order.
    pub packages: Vec<(usize, String)>,
}

/// Extracts the facts of `text` in `language`, giving up after `limit`; without `uses` no references and bindings.
pub(crate) fn extract(text: &str, language: &'static Language, limit: Duration, uses: bool) -> Parsed {
    let deadline = Instant::now() + limit;
    if let Some(line) = trees::too_deep(text, language.settings().max_indent) {
        let problem = Problem { line, message: "indented too deeply for the grammar; read as plain text".into() };
        return Parsed::Facts(FileFacts { problems: vec![problem], ..plain_facts(text) });
    }
    match facts_within(text, language, deadline, uses) {
        Some(mut facts) => {
            facts.chunks = chunks::code_chunks(text, &facts.definitions);
            facts.line_count = line_count(text);
            Parsed::Facts(facts)
        }
        None => Parsed::TimedOut,
    }
}

/// All facts but the chunks; `None` when `deadline` passes.
fn facts_within(text: &str, language: &'static Language, deadline: Instant, uses: bool) -> Option<FileFacts> {
    let compiled = language.compiled();
    if let Some(hook) = language.piece_hook {
        let pieces = hook(text);
        let trees = trees::of_pieces(compiled, &pieces, deadline)?;
        let has_errors = trees.iter().any(|tree| tree.root_node().has_error());
        let mut matches = run_query(text, language, &trees, deadline)?;
        let reaching = pieces.pieces.iter().filter(|piece| piece.until > piece.range.end);
        matches.reaches = reaching.map(|piece| (piece.range.clone(), piece.until)).collect();
        return walk::walk(text, language, has_errors, matches, deadline, uses);
    }
    let hide = language.settings().hide_conditionals;
    let mut hidden = if hide == HideConditionals::Always { conditionals::hidden(text) } else { None };
    let mut whole = trees::whole(hidden.as_deref().unwrap_or(text), compiled, deadline)?;
    if hide == HideConditionals::OnErrors && whole.root_node().has_error() {
        hidden = conditionals::hidden(text);
        if let Some(without) = &hidden {
            let other = trees::whole(without, compiled, deadline)?;
            match trees::error_count(&other) < trees::error_count(&whole) {
                true => whole = other,
                false => hidden = None,
            }
        }
    }
    let text = hidden.as_deref().unwrap_or(text);
    let has_errors = whole.root_node().has_error();
    let pieces = match has_errors {
        true => trees::pieces(text, language, &whole, deadline),
        false => Vec::new(),
    };
    let facts = facts_of(text, language, std::slice::from_ref(&whole), has_errors, deadline, uses)?;
    if pieces.is_empty() {
        return Some(facts);
    }
    // Where the grammar lost its way in the whole text, its pieces may tell more.
    let of_pieces = facts_of(text, language, &pieces, has_errors, deadline, uses)?;
    Some(if of_pieces.definitions.len() > facts.definitions.len() { of_pieces } else { facts })
}

fn facts_of(
    text: &str,
    language: &'static Language,
    trees: &[Tree],
    has_errors: bool,
    deadline: Instant,
    uses: bool,
) -> Option<FileFacts> {
    let matches = run_query(text, language, trees, deadline)?;
    walk::walk(text, language, has_errors, matches, deadline, uses)
}

/// Number of lines, counting a last line without a newline.
pub(crate) fn line_count(text: &str) -> u32 {
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    (newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))) as u32
}

fn run_query<'tree>(
    text: &str,
    language: &'static Language,
    trees: &'tree [Tree],
    deadline: Instant,
) -> Option<Matches<'tree>> {
    let compiled = &language.compiled().query;
    let classes = language.node_classes();
    let mut found = Matches::default();
    let mut definitions: FxHashMap<usize, (usize, Vec<DefinitionMatch<'tree>>)> = FxHashMap::default();
    let mut claims: Vec<(usize, usize, Claim<'tree>)> = Vec::new();
    let mut sink = |pattern: usize, captures: &Captures<'tree>| {
        let properties = &compiled.patterns[pattern];
        let mut parts = MatchParts::default();
        for (number, node) in captures.iter().copied() {
            match compiled.captures[usize::from(number)] {
                Capture::Definition(kind) => parts.definition = Some((kind, node)),
                Capture::Reference(kind) => parts.reference = Some((kind, node)),
                Capture::Name => {
                    let (name, container) = classes.innermost(node);
                    parts.name = Some(name);
                    parts.name_container = container.map(|start| start..name.start_byte()).or_else(|| {
                        let whole = classes.qualified_leaf(name).then(|| &text[name.byte_range()])?;
                        let (before, _) = whole.rsplit_once(language.separator())?;
                        Some(name.start_byte()..name.start_byte() + before.len())
                    });
                }
                Capture::Receiver => parts.receiver = Some(node),
                Capture::Container => parts.container = Some(node),
                Capture::Qualifier => parts.qualifier = Some(node),
                Capture::Body => parts.body = Some(node),
                Capture::Local => {
                    parts.is_local = true;
                    claims.push((classes.innermost(node).0.start_byte(), pattern, Claim::Local));
                }
                Capture::LocalType => claims.push((node.start_byte(), pattern, Claim::LocalType)),
                Capture::Nonlocal => claims.push((node.start_byte(), pattern, Claim::Nonlocal)),
                Capture::Skip => claims.push((node.start_byte(), pattern, Claim::Skip)),
                Capture::All(within) => found.within.push((node.byte_range(), within)),
                Capture::Exported => {
                    let name = language.settings().trim_name(&text[node.byte_range()]).to_string();
                    match properties.visibility {
                        Some(visibility) => found.marks.push((node.start_byte(), name, visibility)),
                        None => _ = found.exported.insert(name),
                    }
                }
                Capture::Section => {
                    found.sections.extend(properties.visibility.map(|visibility| (node.id(), visibility)));
                }
                Capture::Arity => parts.arity = Some(node),
                Capture::Package => {
                    let package: String = text[node.byte_range()].split_whitespace().collect();
                    found.packages.push((node.start_byte(), package));
                    claims.push((node.start_byte(), pattern, Claim::Skip));
                }
                Capture::Import => parts.import = Some(node),
                Capture::ImportModule => parts.import_module = Some(node),
                Capture::ImportName => parts.import_name = Some(node),
                Capture::ImportAlias => parts.import_alias = Some(node),
                Capture::ImportTree => parts.import_tree = Some(node),
                Capture::Bind => parts.bind = Some(classes.innermost(node).0),
                Capture::BindType => parts.bind_type = Some(node),
                Capture::BindValue => parts.bind_value = Some(node),
                Capture::BindElement => parts.bind_element = Some(node),
                Capture::Returned => _ = found.returned.insert(node.id()),
                Capture::Helper => {}
            }
        }
        if let Some(name) = parts.bind {
            let hint = found.hints.entry(name.start_byte()).or_default();
            hint.declared = parts.bind_type.map(|node| node.byte_range()).or(hint.declared.take());
            hint.is_first |= properties.is_first;
            hint.taken = properties.taken.unwrap_or(hint.taken);
            if let Some(value) = parts.bind_value.or(parts.bind_element) {
                hint.value = Some(value.byte_range());
                let whole = if parts.bind_element.is_some() { Taken::Element } else { Taken::Whole };
                hint.taken = properties.taken.unwrap_or(whole);
            }
        }
        if let (Some((kind, node)), Some(name)) = (parts.definition, parts.name) {
            claims.push((name.start_byte(), pattern, Claim::DefinitionName));
            let definition = DefinitionMatch {
                kind,
                name,
                container: parts.container.map(|node| node.byte_range()).or(parts.name_container.clone()),
                qualifiers: (properties.qualifier.as_deref(), parts.qualifier.map(|node| node.byte_range())),
                body: parts.body,
                arity: parts.arity.map(|node| node.named_child_count()),
                separator: properties.separator.as_deref(),
                level: properties.level,
                visibility: properties.visibility,
                modifiers: properties.modifiers,
                through_parameter: parts.is_local,
                role: properties.role,
                through_instance: parts.receiver.is_some(),
                pattern,
            };
            let (_, same_node) = definitions.entry(node.id()).or_insert_with(|| (node.start_byte(), Vec::new()));
            match same_node.iter_mut().find(|other| other.name.id() == name.id()) {
                Some(other) if other.pattern > pattern => {}
                Some(other) => *other = definition,
                None => same_node.push(definition),
            }
        }
        if let (Some((kind, node)), Some(name)) = (parts.reference, parts.name) {
            let receiver = parts.receiver.map(|node| node.byte_range());
            let written = parts.arity.and_then(|node| text[node.byte_range()].parse().ok());
            let arguments = match (written, kind) {
                (Some(count), _) => Arguments::Written(count),
                (None, RefKind::Call) => Arguments::Of(node, properties.arguments),
                (None, _) => Arguments::Unknown,
            };
            claims.push((name.start_byte(), pattern, Claim::Reference { kind, receiver, arguments }));
        }
        if let Some(statement) = parts.import {
            found.import_ranges.push(statement.byte_range());
            for name in parts.import_name.into_iter().chain(parts.import_alias) {
                let (kind, arguments) = (RefKind::Import, Arguments::Unknown);
                let claim = Claim::Reference { kind, receiver: None, arguments };
                claims.push((name.start_byte(), pattern, claim));
            }
            found.imports.extend(imports(text, language, statement, &parts, properties));
        }
    };
    let mut nodes = Vec::new();
    for tree in trees {
        let matched = compiled.set.matches(tree, text, deadline, &mut sink).ok()?;
        if nodes.is_empty() { nodes = matched } else { nodes.extend(matched) }
    }
    if let Some(hook) = language.made_hook {
        for MadeName { name, kind, declared } in hook(&nodes, text) {
            if declared.is_some() {
                found.hints.insert(name.start_byte(), Hint { declared, ..Hint::default() });
            }
            claims.push((name.start_byte(), usize::MAX, Claim::DefinitionName));
            let made = DefinitionMatch::made(kind, name);
            definitions.entry(name.id()).or_insert_with(|| (name.start_byte(), Vec::new())).1.push(made);
        }
    }
    found.nodes = nodes;
    found.marks.sort_by_key(|(byte, ..)| *byte);
    found.within.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    found.packages = packages(std::mem::take(&mut found.packages), language.settings());
    let definitions = definitions.into_iter();
    found.definitions = definitions.map(|(node, (start, found))| DefinitionsAt { start, node, found }).collect();
    found.definitions.sort_by_key(|at| at.start);
    limit_outline(&mut found.definitions);
    found.import_ranges.sort_by_key(|range| (range.start, range.end));
    found.import_ranges.dedup();
    found.imports.sort_by_key(|import| import.line);
    drop_bare_imports(&mut found.imports);
    // A definition's own name is never a use of it; otherwise the later pattern wins, and a use beats a binding.
    claims.sort_by_key(|(byte, pattern, claim)| {
        let weight = match claim {
            Claim::DefinitionName => 2,
            Claim::Reference { .. } | Claim::Nonlocal | Claim::Skip => 1,
            Claim::Local | Claim::LocalType => 0,
        };
        (*byte, std::cmp::Reverse((weight, *pattern)))
    });
    claims.dedup_by_key(|(byte, ..)| *byte);
    found.claims = claims.into_iter().map(|(byte, _, claim)| (byte, claim)).collect();
    Some(found)
}

/// More keys than this are no outline of a data file.
const MAX_KEYS: usize = 3000;

/// Leaves out the innermost keys of a file that has too many of them, level by level, and what is too much even then.
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

/// The packages in source order, each whole.
fn packages(mut clauses: Vec<(usize, String)>, settings: &Settings) -> Vec<(usize, String)> {
    clauses.sort();
    clauses.dedup_by_key(|(byte, _)| *byte);
    if settings.packages_join {
        for index in 1..clauses.len() {
            let joined = [clauses[index - 1].1.as_str(), clauses[index].1.as_str()].join(&settings.separator);
            if joined.len() <= MAX_PACKAGE_BYTES {
                clauses[index].1 = joined;
            }
        }
    }
    clauses
}

/// Package clauses are joined up to this length.
const MAX_PACKAGE_BYTES: usize = 200;

#[derive(Default)]
struct MatchParts<'tree> {
    definition: Option<(Kind, Node<'tree>)>,
    reference: Option<(RefKind, Node<'tree>)>,
    name: Option<Node<'tree>>,
    /// What stands before a qualified name.
    name_container: Option<Range<usize>>,
    arity: Option<Node<'tree>>,
    receiver: Option<Node<'tree>>,
    container: Option<Node<'tree>>,
    qualifier: Option<Node<'tree>>,
    body: Option<Node<'tree>>,
    import: Option<Node<'tree>>,
    import_module: Option<Node<'tree>>,
    import_name: Option<Node<'tree>>,
    import_alias: Option<Node<'tree>>,
    import_tree: Option<Node<'tree>>,
    bind: Option<Node<'tree>>,
    bind_type: Option<Node<'tree>>,
    bind_value: Option<Node<'tree>>,
    bind_element: Option<Node<'tree>>,
    is_local: bool,
}

fn imports(
    text: &str,
    language: &Language,
    statement: Node<'_>,
    parts: &MatchParts<'_>,
    properties: &PatternProperties,
) -> Vec<Import> {
    let node_text = |node: Node<'_>| {
        let whole = &text[node.byte_range()];
        let inner = whole.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(whole);
        language.settings().trim_name(inner).to_string()
    };
    let mut imports = match (parts.import_tree, language.import_hook) {
        (Some(tree), Some(hook)) => hook(tree, text),
        _ if parts.import_module.is_none() && parts.import_name.is_none() => Vec::new(),
        _ => vec![Import {
            module: parts.import_module.map(node_text).unwrap_or_default(),
            name: parts.import_name.map(node_text).or_else(|| properties.import_name.clone()),
            alias: parts.import_alias.map(node_text),
            ..Import::default()
        }],
    };
    for import in &mut imports {
        if language.settings().imports_split && import.name.is_none() {
            import.split(language.separator());
        }
        import.line = statement.start_position().row as u32 + 1;
        import.reexport = properties.reexport;
        if import.alias == import.name {
            import.alias = None;
        }
    }
    imports
}

/// Drops imports of a whole module where the same line also says what is taken from it.
fn drop_bare_imports(imports: &mut Vec<Import>) {
    let is_bare = |import: &Import| import.name.is_none() && import.alias.is_none();
    if !imports.iter().any(is_bare) {
        return;
    }
    let named: FxHashSet<(u32, String)> =
        imports.iter().filter(|import| !is_bare(import)).map(|import| (import.line, import.module.clone())).collect();
    imports.retain(|import| !is_bare(import) || !named.contains(&(import.line, import.module.clone())));
}

/// Describes an `ERROR` or missing node for a person.
pub(crate) fn problem(node: Node<'_>) -> Problem {
    let message = match node.is_missing() {
        true => format!("missing {}", node.kind()),
        false => "syntax error".to_string(),
    };
    Problem { line: node.start_position().row as u32 + 1, message }
}
