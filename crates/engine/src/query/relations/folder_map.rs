//! The folders and files directly below a folder, and which of them import which others.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::query::navigate::Navigator;
use crate::query::relations::cycles;
use crate::query::relations::imports::ImportGraph;
use crate::resolve::ImportTarget;

/// Files whose imports are looked at; the others count as files only.
const MAX_FILES: usize = 20_000;

/// The entries directly below a folder, and their imports of each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderMap {
    /// In the order of paths.
    pub nodes: Vec<FolderNode>,
    /// In the order of `from` and `to`.
    pub edges: Vec<FolderEdge>,
    /// True if there are so many files that not all imports were looked at.
    pub is_cut: bool,
}

/// A folder or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderNode {
    /// The whole path.
    pub path: String,
    /// True if it is a folder.
    pub is_folder: bool,
    /// The number of files in it.
    pub files: usize,
}

/// Imports of one of them by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEdge {
    /// The importing one.
    pub from: String,
    /// The imported one.
    pub to: String,
    /// The number of files with such an import.
    pub files: usize,
    /// The first import: a path and a line.
    pub first: (String, u32),
    /// True if imports lead back from `to` to `from`.
    pub is_circular: bool,
}

/// Maps the folder `below`; the root is the empty path.
pub fn folder_map(navigator: &Navigator<'_>, below: &str) -> Result<FolderMap> {
    let snapshot = navigator.snapshot();
    let graph = ImportGraph::new(navigator);
    let below = below.trim_matches('/');
    let mut map = FolderMap::default();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    for (path, _) in snapshot.files() {
        let Some((unit, is_folder)) = unit_below(path, below) else { continue };
        let at = *numbers.entry(unit.to_string()).or_insert_with(|| {
            map.nodes.push(FolderNode { path: unit.to_string(), is_folder, files: 0 });
            map.nodes.len() - 1
        });
        map.nodes[at].files += 1;
    }
    let mut edges: BTreeMap<(usize, usize), (usize, (String, u32))> = BTreeMap::new();
    for (looked_at, (path, version)) in snapshot.files().iter().enumerate() {
        let Some(from) = unit_below(path, below).and_then(|(unit, _)| numbers.get(unit)).copied() else { continue };
        if looked_at >= MAX_FILES {
            map.is_cut = true;
            break;
        }
        let mut seen = Vec::new();
        for edge in graph.of_file(*version)?.iter() {
            let target = match &edge.to {
                ImportTarget::File(target) => snapshot.path_of(*target).unwrap_or("").to_string(),
                // A folder is meant as a whole, so its own name must be below, too.
                ImportTarget::Folder(folder) => format!("{folder}/"),
                ImportTarget::External | ImportTarget::Unresolved => continue,
            };
            let Some(to) = unit_below(&target, below).and_then(|(unit, _)| numbers.get(unit)).copied() else {
                continue;
            };
            if to != from && !seen.contains(&to) {
                seen.push(to);
                edges.entry((from, to)).or_insert_with(|| (0, (path.clone(), edge.line))).0 += 1;
            }
        }
    }
    let knots = knots(map.nodes.len(), edges.keys().copied());
    map.edges = edges
        .into_iter()
        .map(|((from, to), (files, first))| FolderEdge {
            from: map.nodes[from].path.clone(),
            to: map.nodes[to].path.clone(),
            files,
            first,
            is_circular: knots[from].is_some() && knots[from] == knots[to],
        })
        .collect();
    Ok(map)
}

/// Returns the path of what stands directly below the folder `below` and holds `path`, and whether
/// it is a folder.
fn unit_below<'p>(path: &'p str, below: &str) -> Option<(&'p str, bool)> {
    let rest = if below.is_empty() { path } else { path.strip_prefix(below)?.strip_prefix('/')? };
    let start = path.len() - rest.len();
    match rest.find('/') {
        Some(end) => Some((&path[..start + end], true)),
        None => Some((path, false)),
    }
}

/// Returns for each node the number of the knot that it belongs to.
fn knots(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Option<usize>> {
    let mut graph = vec![Vec::new(); count];
    edges.for_each(|(from, to)| graph[from].push(to));
    let mut of = vec![None; count];
    for (number, knot) in cycles::knots(&graph).into_iter().enumerate() {
        knot.into_iter().for_each(|node| of[node] = Some(number));
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(unit_below("a/b/c.py", ""), Some(("a", true)));
        assert_eq!(unit_below("c.py", ""), Some(("c.py", false)));
        assert_eq!(unit_below("a/b/c.py", "a"), Some(("a/b", true)));
        assert_eq!(unit_below("a/c.py", "a"), Some(("a/c.py", false)));
        assert_eq!(unit_below("ab/c.py", "a"), None);
        assert_eq!(unit_below("a/b/", "a"), Some(("a/b", true)));
    }
}
