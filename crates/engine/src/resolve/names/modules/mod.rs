//! Resolution of imports to files of the view. One file per module system.

mod crates;
mod dotted;
mod files;
mod folders;
mod includes;
pub(crate) mod layout;
mod names;
mod own_modules;
mod required;

use std::sync::Arc;

use codecompass_syntax::facts::{Import, Kind};
use codecompass_syntax::{Language, ModuleSystem};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::file::FileView;
use crate::resolve::names::qualified_names::QualifiedNames;

pub(in crate::resolve) use crate::resolve::names::modules::includes::has_body;

impl Resolver<'_> {
    /// The module that an import of `file` speaks of; `External` when it is outside of the
    /// repository.
    pub(crate) fn module_of_import(&self, file: &FileView, module: &str, line: u32) -> Result<Vec<Entity>> {
        match file.rules().modules {
            ModuleSystem::Dotted => self.dotted_module(file, module),
            ModuleSystem::Files => self.file_module(file, module),
            ModuleSystem::Folders => self.folder_module(module),
            ModuleSystem::Crates => self.crate_path(file, line, module),
            ModuleSystem::Names if is_path(file, module) => self.required_files(file, module),
            ModuleSystem::Names => self.qualified_here(file, module),
            ModuleSystem::Includes => self.included_module(file, module),
            ModuleSystem::None => self.nearby_file(&file.path, module),
        }
    }

    /// Returns the entities that an import brings in.
    pub(crate) fn imported(&self, file: &FileView, import: &Import, depth: usize) -> Result<Vec<Entity>> {
        let Some(_deeper) = self.inference.step() else { return Ok(Vec::new()) };
        let mut modules = self.module_of_import(file, &import.module, import.line)?;
        // The members of an object without a name are the members of the type around it.
        let unnamed = Some(file.rules().unnamed_object.as_str()).filter(|unnamed| !unnamed.is_empty());
        if modules.iter().all(|module| *module == Entity::External)
            && let Some(around) = unnamed.and_then(|unnamed| import.module.strip_suffix(unnamed))
            && let Some(around) = around.strip_suffix(file.language.separator())
        {
            modules = self.module_of_import(file, around, import.line)?;
        }
        let Some(name) = import.name.as_deref().filter(|name| *name != "*") else { return Ok(modules) };
        let mut found = Vec::new();
        for module in &modules {
            match module {
                Entity::Module(module) => found.extend(self.in_module(module, name, file.language, depth + 1)?),
                Entity::Symbol(symbol) => {
                    let members = self.members(*symbol, name)?;
                    found.extend(members.into_iter().map(Entity::Symbol));
                }
                Entity::External => found.push(Entity::External),
            }
        }
        let is_outside = found.iter().all(|entity| *entity == Entity::External);
        if is_outside && file.rules().modules == ModuleSystem::Names {
            let whole = format!("{}{}{name}", import.module, file.language.separator());
            found = self.qualified_here(file, &whole)?;
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Returns the entities that a module calls `name`.
    pub(crate) fn in_module(
        &self,
        module: &Module,
        name: &str,
        language: &'static Language,
        depth: usize,
    ) -> Result<Vec<Entity>> {
        const MAX_DEPTH: usize = 12;
        let Some(_deeper) = self.inference.step().filter(|_| depth <= MAX_DEPTH) else { return Ok(Vec::new()) };
        // Of a file that is a module others see what it exports, and of a crate's module nothing
        // that its functions import.
        let is_outside = matches!(language.resolve_rules().modules, ModuleSystem::Files | ModuleSystem::Crates);
        let depth = if is_outside { depth.max(1) } else { depth };
        match module {
            Module::File(version) => match self.file(*version)? {
                Some(file) => self.in_file(&file, None, name, depth),
                None => Ok(Vec::new()),
            },
            Module::Inline(symbol) => match self.file(symbol.version)? {
                Some(file) => self.in_file(&file, Some(symbol.ordinal), name, depth),
                None => Ok(Vec::new()),
            },
            Module::Folder(folder) => self.in_folder(folder, name, language, None),
        }
    }

    /// Returns the entities with the qualified name `whole`.
    pub(crate) fn qualified(&self, file: &FileView, whole: &str) -> Result<Vec<Entity>> {
        let whole = whole.trim_start_matches(['\\', ':', '.']);
        let alias = file.rules().root_alias.as_str();
        let from_root = whole.strip_prefix(alias).and_then(|rest| rest.strip_prefix("::"));
        let whole = from_root.filter(|_| !alias.is_empty()).unwrap_or(whole);
        let names = self.qualified_names(file.language, whole.rsplit(['\\', '.', ':', '/']).next().unwrap_or(whole))?;
        let mut found: Vec<Entity> = names.get(whole).map(Entity::Symbol).collect();
        if found.is_empty() {
            found.push(Entity::External);
        }
        Ok(found)
    }

    /// Returns the qualified names of the definitions with one bare name, as `language` splits
    /// them. A namespace is reopened in hundreds of files, each of which is asked for it.
    fn qualified_names(&self, language: &'static Language, name: &str) -> Result<Arc<QualifiedNames>> {
        if let Some(known) = self.memo.qualified.get(name, &language.name) {
            return Ok(known);
        }
        let mut names = QualifiedNames::default();
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            if other.language.group() == language.group() && definition.kind != Kind::Impl {
                names.add(&definition.qualified_name, language.separator(), *symbol);
            }
        }
        let names = Arc::new(names);
        self.memo.qualified.insert(name, language.name, Arc::clone(&names));
        Ok(names)
    }
}

/// Returns whether what an import names is a path to a file: where paths and names can be told
/// apart by their signs, these tell.
pub(in crate::resolve) fn is_path(file: &FileView, module: &str) -> bool {
    let rules = file.rules();
    rules.imports_files && (!rules.load_paths.is_empty() || module.contains(['/', '.']))
}
