//! Lookup of definitions by name, place or symbol id.

use crate::error::{Error, Result};
use crate::model::SymbolId;
use crate::plural::counted;
use crate::query::arguments::{checked, name_parts, parse_place};
use crate::query::files::paths::{is_named_after, resolve_path};
use crate::query::filter::{Filter, PathPattern};
use crate::query::hit::{Hit, HitKind, Place};
use crate::query::navigate::Navigator;
use crate::query::open_file::OpenFile;
use crate::query::rank::score::Feature;
use crate::query::symbols::outline;
use crate::resolve::{Resolver, ResolverMemo, Symbol};
use crate::store::Snapshot;
use crate::store::facts::symbols::SymbolRow;
use crate::tokenize;
use crate::weights::{self, locate as points};
use codecompass_syntax::facts::{Definition, Kind, SymbolRole, Visibility};
use codecompass_syntax::language_named;
use serde::{Deserialize, Serialize};

/// Classes of match between a definition's name and the name asked for, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MatchClass {
    /// The place or id given.
    Place,
    /// The very name.
    Exact,
    /// The name in another case.
    CaseInsensitive,
    /// The name starts with it.
    Prefix,
    /// Its parts hold all parts asked for.
    SubWord,
    /// A typo away.
    Fuzzy,
}

impl MatchClass {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            MatchClass::Place => "place",
            MatchClass::Exact => "exact",
            MatchClass::CaseInsensitive => "case_insensitive",
            MatchClass::Prefix => "prefix",
            MatchClass::SubWord => "sub_word",
            MatchClass::Fuzzy => "fuzzy",
        }
    }

    fn score(self) -> f64 {
        match self {
            MatchClass::Place => points::PLACE,
            MatchClass::Exact => points::EXACT,
            MatchClass::CaseInsensitive => points::CASE_INSENSITIVE,
            MatchClass::Prefix => points::PREFIX,
            MatchClass::SubWord => points::SUB_WORD,
            MatchClass::Fuzzy => points::FUZZY,
        }
    }
}

/// Options of `locate`.
#[derive(Clone, Debug, Default)]
pub struct LocateOptions {
    /// Restrictions on the definitions.
    pub filter: Filter,
    /// The maximum number of definitions to list.
    pub limit: usize,
}

/// The definitions found, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocateAnswer {
    /// Their names match in this way; `None` when nothing was found.
    pub class: Option<MatchClass>,
    /// At most the limit.
    pub hits: Vec<Hit>,
    /// The number of definitions, listed or not.
    pub total: usize,
}

/// More rows than this are not ranked; a name this common needs a container to be found anyway.
const MAX_ROWS: usize = 5000;

/// Types of one name that are asked for an inherited member.
const MAX_CONTAINERS: usize = 16;

/// Longer names must be spelt right.
const MAX_TYPO_CHARS: usize = 100;

/// Finds the definitions that `symbol` (a name, a qualified name, a symbol id, `path:line` or
/// `path:line:column`) means.
pub fn locate(snapshot: &Snapshot, symbol: &str, options: &LocateOptions) -> Result<LocateAnswer> {
    let symbol = checked(symbol, "symbol")?;
    if let Some((path, name)) = file_and_name(snapshot, symbol) {
        let filter = Filter { paths: vec![PathPattern::exact(&path)], ..options.filter.clone() };
        return locate(snapshot, name, &LocateOptions { filter, ..options.clone() });
    }
    let mut hits = by_place(snapshot, symbol)?;
    if !hits.is_empty() {
        let total = hits.len();
        hits.truncate(options.limit.max(1));
        return Ok(LocateAnswer { class: Some(MatchClass::Place), total, hits });
    }
    let written = QualifiedName::parse(symbol);
    let plain = written.without_bang();
    let marked = written.with_marks(symbol);
    let ways = marked.iter().chain([&written]).chain(&plain);
    let exact = ways.flat_map(|wanted| [(MatchClass::Exact, wanted), (MatchClass::CaseInsensitive, wanted)]);
    let loose = plain.as_ref().unwrap_or(&written);
    let loose = [MatchClass::Prefix, MatchClass::SubWord, MatchClass::Fuzzy].map(|class| (class, loose));
    for (class, wanted) in exact.chain(loose) {
        if class == MatchClass::Prefix
            && let Some(found) = inherited(snapshot, symbol, &written, options)?
        {
            return Ok(found);
        }
        if class == MatchClass::Prefix
            && let Some(found) = by_alias(snapshot, &written, options)?
        {
            return Ok(found);
        }
        let rows = match class {
            MatchClass::Exact | MatchClass::CaseInsensitive => {
                let mut rows = snapshot.symbols_named(&wanted.name)?;
                rows.retain(|row| (row.name == wanted.name) == (class == MatchClass::Exact));
                rows
            }
            MatchClass::Prefix if wanted.name.len() >= 3 => snapshot.symbols_with_prefix(&wanted.name, MAX_ROWS)?,
            MatchClass::SubWord => by_parts(snapshot, &wanted.name)?,
            MatchClass::Fuzzy => by_typo(snapshot, &wanted.name)?,
            _ => Vec::new(),
        };
        let mut hits = ranked(snapshot, wanted, rows, class, &options.filter)?;
        if !hits.is_empty() {
            let total = hits.len();
            hits.truncate(options.limit);
            return Ok(LocateAnswer { class: Some(class), hits, total });
        }
    }
    Ok(LocateAnswer { class: None, hits: Vec::new(), total: 0 })
}

