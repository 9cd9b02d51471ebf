//! Modules named by files: relative paths, mapped paths, and packages of the same repository.

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::file::FileView;
use crate::resolve::names::modules::layout::{PackagePath, folder_of, joined, normal};
use codecompass_syntax::{Language, registry};

/// Folders that hold the sources of what a package publishes.
const SOURCE_FOLDERS: [&str; 4] = ["src", "lib", "source", ""];

/// Endings of the declarations of what a script of the other ending holds.
const DECLARED: [(&str, &str); 4] = [("js", "d.ts"), ("jsx", "d.ts"), ("mjs", "d.mts"), ("cjs", "d.cts")];

impl Resolver<'_> {
    pub(super) fn file_module(&self, file: &FileView, module: &str) -> Result<Vec<Entity>> {
        // What a file exports under another name.
        if module.is_empty() {
            return Ok(vec![Entity::Module(Module::File(file.version))]);
        }
        let found = if module.starts_with('.') || module.starts_with('/') {
            match normal(&joined(folder_of(&file.path), module)) {
                Some(path) => self.scripts_or_sources_at(file.language, &path)?,
                None => Vec::new(),
            }
        } else {
            self.mapped(file, module)?
        };
        if found.is_empty() {
            return Ok(vec![Entity::External]);
        }
        Ok(found.into_iter().map(|version| Entity::Module(Module::File(version))).collect())
    }

    /// The files at a path, or where its folder is not in the view, what a build of the package
    /// around makes it of.
    fn scripts_or_sources_at(&self, language: &Language, path: &str) -> Result<Vec<VersionId>> {
        let found = self.scripts_at(language, path);
        let modules = self.modules()?;
        if found.is_empty() && modules.entries.contains_key(path) {
            return self.entered(language, path, "");
        }
        if !found.is_empty() || modules.folders.contains_key(folder_of(path)) {
            return Ok(found);
        }
        let mut folder = folder_of(path);
        while !folder.is_empty() {
            folder = folder_of(folder);
            if modules.entries.contains_key(folder) {
                let built = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
                let first = built.split('/').next().unwrap_or("");
                let is_built = !modules.folders.contains_key(&joined(folder, first));
                return Ok(self.source_of(language, folder, built).filter(|_| is_built).unwrap_or_default());
            }
        }
        Ok(Vec::new())
    }

    /// The file at a path, and the one that declares what it holds.
    fn scripts_at(&self, language: &Language, path: &str) -> Vec<VersionId> {
        let Some(found) = self.script_at(language, path) else { return Vec::new() };
        let (stem, ending) = self.snapshot.path_of(found).and_then(|path| path.rsplit_once('.')).unwrap_or_default();
        let declared = DECLARED.iter().find(|(script, _)| *script == ending);
        let declared = declared.and_then(|(_, declared)| self.snapshot.version_at(&format!("{stem}.{declared}")));
        declared.into_iter().chain([found]).collect()
    }

    /// The file at a path that may lack its extension, have that of what it is compiled to, or be a
    /// folder.
    fn script_at(&self, language: &Language, path: &str) -> Option<VersionId> {
        let at = |path: &str| self.snapshot.version_at(path);
        let extensions = || {
            let group = registry::all().iter().filter(|other| other.group() == language.group());
            let mut all: Vec<&str> = group.flat_map(|l| l.extensions().iter().map(String::as_str)).collect();
            all.sort_by_key(|extension| !extension.starts_with("ts"));
            all
        };
        if let Some((stem, ending)) = path.rsplit_once('.')
            && let Some((_, declared)) = DECLARED.iter().find(|(script, _)| *script == ending)
        {
            let compiled = extensions().into_iter().find_map(|extension| at(&format!("{stem}.{extension}")));
            let declared = || at(&format!("{stem}.{declared}"));
            if let Some(found) = compiled.or_else(declared) {
                return Some(found);
            }
        }
        if let Some(version) = at(path) {
            return Some(version);
        }
        let names = extensions();
        let plain = names.iter().find_map(|extension| at(&format!("{path}.{extension}")));
        let declared = || DECLARED.iter().find_map(|(_, declared)| at(&format!("{path}.{declared}")));
        let index = || names.iter().find_map(|extension| at(&joined(path, &format!("index.{extension}"))));
        plain.or_else(declared).or_else(index)
    }

    /// A path that is mapped, or a package of this repository.
    fn mapped(&self, file: &FileView, module: &str) -> Result<Vec<VersionId>> {
        let modules = self.modules()?;
        for (folder, pattern, target) in &modules.mappings {
            let holds = folder.is_empty() || file.path.starts_with(&format!("{folder}/"));
            let Some(path) = holds.then(|| substituted(pattern, target, module)).flatten() else { continue };
            let found = self.scripts_at(file.language, &path);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let Some(PackagePath { folder, inner }) = modules.package_path(module) else { return Ok(Vec::new()) };
        let entered = self.entered(file.language, folder, inner)?;
        if !entered.is_empty() {
            return Ok(entered);
        }
        let tries = SOURCE_FOLDERS.iter().map(|source| joined(&joined(folder, source), inner));
        let mut found = tries.filter_map(|path| normal(&path)).map(|path| self.scripts_at(file.language, &path));
        Ok(found.find(|found| !found.is_empty()).unwrap_or_default())
    }

    /// The files that the manifest of a package gives for a path in it: the first one that is not
    /// only a declaration, else the declaration. A file that is built stands for its source.
    fn entered(&self, language: &Language, folder: &str, inner: &str) -> Result<Vec<VersionId>> {
        let path = if inner.is_empty() { ".".to_string() } else { format!("./{inner}") };
        let mut declared = Vec::new();
        for entry in self.modules()?.entries.get(folder).into_iter().flatten() {
            let Some(target) = substituted(&entry.path, &entry.target, &path) else { continue };
            let Some(target) = normal(&target) else { continue };
            let mut found = normal(&joined(folder, &target)).map(|path| self.scripts_at(language, &path));
            if found.as_ref().is_none_or(Vec::is_empty) {
                found = self.source_of(language, folder, &target);
            }
            let found = found.unwrap_or_default();
            if found.is_empty() {
                continue;
            }
            let is_declaration = |version: &VersionId| {
                let path = self.snapshot.path_of(*version).unwrap_or("");
                DECLARED.iter().any(|(_, declared)| path.ends_with(&format!(".{declared}")))
            };
            if !found.iter().all(is_declaration) {
                return Ok(found);
            }
            declared = if declared.is_empty() { found } else { declared };
        }
        Ok(declared)
    }

    /// The source of a file that a build of a package makes: of the same path in a folder of
    /// sources.
    fn source_of(&self, language: &Language, folder: &str, built: &str) -> Option<Vec<VersionId>> {
        let (_, inner) = built.split_once('/')?;
        let stem = DECLARED.iter().find_map(|(_, declared)| inner.strip_suffix(&format!(".{declared}")));
        let inner = stem.map_or(inner.to_string(), |stem| format!("{stem}.js"));
        let tries = SOURCE_FOLDERS.iter().map(|source| joined(&joined(folder, source), &inner));
        let mut found = tries.filter_map(|path| normal(&path)).map(|path| self.scripts_at(language, &path));
        found.find(|found| !found.is_empty())
    }

    /// Returns whether a module is called as one of this repository: by the name of a package here,
    /// or by a path that settings map.
    pub(in crate::resolve) fn is_own_module(&self, module: &str) -> Result<bool> {
        let modules = self.modules()?;
        let is_mapped = |(_, pattern, target): &(String, String, String)| {
            pattern != "*" && substituted(pattern, target, module).is_some()
        };
        Ok(modules.package_path(module).is_some() || modules.mappings.iter().any(is_mapped))
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
