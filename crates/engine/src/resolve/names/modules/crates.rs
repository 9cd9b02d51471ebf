//! Trees of modules: `crate::a::b` starts at the root file of the importer's crate, `other::a` at
//! another crate's.

use codecompass_syntax::facts::Kind;

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module, Symbol};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::names::modules::layout::{Modules, folder_of, joined};

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Modules {
    /// Returns whether a file is the root of its crate by its place.
    fn is_root(&self, path: &str) -> bool {
        let folder = folder_of(path);
        let (outer, last) = folder.rsplit_once('/').unwrap_or(("", folder));
        let is_crate = |folder: &str| self.crates.values().flatten().any(|known| known == folder);
        match stem(path) {
            "mod" => false,
            "main" => true,
            "lib" => last == "src" || is_crate(folder),
            "build" => is_crate(folder),
            _ => match last {
                "tests" | "examples" | "benches" => is_crate(outer),
                "bin" => outer.ends_with("src"),
                _ => false,
            },
        }
    }

    /// The folder that holds the submodules of a file.
    pub(in crate::resolve) fn inner_folder(&self, path: &str) -> String {
        if self.is_root(path) || stem(path) == "mod" {
            folder_of(path).to_string()
        } else {
            joined(folder_of(path), stem(path))
        }
    }
}

impl Resolver<'_> {
    /// Resolves a path such as `crate::a::b`, seen from a line of a file.
    pub(super) fn crate_path(&self, file: &FileView, line: u32, path: &str) -> Result<Vec<Entity>> {
        self.module_path(file, file.module_of_line(line), path)
    }

    /// Resolves a path such as `crate::a::b`, seen from a module of a file.
    pub(in crate::resolve) fn module_path(
        &self,
        file: &FileView,
        module: Option<u32>,
        path: &str,
    ) -> Result<Vec<Entity>> {
        let mut segments = path.split("::").filter(|segment| !segment.is_empty());
        let Some(first) = segments.next() else { return Ok(vec![Entity::External]) };
        let here = match module {
            Some(ordinal) => Module::Inline(Symbol { version: file.version, ordinal }),
            None => Module::File(file.version),
        };
        let rules = file.rules();
        let is = |words: &[String], segment: &str| words.iter().any(|word| word == segment);
        let mut at = match first {
            root if is(&rules.root_words, root) => self.crate_root(file)?,
            own if is(&rules.here_words, own) => vec![Entity::Module(here)],
            outer if is(&rules.parent_words, outer) => {
                self.parent_module(file, &here)?.into_iter().map(Entity::Module).collect()
            }
            name => {
                let ordinal = if let Module::Inline(symbol) = &here { Some(symbol.ordinal) } else { None };
                // A crate of this name is meant unless the file has something of it.
                let known = self.crate_named(file, name)?;
                let mut local = if known.contains(&Entity::External) {
                    self.named_in_file(file, ordinal, name, 0)?
                } else {
                    Vec::new()
                };
                let is_outside = known.contains(&Entity::External) && !is(&rules.standard_modules, name);
                if local.is_empty() && is_outside {
                    // What is imported as a whole may bring a module of this name.
                    local = self.inference.in_wildcards(|| self.in_file(file, ordinal, name, 0))?;
                }
                let local: Vec<Entity> = local.into_iter().filter(|e| *e != Entity::External).collect();
                if local.is_empty() { known } else { local }
            }
        };
        for segment in segments {
            let mut next = Vec::new();
            for entity in &at {
                match entity {
                    Entity::Module(module) if is(&rules.parent_words, segment) => {
                        next.extend(self.parent_module(file, module)?.map(Entity::Module));
                    }
                    Entity::Module(module) if is(&rules.here_words, segment) => {
                        next.push(Entity::Module(module.clone()))
                    }
                    Entity::Module(module) => next.extend(self.in_module(module, segment, file.language, 1)?),
                    Entity::Symbol(symbol) => {
                        next.extend(self.members(*symbol, segment)?.into_iter().map(Entity::Symbol));
                    }
                    Entity::External => next.push(Entity::External),
                }
            }
            at = next;
        }
        Ok(at)
    }

    /// A crate of this repository by name; `External` when there is none.
    pub(in crate::resolve) fn crate_named(&self, file: &FileView, name: &str) -> Result<Vec<Entity>> {
        for folder in self.modules()?.crates.get(name).into_iter().flatten() {
            for root in &file.rules().crate_files {
                if let Some(version) = self.snapshot.version_at(&joined(folder, root)) {
                    return Ok(vec![Entity::Module(Module::File(version))]);
                }
            }
        }
        Ok(vec![Entity::External])
    }

    pub(in crate::resolve) fn crate_root(&self, file: &FileOutline) -> Result<Vec<Entity>> {
        let mut path = file.path.as_str();
        if self.modules()?.is_root(path) {
            return Ok(vec![Entity::Module(Module::File(file.version))]);
        }
        loop {
            let folder = folder_of(path);
            for root in &file.rules().crate_root_files {
                if let Some(version) = self.snapshot.version_at(&joined(folder, root)) {
                    return Ok(vec![Entity::Module(Module::File(version))]);
                }
            }
            if folder.is_empty() {
                return Ok(Vec::new());
            }
            path = folder;
        }
    }

    fn parent_module(&self, file: &FileView, module: &Module) -> Result<Option<Module>> {
        match module {
            Module::Inline(symbol) => {
                let Some((file, definition)) = self.definition(*symbol)? else { return Ok(None) };
                let outer = file.outwards(definition.parent).find(|(_, outer)| outer.kind == Kind::Module);
                Ok(Some(match outer {
                    Some((ordinal, _)) => Module::Inline(Symbol { version: symbol.version, ordinal }),
                    None => Module::File(symbol.version),
                }))
            }
            Module::File(version) => {
                let Some(path) = self.snapshot.path_of(*version) else { return Ok(None) };
                let outside = if stem(path) == "mod" { folder_of(folder_of(path)) } else { folder_of(path) };
                for name in &file.rules().folder_module_files {
                    let found = self.snapshot.version_at(&joined(outside, name)).filter(|found| found != version);
                    if let Some(found) = found {
                        return Ok(Some(Module::File(found)));
                    }
                }
                let beside = format!("{outside}.rs");
                Ok(self.snapshot.version_at(&beside).map(Module::File))
            }
            Module::Folder(_) => Ok(None),
        }
    }

    /// The file of `mod name;`, declared in `file` below the inline modules around it.
    pub(in crate::resolve) fn module_file(&self, file: &FileOutline, declared: u32) -> Option<VersionId> {
        let declared = file.definitions().get(declared as usize)?;
        self.module_file_below(file, declared.parent, &declared.name)
    }

    /// The file of a module that is declared in `file` below `parent`.
    pub(in crate::resolve) fn module_file_below(
        &self,
        file: &FileOutline,
        parent: Option<u32>,
        name: &str,
    ) -> Option<VersionId> {
        let mut folder = self.modules().ok()?.inner_folder(&file.path);
        let outer: Vec<&str> = file
            .outwards(parent)
            .filter(|(_, outer)| outer.kind == Kind::Module)
            .map(|(_, outer)| outer.name.as_str())
            .collect();
        for part in outer.iter().rev() {
            folder = joined(&folder, part);
        }
        let candidates = [joined(&folder, &format!("{name}.rs")), joined(&folder, &format!("{name}/mod.rs"))];
        candidates.iter().find_map(|path| self.snapshot.version_at(path))
    }
}
