//! The history read ahead of questions, in the background of a server or watcher: the commit table,
//! then the changed lines of commits, the newest first. What is stored when the work is ended
//! stays, and the next run goes on from there.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::history::documents::{ChangeIndex, TextCandidate};
use crate::history::range;
use crate::history::reader::HistoryReader;
use crate::history::reader::retried;
use crate::progress::{Progress, Stage};
use crate::store::history::HistoryFile;

/// Commits whose changes are held in memory at once.
const PORTION: usize = 2048;

/// The part of the history that is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryState {
    /// Commits of the commit table.
    pub commits: usize,
    /// Those whose changed lines are stored. Merges and empty commits have none.
    pub with_changes: usize,
}

/// Returns the part of the history that is stored; `None` if nothing is.
pub fn history_state(engine: &Engine) -> Result<Option<HistoryState>> {
    let Some(file) = HistoryFile::existing(engine.store.root())? else { return Ok(None) };
    let (commits, with_changes) = file.counts()?;
    Ok(Some(HistoryState { commits, with_changes }))
}

/// Reads the history of what is checked out, as far as it is not stored. Returns false if another
/// process is doing so.
pub fn build_history(engine: &Engine, progress: &dyn Progress) -> Result<bool> {
    if engine.workspace().git_dir.is_none() {
        return Ok(true);
    }
    engine.store.claim();
    let Some(lock) = HistoryFile::lock(engine.store.root())? else { return Ok(false) };
    let outcome = retried(engine, || build(engine, progress));
    drop(lock);
    outcome.map(|()| true)
}

fn build(engine: &Engine, progress: &dyn Progress) -> Result<()> {
    let range = range::resolve(engine, None)?;
    let mut reader = HistoryReader::open(engine, &range.tips, progress)?;
    let file = HistoryFile::open(engine.store.root())?;
    let mut index = ChangeIndex::load(&file)?;
    let mut missing: Vec<usize> = reader.graph.reachable(&range.tips, None).found.ones().collect();
    let heads = &reader.graph.heads;
    missing.retain(|number| heads[*number].parents.len() <= 1 && !index.has(&heads[*number].id));
    missing.sort_by_key(|number| std::cmp::Reverse((heads[*number].commit_time, *number)));
    let total = missing.len();
    let portions = missing.chunks(PORTION).enumerate();
    for (number, portion) in portions {
        if progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let mut candidates = Vec::with_capacity(portion.len());
        for number in portion {
            let changes = reader.changes(*number)?.to_vec();
            if !changes.is_empty() {
                candidates.push(TextCandidate { id: reader.graph.heads[*number].id, changes });
            }
        }
        reader.forget();
        let part = PartProgress { progress, before: number * PORTION, total };
        index.fill(&file, engine, &candidates, None, &part)?;
    }
    Ok(())
}

/// Reports the progress of a portion as that of the whole.
struct PartProgress<'p> {
    progress: &'p dyn Progress,
    before: usize,
    total: usize,
}

impl Progress for PartProgress<'_> {
    fn report(&self, stage: Stage, done: usize, _: usize) {
        self.progress.report(stage, self.before + done, self.total);
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}
