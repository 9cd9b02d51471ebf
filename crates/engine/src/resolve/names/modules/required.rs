//! Files that imports name by their paths, from the folder of the importing file or from the load
//! paths of projects.

use crate::error::Result;
use crate::model::VersionId;
use crate::resolve::Resolver;
use crate::resolve::entity::{Entity, Module};
use crate::resolve::file::FileView;
use crate::resolve::names::modules::layout::{folder_of, joined, normal};

impl Resolver<'_> {
    /// Returns the files that an import names by a path; `External` when there is none.
    pub(super) fn required_files(&self, file: &FileView, path: &str) -> Result<Vec<Entity>> {
        let is_near = path.starts_with('.') || file.rules().load_paths.is_empty();
        let found = if is_near { self.required_here(file, path) } else { self.required_from_roots(file, path)? };
        if found.is_empty() {
            return Ok(vec![Entity::External]);
        }
        Ok(found.into_iter().map(|version| Entity::Module(Module::File(version))).collect())
    }

    /// Returns the file at a path from the folder of the importing file.
    fn required_here(&self, file: &FileView, path: &str) -> Vec<VersionId> {
        let near = normal(&joined(folder_of(&file.path), path.trim_start_matches('/'))).unwrap_or_default();
        let at_root = path.trim_start_matches(['.', '/']).to_string();
        let places: &[String] = if path.starts_with('.') { &[near] } else { &[near, at_root] };
        let extensions = file.language.extensions().iter();
        let endings: Vec<String> =
            std::iter::once(String::new()).chain(extensions.map(|extension| format!(".{extension}"))).collect();
        for place in places.iter().filter(|place| !place.is_empty()) {
            for ending in &endings {
                if let Some(version) = self.snapshot.version_at(&format!("{place}{ending}")) {
                    return vec![version];
                }
            }
        }
        Vec::new()
    }

    /// Returns the files at a path from the first folder on the load paths that has one: those of
    /// the file's own project, or else the first load path of any project.
    fn required_from_roots(&self, file: &FileView, path: &str) -> Result<Vec<VersionId>> {
        let load_paths = &file.rules().load_paths;
        let last = path.rsplit('/').next().unwrap_or(path);
        let mut best: Vec<VersionId> = Vec::new();
        let mut best_rank = None;
        for version in self.modules()?.files_called(self.snapshot, last) {
            let candidate = self.snapshot.path_of(*version).unwrap_or("");
            let extension = candidate.rsplit_once('.').map_or("", |(_, extension)| extension);
            if !file.language.extensions().iter().any(|known| known == extension) {
                continue;
            }
            let Some((root, project)) = load_path_of(candidate, path, load_paths) else { continue };
            let is_own = project.is_empty() || file.path.starts_with(&format!("{project}/"));
            // Tests of another project are not on the load path.
            if !is_own && root > 0 {
                continue;
            }
            let rank = Some((if is_own { project.len() + 1 } else { 0 }, usize::MAX - root));
            if rank > best_rank {
                (best, best_rank) = (Vec::new(), rank);
            }
            if rank == best_rank {
                best.push(*version);
            }
        }
        Ok(best)
    }
}

/// Returns the number of the load path that `candidate` is at `path` of, and the folder of the
/// project that has it.
fn load_path_of<'path>(candidate: &'path str, path: &str, load_paths: &[String]) -> Option<(usize, &'path str)> {
    let stem = candidate.rsplit_once('.').map_or(candidate, |(stem, _)| stem);
    let root = candidate.strip_suffix(path).or_else(|| stem.strip_suffix(path))?.strip_suffix('/')?;
    load_paths.iter().enumerate().find_map(|(number, load_path)| {
        let project = root.strip_suffix(load_path.as_str())?;
        if project.is_empty() { Some((number, project)) } else { Some((number, project.strip_suffix('/')?)) }
    })
}
