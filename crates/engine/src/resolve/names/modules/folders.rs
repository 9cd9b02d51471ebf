//! Modules that are folders: the path of an import is a module's published path and a folder below
//! it.

use std::sync::Arc;

use codecompass_syntax::facts::{Import, Kind};
use codecompass_syntax::{Language, ModuleSystem};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::file::FileOutline;
use crate::resolve::names::modules::layout::{Modules, joined};

/// The folder that holds copies of the packages that a project uses.
const VENDOR: &str = "vendor/";

impl Modules {
    /// The import paths of the packages that stand in the repository as copies.
    pub(super) fn copied(&self) -> &FxHashSet<String> {
        self.copied.get_or_init(|| {
            let copied = |folder: &String| {
                let inside = folder.strip_prefix(VENDOR).or_else(|| Some(folder.split_once("/vendor/")?.1));
                inside.map(str::to_string)
            };
            self.folders.keys().filter_map(copied).collect()
        })
    }
}

impl Resolver<'_> {
    /// Returns whether an import of a file binds `name` there. A folder is known by the name of its
    /// package, which its files state and which may differ from the last part of its path.
    pub(crate) fn binds(&self, file: &FileOutline, import: &Import, name: &str) -> Result<bool> {
        let is_bound = || FileOutline::bound_name(import, file.language.separator()) == Some(name);
        if file.rules().modules != ModuleSystem::Folders || import.alias.is_some() || import.name.is_some() {
            return Ok(is_bound());
        }
        let packages = match self.folder_module(&import.module)?.first() {
            Some(Entity::Module(Module::Folder(folder))) => self.packages_of(folder, file.language)?,
            _ => Arc::default(),
        };
        Ok(if packages.is_empty() {
            is_bound() || names_package(&import.module, name)
        } else {
            packages.iter().any(|package| package == name)
        })
    }

    /// Returns the packages that the files of a folder say they belong to.
    fn packages_of(&self, folder: &str, language: &'static Language) -> Result<Arc<Vec<String>>> {
        if let Some(known) = self.memo.packages.borrow().get(folder) {
            return Ok(Arc::clone(known));
        }
        let mut packages = Vec::new();
        for version in self.modules()?.in_folder(folder) {
            let Some(file) = self.outline(*version)?.filter(|file| file.language.group() == language.group()) else {
                continue;
            };
            let package = package_of(&file);
            let is_importable = !package.is_empty() && !is_test_package(&file);
            if is_importable && !packages.iter().any(|known| known == package) {
                packages.push(package.to_string());
            }
        }
        let packages = Arc::new(packages);
        self.memo.packages.borrow_mut().insert(folder.to_string(), Arc::clone(&packages));
        Ok(packages)
    }

    pub(super) fn folder_module(&self, module: &str) -> Result<Vec<Entity>> {
        let modules = self.modules()?;
        for (published, folder) in &modules.published {
            let Some(rest) = module.strip_prefix(published.as_str()) else { continue };
            if rest.is_empty() || rest.starts_with('/') {
                let path = joined(folder, rest.trim_start_matches('/'));
                return Ok(vec![Entity::Module(Module::Folder(path.trim_end_matches('/').to_string()))]);
            }
        }
        // Without a manifest: a folder by that very path, as in a standard library.
        let known = modules.published.is_empty() && !modules.in_folder(module).is_empty();
        Ok(vec![if known { Entity::Module(Module::Folder(module.to_string())) } else { Entity::External }])
    }

    /// Top-level definitions of a name in the files of a folder, as `user`, a file of that folder,
    /// sees them without an import; as imports see them where there is none.
    pub(in crate::resolve) fn in_folder(
        &self,
        folder: &str,
        name: &str,
        language: &'static Language,
        user: Option<&FileOutline>,
    ) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let path = self.snapshot.path_of(symbol.version).unwrap_or("");
            if crate::resolve::names::modules::layout::folder_of(path) != folder {
                continue;
            }
            let Some((file, definition)) = self.definition(*symbol)? else { continue };
            let is_shared = match user {
                Some(user) => is_test_package(&file) == is_test_package(user),
                None => !is_test_package(&file),
            };
            if file.language.group() == language.group() && is_top_level(&definition) && is_shared {
                found.push(Entity::Symbol(*symbol));
            }
        }
        if found.is_empty() {
            let module = Module::Folder(folder.to_string());
            found.extend(self.dotted_submodule_of(&module, name, language)?);
        }
        Ok(found)
    }

    fn dotted_submodule_of(&self, module: &Module, name: &str, language: &'static Language) -> Result<Option<Entity>> {
        match language.resolve_rules().modules {
            ModuleSystem::Dotted => self.dotted_below(module, name, language),
            _ => Ok(None),
        }
    }
}

/// The package that a file says it belongs to.
fn package_of(file: &FileOutline) -> &str {
    // In a file that has nothing but methods, the name of a type follows.
    file.package().split(file.language.separator()).next().unwrap_or("")
}

/// Returns whether a file belongs to a package of tests beside the one of its folder.
fn is_test_package(file: &FileOutline) -> bool {
    file.holds_tests_of_folder() && package_of(file).ends_with(file.rules().test_ending.as_str())
}

fn is_top_level(definition: &codecompass_syntax::facts::Definition) -> bool {
    definition.parent.is_none() && !matches!(definition.kind, Kind::Method | Kind::Field | Kind::Impl)
}

/// Returns whether the package at a path is likely called `name`: its last part, unless that is a
/// version.
fn names_package(path: &str, name: &str) -> bool {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version =
        |part: &str| part.len() > 1 && part.starts_with('v') && part[1..].bytes().all(|b| b.is_ascii_digit());
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let last = last.split_once(".v").map_or(last, |(before, _)| before);
    last == name || last.strip_prefix("go-") == Some(name) || last.strip_suffix("-go") == Some(name)
}