/// Finds the members that a type takes from its supertypes: `Type.member` may mean them too.
fn inherited(
    snapshot: &Snapshot,
    symbol: &str,
    wanted: &QualifiedName,
    options: &LocateOptions,
) -> Result<Option<LocateAnswer>> {
    let symbol = symbol.trim_end_matches("()");
    let Some(container) = symbol.strip_suffix(wanted.name.as_str()).filter(|_| wanted.parts.len() > 1) else {
        return Ok(None);
    };
    let container = QualifiedName::parse(container.trim_end_matches(['.', ':', '#', '\\']));
    let mut types = snapshot.symbols_named(&container.name)?;
    types.retain(|row| row.name == container.name && row.kind.is_type());
    let navigator = Navigator::new(snapshot);
    let mut rows = Vec::new();
    for owner in types.into_iter().take(MAX_CONTAINERS) {
        let Some(file) = OpenFile::open(snapshot, owner.version)? else { continue };
        let definition = file.outline.definitions.get(owner.ordinal as usize);
        if !definition.is_some_and(|it| container.containers_match(&file.full_name_parts(it))) {
            continue;
        }
        let owner = Symbol { version: owner.version, ordinal: owner.ordinal };
        for Symbol { version, ordinal } in navigator.resolver.all_members_named(owner, &wanted.name)? {
            let outline = snapshot.outline(version)?;
            let kind = outline.definitions.get(ordinal as usize).map(|definition| definition.kind);
            let is_known = |row: &SymbolRow| (row.version, row.ordinal) == (version, ordinal);
            if let Some(kind) = kind.filter(|_| !rows.iter().any(is_known)) {
                rows.push(SymbolRow { name: wanted.name.clone(), version, ordinal, kind });
            }
        }
    }
    let bare = QualifiedName::parse(&wanted.name);
    let mut hits = ranked(snapshot, &bare, rows, MatchClass::Exact, &options.filter)?;
    let total = hits.len();
    hits.truncate(options.limit);
    Ok((total > 0).then_some(LocateAnswer { class: Some(MatchClass::Exact), hits, total }))
}

/// Finds the definitions that files export under another name.
fn by_alias(snapshot: &Snapshot, wanted: &QualifiedName, options: &LocateOptions) -> Result<Option<LocateAnswer>> {
    let navigator = Navigator::new(snapshot);
    let mut rows: Vec<SymbolRow> = Vec::new();
    for Symbol { version, ordinal } in navigator.exported_as(&wanted.name)? {
        let outline = snapshot.outline(version)?;
        let Some(definition) = outline.definitions.get(ordinal as usize) else { continue };
        rows.push(SymbolRow { name: definition.name.clone(), version, ordinal, kind: definition.kind });
    }
    let mut found = Vec::new();
    for row in rows {
        let bare = QualifiedName::parse(&row.name);
        found.extend(ranked(snapshot, &bare, vec![row], MatchClass::Exact, &options.filter)?);
    }
    let total = found.len();
    found.truncate(options.limit);
    Ok((total > 0).then_some(LocateAnswer { class: Some(MatchClass::Exact), hits: found, total }))
}

