//! Text of what an answer says about itself. What goes without saying is not said: a fresh,
//! complete answer about the files on disk has none.

use crate::api::by_project::ProjectCount;
use crate::api::metadata::{ClusterStates, CommonMetadata, Completeness, RepositoryGeneration};
use crate::render::shown;
use crate::units;

/// Returns the lines about an answer: doubts about its freshness, advice, warnings, and the state
/// that answered where full metadata are asked for.
pub fn notes(metadata: &CommonMetadata) -> Vec<String> {
    let mut notes = Vec::new();
    match metadata.freshness_status {
        Some("stale") => notes.push("note: files changed since this was indexed; ask again for the newest".to_string()),
        Some("syncing") => notes.push("note: the index is being brought up to date; this is its last state".into()),
        _ => {}
    }
    if metadata.result_completeness == Some(Completeness::Partial) {
        notes.push("note: not complete; more may be found once the index is complete, or by looking further".into());
    }
    let advice = metadata.suggested_action.iter().flatten().chain(metadata.warnings.iter().flatten());
    notes.extend(advice.map(|advice| shown(&advice.text()).into_owned()));
    notes.extend(metadata.state().map(|state| shown(&state).into_owned()));
    notes.extend(metadata.cluster.as_ref().map(generations));
    notes
}

/// Returns the line about the states of a cluster that answered.
fn generations(states: &ClusterStates) -> String {
    let one = |of: &RepositoryGeneration| {
        let commit: String = of.commit.chars().take(12).collect();
        format!("{} generation {} ({commit})", shown(&of.repository), of.generation)
    };
    match states.repository_count {
        0..=3 => format!("[{}]", states.repositories.iter().map(one).collect::<Vec<_>>().join(", ")),
        count => format!("[{count} repositories]"),
    }
}

/// Projects that are named with their counts.
const MAX_PROJECTS: usize = 8;

/// Returns the number of results in each project, with words before it; empty if all are in one.
pub fn by_project_text(before: &str, counts: &[ProjectCount]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let name = |count: &ProjectCount| {
        if count.project.is_empty() { "outside of all".to_string() } else { shown(&count.project).into_owned() }
    };
    let named = counts.iter().take(MAX_PROJECTS).map(|count| format!("{} {}", name(count), count.count));
    let more = if counts.len() > MAX_PROJECTS { ", …" } else { "" };
    let projects = counts.iter().filter(|count| !count.project.is_empty()).count();
    let named = named.collect::<Vec<_>>().join(", ");
    format!("{before}{} ({named}{more})", units::count(projects, "project"))
}
