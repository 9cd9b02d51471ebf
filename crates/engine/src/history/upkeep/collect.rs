//! Removal of commits that no ref reaches any more.

use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::error::Result;
use crate::history::graph::Graph;
use crate::history::objects::commit_id;
use crate::scan;
use crate::store::history::HistoryFile;
use crate::store::history::record::CommitId;

/// The result of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectedHistory {
    /// Commits removed from the table, with their changed lines.
    pub removed_commits: usize,
}

/// Removes stored commits that no ref and no checkout reaches, in any clone that shares the store.
pub fn collect_history(engine: &Engine) -> Result<CollectedHistory> {
    let workspace = engine.workspace();
    if workspace.git_dir.is_none() {
        return Ok(CollectedHistory::default());
    }
    let Some(file) = HistoryFile::existing(engine.store.root())? else { return Ok(CollectedHistory::default()) };
    let graph = Graph::load(&file)?;
    let mut tips = tips(&scan::open_repository(workspace)?);
    let others = engine.clones().into_iter().filter(|clone| Some(clone) != workspace.git_common_dir.as_ref());
    for clone in others.filter(|clone| clone.exists()) {
        // What cannot be asked may need everything.
        let Ok(repository) = scan::open_git_dir(&clone) else { return Ok(CollectedHistory::default()) };
        tips.extend(self::tips(&repository));
    }
    let reachable = graph.reachable(&tips, None).found;
    let gone = |(number, _): &(usize, _)| !reachable.contains(*number);
    let gone: FxHashSet<CommitId> = graph.heads.iter().enumerate().filter(gone).map(|(_, head)| head.id).collect();
    if !gone.is_empty() {
        file.remove(&gone)?;
    }
    Ok(CollectedHistory { removed_commits: gone.len() })
}

/// Returns the commits of all refs and checkouts.
fn tips(repository: &gix::Repository) -> Vec<CommitId> {
    let mut tips = Vec::new();
    if let Ok(platform) = repository.references()
        && let Ok(all) = platform.all()
    {
        tips.extend(all.flatten().filter_map(|mut reference| reference.peel_to_id().ok().map(|id| commit_id(&id))));
    }
    tips.extend(repository.head_id().ok().map(|id| commit_id(&id)));
    for worktree in repository.worktrees_including_main().into_iter().flatten().flatten() {
        tips.extend(worktree.head_id().ok().map(|id| commit_id(&id)));
    }
    tips
}

/// Returns the bytes of the commit table and of the change index.
pub fn history_sizes(engine: &Engine) -> Result<(u64, u64)> {
    match HistoryFile::existing(engine.store.root())? {
        Some(file) => file.sizes(),
        None => Ok((0, 0)),
    }
}
