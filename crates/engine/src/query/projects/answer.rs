//! Options and answer of `projects`.

use crate::query::page::Listed;

/// Options of `projects`.
#[derive(Clone, Debug, Default)]
pub struct ProjectsOptions {
    /// Only these kinds.
    pub kinds: Vec<String>,
    /// Only projects whose name or folder has this text.
    pub name: Option<String>,
    /// At most this many.
    pub limit: usize,
}

/// The projects of a view.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectsAnswer {
    /// The number of all projects.
    pub all: usize,
    /// In the order of folders; those in tests and examples come last.
    pub projects: Listed<Project>,
    /// Manifests that cannot be read, and what they name in vain.
    pub problems: Vec<ProjectProblem>,
    /// Manifests in tests and examples that no workspace has as members; they make no projects.
    pub left_out: Vec<String>,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The name in its manifest, or else that of its folder.
    pub name: String,
    /// Other names it goes by.
    pub aliases: Vec<String>,
    /// The kind of its manifest.
    pub kind: &'static str,
    /// Its folder; the root is the empty path.
    pub folder: String,
    /// Its manifest.
    pub manifest: String,
    /// The line there that names it.
    pub line: u32,
    /// The manifest of the workspace that it is a member of.
    pub workspace: Option<String>,
    /// True if tests, examples and the like hold it.
    pub is_aside: bool,
    /// The projects it depends on, in their order.
    pub dependencies: Vec<ProjectDependency>,
    /// Files that belong to it and to no project inside.
    pub files: usize,
    /// Definitions in them.
    pub symbols: u64,
}

/// A dependency of one project on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectDependency {
    /// The place of the other among all projects.
    pub(crate) number: usize,
    /// The name of the other.
    pub name: String,
    /// The folder of the other.
    pub folder: String,
    /// The manifest that declares it.
    pub path: String,
    /// Its line.
    pub line: u32,
}

/// A manifest, or an entry of one, that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectProblem {
    /// The manifest.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// The trouble, as the end of a sentence about the file.
    pub reason: String,
}
