//! Exports of a file that have no name, and the words by which other files may import them.

use codecompass_syntax::facts::{Import, Visibility};

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module, Symbol};
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::names::modules::layout::folder_of;

/// The file that a path of a folder means.
const FOLDER_STEM: &str = "index";

impl Resolver<'_> {
    /// Returns the default export of a file that has no definition of that name.
    pub(super) fn default_of(&self, file: &FileView, depth: usize) -> Result<Vec<Entity>> {
        let top = || file.definitions().iter().enumerate().filter(|(_, definition)| definition.parent.is_none());
        let marked: Vec<u32> =
            top().filter(|(_, d)| d.modifiers.contains("default")).map(|(ordinal, _)| ordinal as u32).collect();
        if !marked.is_empty() {
            return Ok(marked.into_iter().map(|ordinal| self.entity(file, ordinal)).collect());
        }
        let rules = file.rules();
        for name in [&rules.default_export, &rules.whole_export] {
            let found = self.imported_as(file, name, depth)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        // An expression that is exported stands apart from the definition in it, which is often
        // called as the file is.
        let stem = stem_of(&file.path);
        let public = top().filter(|(_, d)| d.visibility == Visibility::Public);
        let called: Vec<u32> = public
            .filter(|(_, d)| d.name.eq_ignore_ascii_case(stem) || d.name.eq_ignore_ascii_case(&stem.replace('-', "")))
            .map(|(ordinal, _)| ordinal as u32)
            .collect();
        if !called.is_empty() {
            self.inference.guess();
        }
        Ok(called.into_iter().map(|ordinal| self.entity(file, ordinal)).collect())
    }

    /// Returns whether a file exports something else than these definitions under their name: it
    /// does not export them, and gives the name to another.
    pub(super) fn is_given_away(&self, file: &FileView, name: &str, defined: &[Entity]) -> bool {
        let is_exported = |entity: &Entity| {
            file.own_definition(entity).is_none_or(|definition| definition.visibility != Visibility::Private)
        };
        let gives = |import: &Import| import.reexport && import.alias.as_deref() == Some(name);
        !defined.iter().any(is_exported) && file.outline.imports.iter().any(gives)
    }

    /// Returns what a file exports under a name that it does not define.
    fn imported_as(&self, file: &FileView, name: &str, depth: usize) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        let is_named = |import: &Import| {
            import.reexport
                && import.alias.as_deref().or(import.name.as_deref()).is_some_and(|bound| bound == name)
                && !name.is_empty()
        };
        for (number, import) in file.outline.imports.iter().enumerate().filter(|(_, import)| is_named(import)) {
            found.extend(
                self.inference.follow((file.version, number), || self.imported_with_whole(file, import, depth))?,
            );
        }
        Ok(found)
    }

    /// Returns what an import brings in; of a whole module also the value that it is.
    pub(super) fn imported_with_whole(&self, file: &FileView, import: &Import, depth: usize) -> Result<Vec<Entity>> {
        let mut found = self.imported(file, import, depth)?;
        if import.name.is_some() || import.alias.is_none() {
            return Ok(found);
        }
        for at in 0..found.len() {
            let Entity::Module(Module::File(version)) = found[at] else { continue };
            let Some(target) = self.file(version)? else { continue };
            let whole = self.imported_as(&target, &target.rules().whole_export, depth + 1)?;
            found.extend(whole.into_iter().filter(|entity| matches!(entity, Entity::Symbol(_))));
        }
        Ok(found)
    }

    /// Returns the members called `name` of the object that a file exports as a whole.
    pub(super) fn member_of_whole(&self, file: &FileView, name: &str, depth: usize) -> Result<Vec<Entity>> {
        let whole = &file.rules().whole_export;
        let mut found = Vec::new();
        for entity in self.imported_as(file, whole, depth + 1)? {
            let Entity::Symbol(object) = entity else { continue };
            if self.definition(object)?.is_some_and(|(_, definition)| definition.kind.is_value()) {
                found.extend(self.members(object, name)?.into_iter().map(Entity::Symbol));
            }
        }
        Ok(found)
    }

    /// Returns whether a file exports one of these definitions without a name.
    pub(crate) fn is_default_export(&self, version: VersionId, symbols: &[Symbol]) -> Result<bool> {
        let Some(file) = self.outline(version)? else { return Ok(false) };
        let rules = file.rules();
        if rules.default_export.is_empty() {
            return Ok(false);
        }
        let is_marked = |symbol: &Symbol| {
            let definition = file.definitions().get(symbol.ordinal as usize).filter(|_| symbol.version == version);
            definition.is_some_and(|one| {
                one.parent.is_none() && (one.modifiers.contains("default") || one.name == rules.default_export)
            })
        };
        let is_exported = |import: &Import| import.reexport && is_default_name(&file, import.alias.as_deref());
        let passes_on = |import: &Import| import.reexport && import.name.as_deref() == Some(&rules.default_export);
        if symbols.iter().any(is_marked) {
            return Ok(true);
        }
        if !file.outline.imports.iter().any(|import| is_exported(import) || passes_on(import) && import.alias.is_none())
        {
            return Ok(false);
        }
        let Some(file) = self.file(version)? else { return Ok(false) };
        self.inference.begin();
        let found = self.default_of(&file, 0)?;
        Ok(found.iter().any(|entity| matches!(entity, Entity::Symbol(symbol) if symbols.contains(symbol))))
    }

    /// Returns words one of which stands in every import of a file: the last parts of the paths and
    /// package names that mean it.
    pub(crate) fn import_words(&self, path: &str) -> Result<Vec<String>> {
        let mut words = vec![stem_of(path).to_string()];
        if stands_for_folder(path) {
            words.extend(folder_of(path).rsplit('/').next().map(str::to_string));
        }
        let modules = self.modules()?;
        let holds = |folder: &str| folder.is_empty() || path.starts_with(&format!("{folder}/"));
        let packages = modules.packages.iter().filter(|(_, folder)| holds(folder)).map(|(name, _)| name);
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let is_whole = |target: &str| target == path || target == stem;
        let mapped = modules.mappings.iter().filter(|(_, _, target)| is_whole(target)).map(|(_, pattern, _)| pattern);
        for name in packages.chain(mapped) {
            words.extend(name.rsplit('/').next().map(|last| stem_of(last).to_string()));
        }
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        words.dedup();
        Ok(words)
    }
}

/// Returns whether a name is that of what a file exports without one.
pub(crate) fn is_default_name(file: &FileOutline, name: Option<&str>) -> bool {
    let rules = file.rules();
    name.is_some_and(|name| !name.is_empty() && (name == rules.default_export || name == rules.whole_export))
}

/// Returns whether a file is meant by the path of its folder.
pub(crate) fn stands_for_folder(path: &str) -> bool {
    stem_of(path) == FOLDER_STEM
}

/// Returns the name of a file without what follows its first dot.
fn stem_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or("").split('.').next().unwrap_or("")
}
