//! Imports that lead nowhere: some may still name a module of the repository, one that a build
//! makes, or one on a search path that no manifest names.

use codecompass_syntax::facts::Import;
use codecompass_syntax::{Language, ModuleSystem, language_of};
use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::file::FileView;
use crate::resolve::names::modules::layout::{folder_of, is_marked, joined};

impl Resolver<'_> {
    /// Returns whether the module of an import that was not found could be one of the repository's.
    pub(in crate::resolve) fn may_be_here(&self, file: &FileView, import: &Import) -> Result<bool> {
        let rules = file.rules();
        let module = import.module.trim_matches(['"', '\'', '<', '>']);
        let Some(first) = module.split(['.', '/', ':', '\\']).find(|part| !part.is_empty()) else { return Ok(true) };
        let own_words = [&rules.root_words, &rules.parent_words, &rules.here_words];
        if own_words.iter().any(|words| words.iter().any(|word| word == first)) || is_marked(module) {
            return Ok(true);
        }
        let is_standard =
            |word: &str| rules.standard_modules.iter().any(|name| name == word || is_mark_of(name, module));
        let names = self.path_names();
        Ok(match rules.modules {
            // These look up the whole name, so one that was not found is not here.
            ModuleSystem::Names => false,
            ModuleSystem::Folders => self.may_be_folder(module)?,
            ModuleSystem::Dotted => names.contains(first) && !is_standard(first) && self.may_be_on_path(file, first)?,
            ModuleSystem::Files if self.is_own_module(module)? => true,
            // A path below the name of one (`util/text`) may be the repository's.
            ModuleSystem::Files if is_standard(module) || self.modules()?.depends_on(module) => false,
            // A package with an owner (`@babel/core`) is looked for by both of its names.
            _ => {
                let last = module.rsplit(['.', '/', ':', '\\']).find(|part| !part.is_empty()).unwrap_or(first);
                names.contains(first.trim_start_matches('@')) || names.contains(last) && module.starts_with('@')
            }
        })
    }

    /// Returns whether a folder may be what an import path names: the copy of a package, or any of
    /// its name where no manifest says which paths are the repository's.
    fn may_be_folder(&self, module: &str) -> Result<bool> {
        let modules = self.modules()?;
        let last = module.rsplit('/').next().unwrap_or(module);
        Ok(modules.copied().contains(module) || modules.published.is_empty() && self.path_names().contains(last))
    }

    /// Returns whether a module of a name may be on the search path of a file: as the start of the
    /// name of another module, or in a folder above the file, where a script may be run.
    fn may_be_on_path(&self, file: &FileView, first: &str) -> Result<bool> {
        if self.modules()?.dotted_roots(self.snapshot, file.language).contains(first) {
            return Ok(true);
        }
        let mut folder = folder_of(&file.path);
        loop {
            if self.file_at(file.language, &joined(folder, first))?.is_some() {
                return Ok(true);
            }
            if folder.is_empty() {
                return Ok(false);
            }
            folder = folder_of(folder);
        }
    }

    /// The names of all folders and, without extensions, of all files with code.
    pub(in crate::resolve) fn path_names(&self) -> &FxHashSet<String> {
        self.memo.path_names.get_or_init(|| {
            let mut names = FxHashSet::default();
            for path in self.snapshot.paths().filter(|path| language_of(path, "").is_some_and(Language::is_code)) {
                let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
                names.extend(folders.split('/').filter(|folder| !folder.is_empty()).map(str::to_string));
                names.insert(file.split('.').next().unwrap_or(file).to_string());
            }
            names
        })
    }
}

/// Returns whether a module begins with a mark of standard modules (`node:`).
fn is_mark_of(name: &str, module: &str) -> bool {
    name.ends_with(':') && module.starts_with(name)
}
