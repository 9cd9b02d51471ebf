//! The import graph: edges between files of a view, resolved on demand and cached.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use codecompass_syntax::ModuleSystem;
use rustc_hash::FxHashMap;

use crate::cache::locked;
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::navigate::Navigator;
use crate::query::relations::cycles;
use crate::query::relations::file_edge::FileEdge;
use crate::resolve::{ImportTarget, folder_of};

/// Units beyond this many are not looked at for cycles.
const MAX_UNITS: usize = 20_000;
/// Imports beyond this many are not kept between questions.
const KEPT_IMPORTS: usize = 200_000;

/// The import edges of a view.
pub(crate) struct ImportGraph<'graph, 'view> {
    navigator: &'graph Navigator<'view>,
    known: Arc<KnownImports>,
    folders: RefCell<FxHashMap<String, Arc<Vec<VersionId>>>>,
}

/// Imports of files that were resolved, kept for the next question about the same state.
#[derive(Default)]
struct KnownImports(Mutex<FxHashMap<VersionId, Arc<Vec<FileEdge>>>>);

impl Drop for ImportGraph<'_, '_> {
    fn drop(&mut self) {
        let mut known = locked(&self.known.0);
        if known.values().map(|imports| imports.len() + 1).sum::<usize>() > KEPT_IMPORTS {
            known.clear();
        }
    }
}

/// A node of the import graph: a file, or a folder where packages are folders.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Unit {
    File(VersionId),
    Folder(String),
}

/// A cycle of imports: each unit with the place that imports the next one.
pub(crate) type ImportCycle = Vec<(String, String, u32)>;

impl<'graph, 'view> ImportGraph<'graph, 'view> {
    pub(crate) fn new(navigator: &'graph Navigator<'view>) -> ImportGraph<'graph, 'view> {
        ImportGraph { navigator, known: navigator.memo.lists.get_or_default(), folders: RefCell::default() }
    }

    /// Returns the imports of a file, in the order of the source, without imports of itself.
    pub(crate) fn of_file(&self, version: VersionId) -> Result<Arc<Vec<FileEdge>>> {
        if let Some(known) = locked(&self.known.0).get(&version) {
            return Ok(Arc::clone(known));
        }
        let edges = Arc::new(self.find(version)?);
        locked(&self.known.0).insert(version, Arc::clone(&edges));
        Ok(edges)
    }

    fn find(&self, version: VersionId) -> Result<Vec<FileEdge>> {
        let mut edges: Vec<FileEdge> = Vec::new();
        if self.navigator.snapshot().outline(version)?.imports.is_empty() {
            return Ok(edges);
        }
        let Some(file) = self.navigator.resolver.file(version)? else { return Ok(edges) };
        for import in &file.outline.imports {
            let written = match (&import.name, import.module.is_empty()) {
                (Some(name), true) => name.clone(),
                _ => import.module.clone(),
            };
            for to in self.navigator.resolver.import_targets(&file, import)? {
                if to == ImportTarget::File(version) {
                    continue;
                }
                let is_inside = matches!(to, ImportTarget::File(_) | ImportTarget::Folder(_));
                let same = |edge: &FileEdge| edge.to == to && (is_inside || edge.written == written);
                let at = match edges.iter().position(same) {
                    Some(at) => at,
                    None => {
                        edges.push(FileEdge { to, written: written.clone(), line: import.line, names: Vec::new() });
                        edges.len() - 1
                    }
                };
                if let Some(name) = import.name.as_ref().filter(|name| !edges[at].names.contains(name)) {
                    edges[at].names.push(name.clone());
                }
            }
        }
        Ok(edges)
    }

    /// Returns whether a file's package is its folder.
    pub(crate) fn is_packaged(&self, version: VersionId) -> Result<bool> {
        let info = self.navigator.snapshot().file_info(version)?;
        let language = info.language.as_deref().and_then(codecompass_syntax::language_named);
        Ok(language.is_some_and(|language| language.resolve_rules().modules == ModuleSystem::Folders))
    }

    /// Returns the unit that a file belongs to.
    pub(crate) fn unit_of(&self, version: VersionId) -> Result<Unit> {
        let path = self.navigator.snapshot().path_of(version).unwrap_or("");
        Ok(if self.is_packaged(version)? { Unit::Folder(folder_of(path).to_string()) } else { Unit::File(version) })
    }

