//! Imports that hold for all files of a project (`global using`).

use std::sync::Arc;

use codecompass_syntax::facts::Import;

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Entity;
use crate::resolve::file::{FileOutline, FileView, GlobalImport, language_of};

impl Resolver<'_> {
    /// Returns what the imports of a file's project call `name`.
    pub(super) fn named_in_project(&self, file: &FileView, name: &str) -> Result<Vec<Entity>> {
        let separator = file.language.separator();
        let is_named = |import: &Import| FileOutline::bound_name(import, separator) == Some(name);
        self.in_global_imports(file, is_named, |file, import| self.imported(file, import, 0))
    }

    /// Returns what `name` means in the packages that a file's project imports as a whole.
    pub(in crate::resolve) fn imported_in_project(&self, file: &FileView, name: &str) -> Result<Vec<Entity>> {
        let is_whole = |import: &Import| import.name.as_deref() == Some("*") && import.alias.is_none();
        let separator = file.language.separator();
        self.in_global_imports(file, is_whole, |home, import| {
            self.qualified(home, &format!("{}{separator}{name}", import.module))
        })
    }

    fn in_global_imports(
        &self,
        file: &FileView,
        is_meant: impl Fn(&Import) -> bool,
        find: impl Fn(&FileView, &Import) -> Result<Vec<Entity>>,
    ) -> Result<Vec<Entity>> {
        let word = file.rules().global_import_word.as_str();
        if word.is_empty() {
            return Ok(Vec::new());
        }
        let project = self.project_of(&file.path)?;
        let mut found = Vec::new();
        for global in self.global_imports(word, file.language.group())?.iter() {
            if global.project != project || !is_meant(&global.import) {
                continue;
            }
            let Some(home) = self.file(global.version)? else { continue };
            found.extend(find(&home, &global.import)?.into_iter().filter(|entity| *entity != Entity::External));
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The imports of a group of languages that hold beyond their files.
    fn global_imports(&self, word: &str, group: &'static str) -> Result<Arc<Vec<GlobalImport>>> {
        if let Some(known) = self.memo.global_imports.borrow().get(group) {
            return Ok(Arc::clone(known));
        }
        let mut found = Vec::new();
        for version in self.snapshot.versions_with_word(word)?.unwrap_or_default() {
            let language = language_of(self.snapshot, version)?;
            if language.is_none_or(|language| language.group() != group) {
                continue;
            }
            let Some(path) = self.snapshot.path_of(version) else { continue };
            let project = self.project_of(path)?;
            for import in self.snapshot.imports(version)?.iter().filter(|import| import.reexport).cloned() {
                found.push(GlobalImport { version, project: project.to_string(), import });
            }
        }
        let found = Arc::new(found);
        self.memo.global_imports.borrow_mut().insert(group, Arc::clone(&found));
        Ok(found)
    }
}
