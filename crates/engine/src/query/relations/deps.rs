//! Imports of a file, its importers, and import cycles.

use std::collections::VecDeque;

use codecompass_syntax::{language_of, registry};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::model::VersionId;
use crate::query::arguments::name_parts;
use crate::query::files::paths::file_not_found;
use crate::query::filter::PathPattern;
use crate::query::filter::project_scope::ProjectScope;
use crate::query::navigate::{Navigator, reading_rank};
use crate::query::page::Listed;
use crate::query::relations::file_edge::FileEdge;
use crate::query::relations::imports::{ImportGraph, Unit};
use crate::query::relations::related_tests::stem_of;
use crate::resolve::{ImportTarget, folder_of, joined};
use crate::store::Snapshot;

/// Options of `deps`.
#[derive(Clone, Debug)]
pub struct DepsOptions {
    /// True to list importers rather than imports.
    pub reverse: bool,
    /// The number of steps to follow; 1 gives direct imports.
    pub depth: u32,
    /// At most this many edges, and cycles.
    pub limit: usize,
    /// The projects to ask about, where no path is given.
    pub projects: Option<ProjectScope>,
}

/// Imports of or into a file, a folder or a module.
#[derive(Clone, Debug, PartialEq)]
pub struct DepsAnswer {
    /// The file or folder asked about; `None` for the whole view. The root is the empty path.
    pub path: Option<String>,
    /// True if that is a folder.
    pub is_folder: bool,
    /// The folder that stands for the file where packages are folders; importers name it rather
    /// than the file.
    pub package: Option<String>,
    /// Other files that the argument could mean.
    pub others: Vec<String>,
    /// Nearest first, then in the order of paths and lines.
    pub edges: Listed<ImportEdge>,
    /// The number of distinct files and folders of the view that the edges lead to, or, reversed,
    /// come from.
    pub files: usize,
    /// The number of distinct modules outside of the view that the edges lead to.
    pub external: usize,
    /// The number of imports that could not be resolved.
    pub unresolved: usize,
    /// The number of edges within the folder asked about; they are not listed.
    pub inside: usize,
    /// Cycles of imports through what was asked about, shortest first.
    pub cycles: Listed<Cycle>,
    /// The sizes of the sets of files that all import each other, of which the cycles are part;
    /// largest first.
    pub knots: Vec<usize>,
}

/// One file imports another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportEdge {
    /// The distance in steps, 1 for a direct import.
    pub depth: u32,
    /// The importing file.
    pub from: String,
    /// Its line.
    pub line: u32,
    /// The imported file or folder, or the module as written.
    pub to: String,
    /// The kind of target.
    pub kind: EdgeKind,
    /// The names that are imported; empty when the module is imported as a whole.
    pub names: Vec<String>,
}

/// Kinds of import target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// A file of the view.
    File,
    /// A package of the view that is a folder.
    Folder,
    /// Something outside of the view.
    External,
    /// Nothing that could be found.
    Unresolved,
}

impl EdgeKind {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            EdgeKind::File => "file",
            EdgeKind::Folder => "folder",
            EdgeKind::External => "external",
            EdgeKind::Unresolved => "unresolved",
        }
    }
}

/// Files, or packages, that import each other in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Each with the place that imports the next one; the last one's imports the first.
    pub steps: Vec<CycleStep>,
}

/// One import of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleStep {
    /// The file, or the folder where packages are folders.
    pub unit: String,
    /// The importing file.
    pub path: String,
    /// Its line.
    pub line: u32,
}

