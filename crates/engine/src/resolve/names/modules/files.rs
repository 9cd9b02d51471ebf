//! Modules named by files: relative paths, mapped paths, and packages of the same repository.

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::file::FileView;
use crate::resolve::names::modules::layout::{folder_of, joined, normal};
use codecompass_syntax::{Language, registry};

/// Folders that hold the sources of what a package publishes.
const SOURCE_FOLDERS: [&str; 4] = ["src", "lib", "source", ""];

impl Resolver<'_> {
    pub(super) fn file_module(&self, file: &FileView, module: &str) -> Result<Vec<Entity>> {
        // What a file exports under another name.
        if module.is_empty() {
            return Ok(vec![Entity::Module(Module::File(file.version))]);
        }
        let found = if module.starts_with('.') || module.starts_with('/') {
            normal(&joined(folder_of(&file.path), module)).and_then(|path| self.script_at(file.language, &path))
        } else {
            self.mapped(file, module)?
        };
        Ok(vec![found.map_or(Entity::External, |version| Entity::Module(Module::File(version)))])
    }

    /// The file at a path that may lack its extension, have that of what it is compiled to, or be a
    /// folder.
    fn script_at(&self, language: &Language, path: &str) -> Option<VersionId> {
        let at = |path: &str| {
            let version = self.snapshot.version_at(path)?;
            Some(version)
        };
        let extensions = || {
            let group = registry::all().iter().filter(|other| other.group() == language.group());
            let mut all: Vec<&str> = group.flat_map(|l| l.extensions().iter().map(String::as_str)).collect();
            all.sort_by_key(|extension| !extension.starts_with("ts"));
            all
        };
        if let Some((stem, "js" | "jsx" | "mjs" | "cjs")) = path.rsplit_once('.') {
            let compiled = extensions().into_iter().find_map(|extension| at(&format!("{stem}.{extension}")));
            if compiled.is_some() {
                return compiled;
            }
        }
        if let Some(version) = at(path) {
            return Some(version);
        }
        let names = extensions();
        let plain = names.iter().find_map(|extension| at(&format!("{path}.{extension}")));
        let declared = || at(&format!("{path}.d.ts"));
        let index = || names.iter().find_map(|extension| at(&joined(path, &format!("index.{extension}"))));
        plain.or_else(declared).or_else(index)
    }

    /// A path that is mapped, or a package of this repository.
    fn mapped(&self, file: &FileView, module: &str) -> Result<Option<VersionId>> {
        let modules = self.modules()?;
        for (folder, pattern, target) in &modules.mappings {
            let holds = folder.is_empty() || file.path.starts_with(&format!("{folder}/"));
            let Some(path) = holds.then(|| substituted(pattern, target, module)).flatten() else { continue };
            if let Some(version) = self.script_at(file.language, &path) {
                return Ok(Some(version));
            }
        }
        // `@scope/name/inner` is in the folder of the package `@scope/name`.
        let mut name = module;
        loop {
            if let Some(folder) = modules.packages.get(name) {
                let inner = module[name.len()..].trim_start_matches('/');
                let tries = SOURCE_FOLDERS.iter().map(|source| joined(&joined(folder, source), inner));
                let found =
                    tries.filter_map(|path| normal(&path)).find_map(|path| self.script_at(file.language, &path));
                return Ok(found);
            }
            match name.rsplit_once('/') {
                Some((shorter, _)) => name = shorter,
                None => return Ok(None),
            }
        }
    }
}

fn substituted(pattern: &str, target: &str, module: &str) -> Option<String> {
    match pattern.split_once('*') {
        None => (pattern == module).then(|| target.to_string()),
        Some((before, after)) => {
            let middle = module.strip_prefix(before)?.strip_suffix(after)?;
            Some(target.replacen('*', middle, 1))
        }
    }
}