/// A name with the containers it must be in.
struct QualifiedName {
    name: String,
    /// Lower-case parts, the name last.
    parts: Vec<String>,
    /// The innermost container as it is written.
    container: Option<String>,
}

impl QualifiedName {
    fn parse(symbol: &str) -> QualifiedName {
        let symbol = symbol.trim_end_matches("()");
        // `Enum.map/2`: the arity is no part of the name.
        let arity = symbol.rsplit_once('/').filter(|(_, arity)| arity.bytes().all(|byte| byte.is_ascii_digit()));
        let symbol = arity.map_or(symbol, |(name, _)| name);
        let mut parts = innermost_first(symbol);
        let name = parts.next().unwrap_or(symbol).to_string();
        QualifiedName { name, container: parts.next().map(str::to_string), parts: name_parts(symbol).collect() }
    }

    /// The same without a `!` at the end, which some languages have in names and others behind
    /// those of macros.
    fn without_bang(&self) -> Option<QualifiedName> {
        let name = self.name.trim_end_matches('!');
        let mut parts = self.parts.clone();
        parts.pop();
        parts.push(name.to_lowercase());
        let container = self.container.clone();
        (name != self.name && !name.is_empty()).then(|| QualifiedName { name: name.to_string(), parts, container })
    }

    /// The same with names that begin with a separator or have one in them, as in `Store.#open`:
    /// each of the last parts together with what stands before it.
    fn with_marks(&self, symbol: &str) -> Vec<QualifiedName> {
        let symbol = symbol.trim_end_matches("()");
        let starts =
            symbol.char_indices().filter(|(at, _)| symbol[..*at].is_empty() || symbol[..*at].ends_with(SEPARATORS));
        let ends = starts.map(|(at, _)| &symbol[at..]).filter(|end| end.contains(SEPARATORS));
        // The outermost containers are no part of a name.
        let shortest = ends.collect::<Vec<_>>().into_iter().rev().take(MAX_MARKED);
        let with = |name: &str| QualifiedName {
            name: name.to_string(),
            parts: self.parts.clone(),
            container: self.container.clone(),
        };
        shortest.map(with).collect()
    }

    /// Returns whether a qualified name ends with the containers and the name, so that no module or
    /// file name had to help.
    fn is_end_of(&self, qualified_name: &str) -> bool {
        let parts: Vec<String> = name_parts(qualified_name).collect();
        self.parts.len() > 1 && parts.ends_with(&self.parts)
    }

    /// Returns whether the container of a qualified name is written like the wanted one.
    fn has_container_of(&self, qualified_name: &str) -> bool {
        innermost_first(qualified_name).nth(1) == self.container.as_deref()
    }

    /// Returns whether a definition lies in the wanted containers: they are the end of its full
    /// name, or appear in it in order.
    fn containers_match(&self, full_name: &[String]) -> bool {
        let (containers, own) = (&self.parts[..self.parts.len().saturating_sub(1)], full_name.len().saturating_sub(1));
        let mut available = full_name[..own].iter();
        containers.iter().all(|container| available.any(|part| part == container))
    }
}

/// Marks between the parts of qualified names.
const SEPARATORS: [char; 5] = ['.', ':', '#', '/', '\\'];
/// So many ends of a qualified name are taken for names with a mark in them.
const MAX_MARKED: usize = 4;

/// Returns the parts of a name with containers, the name first.
fn innermost_first(name: &str) -> impl Iterator<Item = &str> {
    name.rsplit(SEPARATORS).filter(|part| !part.is_empty())
}

