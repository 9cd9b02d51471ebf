//! Imports between projects, beside the dependencies that manifests declare.

use std::collections::BTreeMap;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::query::filter::project_scope::ProjectScope;
use crate::query::navigate::Navigator;
use crate::query::projects::project_map;
use crate::query::projects::project_map::ProjectMap;
use crate::query::relations::imports::ImportGraph;
use crate::resolve::{ImportTarget, joined};
use crate::scan::Source;

/// One project imports another, or declares that it depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectEdge {
    /// The name of the importing project.
    pub from: String,
    /// The name of the imported project.
    pub to: String,
    /// The number of files that import something of it.
    pub files: usize,
    /// The first import.
    pub first: Option<(String, u32)>,
    /// The place in a manifest that declares the dependency.
    pub declared: Option<(String, u32)>,
}

#[derive(Default)]
struct FoundEdge {
    files: usize,
    first: Option<(String, u32)>,
    declared: Option<(String, u32)>,
}

/// Returns the edges between projects, in the order of their folders; with a scope, those that
/// begin in it, or, reversed, lead to it.
pub fn project_edges(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    scope: Option<&ProjectScope>,
    reverse: bool,
) -> Result<Vec<ProjectEdge>> {
    let snapshot = navigator.snapshot();
    let map = project_map(snapshot, source, config)?;
    let graph = ImportGraph::new(navigator);
    let mut found: BTreeMap<(usize, usize), FoundEdge> = BTreeMap::new();
    for (path, version) in snapshot.files() {
        let Some(from) = map.numbers_of(path).first() else { continue };
        let mut targets: BTreeMap<usize, u32> = BTreeMap::new();
        for edge in graph.of_file(*version)?.iter() {
            let to = match &edge.to {
                ImportTarget::File(target) => snapshot.path_of(*target).and_then(|path| map.numbers_of(path).first()),
                ImportTarget::Folder(folder) => map.numbers_of(&joined(folder, "x")).first(),
                ImportTarget::External | ImportTarget::Unresolved => None,
            };
            if let Some(to) = to.filter(|to| *to != from) {
                targets.entry(*to).or_insert(edge.line);
            }
        }
        for (to, line) in targets {
            let edge = found.entry((*from, to)).or_default();
            edge.files += 1;
            edge.first.get_or_insert_with(|| (path.clone(), line));
        }
    }
    add_declared(&map, &mut found);
    let name = |number: usize| map.projects[number].name.clone();
    let is_asked = |(from, to): &(usize, usize)| {
        let near = if reverse { *to } else { *from };
        scope.is_none_or(|scope| scope.accepts(&joined(&map.projects[near].folder, "x")))
    };
    let found = found.into_iter().filter(|(ends, _)| is_asked(ends));
    Ok(found
        .map(|((from, to), edge)| ProjectEdge {
            from: name(from),
            to: name(to),
            files: edge.files,
            first: edge.first,
            declared: edge.declared,
        })
        .collect())
}

/// Adds the dependencies that manifests declare. Projects that share a folder count as the first.
fn add_declared(map: &ProjectMap, found: &mut BTreeMap<(usize, usize), FoundEdge>) {
    let first = |number: usize| {
        let inside = joined(&map.projects[number].folder, "x");
        map.numbers_of(&inside).first().copied().unwrap_or(number)
    };
    for (number, project) in map.projects.iter().enumerate() {
        for dependency in &project.dependencies {
            let ends = (first(number), first(dependency.number));
            if ends.0 != ends.1 {
                let edge = found.entry(ends).or_default();
                edge.declared.get_or_insert_with(|| (dependency.path.clone(), dependency.line));
            }
        }
    }
}
