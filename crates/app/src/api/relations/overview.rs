//! `overview`, `get_architecture`: a repository on one page.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::Args;
use codecompass_engine::NoProgress;
use codecompass_engine::history::{self, HotSpotOptions, HotSpots};
use codecompass_engine::query::{self, CentralUnit, EntryPoint, LanguageSum, Navigator, Project};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::arguments::RefArgs;
use crate::api::fan_out::Spread;
use crate::api::history::hot_spots::{HotFileView, PathAuthorView};
use crate::api::metadata::{Metadata, NoExtra};
use crate::api::part::{answer_fields, parts, shared_arguments};
use crate::api::{Answer, Request};
use crate::error::AppError;
use crate::session::{CallContext, Session};

/// Authors that are named.
const MAX_AUTHORS: usize = 3;
/// Files of a list that JSON has.
const MAX_FILES: usize = 100;

#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
pub struct OverviewRequest {
    #[command(flatten)]
    #[serde(flatten)]
    pub at: RefArgs,
    /// Endpoints are not counted where more files than this would have to be parsed.
    #[arg(skip = query::MAX_ENDPOINT_FILES)]
    #[serde(skip, default = "max_endpoint_files")]
    pub max_endpoint_files: usize,
}

fn max_endpoint_files() -> usize {
    query::MAX_ENDPOINT_FILES
}

#[derive(Clone, Debug, Serialize)]
pub struct OverviewAnswer {
    pub repository: String,
    pub files: usize,
    pub lines: u64,
    pub symbols: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<LanguageSumView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<OverviewProjectView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entry_points: Vec<EntryPointView>,
    pub entry_points_total: usize,
    /// Files and packages that most source files import.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub central: Vec<CentralView>,
    pub endpoints: EndpointSum,
    pub services: ServiceSum,
    pub tests: TestSumView,
    /// The files that changed most lately; absent if the commit table is not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hot_spots: Option<OverviewHotSpots>,
    pub metadata: Metadata,
    /// True in a git repository.
    #[serde(skip)]
    pub has_commits: bool,
}
parts!(OverviewAnswer { languages, projects, entry_points, central, endpoints, tests, hot_spots });

/// Files of one language.
#[derive(Clone, Debug, Serialize)]
pub struct LanguageSumView {
    pub language: String,
    pub is_code: bool,
    pub files: usize,
    pub lines: u64,
    pub symbols: u64,
}
parts!(LanguageSumView {});

/// A project with the projects around it.
#[derive(Clone, Debug, Serialize)]
pub struct OverviewProjectView {
    pub name: String,
    pub kind: &'static str,
    pub folder: String,
    /// Names of the projects it depends on.
    pub dependencies: Vec<String>,
    /// The number of projects that depend on it.
    pub dependents: usize,
}
parts!(OverviewProjectView { name, folder, dependencies });

/// The place where a program starts.
#[derive(Clone, Debug, Serialize)]
pub struct EntryPointView {
    pub name: String,
    pub path: String,
    pub line: u32,
}
parts!(EntryPointView { name, path });

/// A file or package that many import.
#[derive(Clone, Debug, Serialize)]
pub struct CentralView {
    pub path: String,
    pub is_folder: bool,
    pub importers: usize,
}
parts!(CentralView { path });

/// Endpoints in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointSum {
    /// Null if they are not counted, since too many files would have to be parsed.
    pub total: Option<usize>,
    /// The number of files that may declare some.
    pub files: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frameworks: Vec<FrameworkSum>,
}
parts!(EndpointSum { frameworks });

/// Services that schemas declare, in numbers.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ServiceSum {
    /// gRPC services.
    pub grpc: usize,
    /// Their rpcs.
    pub rpcs: usize,
    /// Fields of the root types of GraphQL schemas.
    pub graphql_fields: usize,
}

/// Endpoints of one framework.
#[derive(Clone, Debug, Serialize)]
pub struct FrameworkSum {
    pub framework: String,
    pub endpoints: usize,
}
parts!(FrameworkSum {});

/// Tests in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct TestSumView {
    pub files: usize,
    pub functions: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<FolderSum>,
}
parts!(TestSumView { folders });

/// A folder, or a file, with a number.
#[derive(Clone, Debug, Serialize)]
pub struct FolderSum {
    pub path: String,
    pub count: usize,
}
parts!(FolderSum { path });

/// The files that changed most lately, and the people who changed them.
#[derive(Clone, Debug, Serialize)]
pub struct OverviewHotSpots {
    /// The number of commits that changed any file.
    pub commits: usize,
    /// The oldest commits that count; absent if all do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The hottest first.
    pub files: Vec<HotFileView>,
    /// Those who changed most.
    pub authors: Vec<PathAuthorView>,
}
parts!(OverviewHotSpots { files, authors });

