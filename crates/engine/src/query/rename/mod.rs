//! `rename`: every place that changes if a symbol gets another name, by the certainty that it does.
//! Nothing is written; the certain places make a patch.

mod patch;
mod shorthand;

use std::collections::BTreeMap;
use std::sync::Arc;

use codecompass_syntax::facts::{Kind, RefKind, Reference};
use codecompass_syntax::language_of;
use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::query::files::current_text::current_text;
use crate::query::grep::{CaseMode, GrepOptions, grep};
use crate::query::hit::Hit;
use crate::query::navigate::Navigator;
use crate::query::navigate::use_sites::{UseClass, UseSite};
use crate::query::rename::shorthand::replacement;
use crate::query::subject::Subject;
use crate::resolve::{ResolutionEvidence, Symbol};

/// Definitions of one name that are looked at for those that override each other.
const MAX_NAMESAKES: usize = 2_000;
/// Lines of files in other languages that are listed.
const MAX_TEXT_LINES: usize = 1_000;

/// The certainty that a place changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RenameClass {
    /// The name of one of the definitions.
    Definition,
    /// A proven use.
    Static,
    /// The most likely meaning.
    Likely,
    /// Not resolved: it may be a use.
    Possible,
    /// In a comment, a literal text, or a file in another language.
    Text,
}

impl RenameClass {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            RenameClass::Definition => "definition",
            RenameClass::Static => UseClass::Static.as_str(),
            RenameClass::Likely => UseClass::Likely.as_str(),
            RenameClass::Possible => UseClass::Possible.as_str(),
            RenameClass::Text => "text",
        }
    }

    /// Returns whether the patch changes such places.
    pub fn is_certain(self) -> bool {
        matches!(self, RenameClass::Definition | RenameClass::Static)
    }
}

impl From<UseClass> for RenameClass {
    fn from(class: UseClass) -> RenameClass {
        match class {
            UseClass::Static => RenameClass::Static,
            UseClass::Likely => RenameClass::Likely,
            UseClass::Possible => RenameClass::Possible,
        }
    }
}

/// A place that has the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamePlace {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// The column of the name, counted in bytes.
    pub column: u32,
    /// The certainty that it changes.
    pub class: RenameClass,
    /// The way in which the name is used, if that is known.
    pub kind: Option<RefKind>,
    /// The text that stands there afterwards; not the new name alone where one word is a key and a
    /// value (`{ name }`).
    pub replacement: String,
    /// The line as it is, without its end.
    pub source: String,
    /// The reason why the patch leaves out a certain place.
    pub left_out: Option<&'static str>,
}

/// The places that a new name changes.
#[derive(Clone, Debug, PartialEq)]
pub struct RenameAnswer {
    /// The symbol.
    pub subject: Subject,
    /// Its name.
    pub name: String,
    /// The new name.
    pub new_name: String,
    /// The definitions that get the name together: parts, overloads, what overrides what.
    pub definitions: Vec<Hit>,
    /// All places, the most certain first; within a class in the order of paths.
    pub places: Vec<RenamePlace>,
    /// Definitions that have the new name already where it would be seen.
    pub conflicts: Vec<Hit>,
    /// Types outside of the repository that may demand the old name.
    pub outside: Vec<String>,
    /// Files that must have the name of a type in them, with their new paths.
    pub files: Vec<(String, String)>,
    /// Files whose places are not known, since they cannot be read or are too large.
    pub unread: Vec<String>,
    /// True if there are more definitions of the name, or lines of text, than were looked at.
    pub is_cut: bool,
    /// The certain places as a patch for `git apply`; empty if there are none.
    pub patch: String,
}

/// Finds what changes if a symbol is called `new_name`. The question needs texts.
pub fn rename(navigator: &Navigator<'_>, symbol: &str, new_name: &str) -> Result<RenameAnswer> {
    let (subject, meant) = navigator.all_meant(symbol)?;
    let Some(name) = meant.first().map(|first| navigator.resolver.definition(*first)).transpose()?.flatten() else {
        return Err(Error::SymbolNotFound { symbol: symbol.to_string(), suggestions: Vec::new() });
    };
    let (name, kind) = (name.1.name.clone(), name.1.kind);
    let is_member = matches!(kind, Kind::Field | Kind::Property | Kind::Method);
    let mut search = Rename { navigator, name, new_name, is_member, family: Vec::new(), is_cut: false };
    if subject.is_open || !search.gather(&meant)? {
        let place = |hit: &Hit| format!("{}:{} {}", hit.path, hit.name_line, hit.qualified_name);
        let candidates = subject.definitions.iter().map(|one| place(&one.hit)).collect();
        return Err(Error::AmbiguousSymbol { symbol: symbol.to_string(), candidates });
    }
    let mut places = search.uses()?;
    let unread = search.add_account(&mut places)?;
    search.add_other_languages(&mut places)?;
    let places = search.read(places);
    let files = search.renamed_files()?;
    let patch = patch::of(&places, search.name.len(), &files, |path| search.text(path));
    Ok(RenameAnswer {
        definitions: navigator.hits(&search.family)?,
        conflicts: search.conflicts(&places)?,
        outside: search.outside()?,
        is_cut: search.is_cut,
        files,
        new_name: new_name.to_string(),
        name: search.name,
        subject,
        places,
        unread,
        patch,
    })
}