/// Gives the imports of or into `path`: a file, a unique end of a path, a folder or a module;
/// `None` gives the cycles of the whole view.
pub fn deps(navigator: &Navigator<'_>, path: Option<&str>, options: &DepsOptions) -> Result<DepsAnswer> {
    let snapshot = navigator.snapshot();
    let graph = ImportGraph::new(navigator);
    let mut answer = DepsAnswer {
        path: None,
        is_folder: false,
        package: None,
        others: Vec::new(),
        edges: Listed::default(),
        files: 0,
        external: 0,
        unresolved: 0,
        inside: 0,
        cycles: Listed::default(),
        knots: Vec::new(),
    };
    let scope = match (path, &options.projects) {
        (Some(path), _) => Some(DepsScope::find(snapshot, path)?),
        (None, Some(projects)) => Some(DepsScope::of_projects(snapshot, projects)),
        (None, None) => None,
    };
    let Some(scope) = scope else {
        let units = units(&graph, snapshot.files().iter().map(|(_, version)| *version))?;
        return finish(answer, &graph, units, &[], options);
    };
    let mut found = if options.reverse {
        backward(navigator, &graph, &scope, options, &mut answer)?
    } else {
        forward(&graph, &scope, options, &mut answer)?
    };
    found.sort();
    let ends = |kinds: &[EdgeKind], end: fn(&ImportEdge) -> &str| {
        let ends = found.iter().filter(|edge| kinds.contains(&edge.kind)).map(end);
        ends.collect::<FxHashSet<&str>>().len()
    };
    let near_end: fn(&ImportEdge) -> &str = if options.reverse { |edge| &edge.from } else { |edge| &edge.to };
    answer.files = ends(&[EdgeKind::File, EdgeKind::Folder], near_end);
    answer.external = ends(&[EdgeKind::External], |edge| &edge.to);
    answer.unresolved = ends(&[EdgeKind::Unresolved], |edge| &edge.to);
    answer.edges = Listed::new(found, options.limit);
    if let [version] = scope.files[..]
        && !scope.is_folder
        && let Unit::Folder(folder) = graph.unit_of(version)?
    {
        answer.package = Some(folder);
    }
    let units = units(&graph, scope.files.iter().copied())?;
    answer.path = Some(scope.path);
    answer.is_folder = scope.is_folder;
    answer.others = scope.others;
    finish(answer, &graph, units.clone(), &units, options)
}

fn units(graph: &ImportGraph<'_, '_>, versions: impl Iterator<Item = VersionId>) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for version in versions {
        let unit = graph.unit_of(version)?;
        if units.last() != Some(&unit) {
            units.push(unit);
        }
    }
    Ok(units)
}

fn finish(
    mut answer: DepsAnswer,
    graph: &ImportGraph<'_, '_>,
    starts: Vec<Unit>,
    wanted: &[Unit],
    options: &DepsOptions,
) -> Result<DepsAnswer> {
    let (cycles, knots) = graph.cycles(starts, wanted)?;
    let cycles = cycles.into_iter().map(|cycle| Cycle {
        steps: cycle.into_iter().map(|(unit, path, line)| CycleStep { unit, path, line }).collect(),
    });
    answer.cycles = Listed::new(cycles.collect(), options.limit);
    answer.knots = knots;
    Ok(answer)
}

/// The files that are asked about.
struct DepsScope {
    path: String,
    is_folder: bool,
    files: Vec<VersionId>,
    others: Vec<String>,
    projects: Option<ProjectScope>,
}

impl DepsScope {
    /// The files of projects, without those of projects inside of them.
    fn of_projects(snapshot: &Snapshot, projects: &ProjectScope) -> DepsScope {
        let files = snapshot.files().iter().filter(|(path, _)| projects.accepts(path));
        DepsScope {
            path: projects.folders().next().unwrap_or_default().to_string(),
            is_folder: true,
            files: files.map(|(_, version)| *version).collect(),
            others: Vec::new(),
            projects: Some(projects.clone()),
        }
    }

