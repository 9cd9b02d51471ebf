//! The files that the latest commits changed most, from the commit table as far as it is built:
//! nothing is read from git.

use std::collections::BTreeMap;

use crate::engine::Engine;
use crate::error::Result;
use crate::history::graph::Graph;
use crate::store::Snapshot;
use crate::store::history::HistoryFile;
use crate::store::history::record::CommitId;

/// The files that some commits changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentChanges {
    /// The number of commits that were looked at, merges not counted.
    pub commits: usize,
    /// Files of the view with the number of commits that changed each, most first.
    pub files: Vec<(String, usize)>,
}

/// Returns the files of a view that its latest commits changed; `None` if the commit table does not
/// have the commit of the view.
pub fn recent_changes(engine: &Engine, snapshot: &Snapshot, most: usize) -> Result<Option<RecentChanges>> {
    let Some(tip) = snapshot.view().head_commit.as_deref().and_then(commit_id) else { return Ok(None) };
    let Some(file) = HistoryFile::existing(engine.store.root())? else { return Ok(None) };
    let graph = Graph::load(&file)?;
    if graph.number(&tip).is_none() {
        return Ok(None);
    }
    let order = graph.log_order(&[tip]);
    let is_wanted = |number: &usize| order[*number] != u32::MAX && graph.heads[*number].parents.len() < 2;
    let mut newest: Vec<usize> = (0..graph.heads.len()).filter(is_wanted).collect();
    newest.sort_by_key(|number| order[*number]);
    newest.truncate(most);
    let mut by_pack: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for number in &newest {
        let (pack, at) = graph.places[*number];
        by_pack.entry(pack).or_default().push(at);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (pack, places) in by_pack {
        let changes = file.changes(pack)?;
        let changed = places.iter().filter_map(|at| changes.get(*at as usize)).flatten();
        for change in changed.filter(|change| snapshot.version_at(&change.path).is_some()) {
            *counts.entry(change.path.clone()).or_default() += 1;
        }
    }
    let mut files: Vec<(String, usize)> = counts.into_iter().collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(Some(RecentChanges { commits: newest.len(), files }))
}

fn commit_id(hex: &str) -> Option<CommitId> {
    let byte = |at: usize| hex.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    CommitId::from_slice(&bytes)
}
