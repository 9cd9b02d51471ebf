//! The commit table in memory: who descends from whom, and how it is extended by commits that it
//! does not have yet.

use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::HistoryConfig;
use crate::error::{Error, Result};
use crate::history::objects::Objects;
use crate::history::pipeline;
use crate::model::Workspace;
use crate::progress::{Progress, Stage};
use crate::store::history::record::{CommitHead, CommitId, CommitRecord, Person};
use crate::store::history::{HistoryFile, KnownIds, PACK_COMMITS};

/// All commits that are stored, with their places in the store.
#[derive(Default)]
pub(crate) struct Graph {
    pub heads: Vec<CommitHead>,
    /// The people that `author` of a head names, as the commits have them.
    pub people: Vec<Person>,
    /// The pack of each commit, and its place there.
    pub places: Vec<(i64, u32)>,
    numbers: FxHashMap<CommitId, u32>,
    newest_pack: i64,
}

impl Graph {
    /// Reads the table.
    pub(crate) fn load(file: &HistoryFile) -> Result<Graph> {
        let mut graph = Graph::default();
        let mut people: FxHashMap<Person, u32> = FxHashMap::default();
        for (pack, packed) in file.heads()? {
            graph.newest_pack = pack;
            let mut global = Vec::with_capacity(packed.people.len());
            for person in packed.people {
                let number = *people.entry(person).or_insert_with_key(|person| {
                    graph.people.push(person.clone());
                    graph.people.len() as u32 - 1
                });
                global.push(number);
            }
            for (at, mut head) in packed.heads.into_iter().enumerate() {
                let number = graph.heads.len() as u32;
                if graph.numbers.insert(head.id, number).is_some() {
                    // Cannot be, since a pack takes in only what no other has; the first one
                    // counts.
                    continue;
                }
                head.author = global.get(head.author as usize).copied().unwrap_or(0);
                graph.heads.push(head);
                graph.places.push((pack, at as u32));
            }
        }
        Ok(graph)
    }

    /// Returns the number of a commit.
    pub(crate) fn number(&self, id: &CommitId) -> Option<usize> {
        self.numbers.get(id).map(|number| *number as usize)
    }

    /// Returns the commits that `tips` reach. As in git, commits older than `since` are left out,
    /// with everything behind them.
    pub(crate) fn reachable(&self, tips: &[CommitId], since: Option<i64>) -> Reachable {
        let mut found = FixedBitSet::with_capacity(self.heads.len());
        let mut missing = FxHashSet::default();
        let mut pending: Vec<CommitId> = tips.to_vec();
        while let Some(id) = pending.pop() {
            let Some(number) = self.number(&id) else {
                missing.insert(id);
                continue;
            };
            let head = &self.heads[number];
            if since.is_none_or(|since| head.commit_time >= since) && !found.put(number) {
                pending.extend_from_slice(&head.parents);
            }
        }
        Reachable { found, missing }
    }

    /// Returns the place of each commit that `tips` reach in the order of `git log`: the newest
    /// first, but none before a commit that leads to it.
    pub(crate) fn log_order(&self, tips: &[CommitId]) -> Vec<u32> {
        let mut order = vec![u32::MAX; self.heads.len()];
        let mut seen = FixedBitSet::with_capacity(self.heads.len());
        let (mut pending, mut count, mut place) = (BinaryHeap::new(), 0_usize, 0);
        let mut add = |id: &CommitId, pending: &mut BinaryHeap<_>| {
            if let Some(number) = self.number(id)
                && !seen.put(number)
            {
                count += 1;
                pending.push((self.heads[number].commit_time, std::cmp::Reverse(count), number));
            }
        };
        tips.iter().for_each(|tip| add(tip, &mut pending));
        while let Some((_, _, number)) = pending.pop() {
            order[number] = place;
            place += 1;
            self.heads[number].parents.iter().for_each(|parent| add(parent, &mut pending));
        }
        order
    }

    fn known(&self) -> KnownIds {
        KnownIds { ids: self.heads.iter().map(|head| head.id).collect(), newest: self.newest_pack }
    }
}