    fn find(snapshot: &Snapshot, path: &str) -> Result<DepsScope> {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        if let Some(found) = DepsScope::at(snapshot, path)? {
            return Ok(found);
        }
        let ends = |whole: &str, end: &str| whole.strip_suffix(end).is_some_and(|head| head.ends_with('/'));
        if let Some(found) = DepsScope::best(snapshot, snapshot.paths().filter(|known| ends(known, path)).collect())? {
            return Ok(found);
        }
        // The end of a folder's path, or a published path that ends with a folder's.
        let mut folders: Vec<&str> = snapshot.paths().map(folder_of).filter(|folder| !folder.is_empty()).collect();
        folders.dedup();
        folders.retain(|folder| ends(folder, path) || ends(path, folder));
        folders.sort_by_key(|folder| (std::cmp::Reverse(ends(path, folder).then_some(folder.len())), *folder));
        folders.dedup();
        if let Some((best, others)) = folders.split_first()
            && let Some(mut found) = DepsScope::at(snapshot, best)?
        {
            found.others = others.iter().take(5).map(|folder| (*folder).to_string()).collect();
            return Ok(found);
        }
        let is_root = |part: &String| registry::all().iter().any(|it| it.resolve_rules().root_words.contains(part));
        let wanted: Vec<String> = name_parts(path).filter(|part| !is_root(part)).collect();
        let mut files: Vec<&str> = snapshot
            .paths()
            .filter(|known| {
                let module = language_of(known, "").map(|language| language.module_path(known)).unwrap_or_default();
                !wanted.is_empty() && name_parts(&module).collect::<Vec<_>>().ends_with(&wanted)
            })
            .collect();
        // Where all files of a package bear its name, it is their folder.
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        files.iter().for_each(|known| *counts.entry(folder_of(known)).or_default() += 1);
        for known in &mut files {
            let folder = folder_of(known);
            let is_named_so = wanted.last().is_some_and(|last| stem_of(known).eq_ignore_ascii_case(last));
            if counts.get(folder).is_some_and(|count| *count > 1) && !folder.is_empty() && !is_named_so {
                *known = folder;
            }
        }
        DepsScope::best(snapshot, files)?.ok_or_else(|| file_not_found(snapshot, path))
    }

    /// The first of several files and folders, of source before tests, nearest to the root; the
    /// others are told.
    fn best(snapshot: &Snapshot, mut paths: Vec<&str>) -> Result<Option<DepsScope>> {
        let rank = |path: &str| -> Result<u8> {
            Ok(match snapshot.version_at(path) {
                Some(version) => reading_rank(snapshot.file_info(version)?.role),
                None => 0,
            })
        };
        let mut ranked = Vec::with_capacity(paths.len());
        for path in paths.drain(..) {
            ranked.push((rank(path)?, path.matches('/').count(), path));
        }
        ranked.sort_unstable();
        ranked.dedup();
        let Some(((_, _, best), others)) = ranked.split_first() else { return Ok(None) };
        let mut found = DepsScope::at(snapshot, best)?;
        if let Some(found) = &mut found {
            found.others = others.iter().take(5).map(|(_, _, path)| (*path).to_string()).collect();
        }
        Ok(found)
    }

    /// The very file or folder.
    fn at(snapshot: &Snapshot, path: &str) -> Result<Option<DepsScope>> {
        if snapshot.version_at(path).is_some() {
            crate::query::symbols::outline::open(snapshot, path)?;
            return Ok(Some(DepsScope::file(snapshot, path)));
        }
        let pattern = if path.contains(['*', '?', '[', '{']) { return Ok(None) } else { PathPattern::new(path)? };
        let files: Vec<VersionId> =
            snapshot.files().iter().filter(|(known, _)| pattern.matches(known)).map(|(_, version)| *version).collect();
        let found = DepsScope { path: path.to_string(), is_folder: true, files, others: Vec::new(), projects: None };
        Ok((!found.files.is_empty()).then_some(found))
    }

    fn file(snapshot: &Snapshot, path: &str) -> DepsScope {
        let files = snapshot.version_at(path).into_iter().collect();
        DepsScope { path: path.to_string(), is_folder: false, files, others: Vec::new(), projects: None }
    }

    fn holds_folder(&self, folder: &str) -> bool {
        if let Some(projects) = &self.projects {
            return projects.accepts(&joined(folder, "x"));
        }
        let path = if self.is_folder { self.path.as_str() } else { folder_of(&self.path) };
        folder == path || self.is_folder && (path.is_empty() || folder.starts_with(&format!("{path}/")))
    }
}

