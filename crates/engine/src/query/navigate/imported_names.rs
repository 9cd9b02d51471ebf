//! Uses of a name that the view imports and does not define.

use codecompass_syntax::facts::{Import, RefKind, Reference};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::query::hit::{Hit, HitKind};
use crate::query::navigate::accounting::Accounting;
use crate::query::navigate::{Navigator, Use};
use crate::query::open_file::OpenFile;
use crate::query::subject::Subject;
use crate::resolve::{Confidence, FileView, Resolution, ResolutionEvidence, Symbol, language_of};

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