/// The commits that others reach.
pub(crate) struct Reachable {
    pub found: FixedBitSet,
    /// Commits that are not in the table.
    pub missing: FxHashSet<CommitId>,
}

/// A commit to visit; the newest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    time: i64,
    id: CommitId,
    parents: Vec<CommitId>,
}

/// Brings the table up to date for `tips`: adds what they reach, up to the most commits of the
/// settings, and reads again what a shallow clone shows differently by now. What is stored when the
/// work is ended stays.
pub(crate) fn extend(
    file: &HistoryFile,
    workspace: &Workspace,
    tips: &[CommitId],
    config: &HistoryConfig,
    progress: &dyn Progress,
) -> Result<Graph> {
    let objects = Objects::open(workspace)?;
    let mut graph = Graph::load(file)?;
    let is_changed = |head: &&CommitHead| head.is_edge != objects.edges().contains(&head.id);
    let changed: FxHashSet<CommitId> = graph.heads.iter().filter(is_changed).map(|head| head.id).collect();
    if !changed.is_empty() {
        file.remove(&changed)?;
        graph = Graph::load(file)?;
    }
    let ids = unknown(&graph, &objects, tips, config.max_commits, progress)?;
    if ids.is_empty() {
        return Ok(graph);
    }
    let total = ids.len();
    progress.report(Stage::History, 0, total);
    let chunks: Vec<&[CommitId]> = ids.chunks(PACK_COMMITS).collect();
    let (mut known, mut done) = (graph.known(), 0);
    pipeline::run(
        &chunks,
        config.threads,
        || Objects::open(workspace),
        |objects, chunk| Ok(chunk.iter().filter_map(|id| with_changes(objects, *id)).collect::<Vec<_>>()),
        |records| {
            if progress.is_cancelled() {
                return Err(Error::Cancelled);
            }
            done += records.len();
            file.append(records, &mut known)?;
            progress.report(Stage::History, done, total);
            Ok(true)
        },
    )?;
    Graph::load(file)
}

/// Finds the commits that `tips` reach and the table does not have, the newest first. Only their
/// ids are kept: the messages of a long history would need too much memory.
fn unknown(
    graph: &Graph,
    objects: &Objects,
    tips: &[CommitId],
    limit: usize,
    progress: &dyn Progress,
) -> Result<Vec<CommitId>> {
    let room = limit.saturating_sub(graph.heads.len());
    let mut seen: FxHashSet<CommitId> = FxHashSet::default();
    let mut starts: Vec<CommitId> = tips.to_vec();
    if room > 0 {
        // The table may end where a run was killed, or where objects were missing.
        starts.extend(graph.reachable(tips, None).missing);
    }
    let (mut ids, mut pending) = (Vec::new(), BinaryHeap::new());
    let visit = |id: CommitId, pending: &mut BinaryHeap<Pending>| {
        if let Some(head) = objects.commit(id).map(|record| record.head) {
            pending.push(Pending { time: head.commit_time, id, parents: head.parents });
        }
    };
    let is_new = |id: &CommitId, seen: &mut FxHashSet<CommitId>| graph.number(id).is_none() && seen.insert(*id);
    for id in starts {
        if is_new(&id, &mut seen) {
            visit(id, &mut pending);
        }
    }
    // New commits come in any case, older ones while there is room.
    let at_least = pending.len();
    while let Some(next) = pending.pop() {
        if ids.len() >= room.max(at_least) {
            break;
        }
        if ids.len() % 1024 == 0 && progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        for parent in &next.parents {
            if is_new(parent, &mut seen) {
                visit(*parent, &mut pending);
            }
        }
        ids.push(next.id);
    }
    Ok(ids)
}

/// Reads a commit with what it changed.
fn with_changes(objects: &mut Objects, id: CommitId) -> Option<CommitRecord> {
    let mut record = objects.commit(id)?;
    // A merge has no changes of its own, as in `git log`.
    if record.head.parents.len() <= 1 {
        match objects.changes(record.head.id, record.head.parents.first().copied()) {
            Some(changes) => record.changes = changes,
            None => record.head.is_incomplete = true,
        }
    }
    Some(record)
}
