//! Names that imports bring in: uses of one that the view does not define, and the names that files
//! give what another exports without one.

use codecompass_syntax::facts::{Import, RefKind, Reference};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::tally::Accounting;
use crate::query::navigate::{MAX_NAMES, Navigator, Use};
use crate::query::open_file::OpenFile;
use crate::query::subject::Subject;
use crate::resolve::{
    Confidence, FileOutline, FileView, ImportTarget, Resolution, ResolutionEvidence, Symbol, folder_of,
    is_default_name, language_of, stands_for_folder,
};

/// A name from outside and its uses.
pub(super) struct ImportedName {
    pub subject: Subject,
    /// The bare name.
    pub name: String,
    /// The family of languages that uses it.
    pub group: &'static str,
    pub uses: Vec<Use>,
}

/// A use of a name, and the module that an import says it is from.
struct ImportedUse {
    module: String,
    used: Use,
}

impl Navigator<'_> {
    /// Returns the uses of a name that imports bring in from outside of the repository; of several
    /// modules that have it, those of the one that is used most. `None` if no import tells where a
    /// name is from.
    pub(super) fn imported_name(&self, symbol: &str) -> Result<Option<ImportedName>> {
        let symbol = symbol.trim_end_matches("()");
        let mut parts = symbol.rsplit(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty());
        let Some(name) = parts.next() else { return Ok(None) };
        let container = parts.next();
        let Some(group) = self.group_that_uses(name)? else { return Ok(None) };
        let mut found = Vec::new();
        for (version, number) in self.references_called(vec![name.to_string()], group)? {
            let Some(file) = self.resolver.file(version)? else { continue };
            found.extend(self.imported_use(&file, number)?);
        }
        let separator = |c: char| matches!(c, '.' | '/' | ':' | '\\');
        let is_container = |module: &str| {
            let last = module.trim_matches(['"', '\'', '<', '>']).rsplit(separator).find(|part| !part.is_empty());
            container.is_none_or(|container| last == Some(container))
        };
        found.retain(|found| is_container(&found.module));
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        found.iter().for_each(|found| *counts.entry(found.module.as_str()).or_default() += 1);
        let most = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
        let Some(module) = most.map(|(module, _)| module.to_string()) else { return Ok(None) };
        let uses: Vec<Use> = found.into_iter().filter(|found| found.module == module).map(|found| found.used).collect();
        let Some(hit) = self.imported_hit(&uses, name, &module)? else { return Ok(None) };
        let subject = Subject::only(hit);
        Ok(Some(ImportedName { subject, name: name.to_string(), group, uses }))
    }

    /// Returns the definitions that files export under a name of their own for them, in the order
    /// of paths.
    pub(crate) fn exported_as(&self, alias: &str) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        let is_export = |import: &&Import| import.reexport && import.alias.as_deref() == Some(alias);
        for version in self.files_with(alias)? {
            if self.snapshot().imports(version)?.iter().find(is_export).is_none() {
                continue;
            }
            let Some(file) = self.resolver.file(version)? else { continue };
            for import in file.outline.imports.iter().filter(is_export) {
                found.extend(self.resolver.imported_symbols(&file, import)?);
            }
        }
        self.in_order(&found)
    }

    /// Returns a type outside of the view as the subject of a question, with the account of its
    /// name where an import tells it. `version` and `line` are a place that names it.
    pub(crate) fn outside_subject(
        &self,
        symbol: &str,
        version: VersionId,
        line: u32,
    ) -> Result<Option<(Subject, Option<Accounting>)>> {
        if let Some(ImportedName { subject, name, group, uses }) = self.imported_name(symbol)? {
            let account = self.account_imported(&name, group, &uses)?;
            return Ok(Some((subject, account.map(|account| account.accounting))));
        }
        let Some(file) = OpenFile::open(self.snapshot(), version)? else { return Ok(None) };
        let hit = file.text_hit(HitKind::External, line, line);
        let (name, qualified_name, local_name) = (symbol.to_string(), symbol.to_string(), symbol.to_string());
        let hit = Hit { name, qualified_name, local_name, ..hit };
        Ok(Some((Subject::only(hit), None)))
    }

    /// Returns the family of languages with the most files that use a name.
    fn group_that_uses(&self, name: &str) -> Result<Option<&'static str>> {
        let mut groups: Vec<(&'static str, usize)> = Vec::new();
        for version in self.files_with(name)? {
            let Some(language) = language_of(self.snapshot(), version)? else { continue };
            if self.resolver.file_that_names(version, name)?.is_none() {
                continue;
            }
            match groups.iter_mut().find(|(group, _)| *group == language.group()) {
                Some((_, files)) => *files += 1,
                None => groups.push((language.group(), 1)),
            }
        }
        Ok(groups.into_iter().max_by_key(|(_, files)| *files).map(|(group, _)| group))
    }

    fn imported_use(&self, file: &FileView, number: u32) -> Result<Option<ImportedUse>> {
        let Some(reference) = file.uses.references.get(number as usize).copied() else { return Ok(None) };
        if !matches!(*self.meaning(file, number)?, Resolution::External | Resolution::Unknown) {
            return Ok(None);
        }
        let Some((module, evidence)) = self.origin(file, &reference)? else { return Ok(None) };
        let (version, name, confidence) = (file.version, file.name(reference.name).into(), Confidence::Static);
        Ok(Some(ImportedUse { module, used: Use { version, number, reference, name, confidence, evidence } }))
    }

    /// Returns the module that a name is from, if an import of its file tells.
    fn origin(&self, file: &FileView, reference: &Reference) -> Result<Option<(String, ResolutionEvidence)>> {
        let name = file.name(reference.name);
        if reference.kind == RefKind::Import {
            let is_named = |import: &&Import| {
                let names = [import.name.as_deref(), import.alias.as_deref()];
                import.line <= reference.line && names.contains(&Some(name))
            };
            let import = file.outline.imports.iter().rev().find(is_named);
            return Ok(import.map(|import| (import.module.clone(), ResolutionEvidence::Import)));
        }
        let Some(receiver) = reference.receiver else {
            let import = self.import_that_binds(file, name)?;
            return Ok(import.map(|import| (import.module.clone(), ResolutionEvidence::Import)));
        };
        let chain = file.chain(receiver);
        let Some(path) = chain.as_path().filter(|_| reference.root.is_none()) else { return Ok(None) };
        let [first, rest @ ..] = path.as_slice() else { return Ok(None) };
        let Some(import) = self.import_that_binds(file, first)? else { return Ok(None) };
        let separator = file.language.separator();
        let mut module = import.module.trim_matches(['"', '\'']).to_string();
        for part in import.name.as_deref().into_iter().chain(rest.iter().copied()) {
            module = format!("{module}{separator}{part}");
        }
        Ok(Some((module, ResolutionEvidence::ModuleMember)))
    }

    fn import_that_binds<'file>(&self, file: &'file FileView, name: &str) -> Result<Option<&'file Import>> {
        for import in &file.outline.imports {
            if self.resolver.binds(file, import, name)? {
                return Ok(Some(import));
            }
        }
        Ok(None)
    }

    /// Returns the first import of a name as a hit, or else its first use.
    fn imported_hit(&self, uses: &[Use], name: &str, module: &str) -> Result<Option<Hit>> {
        let is_import = |used: &&Use| used.reference.kind == RefKind::Import;
        let Some(first) = uses.iter().find(is_import).or(uses.first()) else { return Ok(None) };
        let (version, line): (VersionId, u32) = (first.version, first.reference.line);
        let Some(file) = OpenFile::open(self.snapshot(), version)? else { return Ok(None) };
        let separator = language_of(self.snapshot(), version)?.map_or(".", |language| language.separator());
        let hit = file.text_hit(HitKind::External, line, line);
        let qualified_name = format!("{}{separator}{name}", module.trim_matches(['"', '\'']));
        let local_name = qualified_name.clone();
        Ok(Some(Hit { name: name.to_string(), qualified_name, local_name, ..hit }))
    }
}

