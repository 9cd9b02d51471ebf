//! From a use to its definition, and from a definition to its uses.
//!
//! A [`Navigator`] keeps what it read of a snapshot, so that a process that asks much pays once.

pub(super) mod accounting;
pub(super) mod calls;
mod candidates;
pub(super) mod graph;
pub(super) mod impact;
mod imported_names;
pub(super) mod memo;
mod name_search;
pub(super) mod reach;
pub(super) mod references;
pub(super) mod scope;
mod stored_functions;
pub(super) mod tally;
pub(super) mod trace;
mod use_limits;
pub(super) mod use_sites;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use codecompass_syntax::PartScope;
use codecompass_syntax::facts::{Definition, Kind, RefKind, Reference};
use rustc_hash::FxHashSet;

use crate::activity;
use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::hit::Hit;
use crate::query::navigate::memo::{KeptMemo, Namesakes, NavigatorMemo};
use crate::query::navigate::name_search::NameSearch;
use crate::query::open_file::OpenFile;
use crate::query::program_roles::ProgramRoles;
use crate::resolve::{Arity, Given};
use crate::resolve::{
    Confidence, FileOutline, FileView, Resolution, ResolutionEvidence, Resolver, Symbol, is_default_name, language_of,
    side_of,
};
use crate::scan::Source;
use crate::store::Snapshot;
use crate::weights;

/// One use of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Use {
    pub version: VersionId,
    /// The number of the reference in its file.
    pub number: u32,
    pub reference: Reference,
    /// The name as written.
    pub name: Arc<str>,
    pub confidence: Confidence,
    pub evidence: ResolutionEvidence,
}

/// A name that is used at a place.
pub(crate) struct NameUse {
    pub file: Arc<FileView>,
    /// As it is written there.
    pub name: String,
    /// True if it is a member of what stands before it.
    pub is_member: bool,
    pub meaning: Arc<Resolution>,
    /// The number of the reference in its file.
    pub number: u32,
}

/// Names that imports give to one symbol, its own among them, that are looked for.
const MAX_NAMES: usize = 16;

/// Everything that navigation asks of one view. In a process that answers many questions, the next
/// one of the same state of the view knows what this one found.
pub struct Navigator<'view> {
    pub(crate) resolver: Resolver<'view>,
    pub(in crate::query) memo: NavigatorMemo,
    /// The source of texts, for questions that account for all occurrences of a name.
    texts: Option<(Source, IndexConfig)>,
    /// Roles that endpoints and services tell, once the question asked for them.
    pub(in crate::query) roles: RefCell<Option<Arc<ProgramRoles>>>,
    /// The last search of these texts for a name.
    searched_name: RefCell<Option<Rc<NameSearch<'view>>>>,
}

impl Drop for Navigator<'_> {
    fn drop(&mut self) {
        let memo = KeptMemo { resolver: self.resolver.take_memo(), navigator: std::mem::take(&mut self.memo) };
        memo.keep(self.resolver.snapshot);
    }
}

impl<'view> Navigator<'view> {
    /// A navigator for a view.
    pub fn new(snapshot: &'view Snapshot) -> Navigator<'view> {
        let KeptMemo { resolver, navigator } = KeptMemo::take(snapshot);
        Navigator {
            resolver: Resolver::new(snapshot, resolver),
            memo: navigator,
            texts: None,
            roles: RefCell::default(),
            searched_name: RefCell::default(),
        }
    }

    /// Gives the navigator the texts of files: answers about uses then account for all occurrences
    /// of a name.
    pub fn reading(mut self, source: &Source, config: &IndexConfig) -> Navigator<'view> {
        self.texts = Some((source.clone(), config.clone()));
        self
    }

