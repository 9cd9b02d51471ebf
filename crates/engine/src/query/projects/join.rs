//! Joins what the manifests of a view say: projects, workspaces and their members, and the projects
//! that dependencies mean.

use std::collections::BTreeMap;

use codecompass_syntax::manifests::{
    DeclaredDependency, DeclaredProject, DependencyTarget, ManifestFacts, ManifestKind, MemberPattern,
};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::query::projects::answer::{Project, ProjectDependency, ProjectProblem};
use crate::query::projects::manifest_files::{ManifestFile, ManifestFiles};
use crate::query::projects::project_map::ProjectMap;
use crate::resolve::{folder_of, joined, normal};
use crate::store::Snapshot;

/// The name of a project at the root whose manifest has none.
const ROOT_NAME: &str = "root";

/// Makes projects of what manifests say.
pub(super) fn join(snapshot: &Snapshot, files: ManifestFiles) -> ProjectMap {
    let ManifestFiles { read, problems } = files;
    let mut join =
        ProjectJoin { snapshot, problems, drafts: Vec::new(), workspaces: Vec::new(), places: DraftPlaces::default() };
    join.add_projects(&read);
    join.add_members(&read);
    let edges = join.edges(&read);
    join.finish(&read, edges)
}

/// A project that may be one.
struct ProjectDraft<'facts> {
    kind: &'static ManifestKind,
    folder: String,
    name: String,
    aliases: Vec<&'facts str>,
    /// The number of its manifest, and the line there.
    manifest: usize,
    line: u32,
    is_aside: bool,
    /// The number of the workspace it is a member of.
    workspace: Option<usize>,
    /// With the number of the manifest that declares each.
    dependencies: Vec<(usize, &'facts DeclaredDependency)>,
}

/// Drafts by what dependencies name.
#[derive(Default)]
struct DraftPlaces<'facts> {
    by_folder: FxHashMap<(&'static str, String), usize>,
    by_manifest: FxHashMap<String, usize>,
    by_name: FxHashMap<(&'static str, &'facts str), Vec<usize>>,
    /// Those that no manifest names, by the name of their folder in letters and digits alone.
    by_folder_name: FxHashMap<(&'static str, String), Vec<usize>>,
}

/// Dependencies of each draft: the other, and the place that declares it.
type DraftEdges = Vec<BTreeMap<usize, (usize, u32)>>;

struct ProjectJoin<'facts> {
    snapshot: &'facts Snapshot,
    problems: Vec<ProjectProblem>,
    drafts: Vec<ProjectDraft<'facts>>,
    /// Numbers of the manifests with members.
    workspaces: Vec<usize>,
    places: DraftPlaces<'facts>,
}

fn facts(file: &ManifestFile) -> &ManifestFacts {
    static NOTHING: ManifestFacts = ManifestFacts { projects: Vec::new(), members: Vec::new(), shared: Vec::new() };
    file.facts.as_ref().as_ref().unwrap_or(&NOTHING)
}

impl<'facts> ProjectJoin<'facts> {
    fn problem(&mut self, file: &ManifestFile, line: u32, reason: String) {
        if !file.is_aside {
            self.problems.push(ProjectProblem { path: file.path.clone(), line, reason });
        }
    }

