//! Renames of files within a commit, found as git finds them with `--find-renames=50%`: first equal
//! contents, then equal base names with like contents, then the most alike contents.
//!
//! The measure is git's, too: see `content_pieces`.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::content_pieces::ContentPieces;
use crate::store::history::record::{ChangeStatus, EntryClass, EntryRef, PathChange};

/// The scale of git's scores.
const MAX_SCORE: u64 = 60_000;
/// The least score of a rename.
const MIN_SCORE: u64 = 30_000;
/// The least score of a rename that keeps the base name, when it is looked for first.
const MIN_BASENAME_SCORE: u64 = 45_000;
/// The most candidates that are kept for a path.
const CANDIDATES: usize = 4;
/// More pairs than the square of this are not compared, as `diff.renameLimit` says by default.
const RENAME_LIMIT: usize = 1000;

/// Reads contents for comparison. Both give nothing where the object is missing.
pub(super) trait Contents {
    /// Returns the size of a blob.
    fn size(&self, entry: EntryRef) -> Option<u64>;
    /// Returns the bytes of a blob.
    fn bytes(&self, entry: EntryRef) -> Option<Vec<u8>>;
}

/// Replaces additions and deletions that belong together by renames. `changes` are sorted by path.
pub(super) fn join(changes: Vec<PathChange>, contents: &dyn Contents) -> Vec<PathChange> {
    let with = |status| changes.iter().enumerate().filter(move |(_, change)| change.status == status);
    let sources: Vec<usize> = with(ChangeStatus::Deleted).map(|(at, _)| at).collect();
    let targets: Vec<usize> = with(ChangeStatus::Added).map(|(at, _)| at).collect();
    if sources.is_empty() || targets.is_empty() {
        return changes;
    }
    let mut search = RenameSearch {
        changes: &changes,
        contents,
        sources: sources.into_iter().map(Some).collect(),
        targets: targets.into_iter().map(|at| (at, None)).collect(),
        pieces: RefCell::default(),
    };
    search.equal_contents();
    search.equal_base_names();
    search.alike();
    let mut joined: FxHashMap<usize, usize> = FxHashMap::default();
    for (target, source) in &search.targets {
        if let Some(source) = source {
            joined.insert(*target, *source);
        }
    }
    let used: Vec<usize> = joined.values().copied().collect();
    let mut result = Vec::with_capacity(changes.len());
    for (at, change) in changes.iter().enumerate() {
        match joined.get(&at) {
            Some(source) => result.push(PathChange {
                status: ChangeStatus::Renamed,
                path: change.path.clone(),
                old_path: Some(changes[*source].path.clone()),
                old: changes[*source].old,
                new: change.new,
            }),
            None if used.contains(&at) => {}
            None => result.push(change.clone()),
        }
    }
    result
}

struct RenameSearch<'c> {
    changes: &'c [PathChange],
    contents: &'c dyn Contents,
    /// Deletions, by their place among the changes; those that are used are gone.
    sources: Vec<Option<usize>>,
    /// Additions, with the deletion that each belongs to.
    targets: Vec<(usize, Option<usize>)>,
    /// Pieces of contents that were read.
    pieces: RefCell<FxHashMap<EntryRefKey, Option<std::rc::Rc<ContentPieces>>>>,
}

type EntryRefKey = [u8; 20];

/// A possible rename.
#[derive(Clone, Copy)]
struct RenameCandidate {
    target: usize,
    source: usize,
    score: u64,
    same_name: bool,
}

