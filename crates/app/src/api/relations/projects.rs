//! `projects`, `list_projects`: the packages, crates and modules of a repository, and their
//! dependencies on each other.

use clap::Args;
use codecompass_engine::query::{self, Project, ProjectDependency, ProjectProblem, ProjectsOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::{Bounded, PageArgs, RefArgs, one};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_LIMIT: Bounded<1, 10_000> = Bounded::new(200);
/// Problems and manifests without a project that an answer names.
const MAX_NAMED: usize = 50;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct ProjectsRequest {
    /// Only projects whose name or folder has this text.
    #[arg(value_name = "NAME")]
    #[schemars(description = "Part of a name or folder.")]
    pub name: Option<String>,
    /// Only this kind (cargo, npm, go-module, pyproject, maven, gradle, dotnet, composer, mix,
    /// gem); may be given several times.
    #[arg(long, value_name = "KIND")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "cargo, npm, maven, ...")]
    pub kind: Vec<String>,
    /// At most this many projects.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: Bounded<1, 10_000>,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
}

fn default_limit() -> Bounded<1, 10_000> {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct ProjectsAnswer {
    pub projects: Vec<ListedProjectView>,
    pub totals: ProjectTotals,
    /// Manifests that cannot be read, and what they name in vain: the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ManifestProblemView>,
    /// Manifests of tests and examples that no workspace has as members: the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    pub metadata: Metadata,
}
parts!(ProjectsAnswer { projects, problems, left_out });

/// Counts of everything, of which an answer lists one page.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectTotals {
    pub all: usize,
    /// Those that the restrictions leave.
    pub found: usize,
    /// Dependencies of the listed projects on others.
    pub dependencies: usize,
    pub problems: usize,
    pub left_out: usize,
}

/// A project.
#[derive(Clone, Debug, Serialize)]
pub struct ListedProjectView {
    pub name: String,
    pub kind: &'static str,
    /// The root is the empty path.
    pub folder: String,
    pub manifest: ManifestPlace,
    /// The manifest of its workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    pub files: usize,
    pub symbols: u64,
    pub dependencies: Vec<ProjectDependencyView>,
}
parts!(ListedProjectView { name, folder, manifest, workspace, dependencies });

/// A place in a manifest.
#[derive(Clone, Debug, Serialize)]
pub struct ManifestPlace {
    pub path: String,
    pub line: u32,
}
parts!(ManifestPlace { path });

/// A dependency on another project.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectDependencyView {
    pub name: String,
    pub folder: String,
    pub declared: ManifestPlace,
}
parts!(ProjectDependencyView { name, folder, declared });

/// Something in a manifest that leads nowhere.
#[derive(Clone, Debug, Serialize)]
pub struct ManifestProblemView {
    pub path: String,
    pub line: u32,
    pub reason: String,
}
parts!(ManifestProblemView { path, reason });

impl From<ProjectDependency> for ProjectDependencyView {
    fn from(dependency: ProjectDependency) -> ProjectDependencyView {
        let ProjectDependency { name, folder, path, line, .. } = dependency;
        ProjectDependencyView { name, folder, declared: ManifestPlace { path, line } }
    }
}

impl From<Project> for ListedProjectView {
    fn from(project: Project) -> ListedProjectView {
        ListedProjectView {
            name: project.name,
            kind: project.kind,
            folder: project.folder,
            manifest: ManifestPlace { path: project.manifest, line: project.line },
            workspace: project.workspace,
            files: project.files,
            symbols: project.symbols,
            dependencies: project.dependencies.into_iter().map(ProjectDependencyView::from).collect(),
        }
    }
}

impl From<ProjectProblem> for ManifestProblemView {
    fn from(problem: ProjectProblem) -> ManifestProblemView {
        let ProjectProblem { path, line, reason } = problem;
        ManifestProblemView { path, line, reason }
    }
}

impl Answer for ProjectsAnswer {
    answer_fields!(NoExtra, pages: projects);

    fn is_found(&self) -> bool {
        self.totals.found > 0
    }
}

impl ProjectsRequest {
    /// Returns the stretch of the list that is shown.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }
}

impl Request for ProjectsRequest {
    type Answer = ProjectsAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        Spread::Each
    }

    fn answer(&self, context: &CallContext) -> Result<ProjectsAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let page = self.page();
        let name = self.name.as_deref().map(str::trim);
        if name.is_some_and(str::is_empty) {
            return Err(AppError::invalid("the name is empty", "leave it out to list all projects"));
        }
        let name = name.map(|name| name.trim_end_matches('/').to_string());
        let options = ProjectsOptions { kinds: self.kind.clone(), name, limit: page.end() };
        let engine = &session.engine;
        let mut found =
            session.ask(|snapshot| query::projects(snapshot, engine.source(), &engine.config().index, &options))?;
        let total = found.projects.total;
        page.skip_listed(&mut found.projects);
        let mut metadata = Metadata::new(&session);
        metadata.count(total, found.projects.items.len());
        page.mark(&mut metadata, &[total]);
        let totals = ProjectTotals {
            all: found.all,
            found: total,
            dependencies: found.projects.items.iter().map(|project| project.dependencies.len()).sum(),
            problems: found.problems.len(),
            left_out: found.left_out.len(),
        };
        Ok(ProjectsAnswer {
            projects: found.projects.items.into_iter().map(ListedProjectView::from).collect(),
            totals,
            problems: found.problems.into_iter().take(MAX_NAMED).map(ManifestProblemView::from).collect(),
            left_out: found.left_out.into_iter().take(MAX_NAMED).collect(),
            metadata,
        })
    }
}
