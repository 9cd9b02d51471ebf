//! Definitions by their attributes: kind, visibility, modifiers, types, parameters, decorators and
//! more. Nothing is parsed: the facts of each file are read and filtered.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use codecompass_syntax::facts::{Definition, Kind, Modifiers, RefKind, Visibility};
use regex::Regex;
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::model::{Role, VersionId};
use crate::query::arguments::check_length;
use crate::query::filter::role_filter::{FindRole, RoleFilter};
use crate::query::filter::{self, Filter};
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::Navigator;
use crate::query::open_file::OpenFile;
use crate::query::symbols::attributes::{self, Attributes};
use crate::query::symbols::counts::SymbolCounts;
use crate::query::symbols::public_api::Offered;
use crate::resolve::Symbol;
use crate::store::Snapshot;
use crate::store::facts::definition_summary::DefinitionSummary;

/// The definitions to find. Empty fields restrict nothing; all others must fit.
#[derive(Clone, Debug, Default)]
pub struct FindOptions {
    /// Languages, kinds and paths.
    pub filter: Filter,
    /// Names, one of which must match.
    pub names: Vec<NamePattern>,
    /// Visibilities, one of which it must have.
    pub visibilities: Vec<Visibility>,
    /// Modifiers that it must have, or must not have if the flag is false.
    pub modifiers: Vec<(&'static str, bool)>,
    /// Types, one of which the declared result must name.
    pub returns: Vec<String>,
    /// The numbers of parameters, the instance not counted.
    pub parameters: Option<RangeInclusive<usize>>,
    /// Decorators, one of which it must have.
    pub decorators: Vec<DecoratorPattern>,
    /// True if it must have a doc comment, false if it must not.
    pub has_doc: Option<bool>,
    /// True if it must be a part of the public API, false if it must not.
    pub is_public_api: Option<bool>,
    /// Roles, one of which it or its file must have.
    pub roles: Vec<FindRole>,
    /// Names of supertypes, one of which its type, or the type that it is a member of, must name.
    pub bases: Vec<String>,
    /// The order of the results.
    pub order: FindOrder,
    /// True if callers, files that call and subtypes are counted.
    pub counts: bool,
    /// The number of results to skip.
    pub offset: usize,
    /// The largest number of results; all are counted.
    pub limit: usize,
}

/// The order of definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FindOrder {
    /// By path and line.
    #[default]
    Place,
    /// The one with most callers first, equal ones by path and line.
    Callers,
}

/// The definitions found.
#[derive(Clone, Debug, PartialEq)]
pub struct FindAnswer {
    /// The page that was asked for.
    pub symbols: Vec<FoundSymbol>,
    /// The number of definitions, listed or not.
    pub total: usize,
    /// The number of files they are in.
    pub files: usize,
    /// The number of definitions by kind.
    pub by_kind: BTreeMap<&'static str, usize>,
}

/// A definition with its attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSymbol {
    /// The definition.
    pub hit: Hit,
    /// The bare name of the type or function that it stands in.
    pub container: Option<String>,
    /// Its attributes.
    pub attributes: Attributes,
    /// The numbers of what is tied to it, if asked for.
    pub counts: Option<SymbolCounts>,
}

/// More definitions than this are not ordered by their callers.
pub const MAX_COUNTED: usize = 500;

/// A name, or a glob or regular expression for names. It is held against the bare name, and against
/// the qualified name if it spells out a separator (`Store.*`, `Store\.`, `Store::`). A qualified
/// name may leave out its first parts, and have any separator.
#[derive(Clone, Debug)]
pub struct NamePattern {
    form: NameForm,
    is_qualified: bool,
}

#[derive(Clone, Debug)]
enum NameForm {
    Exact(String),
    Glob(globset::GlobMatcher),
    Regex(Regex),
}

impl NamePattern {
    /// Reads a name, or a glob if it has `*`, `?` or braces.
    pub fn new(pattern: &str) -> Result<NamePattern> {
        check_length(pattern, "name")?;
        let is_qualified = pattern.contains(SEPARATORS);
        if !pattern.contains(['*', '?', '{']) {
            return Ok(NamePattern { form: NameForm::Exact(pattern.to_string()), is_qualified });
        }
        Ok(NamePattern { form: NameForm::Glob(glob(pattern)?), is_qualified })
    }

    /// Reads a regular expression, which may match any part of a name.
    pub fn regex(pattern: &str) -> Result<NamePattern> {
        let regex = filter::regex(pattern, "name")?;
        let is_qualified = ["\\.", "[.", "::", "#", "\\\\"].iter().any(|separator| pattern.contains(separator));
        Ok(NamePattern { form: NameForm::Regex(regex), is_qualified })
    }