/// Places by path, line and column, with their class and kind of use.
type Found = BTreeMap<(String, u32, u32), (RenameClass, Option<RefKind>)>;

struct Rename<'a, 'view> {
    navigator: &'a Navigator<'view>,
    name: String,
    new_name: &'a str,
    /// The symbol is a member of a type.
    is_member: bool,
    /// The definitions that get the name together.
    family: Vec<Symbol>,
    is_cut: bool,
}

impl Rename<'_, '_> {
    /// Gathers the definitions that get the name together; returns false if those that are meant
    /// are several symbols that have nothing to do with each other.
    fn gather(&mut self, meant: &[Symbol]) -> Result<bool> {
        let Some(first) = meant.first() else { return Ok(false) };
        self.add(*first)?;
        let navigator = self.navigator;
        let qualified_name = |symbol: Symbol| -> Result<Option<String>> {
            Ok(navigator.resolver.definition(symbol)?.map(|(_, definition)| definition.qualified_name.clone()))
        };
        let asked = qualified_name(*first)?;
        for symbol in meant {
            if qualified_name(*symbol)? == asked {
                self.add(*symbol)?;
            }
        }
        self.add_overriding()?;
        Ok(meant.iter().all(|symbol| self.family.contains(symbol)))
    }

    /// Adds a definition with its parts, and the constructors that are called like their type.
    fn add(&mut self, symbol: Symbol) -> Result<()> {
        for part in self.navigator.same_symbol(symbol)? {
            if self.family.contains(&part) {
                continue;
            }
            self.family.push(part);
            let Some(file) = self.navigator.resolver.outline(part.version)? else { continue };
            let destructor = format!("~{}", self.name);
            for (ordinal, inner) in file.definitions().iter().enumerate() {
                let is_named = inner.name == self.name && inner.kind == Kind::Constructor || inner.name == destructor;
                if inner.parent == Some(part.ordinal) && is_named {
                    self.family.push(Symbol { ordinal: ordinal as u32, ..part });
                }
            }
        }
        Ok(())
    }

    /// Adds the methods that those known override, and all that override one of them.
    fn add_overriding(&mut self) -> Result<()> {
        let mut at = 0;
        while let Some(symbol) = self.family.get(at).copied() {
            at += 1;
            for above in self.overridden(symbol)? {
                self.add(above)?;
            }
        }
        let named = self.navigator.resolver.named(&self.name)?;
        self.is_cut |= named.len() > MAX_NAMESAKES;
        let mut others: Vec<(Symbol, Vec<Symbol>)> = Vec::new();
        for symbol in named.iter().take(MAX_NAMESAKES).filter(|symbol| !self.family.contains(symbol)) {
            let above = self.overridden(*symbol)?;
            if !above.is_empty() {
                others.push((*symbol, above));
            }
        }
        loop {
            let is_below = |(_, above): &(Symbol, Vec<Symbol>)| above.iter().any(|one| self.family.contains(one));
            let Some(at) = others.iter().position(is_below) else { return Ok(()) };
            let (symbol, above) = others.swap_remove(at);
            for one in above.into_iter().chain([symbol]) {
                self.add(one)?;
            }
        }
    }