    /// The files of a package that is a folder, without its tests.
    pub(crate) fn package(&self, folder: &str) -> Result<Arc<Vec<VersionId>>> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return Ok(Arc::clone(known));
        }
        let snapshot = self.navigator.snapshot();
        let mut versions = Vec::new();
        for (path, version) in snapshot.files().iter().filter(|(path, _)| folder_of(path) == folder) {
            let is_test = snapshot.file_info(*version)?.role == Role::Test;
            if !path.is_empty() && !is_test && self.is_packaged(*version)? {
                versions.push(*version);
            }
        }
        let versions = Arc::new(versions);
        self.folders.borrow_mut().insert(folder.to_string(), Arc::clone(&versions));
        Ok(versions)
    }

    /// The path of a unit.
    pub(crate) fn path(&self, unit: &Unit) -> String {
        match unit {
            Unit::File(version) => self.navigator.snapshot().path_of(*version).unwrap_or("").to_string(),
            Unit::Folder(folder) => folder.clone(),
        }
    }

    /// The units that a unit imports, each with the place that does.
    fn imports_of(&self, unit: &Unit) -> Result<Vec<(Unit, VersionId, u32)>> {
        let files = match unit {
            Unit::File(version) => Arc::new(vec![*version]),
            Unit::Folder(folder) => self.package(folder)?,
        };
        let mut found: Vec<(Unit, VersionId, u32)> = Vec::new();
        for version in files.iter() {
            for edge in self.of_file(*version)?.iter() {
                let to = match &edge.to {
                    ImportTarget::File(target) => Unit::File(*target),
                    ImportTarget::Folder(folder) => Unit::Folder(folder.clone()),
                    ImportTarget::External | ImportTarget::Unresolved => continue,
                };
                if to != *unit && !found.iter().any(|(known, ..)| *known == to) {
                    found.push((to, *version, edge.line));
                }
            }
        }
        Ok(found)
    }

    /// The shortest cycle through each of the units that `starts` lead to, shortest first, and the
    /// sizes of the sets of units that all import each other, largest first. Only cycles through
    /// one of `wanted` when there are any.
    pub(crate) fn cycles(&self, starts: Vec<Unit>, wanted: &[Unit]) -> Result<(Vec<ImportCycle>, Vec<usize>)> {
        let mut units: Vec<Unit> = Vec::new();
        let mut numbers: FxHashMap<Unit, usize> = FxHashMap::default();
        let mut add = |unit: Unit, units: &mut Vec<Unit>| {
            *numbers.entry(unit.clone()).or_insert_with(|| {
                units.push(unit);
                units.len() - 1
            })
        };
        starts.into_iter().for_each(|unit| _ = add(unit, &mut units));
        let mut graph: Vec<Vec<usize>> = Vec::new();
        let mut places: FxHashMap<(usize, usize), (VersionId, u32)> = FxHashMap::default();
        while graph.len() < units.len().min(MAX_UNITS) {
            let from = graph.len();
            let mut targets = Vec::new();
            for (unit, version, line) in self.imports_of(&units[from].clone())? {
                let to = add(unit, &mut units);
                if to < MAX_UNITS {
                    targets.push(to);
                    places.insert((from, to), (version, line));
                }
            }
            targets.sort_unstable_by_key(|to| self.path(&units[*to]));
            graph.push(targets);
        }
        graph.resize(units.len(), Vec::new());
        let mut cycles: Vec<ImportCycle> = Vec::new();
        let mut sizes = Vec::new();
        for knot in cycles::knots(&graph) {
            let is_wanted = |at: &usize| wanted.is_empty() || wanted.contains(&units[*at]);
            if !knot.iter().any(is_wanted) {
                continue;
            }
            sizes.push(knot.len());
            for node in knot.iter().copied().filter(is_wanted) {
                let Some(nodes) = cycles::shortest_through(&graph, node, &knot) else { continue };
                let next = nodes.iter().cycle().skip(1);
                let mut cycle: ImportCycle = Vec::new();
                for (from, to) in nodes.iter().zip(next) {
                    let (version, line) = places[&(*from, *to)];
                    let place = self.navigator.snapshot().path_of(version).unwrap_or("").to_string();
                    cycle.push((self.path(&units[*from]), place, line));
                }
                // The same cycle is found from each of its units; it is told from the first by
                // path, or the one asked for.
                if wanted.len() != 1 {
                    let first = (0..cycle.len()).min_by_key(|at| cycle[*at].0.clone()).unwrap_or(0);
                    cycle.rotate_left(first);
                }
                if !cycles.contains(&cycle) {
                    cycles.push(cycle);
                }
            }
        }
        cycles.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        Ok((cycles, sizes))
    }
}
