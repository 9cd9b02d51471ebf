//! Paths as they are given: a file, a folder, or the unique end of one.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::query::filter::Filter;
use crate::query::near_names::is_typo;
use crate::store::Snapshot;

/// A file or folder of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewPath {
    /// A file.
    File(String),
    /// A folder; the root is the empty path.
    Folder(String),
}

/// Resolves a path argument to a file or folder: the path itself, or the only one that ends with
/// it. Of a file and a folder with the same end, it is the file.
pub fn resolve_file_or_folder(snapshot: &Snapshot, path: &str) -> Result<ViewPath> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    if path.is_empty() || path == "." {
        return Ok(ViewPath::Folder(String::new()));
    }
    if snapshot.version_at(path).is_none() && snapshot.has_folder(path) {
        return Ok(ViewPath::Folder(path.to_string()));
    }
    match resolve_path(snapshot, path) {
        Ok(file) => Ok(ViewPath::File(file)),
        Err(error @ Error::FileNotFound { .. }) => folder_ending(snapshot, path)?.map(ViewPath::Folder).ok_or(error),
        Err(error) => Err(error),
    }
}

/// Returns the files with facts below a folder, in the order of paths; the empty path is the root.
pub fn paths_below<'view>(snapshot: &'view Snapshot, folder: &str) -> Result<Vec<&'view str>> {
    let without_facts: BTreeSet<String> = snapshot.skipped_versions()?.into_iter().map(|(path, _)| path).collect();
    let paths = snapshot.files_below(folder).iter().map(|(path, _)| path.as_str());
    Ok(paths.filter(|path| !without_facts.contains(*path)).collect())
}

/// The only folder whose path ends with `end`.
fn folder_ending(snapshot: &Snapshot, end: &str) -> Result<Option<String>> {
    let inside = format!("/{end}/");
    let folder_of = |path: &str| path.find(&inside).map(|at| path[..at + inside.len() - 1].to_string());
    let folders: BTreeSet<String> = snapshot.paths().filter_map(folder_of).collect();
    let mut candidates: Vec<String> = folders.into_iter().collect();
    if candidates.len() > 1 {
        candidates.sort_by_key(|known| (known.len(), known.clone()));
        return Err(Error::AmbiguousPath { path: end.to_string(), candidates });
    }
    Ok(candidates.pop())
}

/// Resolves a path argument to an indexed path: the path itself, or the only one that ends with it.
pub fn resolve_path(snapshot: &Snapshot, path: &str) -> Result<String> {
    let path = path.trim_start_matches("./");
    if path.is_empty() {
        return Err(Error::InvalidInput("the path is empty".into()));
    }
    if snapshot.version_at(path).is_some() {
        return Ok(path.to_string());
    }
    let ends = |known: &str| known.strip_suffix(path).is_some_and(|head| head.ends_with('/'));
    let mut candidates: Vec<String> = snapshot.paths().filter(|known| ends(known)).map(str::to_string).collect();
    match candidates.len() {
        0 => Err(file_not_found(snapshot, path)),
        1 => Ok(candidates.remove(0)),
        _ => {
            candidates.sort_by_key(|known| (known.len(), known.clone()));
            Err(Error::AmbiguousPath { path: path.to_string(), candidates })
        }
    }
}

/// The error for a path that is not in the view, with paths that look alike.
pub(crate) fn file_not_found(snapshot: &Snapshot, path: &str) -> Error {
    let suggestions = similar_paths(snapshot, path);
    Error::FileNotFound { path: path.to_string(), reason: None, suggestions }
}

/// Checks that some file of the view fits the paths that an answer is restricted to.
pub fn require_paths(snapshot: &Snapshot, filter: &Filter) -> Result<()> {
    for patterns in [&filter.paths, &filter.path_regexes] {
        let fits = |path: &str| patterns.iter().any(|pattern| pattern.matches(path));
        if let Some(first) = patterns.first()
            && !snapshot.paths().chain(snapshot.oversized_paths()).any(fits)
        {
            let (pattern, names) = (first.as_str().to_string(), first.as_str().rsplit(['/', '\\']));
            let is_name = |name: &&str| !name.is_empty() && !name.contains(['*', '?', '[', '{', '(', '^', '$']);
            let near = names.filter(is_name).map(|name| similar_paths(snapshot, name));
            let suggestions = near.into_iter().find(|near| !near.is_empty()).unwrap_or_default();
            return Err(Error::NoFileMatches { pattern, suggestions });
        }
    }
    Ok(())
}

/// Returns the paths of files and folders that look like `path`, the likeliest first.
pub(crate) fn similar_paths(snapshot: &Snapshot, path: &str) -> Vec<String> {
    const MAX_SHOWN: usize = 5;
    let name = name_of(path).to_lowercase();
    if name.is_empty() {
        return Vec::new();
    }
    let mut found: BTreeSet<(NameLikeness, usize, &str)> = BTreeSet::new();
    let mut folder_before = "";
    for known in snapshot.paths() {
        found.extend(likeness(&name, name_of(known)).map(|like| (like, known.len(), known)));
        let folder = known.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder != folder_before {
            folder_before = folder;
            let above = folder.match_indices('/').map(|(at, _)| &folder[..at]).chain([folder]);
            let above = above.filter(|folder| !folder.is_empty());
            found.extend(above.filter_map(|above| Some((likeness(&name, name_of(above))?, above.len(), above))));
        }
    }
    found.into_iter().take(MAX_SHOWN).map(|(_, _, path)| path.to_string()).collect()
}

/// The way in which a name is like another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameLikeness {
    Same,
    Typo,
    Part,
}

fn likeness(name: &str, known: &str) -> Option<NameLikeness> {
    const MIN_BYTES: usize = 4;
    let known = known.to_lowercase();
    match () {
        () if known == name => Some(NameLikeness::Same),
        () if name.len() < MIN_BYTES => None,
        () if is_typo(name, &known) => Some(NameLikeness::Typo),
        () if known.contains(name) => Some(NameLikeness::Part),
        () => None,
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns whether a file is named after a definition.
pub(crate) fn is_named_after(path: &str, name: &str) -> bool {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike() {
        assert_eq!(likeness("store.rs", "Store.rs"), Some(NameLikeness::Same));
        assert_eq!(likeness("stroe.rs", "store.rs"), Some(NameLikeness::Typo));
        assert_eq!(likeness("store", "store_test.rs"), Some(NameLikeness::Part));
        assert_eq!(likeness("a.rs", "b.rs"), Some(NameLikeness::Typo));
        assert_eq!(likeness("a.c", "b.c"), None);
        assert_eq!(likeness("store.rs", "engine.rs"), None);
    }
}