fn edge(graph: &ImportGraph<'_, '_>, from: VersionId, found: &FileEdge, depth: u32) -> ImportEdge {
    let (to, kind) = match &found.to {
        ImportTarget::File(version) => (graph.path(&Unit::File(*version)), EdgeKind::File),
        ImportTarget::Folder(folder) => (folder.clone(), EdgeKind::Folder),
        ImportTarget::External => (found.written.clone(), EdgeKind::External),
        ImportTarget::Unresolved => (found.written.clone(), EdgeKind::Unresolved),
    };
    ImportEdge { depth, from: graph.path(&Unit::File(from)), line: found.line, to, kind, names: found.names.clone() }
}

/// Returns the imports of the scope, their imports, and so on, to the depth asked for.
fn forward(
    graph: &ImportGraph<'_, '_>,
    scope: &DepsScope,
    options: &DepsOptions,
    answer: &mut DepsAnswer,
) -> Result<Vec<ImportEdge>> {
    let inside: FxHashSet<VersionId> = scope.files.iter().copied().collect();
    let mut seen = inside.clone();
    let mut pending: VecDeque<(VersionId, u32)> = scope.files.iter().map(|version| (*version, 1)).collect();
    let mut found = Vec::new();
    while let Some((version, depth)) = pending.pop_front() {
        for step in graph.of_file(version)?.iter() {
            let targets = match &step.to {
                ImportTarget::File(target) => vec![*target],
                ImportTarget::Folder(folder) => graph.package(folder)?.to_vec(),
                ImportTarget::External | ImportTarget::Unresolved => Vec::new(),
            };
            let stays = !targets.is_empty() && targets.iter().all(|target| inside.contains(target));
            if stays && inside.contains(&version) && scope.is_folder {
                answer.inside += 1;
                continue;
            }
            found.push(edge(graph, version, step, depth));
            for target in targets {
                if depth < options.depth && seen.insert(target) {
                    pending.push_back((target, depth + 1));
                }
            }
        }
    }
    Ok(found)
}

/// Returns the imports that lead into the scope, those that lead to its importers, and so on, to
/// the depth asked for.
fn backward(
    navigator: &Navigator<'_>,
    graph: &ImportGraph<'_, '_>,
    scope: &DepsScope,
    options: &DepsOptions,
    answer: &mut DepsAnswer,
) -> Result<Vec<ImportEdge>> {
    let inside: FxHashSet<VersionId> = scope.files.iter().copied().collect();
    let mut importers: FxHashMap<ImportTarget, Vec<(VersionId, usize)>> = FxHashMap::default();
    let mut found = Vec::new();
    let mut level: Vec<VersionId> = Vec::new();
    let mut seen = inside.clone();
    for (_, version) in navigator.snapshot().files() {
        for (number, step) in graph.of_file(*version)?.iter().enumerate() {
            let leads_in = match &step.to {
                ImportTarget::File(target) => inside.contains(target),
                ImportTarget::Folder(folder) => scope.holds_folder(folder),
                ImportTarget::External | ImportTarget::Unresolved => continue,
            };
            if !leads_in {
                importers.entry(step.to.clone()).or_default().push((*version, number));
            } else if inside.contains(version) {
                answer.inside += usize::from(scope.is_folder);
            } else {
                found.push(edge(graph, *version, step, 1));
                if seen.insert(*version) {
                    level.push(*version);
                }
            }
        }
    }
    for depth in 2..=options.depth {
        let mut next = Vec::new();
        for version in level {
            let unit = match graph.unit_of(version)? {
                Unit::File(version) => ImportTarget::File(version),
                Unit::Folder(folder) => ImportTarget::Folder(folder),
            };
            for (importer, number) in importers.remove(&unit).unwrap_or_default() {
                found.push(edge(graph, importer, &graph.of_file(importer)?[number], depth));
                if seen.insert(importer) {
                    next.push(importer);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    Ok(found)
}