fn ranked(
    snapshot: &Snapshot,
    wanted: &QualifiedName,
    rows: Vec<SymbolRow>,
    class: MatchClass,
    filter: &Filter,
) -> Result<Vec<Hit>> {
    let mut found = Vec::new();
    for row in rows.into_iter().take(MAX_ROWS) {
        // Headings and keys are looked up only by those who ask for them.
        let unwanted = row.kind.is_outline_only() && filter.kinds.is_empty();
        if unwanted || !filter.accepts_kind(HitKind::Symbol(row.kind)) {
            continue;
        }
        let Some(file) = OpenFile::open(snapshot, row.version)? else { continue };
        let Some(definition) = file.outline.definitions.get(row.ordinal as usize) else { continue };
        if !filter.accepts_file(file.path, file.info.language.as_deref())
            || !wanted.containers_match(&file.full_name_parts(definition))
        {
            continue;
        }
        let Some(mut hit) = file.symbol_hit(row.ordinal) else { continue };
        score(&mut hit, definition, class, wanted);
        let language = file.info.language.as_deref().and_then(language_named);
        found.push(LocatedDefinition {
            hit,
            symbol: Symbol { version: row.version, ordinal: row.ordinal },
            is_part: language.is_some_and(|language| language.part_scope(definition).is_some()),
            may_have_parts: language.is_some_and(|language| language.may_have_parts(definition)),
            is_merged: language.is_some_and(|language| language.resolve_rules().joins_types_and_values),
            is_declaration: definition.modifiers.contains("declare"),
        });
    }
    // Of the parts of a symbol the one in the file that is named after it comes first.
    let is_elsewhere = |found: &LocatedDefinition| found.is_part && !is_named_after(&found.hit.path, &found.hit.name);
    // Stable: equal scores stay in the order of paths.
    found.sort_by(|a, b| {
        let by_place = || (&a.hit.path, a.hit.line_start).cmp(&(&b.hit.path, b.hit.line_start));
        let by_score = b.hit.score.total_cmp(&a.hit.score);
        by_score.then_with(|| is_elsewhere(a).cmp(&is_elsewhere(b))).then_with(by_place)
    });
    joined(snapshot, found)
}

/// A definition that was asked for.
struct LocatedDefinition {
    hit: Hit,
    symbol: Symbol,
    /// One of several that make up a symbol.
    is_part: bool,
    /// There may be others that are the same symbol.
    may_have_parts: bool,
    /// A type and a value of its name may be one symbol.
    is_merged: bool,
    /// Says that the symbol exists; its definition is elsewhere.
    is_declaration: bool,
}

/// Joins the parts of one symbol, and declarations with the definition they announce.
fn joined(snapshot: &Snapshot, found: Vec<LocatedDefinition>) -> Result<Vec<Hit>> {
    let resolver = Resolver::new(snapshot, ResolverMemo::default());
    let defined: Vec<(String, String)> = found
        .iter()
        .filter(|found| !found.is_declaration)
        .map(|found| (found.hit.symbol_stable_id.clone(), found.hit.path.clone()))
        .collect();
    let mut hits: Vec<Hit> = Vec::new();
    let mut announced = Vec::new();
    let mut first_parts: Vec<(Symbol, usize)> = Vec::new();
    for LocatedDefinition { hit, symbol, may_have_parts, is_merged, is_declaration, .. } in found {
        let mut first = None;
        if may_have_parts || is_merged {
            let parts = resolver.named_together(symbol)?;
            first = first_parts.iter().find(|(other, _)| parts.contains(other)).map(|(_, at)| *at);
        }
        match first {
            Some(first) => hits[first].other_places.push(place(&hit)),
            None if is_declaration && defined.iter().any(|(id, _)| *id == hit.symbol_stable_id) => announced.push(hit),
            None => {
                first_parts.push((symbol, hits.len()));
                hits.push(hit);
            }
        }
    }
    for declaration in announced {
        let definitions = || hits.iter().filter(|hit| hit.symbol_stable_id == declaration.symbol_stable_id);
        let at_home = definitions().any(|hit| hit.path == declaration.path);
        let is_only = definitions().count() == 1;
        let mut all = hits.iter_mut().filter(|hit| hit.symbol_stable_id == declaration.symbol_stable_id);
        match all.find(|hit| if at_home { hit.path == declaration.path } else { is_only }) {
            Some(definition) => definition.other_places.push(place(&declaration)),
            None => hits.push(declaration),
        }
    }
    Ok(hits)
}

fn place(hit: &Hit) -> Place {
    let Hit { line_start, line_end, is_declaration, .. } = *hit;
    Place { path: hit.path.clone(), line_start, line_end, is_declaration }
}

