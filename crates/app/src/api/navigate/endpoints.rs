//! `endpoints`, `list_endpoints`: the routes that a program answers, and those that a branch
//! changed.

use clap::Args;
use codecompass_engine::model::Role;
use codecompass_engine::query::{
    self, ChangeKind, Endpoint, EndpointChange, EndpointHandler, EndpointOptions, Navigator, PathPattern, ProjectScope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::comparison::{DiffBase, ask_both, projects_of_either};
use crate::api::arguments::{Bounded, DetailArgs, PageArgs, ProjectArgs, RefArgs, one};
use crate::api::fan_out::Spread;
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::page::Page;
use crate::api::part::{Paged, answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

const DEFAULT_LIMIT: Bounded<1, 10_000> = Bounded::new(200);
/// Places of routes with computed paths that an answer names.
const MAX_COMPUTED: usize = 20;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct EndpointsRequest {
    /// Only paths below this one, or that match this pattern: `*` stands for a part, `**` for any
    /// number of them.
    #[arg(value_name = "PATH")]
    #[schemars(description = "URL prefix, or pattern with * and **.")]
    pub path: Option<String>,
    /// Only this HTTP method; may be given several times. Routes for all methods are listed with
    /// any.
    #[arg(long, short = 'm', value_name = "METHOD")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub method: Vec<String>,
    /// Only this framework; may be given several times.
    #[arg(long, value_name = "NAME")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "")]
    pub framework: Vec<String>,
    /// Only handlers whose name or path:line has this text.
    #[arg(long, value_name = "TEXT")]
    #[schemars(description = "Part of its name or path:line.")]
    pub handler: Option<String>,
    /// Only routes that files below this folder, or matching this glob, declare; may be given
    /// several times.
    #[arg(long, value_name = "PATH")]
    #[serde(default, deserialize_with = "one")]
    #[schemars(with = "Option<String>", description = "Folder or glob of the declaring files.")]
    pub file: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub projects: ProjectArgs,
    /// List what differs from the commit where the branch left BASE.
    #[arg(long, value_name = "BASE")]
    #[schemars(description = "List what differs since ref left this one.")]
    pub base: Option<String>,
    /// At most this many endpoints.
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
    #[arg(skip)]
    #[serde(flatten)]
    pub detail: DetailArgs,
}

impl EndpointsRequest {
    /// The first endpoints of a view.
    pub fn first(count: u32, at: &RefArgs) -> EndpointsRequest {
        EndpointsRequest {
            path: None,
            method: Vec::new(),
            framework: Vec::new(),
            handler: None,
            file: Vec::new(),
            projects: ProjectArgs::default(),
            base: None,
            limit: Bounded::new(count),
            at: at.clone(),
            page: PageArgs::default(),
            detail: DetailArgs::default(),
        }
    }
}

fn default_limit() -> Bounded<1, 10_000> {
    DEFAULT_LIMIT
}

#[derive(Clone, Debug, Serialize)]
pub struct EndpointsAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints: Option<Vec<EndpointView>>,
    /// With a base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<EndpointChangeView>>,
    /// The base of the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    pub frameworks: Vec<FrameworkView>,
    pub totals: EndpointTotals,
    /// Routes with computed paths, which are left out: the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<RoutePlaceView>,
    pub metadata: Metadata,
}
parts!(EndpointsAnswer { endpoints, changes, base, frameworks, computed });

/// Counts of everything, of which an answer lists one page.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointTotals {
    /// Endpoints of the view, or with a base those that changed.
    pub all: usize,
    /// Those that the restrictions leave.
    pub found: usize,
    /// Those of them whose path has unknown parts.
    pub unknown_parts: usize,
    /// Routes that are left out since their path is computed.
    pub computed: usize,
}

/// A framework that files import.
#[derive(Clone, Debug, Serialize)]
pub struct FrameworkView {
    pub name: &'static str,
    pub display_name: String,
    pub files: usize,
    pub endpoints: usize,
}
parts!(FrameworkView {});

/// A place in a file.
#[derive(Clone, Debug, Serialize)]
pub struct RoutePlaceView {
    pub path: String,
    pub line: u32,
}
parts!(RoutePlaceView { path });

/// A route.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointView {
    pub method: String,
    pub path: String,
    pub handler: Option<EndpointHandlerView>,
    pub declared: RoutePlaceView,
    pub framework: &'static str,
    pub confidence: &'static str,
    /// The role of the declaring file, unless it is source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
}
parts!(EndpointView { path, handler, declared });

/// The code that answers.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointHandlerView {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}
parts!(EndpointHandlerView { name, path });

/// A route that differs.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointChangeView {
    /// `added`, `removed` or `changed`.
    pub change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<EndpointView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<EndpointView>,
}
parts!(EndpointChangeView { before, after });