    fn matches(&self, definition: &Definition) -> bool {
        let is_match = |name: &str| match &self.form {
            NameForm::Exact(exact) => name == exact,
            NameForm::Glob(glob) => glob.is_match(name),
            NameForm::Regex(regex) => regex.is_match(name),
        };
        let qualified_name = definition.qualified_name.as_str();
        match &self.form {
            NameForm::Exact(exact) if self.is_qualified => {
                let parts = |name| str::rsplit(name, SEPARATORS).filter(|part| !part.is_empty());
                let mut own = parts(qualified_name);
                is_match(&definition.name) || parts(exact).all(|part| own.next() == Some(part))
            }
            _ => is_match(&definition.name) || self.is_qualified && is_match(qualified_name),
        }
    }

    /// Returns the bare name that all matches have, if there is one.
    fn bare_name(&self) -> Option<&str> {
        match &self.form {
            NameForm::Exact(exact) => Some(bare(exact)),
            _ => None,
        }
    }
}

/// The name of a decorator, its last part, or a glob.
#[derive(Clone, Debug)]
pub struct DecoratorPattern {
    plain: String,
    glob: Option<globset::GlobMatcher>,
}

impl DecoratorPattern {
    /// Reads a name; marks and arguments around it do not count.
    pub fn new(pattern: &str) -> Result<DecoratorPattern> {
        check_length(pattern, "decorator")?;
        let plain = pattern.trim().trim_start_matches(['@', '#', '[', '\\']).trim_end_matches(']');
        let plain = plain.split('(').next().unwrap_or(plain).trim();
        if plain.is_empty() {
            return Err(Error::InvalidInput("the decorator is empty".into()));
        }
        let glob = if plain.contains(['*', '?', '{']) { Some(glob(plain)?) } else { None };
        Ok(DecoratorPattern { plain: plain.to_string(), glob })
    }

    fn matches(&self, name: &str) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(name),
            None => {
                let before = name.strip_suffix(self.plain.as_str());
                before.is_some_and(|before| before.is_empty() || before.ends_with(['.', ':', '\\']))
            }
        }
    }
}

/// Finds the definitions with the attributes that are asked for.
pub fn find_symbols(navigator: &Navigator<'_>, options: &FindOptions) -> Result<FindAnswer> {
    let snapshot = navigator.snapshot();
    let roles = RoleFilter::new(options.roles.clone()).with_program(navigator)?;
    let (mut found, mut files, mut by_kind) = (Vec::new(), 0, BTreeMap::new());
    for version in candidates(snapshot, options)? {
        let Some(path) = snapshot.path_of(version) else { continue };
        if !options.filter.accepts_path(path) || !options.admits_file(snapshot, version, &roles)? {
            continue;
        }
        let before = found.len();
        for (ordinal, kind) in options.matching(snapshot, version, &roles)? {
            found.push(Symbol { version, ordinal });
            *by_kind.entry(kind.as_str()).or_default() += 1;
        }
        files += usize::from(found.len() > before);
    }
    let total = found.len();
    let mut counts = Vec::new();
    if options.order == FindOrder::Callers {
        (found, counts) = by_callers(navigator, found)?;
    }
    let page = options.offset.min(total)..options.offset.saturating_add(options.limit).min(total);
    let mut symbols = Vec::with_capacity(page.len());
    for at in page {
        let Some(mut symbol) = found_symbol(snapshot, found[at])? else { continue };
        symbol.hit.symbol_role = roles.role_of(&symbol.hit.path, found[at].ordinal).unwrap_or(symbol.hit.symbol_role);
        symbol.counts = match counts.get(at) {
            Some(counts) => Some(*counts),
            None if options.counts => Some(navigator.counts(found[at])?),
            None => None,
        };
        symbols.push(symbol);
    }
    Ok(FindAnswer { symbols, total, files, by_kind })
}

/// Returns the files that may have what is asked for, in the order of paths.
fn candidates(snapshot: &Snapshot, options: &FindOptions) -> Result<Vec<VersionId>> {
    let all = || snapshot.files().iter().map(|(_, version)| *version);
    let names: Option<Vec<&str>> = options.names.iter().map(NamePattern::bare_name).collect();
    let mut versions: Vec<VersionId> = match names.filter(|names| !names.is_empty()) {
        Some(names) => {
            let mut named = FxHashSet::default();
            for name in names {
                named.extend(snapshot.blocks_and_symbols_named(name)?.into_iter().map(|row| row.version));
            }
            all().filter(|version| named.contains(version)).collect()
        }
        None => all().collect(),
    };
    if !options.bases.is_empty() {
        let mut naming = FxHashSet::default();
        for base in &options.bases {
            match snapshot.versions_with_word(bare(base))? {
                Some(found) => naming.extend(found),
                None => return Ok(versions),
            }
        }
        versions.retain(|version| naming.contains(version));
    }
    Ok(versions)
}

