//! Places of code that services are looked for in.

use std::cell::RefCell;

use codecompass_syntax::facts::{Definition, Kind};
use codecompass_syntax::generators::Generator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::navigate::Navigator;
use crate::query::services::answer::{Service, ServiceSite};
use crate::query::services::names::{GeneratorNames, method_names};
use crate::resolve::{Confidence, FileView, Symbol, language_of};

/// Finds files, types and methods.
pub(super) struct SiteFinder<'a, 'view> {
    pub navigator: &'a Navigator<'view>,
    /// Files by a word that they have.
    by_word: RefCell<FxHashMap<String, Vec<VersionId>>>,
    generated: RefCell<FxHashMap<VersionId, bool>>,
}

impl<'a, 'view> SiteFinder<'a, 'view> {
    pub(super) fn new(navigator: &'a Navigator<'view>) -> SiteFinder<'a, 'view> {
        SiteFinder { navigator, by_word: RefCell::default(), generated: RefCell::default() }
    }

    /// Returns the files of a generator's languages that have one of some words, in the order of
    /// paths.
    pub(super) fn files_with<'w>(
        &self,
        words: impl IntoIterator<Item = &'w String>,
        generator: &Generator,
    ) -> Result<Vec<VersionId>> {
        let snapshot = self.navigator.snapshot();
        let mut found = FxHashSet::default();
        for word in words {
            for version in self.with_word(word)? {
                if found.contains(&version) {
                    continue;
                }
                if language_of(snapshot, version)?.is_some_and(|language| generator.makes(language)) {
                    found.insert(version);
                }
            }
        }
        let mut found: Vec<VersionId> = found.into_iter().collect();
        found.sort_unstable_by_key(|version| snapshot.position(*version));
        Ok(found)
    }

    fn with_word(&self, word: &str) -> Result<Vec<VersionId>> {
        if let Some(known) = self.by_word.borrow().get(word) {
            return Ok(known.clone());
        }
        let snapshot = self.navigator.snapshot();
        let found = match snapshot.versions_with_word(word)? {
            Some(versions) => versions,
            None => snapshot.files().iter().map(|(_, version)| *version).collect(),
        };
        self.by_word.borrow_mut().insert(word.to_string(), found.clone());
        Ok(found)
    }

    /// Returns whether a file is generated, or looks it: it defines the base or the stub of a
    /// service.
    pub(super) fn is_generated(&self, file: &FileView, names: &GeneratorNames) -> Result<bool> {
        if let Some(known) = self.generated.borrow().get(&file.version) {
            return Ok(*known);
        }
        let found = self.is_generated_file(file, names)?;
        self.generated.borrow_mut().insert(file.version, found);
        Ok(found)
    }

    pub(super) fn is_generated_file(&self, file: &FileView, names: &GeneratorNames) -> Result<bool> {
        let info = self.navigator.snapshot().file_info(file.version)?;
        let has_both = |names: &GeneratorNames| {
            let defines = |is_one: &dyn Fn(&Definition) -> bool| {
                file.definitions().iter().any(|one| one.kind != Kind::Impl && is_one(one))
            };
            defines(&|one| one.kind.is_type() && names.bases.has(&one.name))
                && defines(&|one| names.stubs.has(&one.name))
        };
        Ok(matches!(info.role, Role::Generated | Role::Vendored) || has_both(names))
    }

    /// Returns a definition as a place.
    pub(super) fn symbol_site(&self, symbol: Symbol, confidence: Confidence) -> Result<Option<ServiceSite>> {
        let Some((file, definition)) = self.navigator.resolver.definition(symbol)? else { return Ok(None) };
        Ok(Some(ServiceSite {
            name: definition.local_name(file.definitions()).to_string(),
            path: file.path.clone(),
            line: definition.name_line,
            language: file.language.name,
            role: self.navigator.snapshot().file_info(file.version)?.role,
            confidence,
            symbol: Some(symbol),
        }))
    }

    /// Returns a place that is no definition.
    pub(super) fn place_site(&self, file: &FileView, name: &str, line: u32) -> Result<ServiceSite> {
        Ok(ServiceSite {
            name: name.to_string(),
            path: file.path.clone(),
            line,
            language: file.language.name,
            role: self.navigator.snapshot().file_info(file.version)?.role,
            confidence: Confidence::Static,
            symbol: None,
        })
    }

    /// Returns the method of a type that has one of some names, in the type itself or in what it
    /// inherits from that is not generated.
    pub(super) fn method(&self, class: Symbol, names: &[String]) -> Result<Option<Symbol>> {
        let Some((file, definition)) = self.navigator.resolver.definition(class)? else { return Ok(None) };
        let is_block = definition.kind == Kind::Impl || !definition.kind.is_type();
        for name in names {
            if is_block {
                let is_member = |ordinal: &&u32| {
                    file.definitions().get(**ordinal as usize).is_some_and(|one| one.parent == Some(class.ordinal))
                };
                if let Some(ordinal) = file.named(name).iter().find(is_member) {
                    return Ok(Some(Symbol { version: class.version, ordinal: *ordinal }));
                }
                continue;
            }
            for member in self.navigator.resolver.all_members_named(class, name)? {
                let Some((home, method)) = self.navigator.resolver.definition(member)? else { continue };
                let role = self.navigator.snapshot().file_info(home.version)?.role;
                let is_generated = matches!(role, Role::Generated | Role::Vendored)
                    || self.generated.borrow().get(&home.version).copied().unwrap_or(false);
                if !is_generated && (method.kind.is_callable() || method.kind.is_value()) {
                    return Ok(Some(member));
                }
            }
        }
        Ok(None)
    }

    /// Of several services with one name, returns those whose rpcs a type has most methods for, and
    /// of these the ones whose package the file imports.
    pub(super) fn narrowed(
        &self,
        candidates: Vec<usize>,
        file: &FileView,
        class: Symbol,
        names: &GeneratorNames,
        services: &[Service],
    ) -> Result<Vec<usize>> {
        if candidates.len() < 2 {
            return Ok(candidates);
        }
        let mut counted = Vec::new();
        for number in candidates {
            let Some(service) = services.get(number) else { continue };
            let mut count = 0;
            for rpc in &service.rpcs {
                let methods = method_names(&names.settings().methods, &service.name, &rpc.name);
                count += usize::from(self.method(class, &methods)?.is_some());
            }
            counted.push((number, count));
        }
        let most = counted.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let best = counted.into_iter().filter(|(_, count)| *count == most).map(|(number, _)| number).collect();
        Ok(by_package(best, file, services))
    }
}

/// Of several services, returns those that share most words of their package with an import of a
/// file.
pub(super) fn by_package(candidates: Vec<usize>, file: &FileView, services: &[Service]) -> Vec<usize> {
    if candidates.len() < 2 {
        return candidates;
    }
    let is_separator = |c: char| !c.is_alphanumeric();
    let words: FxHashSet<String> = file
        .outline
        .imports
        .iter()
        .flat_map(|import| [Some(&import.module), import.name.as_ref(), import.alias.as_ref()])
        .flatten()
        .flat_map(|text| text.split(is_separator))
        .map(str::to_lowercase)
        .collect();
    let score = |number: &usize| {
        let package = services.get(*number).map_or("", |service| service.package.as_str());
        package.split('.').filter(|part| words.contains(&part.to_lowercase())).count()
    };
    let most = candidates.iter().map(score).max().unwrap_or(0);
    candidates.into_iter().filter(|number| score(number) == most).collect()
}