impl From<Endpoint> for EndpointView {
    fn from(endpoint: Endpoint) -> EndpointView {
        let handler = |handler: EndpointHandler| {
            let (path, line) = handler.place.unzip();
            EndpointHandlerView { name: handler.name, path, line }
        };
        EndpointView {
            method: endpoint.method,
            path: endpoint.path,
            handler: endpoint.handler.map(handler),
            declared: RoutePlaceView { path: endpoint.declared_path, line: endpoint.declared_line },
            framework: endpoint.framework,
            confidence: endpoint.confidence.as_str(),
            role: (endpoint.role != Role::Source).then(|| endpoint.role.as_str()),
        }
    }
}

impl From<EndpointChange> for EndpointChangeView {
    fn from(change: EndpointChange) -> EndpointChangeView {
        EndpointChangeView {
            change: match change.kind {
                ChangeKind::Added => "added",
                ChangeKind::Deleted => "removed",
                _ => "changed",
            },
            before: change.before.map(EndpointView::from),
            after: change.after.map(EndpointView::from),
        }
    }
}

impl Answer for EndpointsAnswer {
    answer_fields!(NoExtra);

    fn pages(&mut self) -> Vec<Paged<'_>> {
        let endpoints = self.endpoints.iter_mut().map(|list| Paged::new("endpoints", list));
        let changes = self.changes.iter_mut().map(|list| Paged::new("changes", list));
        endpoints.chain(changes).collect()
    }

    fn is_found(&self) -> bool {
        self.totals.found > 0
    }
}

impl EndpointsRequest {
    /// Returns the stretch of the list that is shown.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.limit.len())
    }

    fn options(&self, limit: usize, projects: Option<ProjectScope>) -> Result<EndpointOptions, AppError> {
        if self.path.as_deref().is_some_and(|path| path.trim().is_empty()) {
            return Err(AppError::invalid("the path is empty", "leave it out to list all endpoints"));
        }
        Ok(EndpointOptions {
            path: self.path.clone(),
            methods: self.method.clone(),
            frameworks: self.framework.clone(),
            handler: self.handler.clone(),
            files: self.file.iter().map(|pattern| PathPattern::new(pattern)).collect::<Result<_, _>>()?,
            projects,
            limit,
        })
    }

    fn changes(&self, context: &CallContext, base: &str) -> Result<EndpointsAnswer, AppError> {
        let after = Session::open_at(context, self.at.name())?;
        let base = DiffBase::find(&after.engine, Some(base), false)?;
        let before = Session::open_at(context, Some(&base.commit))?;
        let projects = projects_of_either(&before, &after, &self.projects)?;
        let options = self.options(usize::MAX, projects)?;
        let mut changes = ask_both(&before, &after, |old, new| {
            query::endpoint_changes(old, new, &after.engine.config().index, &options)
        })?;
        let (page, total) = (self.page(), changes.len());
        let has_unknown = |change: &&EndpointChange| {
            change.after.as_ref().or(change.before.as_ref()).is_some_and(|endpoint| endpoint.path.contains('…'))
        };
        let unknown_parts = changes.iter().filter(has_unknown).count();
        page.skip(&mut changes);
        changes.truncate(page.limit());
        let mut metadata = Metadata::new(&after);
        metadata.count(total, changes.len());
        page.mark(&mut metadata, &[total]);
        Ok(EndpointsAnswer {
            endpoints: None,
            changes: Some(changes.into_iter().map(EndpointChangeView::from).collect()),
            base: Some(base.name),
            frameworks: Vec::new(),
            totals: EndpointTotals { all: total, found: total, unknown_parts, computed: 0 },
            computed: Vec::new(),
            metadata,
        })
    }
}

impl Request for EndpointsRequest {
    type Answer = EndpointsAnswer;
    shared_arguments!(at, detail);

    fn spread(&self) -> Spread {
        Spread::Each
    }

    fn answer(&self, context: &CallContext) -> Result<EndpointsAnswer, AppError> {
        if let Some(base) = &self.base {
            return self.changes(context, base);
        }
        let session = Session::open_at(context, self.at.name())?;
        let page = self.page();
        let options = self.options(page.end(), session.project_scope(&self.projects.project)?)?;
        let config = &session.engine.config().index;
        let mut found = session
            .ask(|snapshot| query::endpoints(&Navigator::new(snapshot), session.engine.source(), config, &options))?;
        let total = found.endpoints.total;
        page.skip_listed(&mut found.endpoints);
        let mut metadata = Metadata::new(&session);
        metadata.count(total, found.endpoints.items.len());
        page.mark(&mut metadata, &[total]);
        let framework = |one: query::DetectedFramework| FrameworkView {
            name: one.name,
            display_name: one.display_name,
            files: one.files,
            endpoints: one.endpoints,
        };
        let computed = found.computed.len();
        let place = |(path, line)| RoutePlaceView { path, line };
        Ok(EndpointsAnswer {
            endpoints: Some(found.endpoints.items.into_iter().map(EndpointView::from).collect()),
            changes: None,
            base: None,
            frameworks: found.frameworks.into_iter().map(framework).collect(),
            totals: EndpointTotals { all: found.all, found: total, unknown_parts: found.unknown_parts, computed },
            computed: found.computed.into_iter().take(MAX_COMPUTED).map(place).collect(),
            metadata,
        })
    }
}
