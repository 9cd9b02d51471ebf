//! The overview of a view: what a reader of an unknown repository asks first.

pub(super) mod central;

use std::collections::BTreeMap;
use std::sync::Arc;

use codecompass_syntax::facts::SymbolRole;
use codecompass_syntax::language_named;

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{Role, VersionId};
use crate::query::endpoints::answer::DetectedFramework;
use crate::query::endpoints::{endpoint_list, files_to_read};
use crate::query::navigate::Navigator;
use crate::query::overview::central::{CentralUnit, central_units};
use crate::query::page::Listed;
use crate::query::projects::project_map;
use crate::query::projects::project_map::ProjectMap;
use crate::query::services::{ServiceCounts, service_counts};
use crate::scan::Source;
use crate::store::Snapshot;

/// Entry points, central files and folders of tests that are listed.
const MAX_LISTED: usize = 100;

/// Files that are parsed to count endpoints if the caller does not say otherwise; a first look must
/// not take as long as an index run.
pub const MAX_ENDPOINT_FILES: usize = 1_000;

/// The overview of a view.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Files with facts.
    pub files: usize,
    /// Lines in them.
    pub lines: u64,
    /// Definitions in them.
    pub symbols: u64,
    /// Languages of code, most lines first; what is no code comes last.
    pub languages: Vec<LanguageSum>,
    /// The projects.
    pub projects: Arc<ProjectMap>,
    /// Entry points of programs in source files, nearest to the root first.
    pub entry_points: Listed<EntryPoint>,
    /// The files, and packages that are folders, that most source files import.
    pub central: Listed<CentralUnit>,
    /// The number of all endpoints; `None` if too many files would have to be parsed for it.
    pub endpoints: Option<usize>,
    /// The number of files that may declare endpoints.
    pub endpoint_files: usize,
    /// Web frameworks with their numbers of endpoints, where those are counted.
    pub frameworks: Vec<DetectedFramework>,
    /// Services that schemas declare.
    pub services: ServiceCounts,
    /// The tests.
    pub tests: TestSum,
}

/// Files of one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageSum {
    /// The language as it is written.
    pub display_name: String,
    /// True for code, false for prose and data.
    pub is_code: bool,
    /// Files of the language.
    pub files: usize,
    /// Lines in them.
    pub lines: u64,
    /// Definitions in them.
    pub symbols: u64,
}

/// The place where a program starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The name with what it stands in.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Its line.
    pub line: u32,
}

/// Tests in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSum {
    /// Files of tests, fixtures and helpers included.
    pub files: usize,
    /// Functions that are tests, wherever they are.
    pub functions: usize,
    /// Folders that hold such files, with their numbers, most first.
    pub folders: Vec<(String, usize)>,
}

/// Sums up a view.
pub fn overview(
    navigator: &Navigator<'_>,
    source: &Source,
    config: &IndexConfig,
    max_endpoint_files: usize,
) -> Result<Overview> {
    let snapshot = navigator.snapshot();
    let projects = project_map(snapshot, source, config)?;
    let mut sums: BTreeMap<String, LanguageSum> = BTreeMap::new();
    let (mut files, mut lines, mut symbols) = (0, 0, 0);
    let counts = snapshot.file_counts(snapshot.files())?;
    for count in counts.iter().filter(|count| count.skip.is_none()) {
        files += 1;
        lines += u64::from(count.lines);
        symbols += u64::from(count.symbols);
        let name = count.language.as_deref().unwrap_or("text");
        let sum = sums.entry(name.to_string()).or_insert_with(|| new_sum(name));
        sum.files += 1;
        sum.lines += u64::from(count.lines);
        sum.symbols += u64::from(count.symbols);
    }
    let mut languages: Vec<LanguageSum> = sums.into_values().collect();
    languages.sort_by(|a, b| (!a.is_code, b.lines, &a.display_name).cmp(&(!b.is_code, a.lines, &b.display_name)));
    let roles = RoleScan::run(snapshot)?;
    let endpoint_files = files_to_read(snapshot)?;
    let list =
        if endpoint_files <= max_endpoint_files { Some(endpoint_list(navigator, source, config)?) } else { None };
    let frameworks = list.iter().flat_map(|list| &list.frameworks).filter(|framework| framework.endpoints > 0);
    Ok(Overview {
        files,
        lines,
        symbols,
        languages,
        projects,
        entry_points: roles.entry_points,
        central: Listed::new(central_units(navigator)?, MAX_LISTED),
        endpoints: list.as_ref().map(|list| list.endpoints.len()),
        endpoint_files,
        frameworks: frameworks.cloned().collect(),
        services: service_counts(navigator, source, config)?,
        tests: roles.tests,
    })
}

fn new_sum(name: &str) -> LanguageSum {
    let language = language_named(name);
    LanguageSum {
        display_name: language.map_or_else(|| name.to_string(), |language| language.display_name().to_string()),
        is_code: language.is_some_and(|language| language.is_code()),
        files: 0,
        lines: 0,
        symbols: 0,
    }
}

/// Findings about the roles of files and definitions.
struct RoleScan {
    entry_points: Listed<EntryPoint>,
    tests: TestSum,
}

impl RoleScan {
    fn run(snapshot: &Snapshot) -> Result<RoleScan> {
        let mut entries: Vec<(usize, &str, VersionId, u32)> = Vec::new();
        let mut tests = TestSum::default();
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for (path, version) in snapshot.files() {
            let info = snapshot.file_info(*version)?;
            if info.role == Role::Test {
                tests.files += 1;
                *folders.entry(test_folder(path)).or_default() += 1;
            }
            for (ordinal, summary) in snapshot.summaries(*version)?.iter().enumerate() {
                match summary.role {
                    SymbolRole::Test => tests.functions += usize::from(summary.kind.is_callable()),
                    SymbolRole::EntryPoint if info.role == Role::Source => {
                        entries.push((path.matches('/').count(), path, *version, ordinal as u32));
                    }
                    _ => {}
                }
            }
        }
        tests.folders = folders.into_iter().map(|(folder, count)| (folder.to_string(), count)).collect();
        tests.folders.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        tests.folders.truncate(MAX_LISTED);
        entries.sort_unstable();
        let total = entries.len();
        let mut items = Vec::new();
        for (_, path, version, ordinal) in entries.into_iter().take(MAX_LISTED) {
            let outline = snapshot.outline(version)?;
            let Some(definition) = outline.definitions.get(ordinal as usize) else { continue };
            let name = definition.local_name(&outline.definitions).to_string();
            items.push(EntryPoint { name, path: path.to_string(), line: definition.name_line });
        }
        Ok(RoleScan { entry_points: Listed { items, total }, tests })
    }
}

/// Returns the folder that tests of a file count for: the first two parts of its path.
fn test_folder(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let end = folder.match_indices('/').nth(1).map_or(folder.len(), |(at, _)| at);
    &folder[..end]
}
