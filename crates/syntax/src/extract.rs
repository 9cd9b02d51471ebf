//! Parses a text, runs the language's query over the tree and hands what it found to the walk.
//!
//! Query files use these captures:
//!
//! | capture | meaning |
//! |---|---|
//! | `@definition.KIND` + `@name` | a definition; `@body` ends its signature, `@container` names a type that is elsewhere, `@receiver` says that a field is declared by assignment through an instance (`self.x = 1`) |
//! | `@reference.KIND` + `@name` | a use; `@receiver` is what stands before the name |
//! | `@local` | a name bound for the enclosing function only; beside a field's `@name`, a parameter that declares it |
//! | `@local.type` | a type parameter of the enclosing definition |
//! | `@nonlocal` | a name that the enclosing function assigns to without owning it |
//! | `@skip` | a name that is no use of anything (the name of a keyword argument) |
//! | `@exported` | a name whose top-level definition in this file is public |
//! | `@package` | the file's package, the first part of every qualified name |
//! | `@import` + `@import.module`, `.name`, `.alias` | one imported name; `@import.tree` leaves the rest to the row's hook |
//!
//! `(#set! visibility public)`, `(#set! modifier async)`, `(#set! role test)`, `(#set! reexport)` and
//! `(#set! import.name default)` say what the tree does not. A later pattern beats an earlier one.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

use crate::Parsed;
use crate::chunks;
use crate::classes::NodeClasses;
use crate::facts::{Import, Kind, Modifiers, Problem, RefKind, SymbolRole, Visibility};
use crate::languages::{Compiled, Language};
use crate::pattern::{PatternSet, Visited};
use crate::walk;

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
    Body,
    Local,
    LocalType,
    Nonlocal,
    Skip,
    Exported,
    Package,
    Import,
    ImportModule,
    ImportName,
    ImportAlias,
    ImportTree,
    Helper,
}

#[derive(Clone, Default)]
struct PatternProperties {
    visibility: Option<Visibility>,
    modifiers: Modifiers,
    import_name: Option<String>,
    role: Option<SymbolRole>,
    reexport: bool,
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
        "body" => Capture::Body,
        "local" => Capture::Local,
        "local.type" => Capture::LocalType,
        "nonlocal" => Capture::Nonlocal,
        "skip" => Capture::Skip,
        "exported" => Capture::Exported,
        "package" => Capture::Package,
        "import" => Capture::Import,
        "import.module" => Capture::ImportModule,
        "import.name" => Capture::ImportName,
        "import.alias" => Capture::ImportAlias,
        "import.tree" => Capture::ImportTree,
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
    pub container: Option<Node<'tree>>,
    pub body: Option<Node<'tree>>,
    pub visibility: Option<Visibility>,
    pub modifiers: Modifiers,
    pub role: Option<SymbolRole>,
    /// Declared by a parameter.
    pub through_parameter: bool,
    /// Declared by assignment through an instance.
    pub through_instance: bool,
    pattern: usize,
}

/// What the query says about the name that starts at a byte.
#[derive(Clone)]
pub(crate) enum Claim {
    DefinitionName,
    Local,
    LocalType,
    Nonlocal,
    Skip,
    Reference { kind: RefKind, receiver: Option<Range<usize>> },
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
    pub claims: Vec<(usize, Claim)>,
    /// Byte ranges of import statements, sorted.
    pub import_ranges: Vec<Range<usize>>,
    pub imports: Vec<Import>,
    /// All nodes of the tree in source order.
    pub nodes: Vec<Visited<'tree>>,
    /// Names whose top-level definitions are public.
    pub exported: FxHashSet<String>,
    pub package: Option<String>,
}

/// Extracts the facts of `text` in `language`, giving up after `limit`.
pub(crate) fn extract(text: &str, language: &'static Language, limit: Duration) -> Parsed {
    let deadline = Instant::now() + limit;
    let compiled = language.compiled();
    let Some(tree) = parse_tree(text, compiled, deadline) else { return Parsed::TimedOut };
    let Some(matches) = run_query(text, language, &tree, deadline) else { return Parsed::TimedOut };
    let Some(mut facts) = walk::walk(text, language, &tree, matches, deadline) else { return Parsed::TimedOut };
    facts.chunks = chunks::code_chunks(text, &facts.definitions);
    facts.line_count = line_count(text);
    Parsed::Facts(facts)
}

/// Number of lines, counting a last line without a newline.
pub(crate) fn line_count(text: &str) -> u32 {
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    (newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))) as u32
}