    /// A navigator for a later state of the view, or another view of the same store, that takes
    /// over what was read of the files they share. Names are resolved anew, when they are asked
    /// for: what they mean may depend on any file.
    pub fn for_next<'next>(&self, next: &'next Snapshot) -> Navigator<'next> {
        let navigator = Navigator::new(next);
        if next.data() == self.snapshot().data() {
            navigator.resolver.take_files(&self.resolver);
        }
        navigator
    }

    /// Reads the facts of all files ahead of the first question; for a process that stays.
    pub fn warm_up(&self) -> Result<()> {
        let mut languages = FxHashSet::default();
        for (_, version) in self.snapshot().files() {
            let file = self.resolver.file(*version)?;
            if let Some(file) = file.filter(|file| languages.insert(file.language.name)) {
                // The first import of a language makes the table of its modules.
                self.resolver.module_of_import(&file, "any.module", 1)?;
            }
        }
        Ok(())
    }

    /// Returns the source of texts and its settings, if texts are at hand.
    pub(in crate::query) fn texts(&self) -> Option<&(Source, IndexConfig)> {
        self.texts.as_ref()
    }

    /// The view.
    pub(crate) fn snapshot(&self) -> &'view Snapshot {
        self.resolver.snapshot
    }

    /// Returns the resolution of a reference, from the cache if it is known.
    pub(crate) fn meaning(&self, file: &FileView, number: u32) -> Result<Arc<Resolution>> {
        let key = (file.version, number);
        if let Some(known) = self.memo.resolved.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let found = match file.uses.references.get(number as usize) {
            Some(reference) => self.resolver.resolve(file, reference)?,
            None => Resolution::Unknown,
        };
        let found = Arc::new(found);
        self.memo.resolved.borrow_mut().insert(key, Arc::clone(&found));
        Ok(found)
    }

    /// Returns the resolution of a reference of a file that need not be open.
    pub(super) fn meaning_in(&self, version: VersionId, number: u32) -> Result<Arc<Resolution>> {
        if let Some(known) = self.memo.resolved.borrow().get(&(version, number)) {
            return Ok(Arc::clone(known));
        }
        match self.resolver.file(version)? {
            Some(file) => self.meaning(&file, number),
            None => Ok(Arc::new(Resolution::Unknown)),
        }
    }

    /// The definition that stands at a place: the one named there, else the innermost around it.
    pub(crate) fn symbol_at(&self, path: &str, line: u32, column: Option<u32>) -> Result<Option<Symbol>> {
        let snapshot = self.snapshot();
        let Some(version) = snapshot.version_at(path) else { return Ok(None) };
        let ordinal = snapshot.outline(version)?.definition_at(line, column);
        Ok(ordinal.map(|ordinal| Symbol { version, ordinal }))
    }

    /// All definitions that are the same thing as one: overloads, declarations, parts, values
    /// merged with types, alternatives of conditions.
    pub(crate) fn same_symbol(&self, symbol: Symbol) -> Result<Vec<Symbol>> {
        let Some((file, definition)) = self.resolver.definition(symbol)? else { return Ok(vec![symbol]) };
        let mut all = vec![symbol];
        for ordinal in file.named(&definition.name) {
            let other = &file.definitions()[*ordinal as usize];
            let overloads = other.kind.is_callable() && definition.kind.is_callable();
            let same_place = other.parent == definition.parent && *ordinal != symbol.ordinal;
            // Methods of several types may stand side by side.
            let same_place = same_place && other.qualified_name == definition.qualified_name;
            let same_side = side_of(&file, other) == side_of(&file, &definition);
            let is_one = same_place && overloads && same_side && self.are_overloads(&file, symbol.ordinal, *ordinal);
            let is_merged = same_place && file.is_one_symbol(&definition, other);
            if is_merged || is_one && self.resolver.may_be_one(&file, &definition, other) {
                all.push(Symbol { ordinal: *ordinal, ..symbol });
            }
        }
        let added = self.augmentations(symbol, &file, &definition)?.into_iter();
        let added: Vec<Symbol> = added.filter(|other| !all.contains(other)).collect();
        all.extend(added);
        all.extend(variables_of_attribute(&file, &definition).map(|ordinal| Symbol { ordinal, ..symbol }));
        self.add_parts(&file, &definition, &mut all)?;
        for part in self.resolver.all_parts(symbol)?.iter() {
            if !all.contains(part) {
                all.push(*part);
            }
        }
        Ok(all)
    }

    /// Adds the parts of a definition in other files, and the declaration or definition that it
    /// goes with.
    fn add_parts(&self, file: &FileOutline, definition: &Definition, all: &mut Vec<Symbol>) -> Result<()> {
        let scope = file.language.part_scope(definition);
        let is_declared = definition.modifiers.contains("declare");
        if scope.is_some() || is_declared || file.language.resolve_rules().shares_names {
            let mut namesakes = Vec::new();
            for other in self.resolver.named(&definition.name)?.iter() {
                let language = language_of(self.snapshot(), other.version)?;
                if language.is_none_or(|language| language.group() != file.language.group()) {
                    continue;
                }
                let outline = self.snapshot().outline(other.version)?;
                let Some(found) = outline.definitions.get(other.ordinal as usize) else { continue };
                let same = found.qualified_name == definition.qualified_name
                    && found.kind.is_callable() == definition.kind.is_callable();
                if same && found.kind != Kind::Impl && self.resolver.may_be_one(file, definition, found) {
                    let path = self.snapshot().path_of(other.version).unwrap_or("");
                    namesakes.push((*other, found.modifiers.contains("declare"), path));
                }
            }
            // Of several definitions a declaration announces the one nearest to it: libraries have
            // names in common.
            let near = |declaration: &str| {
                let defined = namesakes.iter().filter(|(_, is_declared, _)| !is_declared);
                defined.map(|(_, _, home)| nearness(declaration, home)).max()
            };
            for (other, other_is_declared, home) in &namesakes {
                let announced = match (is_declared, *other_is_declared) {
                    (true, false) => near(&file.path) == Some(nearness(&file.path, home)),
                    (false, true) => near(home) == Some(nearness(home, &file.path)),
                    _ => false,
                };
                let is_part = match scope {
                    None => false,
                    Some(PartScope::View) => true,
                    Some(_) => self.is_part(file, definition, *other)?,
                };
                if (is_part || announced) && !all.contains(other) {
                    all.push(*other);
                }
            }
        }
        Ok(())
    }

    /// Returns the definitions that one adds to in another file, and those that add to it.
    fn augmentations(&self, symbol: Symbol, file: &FileOutline, definition: &Definition) -> Result<Vec<Symbol>> {
        let mut found = self.resolver.augmented(file, definition)?;
        let is_merged = file.rules().merged_kinds.iter().any(|kind| kind == definition.kind.as_str());
        if !found.is_empty() || !is_merged || definition.parent.is_some() {
            return Ok(found);
        }
        for other in self.resolver.named(&definition.name)?.iter().filter(|other| **other != symbol) {
            let Some((home, added)) = self.resolver.definition(*other)? else { continue };
            if added.parent.is_some() && self.resolver.augmented(&home, &added)?.contains(&symbol) {
                found.push(*other);
            }
        }
        Ok(found)
    }

    fn is_part(&self, file: &FileOutline, definition: &Definition, other: Symbol) -> Result<bool> {
        let Some((home, found)) = self.resolver.definition(other)? else { return Ok(false) };
        self.resolver.are_parts(file, definition, &home, &found)
    }

    /// Signatures of one function stand together.
    fn are_overloads(&self, file: &FileOutline, a: u32, b: u32) -> bool {
        let definitions = file.definitions();
        let (first, last) = (a.min(b) as usize, a.max(b) as usize);
        let (one, other) = (&definitions[first], &definitions[last]);
        let between =
            definitions[first + 1..last].iter().any(|between| between.parent == one.parent && between.name != one.name);
        !between || one.modifiers.contains("get") || one.modifiers.contains("set") || other.kind == Kind::Property
    }

    /// All uses of a symbol in the view, in the order of paths and places.
    pub(crate) fn uses_of(&self, symbol: Symbol) -> Result<Arc<Vec<Use>>> {
        if let Some(known) = self.memo.uses.borrow().get(&symbol) {
            return Ok(Arc::clone(known));
        }
        let uses = Arc::new(self.find_uses(symbol)?);
        self.memo.uses.borrow_mut().insert(symbol, Arc::clone(&uses));
        Ok(uses)
    }

    fn find_uses(&self, symbol: Symbol) -> Result<Vec<Use>> {
        let Some((_, definition)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        let targets: FxHashSet<Symbol> = self.same_symbol(symbol)?.into_iter().collect();
        let made = self.made_by(symbol, &definition)?;
        let mut found = Vec::new();
        let namesakes = self.namesakes(symbol)?;
        activity::count_occurrences(namesakes.len());
        for (version, number) in namesakes.iter().copied() {
            activity::count_resolved();
            let Some(file) = self.resolver.file(version)? else { continue };
            let Some(reference) = file.uses.references.get(number as usize).copied() else { continue };
            let is_call = reference.kind == RefKind::Call;
            if let Resolution::Found { targets: meant, confidence, evidence } = &*self.meaning(&file, number)?
                && meant.iter().any(|meant| targets.contains(meant) || is_call && made.contains(meant))
                && (made.is_empty() || self.makes(symbol, &reference, version)? == Makes::Surely)
            {
                let name = file.name(reference.name).into();
                let (confidence, evidence) = (*confidence, *evidence);
                found.push(Use { version, number, reference, name, confidence, evidence });
            }
        }
        let instances = self.instances_made(symbol, &definition)?;
        if !instances.is_empty() {
            found.extend(instances);
            found.sort_by_key(|used| (self.snapshot().position(used.version), used.number));
        }
        Ok(found)
    }

    /// Returns the places that make instances by a constructor and do not have its name: calls of a
    /// type with another name or by a word, and classes without a name that inherit from the type.
    fn instances_made(&self, symbol: Symbol, constructor: &Definition) -> Result<Vec<Use>> {
        let Some((owner, name)) = self.type_constructed(symbol, constructor)? else { return Ok(Vec::new()) };
        let has_other_name = name != constructor.name;
        let mut found = Vec::new();
        for used in self.uses_of(owner)?.iter() {
            let is_call = has_other_name && used.reference.kind == RefKind::Call;
            if (is_call || self.is_anonymous_class(used)?)
                && self.makes(symbol, &used.reference, used.version)? == Makes::Surely
            {
                found.push(used.clone());
            }
        }
        found.extend(self.constructed_by_words(symbol, owner)?);
        Ok(found)
    }

    /// Returns the calls of a type with another name than its constructor which nothing tells
    /// whether they are of this one or of another.
    fn instances_perhaps_made(&self, symbol: Symbol) -> Result<Vec<Use>> {
        let Some((_, constructor)) = self.resolver.definition(symbol)? else { return Ok(Vec::new()) };
        let Some((owner, name)) = self.type_constructed(symbol, &constructor)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for used in self.uses_of(owner)?.iter().filter(|used| used.reference.kind == RefKind::Call) {
            if name != constructor.name && self.makes(symbol, &used.reference, used.version)? == Makes::Perhaps {
                found.push(used.clone());
            }
        }
        Ok(found)
    }

    /// Returns the calls of a constructor of a type by words that stand for it, in the type and in
    /// those right below it.
    fn constructed_by_words(&self, constructor: Symbol, owner: Symbol) -> Result<Vec<Use>> {
        let Some((home, _)) = self.resolver.definition(owner)? else { return Ok(Vec::new()) };
        let words = &home.rules().constructor_words;
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let constructors = self.same_symbol(constructor)?;
        let mut versions: Vec<VersionId> = self.same_symbol(owner)?.iter().map(|part| part.version).collect();
        let uses = self.uses_of(owner)?;
        versions.extend(uses.iter().filter(|used| used.reference.kind == RefKind::Inherit).map(|used| used.version));
        versions.sort_unstable();
        versions.dedup();
        let mut found = Vec::new();
        for version in versions {
            let Some(file) = self.resolver.file(version)? else { continue };
            for number in words.iter().flat_map(|word| file.references_named(word)) {
                let Some(reference) = file.uses.references.get(number as usize).copied() else { continue };
                let meaning = self.meaning(&file, number)?;
                let proof = match &*meaning {
                    Resolution::Found { confidence, evidence, .. } => Some((*confidence, *evidence)),
                    Resolution::Overloaded { evidence, .. } => Some((Confidence::Heuristic, *evidence)),
                    _ => None,
                };
                if let Some((confidence, evidence)) = proof.filter(|_| reference.kind == RefKind::Call)
                    && meaning.symbols().iter().any(|target| constructors.contains(target))
                {
                    let name = file.name(reference.name).into();
                    found.push(Use { version, number, reference, name, confidence, evidence });
                }
            }
        }
        Ok(found)
    }

    /// All references that bear a symbol's name, or another name that an import gives it, in the
    /// order of paths and places: file and number.
    pub(super) fn namesakes(&self, symbol: Symbol) -> Result<Namesakes> {
        let Some((home, definition)) = self.resolver.definition(symbol)? else { return Ok(Arc::default()) };
        let mut names = vec![definition.name.clone()];
        names.extend(short_name(&home, &definition).map(str::to_string));
        names.extend(attribute_variable(&home, &definition));
        // For common names there are thousands of files to look into.
        let exported = self.default_imports(symbol, &home)?;
        names.extend(exported.names);
        let key = (names.clone(), home.language.group(), exported.home);
        if let Some(known) = self.memo.namesakes.borrow().get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut found = self.references_called(names, key.1)?;
        if !exported.references.is_empty() {
            found.extend(exported.references);
            found.sort_unstable_by_key(|(version, number)| (self.snapshot().position(*version), *number));
            found.dedup();
        }
        let found = Arc::new(found);
        self.memo.namesakes.borrow_mut().insert(key, Arc::clone(&found));
        Ok(found)
    }

    /// Returns the number of references that bear a symbol's name.
    pub(crate) fn namesakes_count(&self, symbol: Symbol) -> Result<usize> {
        Ok(self.namesakes(symbol)?.len())
    }

    fn references_called(&self, mut names: Vec<String>, group: &str) -> Result<Vec<(VersionId, u32)>> {
        let mut found = Vec::new();
        // A file may import the other name that one gives, and give it yet another.
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            for version in self.files_naming(&name, group)? {
                let Some(position) = self.snapshot().position(version) else { continue };
                let Some(file) = self.resolver.file_that_names(version, &name)? else { continue };
                // The name that many files give to what they export would lead to all of them.
                for alias in aliases(&file, &name) {
                    let is_known = names.contains(&alias) || is_default_name(&file, Some(&alias));
                    if names.len() < MAX_NAMES && !is_known {
                        names.push(alias);
                    }
                }
                found.extend(file.references_named(&name).into_iter().map(|number| (position, version, number)));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found.into_iter().map(|(_, version, number)| (version, number)).collect())
    }

    /// The types that a constructor is called by the name of, with all of their parts.
    fn made_by(&self, symbol: Symbol, constructor: &Definition) -> Result<Vec<Symbol>> {
        match self.type_constructed(symbol, constructor)? {
            Some((owner, name)) if name == constructor.name => self.same_symbol(owner),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the type that a constructor makes instances of, with its name. The constructor may
    /// stand apart from it.
    fn type_constructed(&self, symbol: Symbol, constructor: &Definition) -> Result<Option<(Symbol, String)>> {
        if constructor.kind != Kind::Constructor {
            return Ok(None);
        }
        let owner = match constructor.parent {
            Some(ordinal) => Some(Symbol { ordinal, ..symbol }),
            None => self.resolver.owners_of(symbol)?.first().copied(),
        };
        let Some(owner) = owner else { return Ok(None) };
        Ok(self.resolver.definition(owner)?.map(|(_, definition)| (owner, definition.name.clone())))
    }

    /// Returns whether a call that makes an instance does so by this constructor: it takes so many
    /// arguments, or no other does, and the types of the arguments leave no other.
    fn makes(&self, constructor: Symbol, call: &Reference, user: VersionId) -> Result<Makes> {
        let Some((file, definition)) = self.resolver.definition(constructor)? else { return Ok(Makes::Surely) };
        let is_counted = call.kind == RefKind::Call && file.rules().overloads_apart;
        let Some(user_file) = self.resolver.file(user)? else { return Ok(Makes::Surely) };
        let given = Given::by(&user_file, call, None).filter(|_| is_counted);
        let Some(given) = given else { return Ok(Makes::Surely) };
        let Some((owner, _)) = self.type_constructed(constructor, &definition)? else { return Ok(Makes::Surely) };
        let same = self.same_symbol(constructor)?;
        for one in &same {
            if self.resolver.arity(*one)?.is_none_or(|arity| arity.admits(given)) {
                return self.is_chosen(&same, &self.constructors_admitting(owner, given)?, call, user);
            }
        }
        // The head of a type may have the parameters of a constructor.
        for part in self.same_symbol(owner)? {
            let Some(file) = self.resolver.outline(part.version)? else { continue };
            for (at, other) in file.definitions().iter().enumerate() {
                let is_other =
                    at as u32 == part.ordinal || other.parent == Some(part.ordinal) && other.kind == Kind::Constructor;
                if is_other && Arity::of(other, file.language).is_some_and(|arity| arity.admits(given)) {
                    return Ok(Makes::Never);
                }
            }
        }
        // Another one may be inherited or come with the type, but its labels are others.
        Ok(if given.has_labels() { Makes::Never } else { Makes::Surely })
    }

    /// Returns the constructors that stand in a type and take as many arguments.
    fn constructors_admitting(&self, owner: Symbol, given: Given<'_>) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        for part in self.same_symbol(owner)? {
            let Some(file) = self.resolver.outline(part.version)? else { continue };
            for (at, other) in file.definitions().iter().enumerate() {
                let is_constructor = other.parent == Some(part.ordinal) && other.kind == Kind::Constructor;
                let is_head = at as u32 == part.ordinal && other.parameters.is_some();
                if (is_constructor || is_head)
                    && Arity::of(other, file.language).map_or(is_constructor, |arity| arity.admits(given))
                {
                    found.push(Symbol { ordinal: at as u32, ..part });
                }
            }
        }
        Ok(found)
    }

    /// Returns whether the types of the arguments leave one of some overloads of a call.
    fn is_chosen(&self, some: &[Symbol], all: &[Symbol], call: &Reference, user: VersionId) -> Result<Makes> {
        let Some(file) = self.resolver.file(user)? else { return Ok(Makes::Surely) };
        let left = self.resolver.left_by_arguments(&file, call, all.to_vec())?;
        Ok(match left.iter().filter(|left| some.contains(left)).count() {
            0 if !left.is_empty() => Makes::Never,
            count if count < left.len() && !self.resolver.have_one_signature(&left)? => Makes::Perhaps,
            _ => Makes::Surely,
        })
    }

    /// Returns whether a reference makes an instance of the type of a constructor, and nothing
    /// tells whether by this one or by another.
    pub(super) fn may_make(&self, constructor: Symbol, file: &FileView, number: u32) -> Result<bool> {
        let Some((_, definition)) = self.resolver.definition(constructor)? else { return Ok(false) };
        let made = self.made_by(constructor, &definition)?;
        let call = file.uses.references.get(number as usize).filter(|reference| reference.kind == RefKind::Call);
        let Some(call) = call.filter(|_| !made.is_empty()) else { return Ok(false) };
        let is_made = self.meaning(file, number)?.symbols().iter().any(|meant| made.contains(meant));
        Ok(is_made && self.makes(constructor, call, file.version)? == Makes::Perhaps)
    }

    /// Files that may use a name, in the order of paths.
    pub(crate) fn files_with(&self, name: &str) -> Result<Vec<VersionId>> {
        let snapshot = self.snapshot();
        Ok(match snapshot.versions_with_word(name)? {
            Some(versions) => versions,
            None => snapshot.files().iter().map(|(_, version)| *version).collect(),
        })
    }

    /// The place of a file among those that a reader wants to see first.
    pub(crate) fn rank(&self, version: VersionId) -> Result<u8> {
        Ok(reading_rank(self.snapshot().file_info(version)?.role))
    }

    /// Returns the definition whose own name stands at a place.
    pub(crate) fn definition_named_at(&self, path: &str, line: u32, column: u32) -> Result<Option<Symbol>> {
        let Some(symbol) = self.symbol_at(path, line, Some(column))? else { return Ok(None) };
        let Some((_, definition)) = self.resolver.definition(symbol)? else { return Ok(None) };
        let columns = definition.name_column..definition.name_column + definition.name.len() as u32;
        Ok((definition.name_line == line && columns.contains(&column)).then_some(symbol))
    }

    /// Returns the name that is used at a place, and what it means.
    pub(crate) fn use_at(&self, path: &str, line: u32, column: u32) -> Result<Option<NameUse>> {
        let Some((file, number)) = self.reference_at(path, line, column)? else { return Ok(None) };
        let reference = file.uses.references.get(number as usize);
        let name = reference.map_or("", |reference| file.name(reference.name)).to_string();
        let is_member = reference.is_some_and(|reference| reference.receiver.is_some());
        let meaning = self.meaning(&file, number)?;
        Ok(Some(NameUse { file, name, is_member, meaning, number }))
    }

    fn reference_at(&self, path: &str, line: u32, column: u32) -> Result<Option<(Arc<FileView>, u32)>> {
        let Some(version) = self.snapshot().version_at(path) else { return Ok(None) };
        let Some(file) = self.resolver.file(version)? else { return Ok(None) };
        let at = file.uses.references.iter().position(|reference| {
            let length = file.name(reference.name).len() as u32;
            reference.line == line && (reference.column..reference.column + length.max(1)).contains(&column)
        });
        Ok(at.map(|number| (file, number as u32)))
    }

    /// A definition as a hit.
    pub(crate) fn hit(&self, symbol: Symbol) -> Result<Option<Hit>> {
        let file = OpenFile::open(self.snapshot(), symbol.version)?;
        Ok(file.and_then(|file| file.symbol_hit(symbol.ordinal)))
    }
}

/// The certainty that a call makes an instance by one constructor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    Never,
    /// Nothing tells whether by this constructor or by another.
    Perhaps,
    Surely,
}

