//! Ahead and behind of many commits against one base, by one walk over the history they share.
//!
//! Every commit has a set of bits: the tips that reach it, and whether the base does. Commits are
//! visited from the newest to the oldest and hand their bits on to their parents, until all that is
//! left is reached by everything.

use std::collections::BinaryHeap;

use gix::ObjectId;
use rustc_hash::FxHashMap;

/// Tips that are walked from at once; the last bit is the base.
const WORDS: usize = 8;
const TIPS: usize = WORDS * 64 - 1;
const BASE: usize = TIPS;
/// Histories with more commits to visit than this are not counted.
const MAX_VISITED: usize = 1_000_000;
/// Commits that are older than all that is not reached by everything, and are looked through all
/// the same: their times may be wrong.
const MAX_OLDER: usize = 200;
/// The same in a history that has a commit which is older than its parent.
const MAX_OLDER_SKEWED: usize = 100_000;

/// Commits that a tip has and the base lacks, and the other way round.
pub(super) type AheadBehind = (usize, usize);

/// Bits of the tips that reach a commit, and of the base.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct TipSet([u64; WORDS]);

impl TipSet {
    fn has(self, bit: usize) -> bool {
        self.0[bit / 64] & (1 << (bit % 64)) != 0
    }

    fn with_bit(mut self, bit: usize) -> TipSet {
        self.0[bit / 64] |= 1 << (bit % 64);
        self
    }

    fn with(self, other: TipSet) -> TipSet {
        TipSet(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

/// A commit as it is read: the time in unix seconds, and the parents.
#[derive(Clone)]
pub(super) struct CommitNode {
    pub time: i64,
    pub parents: Box<[ObjectId]>,
}

/// The state of a commit in one walk.
#[derive(Clone, Copy, Default)]
struct CommitVisit {
    reached: TipSet,
    is_queued: bool,
}

/// The part of a history that was read so far.
pub(super) struct History<'a> {
    /// Reads a commit; `None` if it is missing.
    read: &'a mut dyn FnMut(ObjectId) -> Option<CommitNode>,
    known: FxHashMap<ObjectId, CommitNode>,
}

impl History<'_> {
    pub(super) fn new(read: &mut dyn FnMut(ObjectId) -> Option<CommitNode>) -> History<'_> {
        History { read, known: FxHashMap::default() }
    }

    /// Counts for each of `tips`; `None` where commits are missing or too many.
    pub(super) fn ahead_behind(&mut self, base: ObjectId, tips: &[ObjectId]) -> Vec<Option<AheadBehind>> {
        let mut counts = Vec::with_capacity(tips.len());
        for tips in tips.chunks(TIPS) {
            match self.count(base, tips) {
                Some(all) => counts.extend(all.into_iter().map(Some)),
                // One of them leads to what cannot be read.
                None => counts.extend(tips.iter().map(|tip| self.count(base, &[*tip])?.pop())),
            }
        }
        counts
    }

    fn count(&mut self, base: ObjectId, tips: &[ObjectId]) -> Option<Vec<AheadBehind>> {
        let mut counts = vec![(0, 0); tips.len()];
        for visit in self.reached(base, tips)?.values() {
            let is_of_base = visit.reached.has(BASE);
            for (bit, (ahead, behind)) in counts.iter_mut().enumerate() {
                match (visit.reached.has(bit), is_of_base) {
                    (true, false) => *ahead += 1,
                    (false, true) => *behind += 1,
                    _ => {}
                }
            }
        }
        Some(counts)
    }

    /// Visits all commits that not everything reaches, and some that everything does.
    fn reached(&mut self, base: ObjectId, tips: &[ObjectId]) -> Option<FxHashMap<ObjectId, CommitVisit>> {
        let mut all = TipSet::default();
        let mut visits: FxHashMap<ObjectId, CommitVisit> = FxHashMap::default();
        for (bit, id) in tips.iter().copied().enumerate().chain([(BASE, base)]) {
            all = all.with_bit(bit);
            let visit = visits.entry(id).or_default();
            visit.reached = visit.reached.with_bit(bit);
            visit.is_queued = true;
        }
        let mut queue: BinaryHeap<(i64, ObjectId)> = BinaryHeap::new();
        for id in visits.keys() {
            queue.push((self.commit(*id)?.time, *id));
        }
        let mut is_skewed = false;
        // The commits in the queue that something does not reach.
        let mut open = visits.values().filter(|visit| visit.reached != all).count();
        while open > 0
            && let Some((_, id)) = queue.pop()
        {
            let visit = visits.entry(id).or_default();
            visit.is_queued = false;
            let reached = visit.reached;
            open -= usize::from(reached != all);
            let CommitNode { time, parents } = self.commit(id)?;
            for parent in parents {
                let visit = visits.entry(parent).or_default();
                let more = visit.reached.with(reached);
                if more == visit.reached {
                    continue;
                }
                let was_open = visit.is_queued && visit.reached != all;
                open = open + usize::from(more != all) - usize::from(was_open);
                visit.reached = more;
                if !std::mem::replace(&mut visit.is_queued, true) {
                    let parent_time = self.commit(parent)?.time;
                    is_skewed |= parent_time > time;
                    queue.push((parent_time, parent));
                }
            }
            if visits.len() > MAX_VISITED {
                return None;
            }
        }
        // A commit with a wrong time, or the time of others, may have been visited before some that
        // lead to it, and these may not have been visited at all.
        let mut oldest = i64::MAX;
        for (id, visit) in &visits {
            if visit.reached != all {
                oldest = oldest.min(self.commit(*id)?.time);
            }
        }
        let mut left = if is_skewed { MAX_OLDER_SKEWED } else { MAX_OLDER };
        let mut pending: Vec<ObjectId> = queue.into_iter().map(|(_, id)| id).collect();
        while let Some(id) = pending.pop() {
            for parent in self.commit(id)?.parents {
                match visits.get_mut(&parent) {
                    Some(visit) if visit.reached == all => continue,
                    Some(visit) => visit.reached = all,
                    None => {
                        let Some(time) = self.commit(parent).map(|commit| commit.time) else { continue };
                        if time < oldest && left == 0 || visits.len() > MAX_VISITED {
                            continue;
                        }
                        left -= usize::from(time < oldest);
                        visits.insert(parent, CommitVisit { reached: all, is_queued: false });
                    }
                }
                pending.push(parent);
            }
        }
        Some(visits)
    }