/// Orders definitions by the number of their callers, and returns what was counted.
fn by_callers(navigator: &Navigator<'_>, found: Vec<Symbol>) -> Result<(Vec<Symbol>, Vec<SymbolCounts>)> {
    if found.len() > MAX_COUNTED {
        let total = found.len();
        return Err(Error::InvalidInput(format!(
            "{total} definitions match; at most {MAX_COUNTED} are ordered by their callers, so ask for fewer"
        )));
    }
    let mut counted = Vec::with_capacity(found.len());
    for symbol in found {
        counted.push((symbol, navigator.counts(symbol)?));
    }
    // Stable: equal ones stay in the order of paths.
    counted.sort_by_key(|(_, counts)| std::cmp::Reverse((counts.callers, counts.references)));
    Ok(counted.into_iter().unzip())
}

fn found_symbol(snapshot: &Snapshot, symbol: Symbol) -> Result<Option<FoundSymbol>> {
    let Some(file) = OpenFile::open(snapshot, symbol.version)? else { return Ok(None) };
    let definition = file.outline.definitions.get(symbol.ordinal as usize);
    let container = definition.and_then(|definition| attributes::container(&file.outline, definition));
    let parts = file.symbol_hit(symbol.ordinal).zip(Attributes::of(snapshot, &file, symbol.ordinal)?);
    let container = container.map(str::to_string);
    Ok(parts.map(|(hit, attributes)| FoundSymbol { hit, container, attributes, counts: None }))
}

impl FindOptions {
    /// Returns whether a file may have what is asked for, by what is known without its facts.
    fn admits_file(&self, snapshot: &Snapshot, version: VersionId, roles: &RoleFilter) -> Result<bool> {
        if self.filter.languages.is_empty() && roles.is_empty() {
            return Ok(true);
        }
        let info = snapshot.file_info(version)?;
        Ok(self.filter.accepts_language(info.language.as_deref()) && roles.admits_file(info.role))
    }

    /// Returns the definitions of a file that fit, in source order.
    fn matching(&self, snapshot: &Snapshot, version: VersionId, roles: &RoleFilter) -> Result<Vec<(u32, Kind)>> {
        let summaries = snapshot.summaries(version)?;
        let role = if roles.is_empty() { Role::Source } else { snapshot.file_info(version)?.role };
        let path = snapshot.path_of(version).unwrap_or("");
        let has_role = |at: usize, summary: &DefinitionSummary| {
            roles.is_empty() || roles.accepts(roles.role_of(path, at as u32).unwrap_or(summary.role), role)
        };
        let fitting = summaries.iter().enumerate();
        let fitting = fitting.filter(|(at, summary)| self.accepts(summary) && has_role(*at, summary));
        let mut fitting: Vec<(u32, Kind)> = fitting.map(|(at, summary)| (at as u32, summary.kind)).collect();
        if fitting.is_empty() || !self.needs_texts() {
            return Ok(fitting);
        }
        let Some(file) = OpenFile::open(snapshot, version)? else { return Ok(Vec::new()) };
        let definitions = &file.outline.definitions;
        fitting.retain(|(at, _)| definitions.get(*at as usize).is_some_and(|it| self.accepts_texts(it)));
        if let Some(wanted) = self.is_public_api.filter(|_| !fitting.is_empty()) {
            let offered = Offered::by(snapshot, &file)?;
            fitting.retain(|(at, _)| {
                definitions.get(*at as usize).is_some_and(|it| offered.includes(&file.outline, it) == wanted)
            });
        }
        if !self.bases.is_empty() && !fitting.is_empty() {
            let below = self.types_below(snapshot, version)?;
            let parent = |at: &u32| definitions.get(*at as usize).and_then(|it| it.parent);
            fitting.retain(|(at, _)| std::iter::successors(Some(*at), parent).any(|at| below.contains(&at)));
        }
        Ok(fitting)
    }

    /// Returns whether summaries do not tell all.
    fn needs_texts(&self) -> bool {
        let is_any = self.names.is_empty() && self.returns.is_empty() && self.decorators.is_empty();
        !(is_any && self.bases.is_empty() && self.is_public_api.is_none())
    }