/// Returns the reading order of a role, smaller first: source files, then docs, configuration and
/// examples, then tests, then generated and vendored files.
pub(super) fn reading_rank(role: Role) -> u8 {
    weights::role(role).reading_rank
}

/// Returns the nearness of two paths: the number of leading components that they share, or
/// `usize::MAX` if they are equal.
pub(super) fn nearness(a: &str, b: &str) -> usize {
    if a == b { usize::MAX } else { a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count() }
}

/// The name without an ending that may be left out.
fn short_name<'a>(home: &FileOutline, definition: &'a Definition) -> Option<&'a str> {
    let endings = home.rules().optional_endings.iter().filter(|_| definition.kind.is_type());
    endings.filter_map(|ending| definition.name.strip_suffix(ending.as_str())).find(|short| !short.is_empty())
}

/// The name of the instance's variable that an attribute reads and writes.
pub(super) fn attribute_variable(home: &FileOutline, definition: &Definition) -> Option<String> {
    let mark = home.rules().attribute_mark.as_str();
    let is_attribute = definition.kind == Kind::Property && !mark.is_empty();
    is_attribute.then(|| format!("{mark}{}", definition.name))
}

/// The definitions of that variable in the same type.
fn variables_of_attribute(home: &FileOutline, definition: &Definition) -> impl Iterator<Item = u32> {
    let name = attribute_variable(home, definition);
    let named = name.map(|name| home.named(&name).to_vec()).unwrap_or_default();
    let definitions = home.definitions();
    let parent = definition.parent;
    let beside: Vec<u32> = named.into_iter().filter(|one| definitions[*one as usize].parent == parent).collect();
    beside.into_iter()
}

/// Other names that a file gives to something called `name`.
pub(super) fn aliases(file: &FileOutline, name: &str) -> Vec<String> {
    let imports = file.outline.imports.iter();
    imports
        .filter(|import| import.name.as_deref().unwrap_or(&import.module) == name)
        .filter_map(|import| import.alias.clone())
        .collect()
}