impl From<HotSpots> for OverviewHotSpots {
    fn from(spots: HotSpots) -> OverviewHotSpots {
        let HotSpots { files, authors, commits, since, .. } = spots;
        OverviewHotSpots {
            commits,
            since,
            files: files.into_iter().take(MAX_FILES).map(HotFileView::from).collect(),
            authors: authors.into_iter().take(MAX_AUTHORS).map(PathAuthorView::from).collect(),
        }
    }
}

impl From<LanguageSum> for LanguageSumView {
    fn from(sum: LanguageSum) -> LanguageSumView {
        let LanguageSum { display_name, is_code, files, lines, symbols } = sum;
        LanguageSumView { language: display_name, is_code, files, lines, symbols }
    }
}

impl From<EntryPoint> for EntryPointView {
    fn from(entry: EntryPoint) -> EntryPointView {
        let EntryPoint { name, path, line } = entry;
        EntryPointView { name, path, line }
    }
}

impl From<CentralUnit> for CentralView {
    fn from(unit: CentralUnit) -> CentralView {
        let CentralUnit { path, is_folder, importers } = unit;
        CentralView { path, is_folder, importers }
    }
}

/// Returns the projects, those that most others depend on first, and those of tests and examples
/// last.
fn project_views(projects: &[Project]) -> Vec<OverviewProjectView> {
    let mut dependents: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for dependency in projects.iter().flat_map(|project| &project.dependencies) {
        *dependents.entry((&dependency.folder, &dependency.name)).or_default() += 1;
    }
    let view = |project: &Project| OverviewProjectView {
        name: project.name.clone(),
        kind: project.kind,
        folder: project.folder.clone(),
        dependencies: project.dependencies.iter().map(|dependency| dependency.name.clone()).collect(),
        dependents: dependents.get(&(project.folder.as_str(), project.name.as_str())).copied().unwrap_or(0),
    };
    let mut views: Vec<(bool, OverviewProjectView)> =
        projects.iter().map(|project| (project.is_aside, view(project))).collect();
    let key =
        |(is_aside, view): &(bool, OverviewProjectView)| (*is_aside, Reverse(view.dependents), view.folder.clone());
    views.sort_by_cached_key(key);
    views.into_iter().map(|(_, view)| view).collect()
}

fn sums(list: Vec<(String, usize)>) -> Vec<FolderSum> {
    list.into_iter().take(MAX_FILES).map(|(path, count)| FolderSum { path, count }).collect()
}

impl Answer for OverviewAnswer {
    answer_fields!(NoExtra);

    fn is_found(&self) -> bool {
        self.files > 0
    }
}

impl Request for OverviewRequest {
    type Answer = OverviewAnswer;
    shared_arguments!(at);

    fn spread(&self) -> Spread {
        Spread::Each
    }

    fn answer(&self, context: &CallContext) -> Result<OverviewAnswer, AppError> {
        let session = Session::open_at(context, self.at.name())?;
        let engine = &session.engine;
        let (found, hot) = session.ask(|snapshot| {
            let (navigator, config) = (Navigator::new(snapshot), &engine.config().index);
            let found = query::overview(&navigator, engine.source(), config, self.max_endpoint_files)?;
            // What cannot be read of the history is no reason to tell nothing else.
            let options = HotSpotOptions { range: self.at.name().map(str::to_string), ..HotSpotOptions::default() };
            let is_ready = history::is_history_ready(engine, self.at.name());
            let hot = is_ready.then(|| history::hot_spots(engine, &options, &NoProgress).ok()).flatten();
            Ok((found, hot))
        })?;
        let root = engine.workspace().root.file_name().unwrap_or_default();
        let framework =
            |one: query::DetectedFramework| FrameworkSum { framework: one.display_name, endpoints: one.endpoints };
        Ok(OverviewAnswer {
            repository: root.to_string_lossy().into_owned(),
            files: found.files,
            lines: found.lines,
            symbols: found.symbols,
            languages: found.languages.into_iter().map(LanguageSumView::from).collect(),
            projects: project_views(found.projects.projects()),
            entry_points_total: found.entry_points.total,
            entry_points: found.entry_points.items.into_iter().map(EntryPointView::from).collect(),
            central: found.central.items.into_iter().map(CentralView::from).collect(),
            endpoints: EndpointSum {
                total: found.endpoints,
                files: found.endpoint_files,
                frameworks: found.frameworks.into_iter().map(framework).collect(),
            },
            services: ServiceSum {
                grpc: found.services.grpc,
                rpcs: found.services.rpcs,
                graphql_fields: found.services.graphql_fields,
            },
            tests: TestSumView {
                files: found.tests.files,
                functions: found.tests.functions,
                folders: sums(found.tests.folders),
            },
            hot_spots: hot.map(OverviewHotSpots::from),
            metadata: Metadata::new(&session),
            has_commits: engine.workspace().git_dir.is_some(),
        })
    }
}