fn score(hit: &mut Hit, definition: &Definition, class: MatchClass, wanted: &QualifiedName) {
    let explanation = &mut hit.explanation;
    let flag = |is: bool, points: f64| if is { points } else { 0.0 };
    explanation.add(Feature::NameMatch, class.score());
    if matches!(class, MatchClass::Prefix | MatchClass::SubWord) {
        // The fewer letters the name has beyond what was asked for, the better.
        let extra = definition.name.chars().count().saturating_sub(wanted.name.chars().count());
        explanation.add(Feature::NameLength, extra.min(points::MAX_EXTRA_LETTERS) as f64 * points::EXTRA_LETTER);
    }
    // `Effect.run` means a member of `Effect` before one of a variable `effect`.
    let container = match wanted.has_container_of(&definition.qualified_name) {
        true => points::CONTAINER,
        false => points::CONTAINER / 2.0,
    };
    explanation.add(Feature::Container, flag(wanted.is_end_of(&definition.qualified_name), container));
    explanation.add(Feature::Kind, weights::kind(definition.kind));
    explanation.add(Feature::Visibility, flag(definition.visibility == Visibility::Public, points::PUBLIC));
    explanation.add(Feature::HasBody, flag(definition.span.end_line > definition.span.start_line, points::BODY));
    explanation.add(Feature::Declaration, flag(definition.modifiers.contains("declare"), points::DECLARATION));
    explanation.add(Feature::Documented, flag(definition.doc.is_some(), points::DOCUMENTED));
    explanation.add(Feature::FileRole, weights::role(hit.file_role).locate_points);
    explanation.add(Feature::Test, flag(definition.role == SymbolRole::Test, points::TEST));
    let folders = hit.path.matches('/').count().min(points::MAX_FOLDERS);
    explanation.add(Feature::PathDepth, folders as f64 * points::FOLDER);
    hit.score = explanation.score();
}

fn by_parts(snapshot: &Snapshot, name: &str) -> Result<Vec<SymbolRow>> {
    let parts = tokenize::parts(name);
    let terms: Vec<(String, f32)> =
        parts.iter().flat_map(|part| tokenize::terms(part)).map(|term| (term, 1.0)).collect();
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let every = if terms.len() >= 64 { u64::MAX } else { (1 << terms.len()) - 1 };
    let mut rows = Vec::new();
    for hit in snapshot.search_text(&terms, MAX_ROWS)?.into_iter().filter(|hit| hit.matched == every) {
        let outline = snapshot.outline(hit.version)?;
        let Some(chunk) = outline.chunks.get(hit.chunk as usize) else { continue };
        for (ordinal, definition) in outline.definitions.iter().enumerate() {
            let inside = (chunk.span.start_line..=chunk.span.end_line).contains(&definition.name_line);
            let is_symbol = definition.kind != Kind::Impl && !definition.kind.is_outline_only();
            if inside && is_symbol && holds_parts(&definition.name, &parts) {
                rows.push(SymbolRow {
                    name: definition.name.clone(),
                    version: hit.version,
                    ordinal: ordinal as u32,
                    kind: definition.kind,
                });
            }
        }
    }
    Ok(rows)
}

fn holds_parts(name: &str, wanted: &[String]) -> bool {
    let parts = tokenize::parts(name);
    wanted.iter().all(|wanted| parts.iter().any(|part| part.starts_with(wanted.as_str())))
}

fn by_typo(snapshot: &Snapshot, name: &str) -> Result<Vec<SymbolRow>> {
    let distance = match name.chars().count() {
        0..=3 => return Ok(Vec::new()),
        4..=6 => 1,
        7..=MAX_TYPO_CHARS => 2,
        // The automaton for fuzzy matches takes memory by the letter, and such names are not typed
        // by hand.
        _ => return Ok(Vec::new()),
    };
    for distance in 1..=distance {
        let mut rows = Vec::new();
        for name in snapshot.similar_names(name, distance)? {
            rows.extend(snapshot.symbols_named(&name)?);
        }
        if !rows.is_empty() {
            return Ok(rows);
        }
    }
    Ok(Vec::new())
}

