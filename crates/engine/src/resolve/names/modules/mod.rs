//! How imports name modules: from the words of an import to files of the view. One file per system.

mod crates;
mod dotted;
mod files;
mod folders;
mod includes;
mod names;

use std::cell::OnceCell;

use codecompass_syntax::facts::{Import, Kind};
use codecompass_syntax::{Language, ModuleSystem};
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::file::FileView;
use crate::resolve::{Entity, Module, Resolver};
use crate::store::Snapshot;

pub(in crate::resolve) use crate::resolve::names::modules::includes::has_body;

/// What is known of the view's layout.
pub(crate) struct Modules {
    /// Files by their dotted module path.
    dotted: OnceCell<FxHashMap<String, VersionId>>,
    /// Folders with code files in them: folder, then versions in the order of paths.
    folders: FxHashMap<String, Vec<VersionId>>,
    /// Paths that modules are published under, with their folders; longest first.
    published: Vec<(String, String)>,
    /// Crates by name, with the folders of their manifests.
    crates: FxHashMap<String, Vec<String>>,
    /// Import paths and the folders or files they are mapped to: folder the mapping holds in, pattern, target.
    mappings: Vec<(String, String, String)>,
    /// Packages by name, with their folders.
    packages: FxHashMap<String, String>,
    /// Files by the last part of their path, without and with its extension.
    by_last_part: OnceCell<FxHashMap<String, Vec<VersionId>>>,
}

impl Modules {
    pub(crate) fn new(snapshot: &Snapshot) -> Result<Modules> {
        let mut modules = Modules {
            dotted: OnceCell::new(),
            folders: FxHashMap::default(),
            published: Vec::new(),
            crates: FxHashMap::default(),
            mappings: Vec::new(),
            packages: FxHashMap::default(),
            by_last_part: OnceCell::new(),
        };
        for (path, version) in snapshot.files() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            modules.folders.entry(folder.to_string()).or_default().push(*version);
            match name {
                "go.mod" => folders::read_manifest(snapshot, &mut modules, folder, *version)?,
                "Cargo.toml" => crates::read_manifest(snapshot, &mut modules, folder, *version)?,
                "package.json" => files::read_package(snapshot, &mut modules, folder, *version)?,
                _ if name.ends_with("config.json") || name.starts_with("tsconfig") && name.ends_with(".json") => {
                    files::read_mappings(snapshot, &mut modules, folder, *version)?;
                }
                _ => {}
            }
        }
        modules.published.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        modules.mappings.sort_by(|a, b| (b.1.len(), b.0.len()).cmp(&(a.1.len(), a.0.len())).then_with(|| a.cmp(b)));
        Ok(modules)
    }

    /// Code files of a folder, in the order of paths.
    pub(crate) fn in_folder(&self, folder: &str) -> &[VersionId] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }
}

/// The value of the first key with this qualified name in a data file, without quotes.
fn value_of(snapshot: &Snapshot, version: VersionId, key: &str) -> Result<Option<String>> {
    let outline = snapshot.outline(version)?;
    let definition = outline.definitions.iter().find(|d| d.qualified_name == key && d.kind == Kind::Key);
    Ok(definition.and_then(|definition| quoted_value(&definition.signature)))
}

/// `a.b` in `"key": "a.b",` and `key = "a.b"`.
fn quoted_value(signature: &str) -> Option<String> {
    let after = signature.split_once("\":").or_else(|| signature.split_once('='))?.1.trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = &after[1..];
    Some(inside[..inside.find(quote)?].to_string())
}

/// A path without `.` and `..`; `None` when it leaves the root.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of a path.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn joined(folder: &str, rest: &str) -> String {
    if folder.is_empty() { rest.to_string() } else { format!("{folder}/{rest}") }
}

impl Resolver<'_> {
    /// The module that an import of `file` speaks of; `External` when it is outside of the repository.
    pub(crate) fn module_of_import(&self, file: &FileView, module: &str, line: u32) -> Result<Vec<Entity>> {
        match file.rules().modules {
            ModuleSystem::Dotted => self.dotted_module(file, module),
            ModuleSystem::Files => self.file_module(file, module),
            ModuleSystem::Folders => self.folder_module(module),
            ModuleSystem::Crates => self.crate_path(file, line, module),
            ModuleSystem::Names => self.qualified_here(file, module),
            ModuleSystem::Includes => self.included_module(file, module),
            ModuleSystem::None => self.nearby_file(&file.path, module),
        }
    }

    /// What an import brings in.
    pub(crate) fn imported(&self, file: &FileView, import: &Import, depth: usize) -> Result<Vec<Entity>> {
        let Some(_deeper) = self.step() else { return Ok(Vec::new()) };
        let modules = self.module_of_import(file, &import.module, import.line)?;
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

    /// What a module calls by a name.
    pub(crate) fn in_module(
        &self,
        module: &Module,
        name: &str,
        language: &'static Language,
        depth: usize,
    ) -> Result<Vec<Entity>> {
        const MAX_DEPTH: usize = 12;
        let Some(_deeper) = self.step().filter(|_| depth <= MAX_DEPTH) else { return Ok(Vec::new()) };
        match module {
            Module::File(version) => match self.file(*version)? {
                Some(file) => self.in_file(&file, None, name, depth),
                None => Ok(Vec::new()),
            },
            Module::Inline(symbol) => match self.file(symbol.version)? {
                Some(file) => self.in_file(&file, Some(symbol.ordinal), name, depth),
                None => Ok(Vec::new()),
            },
            Module::Folder(folder) => self.in_folder(folder, name, language),
        }
    }

    /// What has this qualified name.
    pub(crate) fn qualified(&self, file: &FileView, whole: &str) -> Result<Vec<Entity>> {
        let separator = file.language.separator();
        let whole = whole.trim_start_matches(['\\', ':', '.']);
        let name = whole.rsplit(['\\', '.', ':', '/']).next().unwrap_or(whole);
        let mut found = Vec::new();
        for symbol in self.named(name)?.iter() {
            let Some((other, definition)) = self.definition(*symbol)? else { continue };
            let same = definition.qualified_name == whole || same_path(&definition.qualified_name, separator, whole);
            if same && other.language.group() == file.language.group() && definition.kind != Kind::Impl {
                found.push(Entity::Symbol(*symbol));
            }
        }
        if found.is_empty() {
            found.push(Entity::External);
        }
        Ok(found)
    }
}

/// Whether a qualified name has the same parts as a path in any notation.
fn same_path(qualified: &str, separator: &str, path: &str) -> bool {
    let parts = path.split(['\\', '.', ':']).filter(|part| !part.is_empty());
    qualified.split(separator).filter(|part| !part.is_empty()).eq(parts)
}
