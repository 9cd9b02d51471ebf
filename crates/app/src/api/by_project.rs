//! Counts of results by project, for questions whose answers cross several.

use std::collections::BTreeMap;
use std::sync::Arc;

use codecompass_engine::Snapshot;
use codecompass_engine::query::{self, ProjectMap};
use serde::Serialize;

use crate::session::Session;

/// The results in one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProjectCount {
    /// The name of the project; empty for what belongs to none.
    pub project: String,
    pub count: usize,
}

/// Returns the projects of a snapshot if there are several. Where manifests cannot be read, the
/// answer itself is none the worse.
pub fn several_projects(session: &Session, snapshot: &Snapshot) -> Option<Arc<ProjectMap>> {
    let engine = &session.engine;
    let map = query::project_map(snapshot, engine.source(), &engine.config().index).ok()?;
    (map.projects().len() > 1).then_some(map)
}

/// Counts results by project, most first; empty if all are in one.
pub fn by_project<'a>(map: Option<&ProjectMap>, results: impl Iterator<Item = (&'a str, usize)>) -> Vec<ProjectCount> {
    let Some(map) = map else { return Vec::new() };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, count) in results {
        let name = map.project_of(path).map_or("", |project| project.name.as_str());
        *counts.entry(name).or_default() += count;
    }
    if counts.len() < 2 {
        return Vec::new();
    }
    let count = |(project, count): (&str, usize)| ProjectCount { project: project.to_string(), count };
    let mut counts: Vec<ProjectCount> = counts.into_iter().map(count).collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.project.cmp(&b.project)));
    counts
}