    /// Returns the methods that a method overrides. One of a class without a name stands in
    /// something that is no type: its supertype is the one of which an instance is made right
    /// before.
    fn overridden(&self, symbol: Symbol) -> Result<Vec<Symbol>> {
        let navigator = self.navigator;
        let above = navigator.overridden(symbol)?;
        let Some((file, definition)) = navigator.resolver.opened(symbol)?.filter(|_| above.is_empty()) else {
            return Ok(above);
        };
        let around = definition.parent.and_then(|parent| file.definitions().get(parent as usize));
        if definition.kind != Kind::Method || around.is_none_or(|around| around.kind.is_type()) {
            return Ok(above);
        }
        // Annotations of the method stand between them.
        let is_annotation = |used: &Reference| {
            let name = file.name(used.name);
            definition.decorators.iter().any(|it| it.trim_start_matches('@').starts_with(name))
        };
        let is_before = |used: &Reference| {
            used.kind == RefKind::Call && used.enclosing == definition.parent && !is_annotation(used)
        };
        let end = file.uses.references.partition_point(|used| used.line < definition.name_line);
        let Some(made) = file.uses.references[..end].iter().rposition(is_before) else { return Ok(above) };
        let mut found = Vec::new();
        for base in navigator.meaning(&file, made as u32)?.symbols() {
            let (base_file, base_definition) = match navigator.resolver.definition(*base)? {
                Some(it) => it,
                None => continue,
            };
            let owner = match base_definition.kind {
                Kind::Constructor => base_definition.parent.map(|ordinal| Symbol { ordinal, ..*base }),
                kind if kind.is_type() => Some(*base),
                _ => None,
            };
            let Some(owner) = owner.filter(|_| base_file.language.name == file.language.name) else { continue };
            for member in navigator.resolver.all_members_named(owner, &self.name)? {
                found.push(member);
                found.extend(navigator.overridden(member)?);
            }
        }
        Ok(found)
    }

    /// Returns the places of the definitions and of the uses that were resolved.
    fn uses(&self) -> Result<Found> {
        let mut found = Found::new();
        for uses in self.navigator.uses_together(&self.family)? {
            for site in self.navigator.use_sites(&uses)? {
                self.add_site(&mut found, site);
            }
        }
        for symbol in &self.family {
            let Some((file, definition)) = self.navigator.resolver.definition(*symbol)? else { continue };
            let mark = u32::from(definition.name.starts_with('~'));
            let place = (file.path.clone(), definition.name_line, definition.name_column + mark);
            found.insert(place, (RenameClass::Definition, None));
        }
        Ok(found)
    }

    /// Adds a use of the name. Uses that are written in another way stay as they are, and so do
    /// members of an object that has the symbol for a value: the key keeps its name.
    fn add_site(&self, found: &mut Found, site: UseSite) {
        let is_key = !self.is_member && site.evidence == ResolutionEvidence::ReceiverType;
        if site.name != self.name || is_key {
            return;
        }
        let class = RenameClass::from(site.class);
        let place = found.entry((site.path, site.line, site.column)).or_insert((class, site.kind));
        if class < place.0 {
            *place = (class, site.kind);
        }
    }

    /// Adds the places of the name in files of the same languages: other definitions, possible uses
    /// and texts. Returns the files that were not read.
    fn add_account(&self, found: &mut Found) -> Result<Vec<String>> {
        let Some((account, texts)) = self.navigator.account_with_texts(&self.family)? else { return Ok(Vec::new()) };
        for site in account.sites {
            if site.is_declaration {
                found.insert((site.path, site.line, site.column), (RenameClass::Definition, None));
            } else {
                self.add_site(found, site);
            }
        }
        for (path, line, column) in texts {
            found.entry((path, line, column)).or_insert((RenameClass::Text, None));
        }
        Ok(account.accounting.unread)
    }

    /// Adds the lines of files in other languages that have the name as a word.
    fn add_other_languages(&mut self, found: &mut Found) -> Result<()> {
        let Some((source, _)) = self.navigator.texts() else { return Ok(()) };
        let Some(first) = self.family.first() else { return Ok(()) };
        let Some(home) = self.navigator.resolver.outline(first.version)? else { return Ok(()) };
        let group = home.language.group();
        let options = GrepOptions {
            fixed_strings: true,
            word: true,
            case: CaseMode::Sensitive,
            limit: usize::MAX,
            ..GrepOptions::default()
        };
        let mut lines = 0;
        for line in grep(self.navigator.snapshot(), source, &self.name, &options)?.matches {
            if language_of(&line.path, "").is_some_and(|language| language.group() == group) {
                continue;
            }
            lines += 1;
            if lines > MAX_TEXT_LINES {
                self.is_cut = true;
                break;
            }
            found.entry((line.path, line.line, line.column)).or_insert((RenameClass::Text, None));
        }
        Ok(())
    }

    fn text(&self, path: &str) -> Option<Arc<str>> {
        let (source, config) = self.navigator.texts()?;
        current_text(self.navigator.snapshot(), source, config, path).ok()
    }

