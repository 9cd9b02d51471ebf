//! Modules named by dotted paths: `a.b.c` is `a/b/c.py` below a folder that is no package, `.c`
//! stands beside the importer.

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::file::FileView;
use crate::resolve::names::modules::layout::{Modules, folder_of};
use crate::store::Snapshot;
use codecompass_syntax::Language;
use rustc_hash::{FxHashMap, FxHashSet};

/// The dotted names of all files of `language`: from the outermost package, and from the root of
/// the view.
fn dotted_names(snapshot: &Snapshot, language: &Language) -> FxHashMap<String, VersionId> {
    let is_ours = |path: &str| {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        language.extensions().iter().any(|known| known == extension)
    };
    let index = language_index(language);
    let packages: FxHashSet<&str> = snapshot
        .files()
        .iter()
        .filter(|(path, _)| is_ours(path) && stem(path) == index)
        .map(|(path, _)| folder_of(path))
        .collect();
    let mut names: FxHashMap<String, VersionId> = FxHashMap::default();
    for (path, version) in snapshot.files().iter().filter(|(path, _)| is_ours(path)) {
        let module = if stem(path) == index {
            folder_of(path)
        } else {
            path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem)
        };
        let mut root = folder_of(module);
        while packages.contains(root) && !root.is_empty() {
            root = folder_of(root);
        }
        let inside = module.strip_prefix(root).unwrap_or(module).trim_start_matches('/');
        for name in [inside, module] {
            let name = name.replace('/', ".");
            // A stub and its module: the one with the code wins.
            let is_better = |known: &VersionId| {
                snapshot.path_of(*known).is_some_and(|known| known.ends_with('i') && !path.ends_with('i'))
            };
            if names.get(&name).is_none_or(is_better) {
                names.insert(name, *version);
            }
        }
    }
    names
}

/// The stem of the file that makes a folder a package.
fn language_index(language: &Language) -> &str {
    language.index_stems().first().map_or("", String::as_str)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Modules {
    fn dotted(&self, snapshot: &Snapshot, language: &Language) -> &FxHashMap<String, VersionId> {
        self.dotted.get_or_init(|| dotted_names(snapshot, language))
    }

    /// The first parts of all dotted names.
    pub(super) fn dotted_roots(&self, snapshot: &Snapshot, language: &Language) -> &FxHashSet<String> {
        self.dotted_roots.get_or_init(|| {
            let names = self.dotted(snapshot, language).keys();
            names.map(|name| name.split('.').next().unwrap_or(name).to_string()).collect()
        })
    }
}

impl Resolver<'_> {
    pub(super) fn dotted_module(&self, file: &FileView, module: &str) -> Result<Vec<Entity>> {
        let dots = module.len() - module.trim_start_matches('.').len();
        let rest = &module[dots..];
        let (path, absolute) = match dots {
            0 => (rest.replace('.', "/"), true),
            _ => {
                let mut folder = folder_of(&file.path);
                for _ in 1..dots {
                    folder = folder_of(folder);
                }
                let rest = rest.replace('.', "/");
                let path = if rest.is_empty() {
                    folder.to_string()
                } else {
                    crate::resolve::names::modules::layout::joined(folder, &rest)
                };
                (path, false)
            }
        };
        if !absolute {
            return Ok(self.file_at(file.language, &path)?.into_iter().collect());
        }
        let names = self.modules()?.dotted(self.snapshot, file.language);
        if let Some(version) = names.get(rest) {
            return Ok(vec![Entity::Module(Module::File(*version))]);
        }
        // A script imports what stands beside it; a file of a package does not.
        let folder = folder_of(&file.path);
        let index = language_index(file.language);
        let is_package = file.language.extensions().iter().any(|extension| {
            self.snapshot
                .version_at(&crate::resolve::names::modules::layout::joined(folder, &format!("{index}.{extension}")))
                .is_some()
        });
        let beside = crate::resolve::names::modules::layout::joined(folder, &path);
        let is_script = !is_package && !rest.is_empty();
        if let Some(found) = self.file_at(file.language, &beside)?.filter(|_| is_script) {
            return Ok(vec![found]);
        }
        // A folder without an index file of its own.
        let prefix = format!("{rest}.");
        let is_folder = names.keys().any(|name| name.starts_with(&prefix));
        Ok(vec![if is_folder { Entity::Module(Module::Folder(path)) } else { Entity::External }])
    }

    /// The module at a path without its extension.
    pub(super) fn file_at(&self, language: &Language, path: &str) -> Result<Option<Entity>> {
        for extension in language.extensions() {
            for candidate in [
                format!("{path}.{extension}"),
                crate::resolve::names::modules::layout::joined(
                    path,
                    &format!("{}.{extension}", language_index(language)),
                ),
            ] {
                if let Some(version) = self.snapshot.version_at(&candidate) {
                    return Ok(Some(Entity::Module(Module::File(version))));
                }
            }
        }
        let is_folder = !self.modules()?.in_folder(path).is_empty();
        Ok(is_folder.then(|| Entity::Module(Module::Folder(path.to_string()))))
    }

    /// A module below another: a file or folder of that name beside its index file.
    pub(in crate::resolve) fn dotted_below(
        &self,
        module: &Module,
        name: &str,
        language: &Language,
    ) -> Result<Option<Entity>> {
        let folder = match module {
            Module::Folder(folder) => folder.as_str(),
            Module::File(version) => match self.snapshot.path_of(*version) {
                Some(path) if stem(path) == language_index(language) => folder_of(path),
                _ => return Ok(None),
            },
            Module::Inline(_) => return Ok(None),
        };
        self.file_at(language, &crate::resolve::names::modules::layout::joined(folder, name))
    }
}
