//! Files that import what another exports without a name, and the names that they give it.

use codecompass_syntax::facts::Import;

use crate::error::Result;
use crate::model::VersionId;
use crate::query::navigate::{MAX_NAMES, Navigator};
use crate::resolve::{
    FileOutline, FileView, ImportTarget, Symbol, folder_of, is_default_name, language_of, stands_for_folder,
};

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
