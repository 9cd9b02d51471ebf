//! All projects of a view, and the project that a path belongs to.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::query::filter::project_scope::ProjectFolders;
use crate::query::near_names::is_typo;
use crate::query::projects::answer::{Project, ProjectProblem};

/// Names that an error proposes.
const MAX_SUGGESTIONS: usize = 5;

/// The projects of a view.
#[derive(Debug, Default)]
pub struct ProjectMap {
    /// In the order of folders; those in tests and examples come last.
    pub(super) projects: Vec<Project>,
    pub(super) problems: Vec<ProjectProblem>,
    /// Manifests of tests and examples that make no projects.
    pub(super) left_out: Vec<String>,
    pub(super) folders: Arc<ProjectFolders>,
}

impl ProjectMap {
    pub(super) fn new(projects: Vec<Project>, problems: Vec<ProjectProblem>, left_out: Vec<String>) -> ProjectMap {
        let folders = Arc::new(ProjectFolders::new(projects.iter().map(|project| project.folder.as_str())));
        ProjectMap { projects, problems, left_out, folders }
    }

    /// Returns all projects, in the order of folders; those in tests and examples come last.
    pub fn projects(&self) -> &[Project] {
        &self.projects
    }

    /// Returns manifests that cannot be read, and what they name in vain.
    pub fn problems(&self) -> &[ProjectProblem] {
        &self.problems
    }

    /// Returns the numbers of the innermost projects around a path: more than one where projects
    /// share a folder.
    pub(crate) fn numbers_of(&self, path: &str) -> &[usize] {
        self.folders.numbers_around(path)
    }

    /// Returns the innermost project around a path; of those that share a folder, the first.
    pub fn project_of(&self, path: &str) -> Option<&Project> {
        self.numbers_of(path).first().map(|number| &self.projects[*number])
    }

    /// Returns the projects that a name means: the name in a manifest, a folder, a manifest, or the
    /// last part of a name.
    pub(crate) fn named(&self, name: &str) -> Result<Vec<usize>> {
        let wanted = name.trim();
        let path = wanted.trim_start_matches("./").trim_end_matches('/');
        let path = if path == "." { "" } else { path };
        let lower = wanted.to_lowercase();
        let rules: [&dyn Fn(&Project) -> bool; 4] = [
            &|project| project.name == wanted || project.aliases.iter().any(|alias| alias == wanted),
            &|project| !wanted.is_empty() && (project.folder == path || project.manifest == path),
            &|project| project.name.to_lowercase() == lower,
            &|project| last_part(&project.name).to_lowercase() == lower,
        ];
        for rule in rules {
            let found: Vec<usize> = (0..self.projects.len()).filter(|at| rule(&self.projects[*at])).collect();
            let names = |at: &usize| &self.projects[*at].name;
            let Some(first) = found.first() else { continue };
            let is_path = self.projects[*first].folder == path;
            if is_path || found.iter().all(|at| names(at) == names(first)) {
                return Ok(found);
            }
            let candidates = found.iter().map(|at| names(at).clone()).collect();
            return Err(Error::AmbiguousProject { name: wanted.to_string(), candidates });
        }
        let (suggestions, are_near) = self.near(&lower);
        Err(Error::ProjectNotFound { name: wanted.to_string(), suggestions, are_near })
    }

    /// Returns names that look alike and true, or else the first of all.
    fn near(&self, lower: &str) -> (Vec<String>, bool) {
        let mut ranked: Vec<(usize, usize, &str)> = Vec::new();
        for project in &self.projects {
            let known = project.name.to_lowercase();
            let last = last_part(&known);
            let rank = match () {
                () if is_typo(lower, &known) => 0,
                () if is_typo(lower, last) => 1,
                () if !lower.is_empty() && (known.contains(lower) || lower.contains(last)) => 2,
                () => 3,
            };
            ranked.push((rank, known.len(), &project.name));
        }
        ranked.sort_unstable();
        let has_near = ranked.first().is_some_and(|(rank, ..)| *rank < 3);
        let near = ranked.iter().filter(|(rank, ..)| *rank < 3 || !has_near).map(|(_, _, name)| (*name).to_string());
        let mut near: Vec<String> = near.collect();
        near.dedup();
        near.truncate(MAX_SUGGESTIONS);
        (near, has_near)
    }
}

/// Returns the last part of a name such as `@shop/core`, `libs:net` or `example.com/shop/api`.
fn last_part(name: &str) -> &str {
    name.rsplit(['/', ':']).next().unwrap_or(name)
}