    fn add_projects(&mut self, files: &'facts [ManifestFile]) {
        // The manifest that comes first in the table names the project.
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|number| (files[*number].kind.place(files[*number].name()), *number));
        for number in order {
            let file = &files[number];
            for declared in &facts(file).projects {
                let Some(folder) = normal(&joined(file.folder(), &declared.folder)) else {
                    self.problem(
                        file,
                        declared.line,
                        format!("names `{}`, which is outside of the repository", declared.folder),
                    );
                    continue;
                };
                if !folder.is_empty() && !declared.folder.is_empty() && !self.snapshot.has_folder(&folder) {
                    self.problem(file, declared.line, format!("names `{}`, which is not there", declared.folder));
                    continue;
                }
                self.add_project(files, number, declared, folder);
            }
        }
        for (number, draft) in self.drafts.iter().enumerate() {
            self.places.by_manifest.insert(files[draft.manifest].path.clone(), number);
            if draft.name.is_empty() && !draft.folder.is_empty() {
                let key = (draft.kind.name, bare_last_part(&draft.folder));
                self.places.by_folder_name.entry(key).or_default().push(number);
            }
        }
    }

    fn add_project(
        &mut self,
        files: &'facts [ManifestFile],
        number: usize,
        declared: &'facts DeclaredProject,
        folder: String,
    ) {
        let file = &files[number];
        let key = (file.kind.name, folder.clone());
        let known = self.places.by_folder.get(&key).copied().filter(|_| file.kind.is_one_by_folder);
        let at = known.unwrap_or(self.drafts.len());
        if known.is_none() {
            self.places.by_folder.entry(key).or_insert(at);
            self.drafts.push(ProjectDraft {
                kind: file.kind,
                name: String::new(),
                aliases: Vec::new(),
                manifest: number,
                line: declared.line,
                is_aside: file.is_aside,
                workspace: None,
                dependencies: Vec::new(),
                folder,
            });
        }
        let draft = &mut self.drafts[at];
        // A manifest in the project's own folder is the one to look at.
        if declared.folder.is_empty() && files[draft.manifest].folder() != draft.folder {
            (draft.manifest, draft.line) = (number, declared.line);
        }
        if draft.name.is_empty() && !declared.name.is_empty() {
            draft.name.clone_from(&declared.name);
            if draft.manifest == number {
                draft.line = declared.line;
            }
        }
        let names = declared.aliases.iter().chain([&declared.name]).filter(|name| !name.is_empty());
        for name in names {
            let known = self.places.by_name.entry((file.kind.name, name)).or_default();
            if !known.contains(&at) {
                known.push(at);
                draft.aliases.push(name);
            }
        }
        draft.dependencies.extend(declared.dependencies.iter().map(|dependency| (number, dependency)));
    }

    /// Finds the members of workspaces. Of several that have a project, the innermost counts.
    fn add_members(&mut self, files: &'facts [ManifestFile]) {
        let mut by_folder: Vec<(String, usize)> =
            self.drafts.iter().enumerate().map(|(number, draft)| (draft.folder.clone(), number)).collect();
        by_folder.sort_unstable();
        let mut roots: Vec<usize> = (0..files.len()).collect();
        roots.sort_by_key(|number| files[*number].folder().len());
        for number in roots {
            let file = &files[number];
            let declared = declared_folders(file);
            if facts(file).members.is_empty() && declared.is_empty() {
                continue;
            }
            let workspace = self.workspaces.len();
            self.workspaces.push(number);
            let patterns = self.patterns(file);
            let inside = if file.folder().is_empty() { String::new() } else { format!("{}/", file.folder()) };
            let start = by_folder.partition_point(|(folder, _)| folder.as_str() < file.folder());
            let below = by_folder[start..].iter();
            let below = below.take_while(|(folder, _)| folder == file.folder() || folder.starts_with(file.folder()));
            let mut used = FxHashSet::default();
            for (folder, draft) in below.filter(|(folder, _)| folder == file.folder() || folder.starts_with(&inside)) {
                let draft = &mut self.drafts[*draft];
                let is_own = folder == file.folder() || declared.contains(folder);
                let manifest = &files[draft.manifest].path;
                if draft.kind.name == file.kind.name && (is_own || patterns.accept(folder, manifest, &mut used)) {
                    draft.workspace = Some(workspace);
                }
            }
            for (line, pattern) in patterns.unused(&used) {
                if !self.is_there(file.kind, file.folder(), &pattern) {
                    self.problem(file, line, format!("names `{pattern}`, where no {} project is", file.kind.name));
                }
            }
        }
    }

    /// Returns whether a project of the kind, or a manifest that cannot be read, is at a path from
    /// a folder.
    fn is_there(&self, kind: &ManifestKind, from: &str, path: &str) -> bool {
        let Some(path) = normal(&joined(from, path)) else { return false };
        self.places.by_manifest.contains_key(&path)
            || self.places.by_folder.contains_key(&(kind.name, path.clone()))
            || self.problems.iter().any(|problem| folder_of(&problem.path) == path || problem.path == path)
    }

    fn patterns(&mut self, file: &ManifestFile) -> MemberPatterns {
        let mut patterns = MemberPatterns::default();
        let (mut included, mut excluded) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for MemberPattern { pattern, line, is_excluded } in &facts(file).members {
            // A solution names manifests.
            let Some(whole) = normal(&joined(file.folder(), pattern)) else {
                self.problem(file, *line, format!("names `{pattern}`, which is outside of the repository"));
                continue;
            };
            if !is_excluded && !pattern.contains(['*', '?', '[', '{']) {
                patterns.plain.insert(whole, (*line, pattern.clone()));
                continue;
            }
            let Ok(glob) = GlobBuilder::new(&whole).literal_separator(true).build() else {
                self.problem(file, *line, format!("has `{pattern}`, which is no valid pattern"));
                continue;
            };
            if *is_excluded { &mut excluded } else { &mut included }.add(glob);
        }
        patterns.included = included.build().unwrap_or_default();
        patterns.excluded = excluded.build().unwrap_or_default();
        patterns
    }

    /// Finds the projects that dependencies mean.
    fn edges(&mut self, files: &'facts [ManifestFile]) -> DraftEdges {
        let mut shared: FxHashMap<(&'static str, &str, &str), &str> = FxHashMap::default();
        for file in files {
            for path in &facts(file).shared {
                shared.insert((file.kind.name, file.folder(), &path.name), &path.path);
            }
        }
        let mut edges = Vec::with_capacity(self.drafts.len());
        for number in 0..self.drafts.len() {
            let mut own: BTreeMap<usize, (usize, u32)> = BTreeMap::new();
            for (manifest, dependency) in self.drafts[number].dependencies.clone() {
                let file = &files[manifest];
                let found = match &dependency.target {
                    DependencyTarget::Path(path) => self.at_path(file, file.folder(), path, dependency.line),
                    DependencyTarget::Shared => {
                        let folders = ancestors(file.folder());
                        let mut folders = folders
                            .filter_map(|at| Some((at, shared.get(&(file.kind.name, at, dependency.name.as_str()))?)));
                        folders.next().and_then(|(at, path)| self.at_path(file, at, path, dependency.line))
                    }
                    target => self.by_name(number, &dependency.name, *target == DependencyTarget::Member),
                };
                if let Some(found) = found.filter(|found| *found != number) {
                    own.entry(found).or_insert((manifest, dependency.line));
                }
            }
            edges.push(own);
        }
        edges
    }

    /// Returns the project in a folder, or of a manifest, from another folder.
    fn at_path(&mut self, file: &ManifestFile, from: &str, path: &str, line: u32) -> Option<usize> {
        let Some(whole) = normal(&joined(from, path)) else {
            self.problem(file, line, format!("depends on `{path}`, which is outside of the repository"));
            return None;
        };
        let by_folder = || self.places.by_folder.get(&(file.kind.name, whole.clone()));
        let found = self.places.by_manifest.get(&whole).or_else(by_folder).copied();
        // A path may also be an archive, which is no project.
        if found.is_none() && self.snapshot.version_at(&whole).is_none() && !self.is_there(file.kind, from, path) {
            self.problem(file, line, format!("depends on `{path}`, where no {} project is", file.kind.name));
        }
        found
    }

    /// Returns the nearest project of a name: one of the same workspace, if there is any.
    fn by_name(&self, from: usize, name: &str, is_member: bool) -> Option<usize> {
        let own = &self.drafts[from];
        let named = self.places.by_name.get(&(own.kind.name, name));
        let found = match named {
            Some(named) => named.iter().copied(),
            None if is_member => return None,
            // Its folder names a project that no manifest does.
            None => self.places.by_folder_name.get(&(own.kind.name, bare_last_part(name)))?.iter().copied(),
        };
        let is_same = |other: usize| own.workspace.is_some() && self.drafts[other].workspace == own.workspace;
        let shared = |other: usize| {
            let (a, b) = (own.folder.split('/'), self.drafts[other].folder.split('/'));
            a.zip(b).take_while(|(a, b)| a == b).count()
        };
        let found = found.filter(|other| *other != from && (!is_member || is_same(*other)));
        found.min_by_key(|other| {
            let draft = &self.drafts[*other];
            (!is_same(*other), draft.is_aside, std::cmp::Reverse(shared(*other)), draft.folder.clone())
        })
    }

    /// Leaves out the projects of tests and examples that no other one leads to.
    fn finish(mut self, files: &[ManifestFile], edges: DraftEdges) -> ProjectMap {
        let is_of_workspace =
            |draft: &ProjectDraft<'_>| draft.workspace.is_some_and(|number| !files[self.workspaces[number]].is_aside);
        let mut pending: Vec<usize> = (0..self.drafts.len())
            .filter(|number| !self.drafts[*number].is_aside || is_of_workspace(&self.drafts[*number]))
            .collect();
        if pending.is_empty() {
            pending = (0..self.drafts.len()).collect();
        }
        let mut kept: FxHashSet<usize> = pending.iter().copied().collect();
        while let Some(number) = pending.pop() {
            pending.extend(edges[number].keys().copied().filter(|other| kept.insert(*other)));
        }
        let mut order: Vec<usize> = kept.into_iter().collect();
        order.sort_by_key(|number| {
            let draft = &self.drafts[*number];
            (draft.is_aside, draft.folder.clone(), *number)
        });
        let places: FxHashMap<usize, usize> = order.iter().enumerate().map(|(at, number)| (*number, at)).collect();
        let projects = order.iter().map(|number| self.project(files, *number, &edges[*number], &places)).collect();
        let is_left_out = |(number, _): &(usize, &ProjectDraft<'_>)| !places.contains_key(number);
        let left_out = self.drafts.iter().enumerate().filter(is_left_out);
        let mut left_out: Vec<String> = left_out.map(|(_, draft)| files[draft.manifest].path.clone()).collect();
        left_out.sort_unstable();
        left_out.dedup();
        self.problems.sort();
        self.problems.dedup();
        ProjectMap::new(projects, self.problems, left_out)
    }

    /// Makes a project of a draft; `places` has the places of those that are kept.
    fn project(
        &self,
        files: &[ManifestFile],
        number: usize,
        edges: &BTreeMap<usize, (usize, u32)>,
        places: &FxHashMap<usize, usize>,
    ) -> Project {
        let (draft, name) = (&self.drafts[number], name_of(&self.drafts[number]));
        let dependency = |(other, (manifest, line)): (&usize, &(usize, u32))| {
            Some(ProjectDependency {
                number: *places.get(other)?,
                name: name_of(&self.drafts[*other]),
                folder: self.drafts[*other].folder.clone(),
                path: files[*manifest].path.clone(),
                line: *line,
            })
        };
        let mut dependencies: Vec<ProjectDependency> = edges.iter().filter_map(dependency).collect();
        dependencies.sort_by_key(|dependency| dependency.number);
        let aliases = draft.aliases.iter().filter(|alias| **alias != name).map(ToString::to_string);
        Project {
            aliases: aliases.collect(),
            name,
            kind: draft.kind.name,
            folder: draft.folder.clone(),
            manifest: files[draft.manifest].path.clone(),
            line: draft.line,
            workspace: draft.workspace.map(|number| files[self.workspaces[number]].path.clone()),
            is_aside: draft.is_aside,
            dependencies,
            files: 0,
            symbols: 0,
        }
    }
}

/// Returns the letters and digits of the last part of a path or name, in lower case.
fn bare_last_part(name: &str) -> String {
    let last = name.rsplit(['/', ':', '.']).next().unwrap_or(name);
    last.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn name_of(draft: &ProjectDraft<'_>) -> String {
    let folder = draft.folder.rsplit('/').next().unwrap_or_default();
    let named = [draft.name.as_str(), folder].into_iter().find(|name| !name.is_empty());
    named.unwrap_or(ROOT_NAME).to_string()
}

/// Returns the folders of other projects that a manifest declares.
fn declared_folders(file: &ManifestFile) -> FxHashSet<String> {
    let others = facts(file).projects.iter().filter(|declared| !declared.folder.is_empty());
    others.filter_map(|declared| normal(&joined(file.folder(), &declared.folder))).collect()
}

/// Returns a folder and all above it; the root is the empty path.
fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// Patterns of members, from the root of the view.
#[derive(Default)]
struct MemberPatterns {
    /// Paths without wildcards, with the lines that have them.
    plain: BTreeMap<String, (u32, String)>,
    included: GlobSet,
    excluded: GlobSet,
}

impl MemberPatterns {
    /// Returns whether a project is a member, by its folder or manifest; notes the path that names
    /// it.
    fn accept(&self, folder: &str, manifest: &str, used: &mut FxHashSet<String>) -> bool {
        if let Some(named) = [folder, manifest].iter().find(|path| self.plain.contains_key(**path)) {
            used.insert((*named).to_string());
            return true;
        }
        self.included.is_match(folder) && !ancestors(folder).any(|above| self.excluded.is_match(above))
    }

    /// Returns the paths that named nothing.
    fn unused(&self, used: &FxHashSet<String>) -> Vec<(u32, String)> {
        self.plain
            .iter()
            .filter(|(path, _)| !used.contains(*path))
            .map(|(_, (line, name))| (*line, name.clone()))
            .collect()
    }
}