/// Resolves `path:line`, `path:line:column` and symbol ids. A line may name several definitions.
fn by_place(snapshot: &Snapshot, symbol: &str) -> Result<Vec<Hit>> {
    if let Some((path, line, column)) = parse_place(symbol) {
        let path = &resolve_path(snapshot, path)?;
        let file = crate::query::symbols::outline::open(snapshot, path)?;
        if let Some(column) = column {
            let navigator = Navigator::new(snapshot);
            let symbol = navigator.symbol_meant_at(path, line, column)?;
            return Ok(scored_place(navigator.hit(symbol)?).into_iter().collect());
        }
        let found = innermost_at(&file, line);
        return match (found.is_empty(), file.outline.line_count) {
            (false, _) => Ok(found),
            (true, count) => {
                let lines = counted(count as usize, "line", "lines");
                let only = if line > count { format!("{path} has only {lines}: ") } else { String::new() };
                Err(Error::NothingAt { place: symbol.to_string(), what: format!("{only}no definition stands") })
            }
        };
    }
    let Ok(id) = symbol.parse::<SymbolId>() else { return Ok(Vec::new()) };
    for (path, version, content) in snapshot.contents()? {
        if SymbolId::new(&path, &content, id.ordinal) == id {
            let file = OpenFile::open(snapshot, version)?;
            return Ok(file.and_then(|file| scored_place(file.symbol_hit(id.ordinal))).into_iter().collect());
        }
    }
    Err(Error::SymbolNotFound { symbol: symbol.to_string(), suggestions: Vec::new() })
}

/// Returns the definitions that are named on a line, the outermost first; failing that, the
/// innermost definition or block around the line. Doc comments and decorators belong to what they
/// precede.
fn innermost_at(file: &OpenFile<'_>, line: u32) -> Vec<Hit> {
    let outline = &file.outline;
    let mut ordinals: Vec<u32> = outline.all_named_at(line).map(|(ordinal, _)| ordinal).collect();
    if ordinals.is_empty() {
        ordinals.extend(outline.innermost_at(line, |_| true, |definition| definition.outer_start_line));
    }
    ordinals.into_iter().filter_map(|ordinal| scored_place(file.symbol_hit(ordinal))).collect()
}

/// Returns the piece of text at a `path:line` where no definition stands, such as a paragraph or a
/// list of imports.
pub(super) fn text_at(snapshot: &Snapshot, symbol: &str) -> Result<Option<Hit>> {
    let Some((path, line, None)) = parse_place(symbol) else { return Ok(None) };
    let file = outline::open(snapshot, &resolve_path(snapshot, path)?)?;
    if !innermost_at(&file, line).is_empty() {
        return Ok(None);
    }
    let mut pieces = file.outline.chunks.iter().filter(|chunk| chunk.definition.is_none());
    let piece = pieces.find(|chunk| (chunk.span.start_line..=chunk.span.end_line).contains(&line));
    Ok(piece.map(|chunk| file.text_hit(HitKind::Text, chunk.span.start_line, chunk.span.end_line)))
}

fn scored_place(hit: Option<Hit>) -> Option<Hit> {
    hit.map(|mut hit| {
        hit.explanation.add(Feature::NameMatch, MatchClass::Place.score());
        hit.score = hit.explanation.score();
        hit
    })
}

/// Reads `path::Name`: a file of the view, by its path or the only end of one, and a name in it.
fn file_and_name<'a>(snapshot: &Snapshot, symbol: &'a str) -> Option<(String, &'a str)> {
    let (path, name) = symbol.split_once("::")?;
    let is_file_name = path.contains(['.', '/']) && !name.is_empty() && !name.starts_with(':');
    let path = is_file_name.then(|| resolve_path(snapshot, path).ok()).flatten()?;
    Some((path, name))
}

/// Names that a user may have meant by `symbol`, for an error message.
pub(crate) fn suggestions(snapshot: &Snapshot, symbol: &str) -> Result<Vec<String>> {
    let wanted = QualifiedName::parse(symbol);
    let mut names: Vec<String> = by_typo(snapshot, &wanted.name)?.into_iter().map(|row| row.name).collect();
    if names.is_empty() {
        names = snapshot.symbols_named(&wanted.name)?.into_iter().map(|row| row.name).collect();
    }
    names.sort();
    names.dedup();
    names.truncate(5);
    Ok(names)
}