/// Files that pass one export on, beyond which no more are followed.
const MAX_EXPORTERS: usize = 32;

/// The names that files give a symbol which another exports without a name.
#[derive(Default)]
pub(super) struct DefaultImports {
    /// The file that exports it; `None` if none does without a name.
    pub home: Option<VersionId>,
    /// References that bear such names, in the files that give them.
    pub references: Vec<(VersionId, u32)>,
    /// Names that these files may give other files.
    pub names: Vec<String>,
}

impl Navigator<'_> {
    /// Returns what files call a symbol that its file exports without a name.
    pub(super) fn default_imports(&self, symbol: Symbol, home: &FileOutline) -> Result<DefaultImports> {
        let mut found = DefaultImports::default();
        let is_top = home.definitions().get(symbol.ordinal as usize).is_some_and(|one| one.parent.is_none());
        if home.rules().default_export.is_empty() || !is_top {
            return Ok(found);
        }
        let symbols = self.same_symbol(symbol)?;
        if !self.resolver.is_default_export(symbol.version, &symbols)? {
            return Ok(found);
        }
        found.home = Some(symbol.version);
        let mut exporters = vec![symbol.version];
        let mut at = 0;
        while let Some(exporter) = exporters.get(at).copied() {
            at += 1;
            for version in self.files_importing(exporter, home.language.group())? {
                let Some(file) = self.resolver.file(version)? else { continue };
                let names = self.names_of_default(&file, exporter)?;
                if names.is_empty() {
                    continue;
                }
                for name in &names {
                    found.references.extend(file.references_named(name).into_iter().map(|number| (version, number)));
                }
                let is_new = !exporters.contains(&version) && exporters.len() < MAX_EXPORTERS;
                if is_new && self.resolver.is_default_export(version, &symbols)? {
                    exporters.push(version);
                }
                let given = names.into_iter().filter(|name| !is_default_name(&file, Some(name)));
                for name in given {
                    if !found.names.contains(&name) && found.names.len() < MAX_NAMES / 2 {
                        found.names.push(name);
                    }
                }
            }
        }
        let name = &home.definitions()[symbol.ordinal as usize].name;
        found.names.retain(|known| known != name);
        found.names.sort_unstable();
        Ok(found)
    }

    /// Returns the files of a group of languages that may import a file.
    fn files_importing(&self, exporter: VersionId, group: &str) -> Result<Vec<VersionId>> {
        let snapshot = self.snapshot();
        let Some(path) = snapshot.path_of(exporter) else { return Ok(Vec::new()) };
        let mut versions = Vec::new();
        for word in self.resolver.import_words(path)? {
            versions.extend(self.files_with(&word)?);
        }
        if stands_for_folder(path) {
            let inside = folder_of(path);
            let is_inside =
                |path: &str| path.strip_prefix(inside).is_some_and(|rest| inside.is_empty() || rest.starts_with('/'));
            versions.extend(snapshot.files().iter().filter(|(path, _)| is_inside(path)).map(|(_, version)| *version));
        }
        versions.sort_unstable();
        versions.dedup();
        let mut found = Vec::new();
        for version in versions {
            let language = language_of(snapshot, version)?.filter(|language| language.group() == group);
            let Some(language) = language.filter(|_| version != exporter) else { continue };
            let default_export = &language.resolve_rules().default_export;
            if snapshot.imports(version)?.iter().any(|import| takes_whole(import, default_export)) {
                found.push(version);
            }
        }
        Ok(found)
    }

    /// Returns the names that a file has for what another exports without one; empty if it does not
    /// import that.
    fn names_of_default(&self, file: &FileView, exporter: VersionId) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let default_export = &file.rules().default_export;
        for import in file.outline.imports.iter().filter(|import| takes_whole(import, default_export)) {
            let is_it = |target: &ImportTarget| *target == ImportTarget::File(exporter);
            if !self.resolver.import_targets(file, import)?.iter().any(is_it) {
                continue;
            }
            names.push(default_export.clone());
            if import.name.as_deref() != Some("*") {
                names.extend(import.alias.clone());
            }
        }
        names.sort_unstable();
        names.dedup();
        // What is exported once more under a name of its own.
        let passed = file.outline.imports.iter().filter(|import| import.module.is_empty());
        let passed = passed.filter(|import| import.name.as_ref().is_some_and(|name| names.contains(name)));
        let passed: Vec<String> = passed.filter_map(|import| import.alias.clone()).collect();
        names.extend(passed);
        Ok(names)
    }
}

/// Returns whether an import may take what a file exports without a name.
fn takes_whole(import: &Import, default_export: &str) -> bool {
    !import.module.is_empty() && import.name.as_deref().is_none_or(|name| name == "*" || name == default_export)
}
