//! The files and packages that most others import.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::Role;
use crate::query::navigate::Navigator;
use crate::query::relations::imports::{ImportGraph, Unit};
use crate::resolve::ImportTarget;

/// A file, or a folder where packages are folders, and the number of its importers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CentralUnit {
    /// The path of the file or folder.
    pub path: String,
    /// True for a folder.
    pub is_folder: bool,
    /// The number of source files that import it.
    pub importers: usize,
}

/// Returns the files and packages with more than one importer among source files, most first.
pub(super) fn central_units(navigator: &Navigator<'_>) -> Result<Vec<CentralUnit>> {
    let (snapshot, graph) = (navigator.snapshot(), ImportGraph::new(navigator));
    let is_source = |path: &str| -> Result<bool> {
        Ok(match snapshot.version_at(path) {
            Some(version) => snapshot.file_info(version)?.role == Role::Source,
            None => crate::scan::role(&format!("{path}/x")) == Role::Source,
        })
    };
    let mut counts: FxHashMap<Unit, usize> = FxHashMap::default();
    for (path, version) in snapshot.files() {
        if !is_source(path)? {
            continue;
        }
        let mut targets: FxHashSet<Unit> = FxHashSet::default();
        for edge in graph.of_file(*version)?.iter() {
            match &edge.to {
                ImportTarget::File(target) => targets.insert(graph.unit_of(*target)?),
                ImportTarget::Folder(folder) => targets.insert(Unit::Folder(folder.clone())),
                ImportTarget::External | ImportTarget::Unresolved => false,
            };
        }
        targets.remove(&graph.unit_of(*version)?);
        targets.into_iter().for_each(|unit| *counts.entry(unit).or_default() += 1);
    }
    let mut found = Vec::new();
    for (unit, importers) in counts.into_iter().filter(|(_, importers)| *importers > 1) {
        let path = graph.path(&unit);
        if is_source(&path)? {
            found.push(CentralUnit { is_folder: matches!(unit, Unit::Folder(_)), path, importers });
        }
    }
    found.sort_by(|a, b| b.importers.cmp(&a.importers).then_with(|| a.path.cmp(&b.path)));
    Ok(found)
}