    /// Returns whether a definition fits by what its summary tells.
    fn accepts(&self, summary: &DefinitionSummary) -> bool {
        let is_wanted = |kind: Kind| {
            if self.filter.kinds.is_empty() {
                !kind.is_outline_only() && kind != Kind::Impl
            } else {
                self.filter.accepts_kind(HitKind::Symbol(kind))
            }
        };
        let fits_count =
            |range: &RangeInclusive<usize>| summary.parameters.is_some_and(|count| range.contains(&usize::from(count)));
        is_wanted(summary.kind)
            && (self.visibilities.is_empty() || self.visibilities.contains(&summary.visibility))
            && has_modifiers(summary.modifiers, &self.modifiers)
            && self.has_doc.is_none_or(|wanted| summary.has_doc == wanted)
            && self.parameters.as_ref().is_none_or(fits_count)
            && (self.returns.is_empty() || summary.has_type)
            && (self.decorators.is_empty() || summary.has_decorators)
    }

    /// Returns whether the name, the result and the decorators of a definition fit.
    fn accepts_texts(&self, definition: &Definition) -> bool {
        let returns = |wanted: &String| attributes::return_type(definition).is_some_and(|it| names_type(it, wanted));
        let is_decorated = |pattern: &DecoratorPattern| definition.decorator_names().any(|name| pattern.matches(name));
        (self.names.is_empty() || self.names.iter().any(|name| name.matches(definition)))
            && (self.returns.is_empty() || self.returns.iter().any(returns))
            && (self.decorators.is_empty() || self.decorators.iter().any(is_decorated))
    }

    /// Returns the types of a file, and blocks, whose declarations name one of the supertypes.
    fn types_below(&self, snapshot: &Snapshot, version: VersionId) -> Result<FxHashSet<u32>> {
        let uses = snapshot.uses(version)?;
        let is_base = |name: u32| {
            let name = uses.names.get(name as usize);
            name.is_some_and(|name| self.bases.iter().any(|base| bare(base) == name))
        };
        let stated = uses.references.iter().filter(|it| it.kind == RefKind::Inherit && is_base(it.name));
        Ok(stated.filter_map(|reference| reference.enclosing).collect())
    }
}

fn has_modifiers(modifiers: Modifiers, wanted: &[(&'static str, bool)]) -> bool {
    wanted.iter().all(|(word, is_there)| modifiers.means(word) == *is_there)
}

/// Compiles a glob for names, in which `*` stands for anything.
fn glob(pattern: &str) -> Result<globset::GlobMatcher> {
    let built = globset::GlobBuilder::new(pattern).literal_separator(false).build();
    Ok(built.map_err(|error| Error::InvalidInput(error.to_string()))?.compile_matcher())
}

/// Characters between the parts of qualified names.
const SEPARATORS: [char; 4] = ['.', ':', '#', '\\'];

/// Returns the last part of a qualified name.
fn bare(name: &str) -> &str {
    name.rsplit(SEPARATORS).find(|part| !part.is_empty()).unwrap_or(name)
}

/// Returns whether a type as written has another in it, whole words and blanks aside.
fn names_type(written: &str, wanted: &str) -> bool {
    let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
    let (written, wanted) = (without_blanks(written), without_blanks(wanted));
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (is_word(wanted.chars().next()), is_word(wanted.chars().next_back()));
    let mut places = written.match_indices(wanted.as_str());
    !wanted.is_empty()
        && places.any(|(at, _)| {
            let (before, after) = (&written[..at], &written[at + wanted.len()..]);
            !(first && is_word(before.chars().next_back()) || last && is_word(after.chars().next()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_whole_words() {
        assert!(names_type("Task<IEnumerable<int>>", "IEnumerable"));
        assert!(names_type("Task<IEnumerable< int >>", "IEnumerable<int>"));
        assert!(names_type("*http.Request", "http.Request") && names_type("*http.Request", "*http.Request"));
        assert!(!names_type("IEnumerableOfInt", "IEnumerable") && !names_type("MyIEnumerable", "IEnumerable"));
        assert!(!names_type("int", "") && names_type("int[]", "[]"));
    }

    #[test]
    fn decorators_are_found_by_the_end_of_their_name() {
        let matches = |pattern: &str, name: &str| DecoratorPattern::new(pattern).unwrap().matches(name);
        assert!(matches("app.route", "app.route") && matches("route", "app.route") && matches("@route()", "app.route"));
        assert!(matches("#[test]", "tokio::test") && matches("*.route", "app.route"));
        assert!(!matches("route", "app.subroute") && !matches("app.route", "route"));
        assert!(DecoratorPattern::new("@").is_err());
    }
}