impl RenameSearch<'_> {
    fn deleted(&self, source: usize) -> Option<EntryRef> {
        self.changes[source].old
    }

    fn added(&self, target: usize) -> Option<EntryRef> {
        self.changes[target].new
    }

    fn join(&mut self, target: usize, source: usize) {
        self.targets[target].1 = self.sources[source].take();
    }

    fn equal_contents(&mut self) {
        let mut by_id: FxHashMap<[u8; 20], Vec<usize>> = FxHashMap::default();
        for (number, source) in self.sources.iter().enumerate() {
            if let Some(entry) = source.and_then(|at| self.deleted(at)) {
                by_id.entry(entry.id.0).or_default().push(number);
            }
        }
        for target in 0..self.targets.len() {
            let at = self.targets[target].0;
            let Some(entry) = self.added(at) else { continue };
            let mut best: Option<(bool, usize)> = None;
            for source in by_id.get(&entry.id.0).into_iter().flatten() {
                let Some(from) = self.sources[*source] else { continue };
                if self.deleted(from).is_none_or(|old| old.class != entry.class) {
                    continue;
                }
                let same_name = base_name(&self.changes[from].path) == base_name(&self.changes[at].path);
                if best.is_none_or(|(name, _)| same_name && !name) {
                    best = Some((same_name, *source));
                }
                if same_name {
                    break;
                }
            }
            if let Some((_, source)) = best {
                self.join(target, source);
            }
        }
    }

    fn equal_base_names(&mut self) {
        let changes = self.changes;
        // A name that several have leads to none of them.
        let mut sources: FxHashMap<&str, Option<usize>> = FxHashMap::default();
        for (number, source) in self.sources.iter().enumerate() {
            if let Some(at) = source {
                sources.entry(base_name(&changes[*at].path)).and_modify(|only| *only = None).or_insert(Some(number));
            }
        }
        let mut targets: FxHashMap<&str, Option<usize>> = FxHashMap::default();
        for (number, (at, source)) in self.targets.iter().enumerate() {
            if source.is_none() {
                targets.entry(base_name(&changes[*at].path)).and_modify(|only| *only = None).or_insert(Some(number));
            }
        }
        for source in 0..self.sources.len() {
            let Some(at) = self.sources[source] else { continue };
            let name = base_name(&changes[at].path);
            let (Some(Some(_)), Some(Some(target))) = (sources.get(name), targets.get(name)) else { continue };
            if self.similarity(at, self.targets[*target].0) >= MIN_BASENAME_SCORE {
                self.join(*target, source);
            }
        }
    }

    fn alike(&mut self) {
        let sources = self.sources.iter().flatten().count();
        let targets = self.targets.iter().filter(|(_, source)| source.is_none()).count();
        if sources * targets > RENAME_LIMIT * RENAME_LIMIT {
            return;
        }
        let mut candidates: Vec<RenameCandidate> = Vec::new();
        for (target, (at, source)) in self.targets.iter().enumerate() {
            if source.is_some() {
                continue;
            }
            let mut best: Vec<RenameCandidate> = Vec::with_capacity(CANDIDATES);
            for (source, from) in self.sources.iter().enumerate() {
                let Some(from) = from else { continue };
                let score = self.similarity(*from, *at);
                let same_name = base_name(&self.changes[*from].path) == base_name(&self.changes[*at].path);
                keep_best(&mut best, RenameCandidate { target, source, score, same_name });
            }
            candidates.extend(best);
        }
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        for candidate in candidates {
            let is_free = self.targets[candidate.target].1.is_none() && self.sources[candidate.source].is_some();
            if candidate.score >= MIN_SCORE && is_free {
                self.join(candidate.target, candidate.source);
            }
        }
    }

    /// Returns how much of the larger content the two share, on git's scale.
    fn similarity(&self, source: usize, target: usize) -> u64 {
        let (Some(old), Some(new)) = (self.deleted(source), self.added(target)) else { return 0 };
        if old.class != EntryClass::File || new.class != EntryClass::File {
            return 0;
        }
        let (Some(old_size), Some(new_size)) = (self.contents.size(old), self.contents.size(new)) else { return 0 };
        let (larger, smaller) = (old_size.max(new_size), old_size.min(new_size));
        if larger * (MAX_SCORE - MIN_SCORE) < (larger - smaller) * MAX_SCORE || new_size == 0 {
            return 0;
        }
        let (Some(old), Some(new)) = (self.pieces_of(old), self.pieces_of(new)) else { return 0 };
        old.common_bytes(&new) * MAX_SCORE / larger
    }

    fn pieces_of(&self, entry: EntryRef) -> Option<std::rc::Rc<ContentPieces>> {
        if let Some(known) = self.pieces.borrow().get(&entry.id.0) {
            return known.clone();
        }
        let pieces = |bytes: Vec<u8>| ContentPieces::new(&bytes, !super::lines::is_binary(&bytes));
        let made = self.contents.bytes(entry).map(|bytes| std::rc::Rc::new(pieces(bytes)));
        self.pieces.borrow_mut().insert(entry.id.0, made.clone());
        made
    }
}

impl RenameCandidate {
    fn rank(self) -> (u64, bool) {
        (self.score, self.same_name)
    }
}

/// Adds a candidate unless as many better ones are there.
fn keep_best(best: &mut Vec<RenameCandidate>, candidate: RenameCandidate) {
    if best.len() < CANDIDATES {
        best.push(candidate);
        return;
    }
    // Of equal ones the first is replaced, as in git.
    let mut worst = 0;
    for at in 1..best.len() {
        if best[at].rank() < best[worst].rank() {
            worst = at;
        }
    }
    if candidate.rank() > best[worst].rank() {
        best[worst] = candidate;
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
