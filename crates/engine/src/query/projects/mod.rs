//! Projects: the packages, crates and modules that the manifests of a view declare, with their
//! dependencies on each other.
//!
//! Nothing about projects is stored. Manifests are found by their names and read by
//! [`codecompass_syntax::manifests`] (`manifest_files`), and what they say is joined (`join`):
//! which are members of which workspace, and which project a dependency means. A file belongs to
//! the innermost project around it (`project_map`).

pub(super) mod answer;
pub(super) mod import_edges;
mod join;
mod manifest_files;
pub(super) mod project_map;

use std::collections::BTreeSet;
use std::sync::Arc;

use codecompass_syntax::manifests::manifest_kinds;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::query::filter::project_scope::ProjectScope;
use crate::query::page::Listed;
use crate::query::projects::answer::{Project, ProjectsAnswer, ProjectsOptions};
use crate::query::projects::project_map::ProjectMap;
use crate::scan::Source;
use crate::store::Snapshot;

/// Lists the projects of a view.
pub fn projects(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    options: &ProjectsOptions,
) -> Result<ProjectsAnswer> {
    for kind in &options.kinds {
        if !manifest_kinds().iter().any(|known| is_kind(known.name, kind)) {
            let known: Vec<&str> = manifest_kinds().iter().map(|kind| kind.name).collect();
            let known = known.join(", ");
            return Err(Error::InvalidInput(format!("`{kind}` is no kind of project; kinds are {known}")));
        }
    }
    let map = project_map(snapshot, source, config)?;
    let wanted = options.name.as_deref().map(str::to_lowercase);
    let is_wanted = |project: &Project| {
        let has_name = |name: &String| project.name.to_lowercase().contains(name) || project.folder.contains(name);
        (options.kinds.is_empty() || options.kinds.iter().any(|kind| is_kind(project.kind, kind)))
            && wanted.as_ref().is_none_or(has_name)
    };
    let numbers: Vec<usize> = (0..map.projects.len()).filter(|at| is_wanted(&map.projects[*at])).collect();
    let mut found: Vec<Project> = numbers.iter().map(|at| map.projects[*at].clone()).collect();
    for ((files, symbols), number) in count(snapshot, &map)?.into_iter().zip(0..) {
        if let Ok(at) = numbers.binary_search(&number) {
            (found[at].files, found[at].symbols) = (files, symbols);
        }
    }
    Ok(ProjectsAnswer {
        all: map.projects.len(),
        projects: Listed::new(found, options.limit),
        problems: map.problems.clone(),
        left_out: map.left_out.clone(),
    })
}

fn is_kind(name: &str, wanted: &str) -> bool {
    name.eq_ignore_ascii_case(wanted) || name.split('-').next().is_some_and(|first| first.eq_ignore_ascii_case(wanted))
}

/// Returns the number of files and of definitions of each project.
fn count(snapshot: &Snapshot, map: &ProjectMap) -> Result<Vec<(usize, u64)>> {
    let mut counts = vec![(0, 0); map.projects.len()];
    for ((path, _), file) in snapshot.files().iter().zip(snapshot.file_counts(snapshot.files())?) {
        for number in map.numbers_of(path) {
            counts[*number].0 += 1;
            counts[*number].1 += u64::from(file.symbols);
        }
    }
    Ok(counts)
}

/// Returns the projects of a view, from the last question about the same state if it asked for
/// them.
pub fn project_map(snapshot: &Snapshot, source: &Source, config: &IndexConfig) -> Result<Arc<ProjectMap>> {
    snapshot.memo().get_or_make(|| Ok(join::join(snapshot, manifest_files::read(snapshot, source, config)?)))
}

/// Returns the restriction to the projects with these names; the error proposes others.
pub fn project_scope(
    snapshot: &Snapshot,
    source: &Source,
    config: &IndexConfig,
    names: &[String],
) -> Result<ProjectScope> {
    let map = project_map(snapshot, source, config)?;
    let mut folders = BTreeSet::new();
    for name in names {
        folders.extend(map.named(name)?.into_iter().map(|number| map.projects[number].folder.clone()));
    }
    Ok(ProjectScope::new(Arc::clone(&map.folders), folders))
}