/// Builds and drops a tree; for benchmarks.
pub(crate) fn build_tree(text: &str, language: &'static Language) {
    drop(parse_tree(text, language.compiled(), Instant::now() + Duration::from_secs(60)));
}

fn parse_tree(text: &str, compiled: &Compiled, deadline: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&compiled.grammar).ok()?;
    let mut stop = |_: &tree_sitter::ParseState| match Instant::now() > deadline {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut stop);
    parser.parse_with_options(&mut |byte, _| &text.as_bytes()[byte.min(text.len())..], None, Some(options))
}

fn run_query<'tree>(
    text: &str,
    language: &'static Language,
    tree: &'tree Tree,
    deadline: Instant,
) -> Option<Matches<'tree>> {
    let compiled = &language.compiled().query;
    let mut found = Matches::default();
    let mut definitions: FxHashMap<usize, (usize, Vec<DefinitionMatch<'tree>>)> = FxHashMap::default();
    let mut claims: Vec<(usize, usize, Claim)> = Vec::new();
    let matched = compiled.set.matches(tree, text, deadline, &mut |pattern, captures| {
        let properties = &compiled.patterns[pattern];
        let mut parts = MatchParts::default();
        for (number, node) in captures.iter().copied() {
            match compiled.captures[usize::from(number)] {
                Capture::Definition(kind) => parts.definition = Some((kind, node)),
                Capture::Reference(kind) => parts.reference = Some(kind),
                Capture::Name => parts.name = Some(node),
                Capture::Receiver => parts.receiver = Some(node),
                Capture::Container => parts.container = Some(node),
                Capture::Body => parts.body = Some(node),
                Capture::Local => {
                    parts.is_local = true;
                    claims.push((node.start_byte(), pattern, Claim::Local));
                }
                Capture::LocalType => claims.push((node.start_byte(), pattern, Claim::LocalType)),
                Capture::Nonlocal => claims.push((node.start_byte(), pattern, Claim::Nonlocal)),
                Capture::Skip => claims.push((node.start_byte(), pattern, Claim::Skip)),
                Capture::Exported => {
                    found.exported.insert(text[node.byte_range()].to_string());
                }
                Capture::Package => {
                    found.package = Some(text[node.byte_range()].to_string());
                    claims.push((node.start_byte(), pattern, Claim::Skip));
                }
                Capture::Import => parts.import = Some(node),
                Capture::ImportModule => parts.import_module = Some(node),
                Capture::ImportName => parts.import_name = Some(node),
                Capture::ImportAlias => parts.import_alias = Some(node),
                Capture::ImportTree => parts.import_tree = Some(node),
                Capture::Helper => {}
            }
        }
        if let (Some((kind, node)), Some(name)) = (parts.definition, parts.name) {
            claims.push((name.start_byte(), pattern, Claim::DefinitionName));
            let definition = DefinitionMatch {
                kind,
                name,
                container: parts.container,
                body: parts.body,
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
        if let (Some(kind), Some(name)) = (parts.reference, parts.name) {
            let receiver = parts.receiver.map(|node| node.byte_range());
            claims.push((name.start_byte(), pattern, Claim::Reference { kind, receiver }));
        }
        if let Some(statement) = parts.import {
            found.import_ranges.push(statement.byte_range());
            for name in parts.import_name.into_iter().chain(parts.import_alias) {
                let claim = Claim::Reference { kind: RefKind::Import, receiver: None };
                claims.push((name.start_byte(), pattern, claim));
            }
            found.imports.extend(imports(text, language, statement, &parts, properties));
        }
    });
    found.nodes = matched.ok()?;
    let definitions = definitions.into_iter();
    found.definitions = definitions.map(|(node, (start, found))| DefinitionsAt { start, node, found }).collect();
    found.definitions.sort_by_key(|at| at.start);
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

#[derive(Default)]
struct MatchParts<'tree> {
    definition: Option<(Kind, Node<'tree>)>,
    reference: Option<RefKind>,
    name: Option<Node<'tree>>,
    receiver: Option<Node<'tree>>,
    container: Option<Node<'tree>>,
    body: Option<Node<'tree>>,
    import: Option<Node<'tree>>,
    import_module: Option<Node<'tree>>,
    import_name: Option<Node<'tree>>,
    import_alias: Option<Node<'tree>>,
    import_tree: Option<Node<'tree>>,
    is_local: bool,
}

fn imports(
    text: &str,
    language: &Language,
    statement: Node<'_>,
    parts: &MatchParts<'_>,
    properties: &PatternProperties,
) -> Vec<Import> {
    let node_text = |node: Node<'_>| text[node.byte_range()].trim_matches(['"', '\'', '`']).to_string();
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
