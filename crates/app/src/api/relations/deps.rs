//! `deps`, `get_dependencies`: imports, importers and import cycles.

use clap::Args;
use codecompass_engine::query::{self, Cycle, DepsOptions, EdgeKind, ImportEdge, Navigator, ProjectEdge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::api::arguments::{Bounded, DetailArgs, PageArgs, ProjectArgs, RefArgs};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Completeness, Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::relations::folder_map::FolderMapView;
use crate::api::relations::projects::ManifestPlace;
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_DEPTH: Bounded<1, 50> = Bounded::new(10);
const DEFAULT_LIMIT: Bounded<1, 1000> = Bounded::new(100);

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct DepsRequest {
    /// A file, a folder, the end of a path, or a module. Without it the import cycles of the
    /// repository are listed.
    #[arg(value_name = "PATH")]
    #[schemars(description = "File, folder or module; without it: all import cycles.")]
    pub path: Option<String>,
    /// List which projects import which others, beside what their manifests declare; with --project
    /// those that it imports, or with --reverse those that import it.
    #[arg(long, conflicts_with_all = ["path", "transitive"])]
    #[serde(default)]
    #[schemars(description = "Imports between projects.")]
    pub projects: bool,
    /// List what stands directly below the folder PATH, by default the root, and which of it
    /// imports which other.
    #[arg(long, conflicts_with_all = ["projects", "project", "reverse", "transitive"])]
    #[serde(default)]
    #[schemars(description = "Imports between folders below path.")]
    pub folders: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub of: ProjectArgs,
    /// Show who imports it.
    #[arg(long, short = 'r')]
    #[serde(default)]
    #[schemars(description = "Who imports it.")]
    pub reverse: bool,
    /// Follow imports of imports, too.
    #[arg(long, short = 't')]
    #[serde(default)]
    #[schemars(description = "")]
    pub transitive: bool,
    /// With --transitive, follow imports this many steps.
    #[arg(long, default_value_t = DEFAULT_DEPTH, requires = "transitive")]
    #[serde(default = "default_depth")]
    #[schemars(description = "With transitive.")]
    pub depth: Bounded<1, 50>,
    /// At most this many imports, and cycles.
    #[arg(long, short = 'n', default_value_t = DEFAULT_LIMIT)]
    #[serde(default = "default_limit")]
    #[schemars(description = "")]
    pub limit: Bounded<1, 1000>,
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    #[command(flatten)]
    #[serde(flatten)]
    pub page: PageArgs,
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

fn default_depth() -> Bounded<1, 50> {
    DEFAULT_DEPTH
}

fn default_limit() -> Bounded<1, 1000> {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct DepsAnswer {
    /// The file or folder asked about; absent for the whole repository. The root is the empty path.
    pub path: Option<String>,
    pub is_folder: bool,
    /// The folder that stands for the file where packages are folders.
    pub package: Option<String>,
    direction: &'static str,
    pub edges: Vec<ImportView>,
    /// Imports between projects, if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_edges: Option<Vec<ProjectEdgeView>>,
    /// The folders below and the imports between them, if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder_map: Option<FolderMapView>,
    pub cycles: Vec<Vec<CycleStepView>>,
    pub totals: DepsTotals,
    /// Other files that the argument could mean.
    pub others: Vec<String>,
    pub metadata: Metadata,
}
parts!(DepsAnswer { path, package, edges, project_edges, folder_map, cycles, totals, others });

/// Imports of one project by another.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectEdgeView {
    pub from: String,
    pub to: String,
    /// The number of files that import something of it.
    pub files: usize,
    /// The first import.
    pub first: Option<ManifestPlace>,
    /// The place in a manifest that declares the dependency; null if none does.
    pub declared: Option<ManifestPlace>,
}
parts!(ProjectEdgeView { from, to, first, declared });

impl From<ProjectEdge> for ProjectEdgeView {
    fn from(edge: ProjectEdge) -> ProjectEdgeView {
        let place = |(path, line)| ManifestPlace { path, line };
        ProjectEdgeView {
            from: edge.from,
            to: edge.to,
            files: edge.files,
            first: edge.first.map(place),
            declared: edge.declared.map(place),
        }
    }
}

/// Counts of everything, of which an answer lists one page.
#[derive(Clone, Debug, Serialize)]
pub struct DepsTotals {
    pub edges: usize,
    pub files: usize,
    pub external: usize,
    pub unresolved: usize,
    /// Imports within the folder, which are not listed.
    pub inside: usize,
    pub cycles: usize,
    pub knots: Vec<KnotSize>,
}
parts!(DepsTotals { knots });

/// The number of files that all import each other.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct KnotSize(pub usize);
parts!(KnotSize {});

/// An import.
#[derive(Clone, Debug, Serialize)]
pub struct ImportView {
    pub from: String,
    pub to: String,
    pub line: u32,
    pub names: Vec<String>,
    #[serde(serialize_with = "edge_kind_word")]
    pub kind: EdgeKind,
    external: bool,
    pub depth: u32,
}
parts!(ImportView { from, to, names });

/// One import of a cycle.
#[derive(Clone, Debug, Serialize)]
pub struct CycleStepView {
    pub unit: String,
    pub path: String,
    pub line: u32,
}
parts!(CycleStepView { unit, path });

fn edge_kind_word<S: Serializer>(kind: &EdgeKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

impl From<ImportEdge> for ImportView {
    fn from(edge: ImportEdge) -> ImportView {
        ImportView {
            from: edge.from,
            to: edge.to,
            line: edge.line,
            names: edge.names,
            kind: edge.kind,
            external: edge.kind == EdgeKind::External,
            depth: edge.depth,
        }
    }
}

fn steps(cycle: Cycle) -> Vec<CycleStepView> {
    cycle.steps.into_iter().map(|step| CycleStepView { unit: step.unit, path: step.path, line: step.line }).collect()
}

impl Answer for DepsAnswer {
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        let between = self.project_edges.iter_mut().map(|list| Paged::new("project_edges", list));
        let own = [Paged::new("edges", &mut self.edges), Paged::new("cycles", &mut self.cycles)];
        own.into_iter().chain(between).collect()
    }

    fn is_found(&self) -> bool {
        self.folder_map.as_ref().is_some_and(|map| !map.nodes.is_empty())
            || self.totals.edges + self.totals.cycles > 0
            || self.project_edges.as_ref().is_some_and(|list| !list.is_empty())
    }
}

impl DepsRequest {
    /// Returns the stretch of each list that is shown.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }

    /// Refuses arguments that mean nothing together.
    fn check(&self) -> Result<(), AppError> {
        let has_subject = self.path.is_some() || !self.of.project.is_empty();
        if self.path.as_deref().is_some_and(|path| path.trim().is_empty()) {
            return Err(AppError::invalid("the path is empty", "give a file, a folder or a module; `.` is the root"));
        }
        if self.path.is_some() && (self.projects || !self.of.project.is_empty()) && !self.folders {
            return Err(AppError::invalid("a path and projects exclude each other", "give one of them"));
        }
        if (self.reverse || self.transitive) && !has_subject {
            return Err(AppError::invalid(
                "importers and imports of imports are those of something",
                "give a file, a folder, a module or a project",
            ));
        }
        Ok(())
    }

    /// Lists imports between projects.
    fn between_projects(&self, session: &Session) -> Result<DepsAnswer, AppError> {
        let scope = session.project_scope(&self.of.project)?;
        let (engine, page) = (&session.engine, self.page());
        let mut edges = session.ask(|snapshot| {
            let (navigator, config) = (Navigator::new(snapshot), &engine.config().index);
            query::project_edges(&navigator, engine.source(), config, scope.as_ref(), self.reverse)
        })?;
        let total = edges.len();
        page.skip(&mut edges);
        edges.truncate(page.limit());
        let mut metadata = Metadata::new(session);
        metadata.count(total, edges.len());
        page.mark(&mut metadata, &[total]);
        Ok(DepsAnswer {
            path: None,
            is_folder: false,
            package: None,
            direction: if self.reverse { "importers" } else { "imports" },
            edges: Vec::new(),
            project_edges: Some(edges.into_iter().map(ProjectEdgeView::from).collect()),
            folder_map: None,
            cycles: Vec::new(),
            totals: DepsTotals {
                edges: total,
                files: 0,
                external: 0,
                unresolved: 0,
                inside: 0,
                cycles: 0,
                knots: Vec::new(),
            },
            others: Vec::new(),
            metadata,
        })
    }
}

impl DepsRequest {
    /// Maps the folder.
    fn between_folders(&self, session: &Session) -> Result<DepsAnswer, AppError> {
        let below = self.path.as_deref().map(|path| session.relative_path(path.trim())).transpose()?;
        let below = below.unwrap_or_default();
        let map = session.ask(|snapshot| {
            if !below.is_empty() {
                query::resolve_file_or_folder(snapshot, &below)?;
            }
            query::folder_map(&Navigator::new(snapshot), &below)
        })?;
        let mut metadata = Metadata::new(session);
        if map.is_cut {
            metadata.result_completeness = Some(Completeness::Partial);
        }
        Ok(DepsAnswer {
            path: Some(below),
            is_folder: true,
            package: None,
            direction: "imports",
            edges: Vec::new(),
            project_edges: None,
            cycles: Vec::new(),
            totals: DepsTotals {
                edges: map.edges.len(),
                files: map.nodes.iter().map(|node| node.files).sum(),
                external: 0,
                unresolved: 0,
                inside: 0,
                cycles: 0,
                knots: Vec::new(),
            },
            folder_map: Some(FolderMapView::from(map)),
            others: Vec::new(),
            metadata,
        })
    }
}

impl Request for DepsRequest {
    type Answer = DepsAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        if self.path.is_some() { Spread::Owner } else { Spread::Each }
    }

    fn subjects(&mut self) -> Vec<&mut String> {
        self.path.iter_mut().collect()
    }

    fn answer(&self, context: &CallContext) -> Result<DepsAnswer, AppError> {
        self.check()?;
        let session = Session::open_at(context, self.at.name())?;
        if self.projects {
            return self.between_projects(&session);
        }
        if self.folders {
            return self.between_folders(&session);
        }
        let path = self.path.as_deref().map(|path| session.relative_path(path.trim())).transpose()?;
        let page = self.page();
        let options = DepsOptions {
            reverse: self.reverse,
            depth: if self.transitive { self.depth.get() } else { 1 },
            limit: page.end(),
            projects: session.project_scope(&self.of.project)?,
        };
        let mut found = session.ask(|snapshot| query::deps(&Navigator::new(snapshot), path.as_deref(), &options))?;
        page.skip_listed(&mut found.edges);
        page.skip_listed(&mut found.cycles);
        let (edges_total, cycles_total) = (found.edges.total, found.cycles.total);
        let mut metadata = Metadata::new(&session);
        metadata.count(edges_total + cycles_total, found.edges.items.len() + found.cycles.items.len());
        page.mark(&mut metadata, &[edges_total, cycles_total]);
        Ok(DepsAnswer {
            path: found.path,
            is_folder: found.is_folder,
            package: found.package,
            direction: if self.reverse { "importers" } else { "imports" },
            edges: found.edges.items.into_iter().map(ImportView::from).collect(),
            project_edges: None,
            folder_map: None,
            cycles: found.cycles.items.into_iter().map(steps).collect(),
            totals: DepsTotals {
                edges: edges_total,
                files: found.files,
                external: found.external,
                unresolved: found.unresolved,
                inside: found.inside,
                cycles: cycles_total,
                knots: found.knots.into_iter().map(KnotSize).collect(),
            },
            others: found.others,
            metadata,
        })
    }
}