    /// Reads the lines of the places, and decides what stands there afterwards.
    fn read(&self, found: Found) -> Vec<RenamePlace> {
        let mut places = Vec::with_capacity(found.len());
        let mut open: Option<(String, Option<Arc<str>>, Vec<usize>)> = None;
        for ((path, line, column), (class, kind)) in found {
            if open.as_ref().is_none_or(|(known, ..)| *known != path) {
                let text = self.text(&path);
                let starts = text.as_deref().map_or(Vec::new(), patch::line_starts);
                open = Some((path.clone(), text, starts));
            }
            let text = open.as_ref().and_then(|(_, text, starts)| Some((text.as_deref()?, starts)));
            let start = text.and_then(|(_, starts)| starts.get((line as usize).checked_sub(1)?).copied());
            let source = text.zip(start).and_then(|((text, _), start)| text.get(start..)?.lines().next()).unwrap_or("");
            let at = (column as usize).saturating_sub(1);
            let is_there = source.get(at..).is_some_and(|rest| rest.starts_with(self.name.as_str()));
            let whole = text.zip(start).filter(|_| is_there && class != RenameClass::Text);
            let written = whole.and_then(|((text, _), start)| {
                let language = language_of(&path, "")?;
                replacement(language, text, start + at, &self.name, self.new_name, self.is_member)
            });
            let left_out = match (class.is_certain(), is_there) {
                (true, false) => Some("the name is written in another way there"),
                _ => None,
            };
            let (replacement, source) = (written.unwrap_or_else(|| self.new_name.to_string()), source.to_string());
            places.push(RenamePlace { path, line, column, class, kind, replacement, source, left_out });
        }
        places.sort_by_key(|place| place.class);
        places
    }

    /// Returns the definitions that have the new name in the types and files of the definitions,
    /// and at the top of files with certain places.
    fn conflicts(&self, places: &[RenamePlace]) -> Result<Vec<Hit>> {
        let mut found = Vec::new();
        let mut parents = FxHashSet::default();
        for symbol in &self.family {
            let definition = self.navigator.resolver.definition(*symbol)?;
            parents.extend(definition.map(|(_, definition)| (symbol.version, definition.parent)));
        }
        let files: FxHashSet<&str> =
            places.iter().filter(|place| place.class.is_certain()).map(|place| place.path.as_str()).collect();
        for symbol in self.navigator.in_order(&self.navigator.resolver.named(self.new_name)?)? {
            let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else { continue };
            let is_beside = parents.contains(&(symbol.version, definition.parent));
            let is_member = matches!(definition.kind, Kind::Method | Kind::Field | Kind::Property | Kind::Constructor);
            let is_seen = definition.parent.is_none() && !is_member && files.contains(file.path.as_str());
            if is_beside || is_seen {
                found.push(symbol);
            }
        }
        self.navigator.hits(&found)
    }

    /// Returns the files that are called like a type that they must be called like, with their new
    /// paths.
    fn renamed_files(&self) -> Result<Vec<(String, String)>> {
        let mut files = Vec::new();
        for symbol in &self.family {
            let Some((file, definition)) = self.navigator.resolver.definition(*symbol)? else { continue };
            let is_named = file.rules().files_named_by_types && definition.kind.is_type();
            let (folder, name) = file.path.rsplit_once('/').map_or(("", file.path.as_str()), |(it, name)| (it, name));
            let ending = name.strip_prefix(self.name.as_str()).filter(|rest| rest.starts_with('.'));
            let is_outermost = definition.parent.is_none_or(|parent| {
                file.definitions().get(parent as usize).is_some_and(|around| !around.kind.is_type())
            });
            if let Some(ending) = ending.filter(|_| is_named && is_outermost) {
                let slash = if folder.is_empty() { "" } else { "/" };
                files.push((file.path.clone(), format!("{folder}{slash}{}{ending}", self.new_name)));
            }
        }
        Ok(files)
    }

    /// Returns the types outside of the repository that the definitions may take the name from.
    fn outside(&self) -> Result<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for symbol in &self.family {
            let Some((file, definition)) = self.navigator.resolver.definition(*symbol)? else { continue };
            let says_so = definition.modifiers.contains("override")
                || definition.decorators.iter().any(|it| it.trim_start_matches('@').eq_ignore_ascii_case("override"));
            let is_override = says_so && self.overridden(*symbol)?.is_empty();
            for base in self.navigator.resolver.foreign_bases(*symbol)? {
                let is_any = file.rules().root_types.contains(&base) && !is_override;
                if !is_any && !found.contains(&base) && self.navigator.resolver.named(&base)?.is_empty() {
                    found.push(base);
                }
            }
        }
        Ok(found)
    }
}