    fn commit(&mut self, id: ObjectId) -> Option<CommitNode> {
        if let Some(known) = self.known.get(&id) {
            return Some(known.clone());
        }
        let commit = (self.read)(id)?;
        self.known.insert(id, commit.clone());
        Some(commit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn id(number: usize) -> ObjectId {
        let mut bytes = [0; 20];
        bytes[..8].copy_from_slice(&(number as u64 + 1).to_be_bytes());
        ObjectId::from_bytes_or_panic(&bytes)
    }

    /// All commits that one reaches, itself included.
    fn ancestors(parents: &[Vec<usize>], from: usize) -> HashSet<usize> {
        let mut found = HashSet::new();
        let mut pending = vec![from];
        while let Some(at) = pending.pop() {
            if found.insert(at) {
                pending.extend(&parents[at]);
            }
        }
        found
    }

    proptest! {
        /// Times of commits may be wrong in any way.
        #[test]
        fn counts_are_those_of_sets(
            commits in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..12_i64), 2..40),
            tips in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
        ) {
            let parents: Vec<Vec<usize>> = commits
                .iter()
                .enumerate()
                .map(|(at, (parents, _))| if at == 0 { Vec::new() } else { parents.iter().map(|it| it.index(at)).collect() })
                .collect();
            let number = |id: ObjectId| u64::from_be_bytes(id.as_bytes()[..8].try_into().unwrap()) as usize - 1;
            let mut read = |of: ObjectId| {
                let at = number(of);
                Some(CommitNode { time: commits[at].1, parents: parents[at].iter().map(|it| id(*it)).collect() })
            };
            let base = commits.len() - 1;
            let tips: Vec<usize> = tips.iter().map(|it| it.index(commits.len())).collect();
            let ids: Vec<ObjectId> = tips.iter().map(|tip| id(*tip)).collect();
            let counted = History::new(&mut read).ahead_behind(id(base), &ids);
            let of_base = ancestors(&parents, base);
            for (tip, counted) in tips.iter().zip(counted) {
                let of_tip = ancestors(&parents, *tip);
                let expected = (of_tip.difference(&of_base).count(), of_base.difference(&of_tip).count());
                prop_assert_eq!(counted, Some(expected));
            }
        }
    }

    /// Commits of one second are visited in any order.
    #[test]
    fn commits_of_the_same_time() {
        for shared in 0..6 {
            // The base and the tip share three commits behind one that only the base has between.
            let order: Vec<usize> = (0..6).map(|at| (at + shared) % 6).collect();
            let [tip, base, first, second, third, root] = order[..] else { continue };
            let parents = |of: usize| match of {
                of if of == tip => vec![third],
                of if of == base => vec![first],
                of if of == first => vec![second],
                of if of == second => vec![third],
                of if of == third => vec![root],
                _ => Vec::new(),
            };
            let number = |id: ObjectId| u64::from_be_bytes(id.as_bytes()[..8].try_into().unwrap()) as usize - 1;
            let mut read =
                |of: ObjectId| Some(CommitNode { time: 7, parents: parents(number(of)).into_iter().map(id).collect() });
            let counted = History::new(&mut read).ahead_behind(id(base), &[id(tip)]);
            assert_eq!(counted, [Some((1, 3))], "{order:?}");
        }
    }

    #[test]
    fn a_missing_commit_leaves_out_the_tips_that_lead_to_it() {
        let mut read = |of: ObjectId| match of {
            of if of == id(0) => Some(CommitNode { time: 1, parents: Box::default() }),
            of if of == id(1) => Some(CommitNode { time: 2, parents: [id(0)].into() }),
            of if of == id(2) => Some(CommitNode { time: 3, parents: [id(9)].into() }),
            _ => None,
        };
        let counted = History::new(&mut read).ahead_behind(id(0), &[id(1), id(2), id(0)]);
        assert_eq!(counted, [Some((1, 0)), None, Some((0, 0))]);
    }
}
