//! The change index: the changed lines of commits, made when a question first needs them, the
//! newest commits first, and kept.

use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::history::changed_text::TextTest;
use crate::history::lines::{self, ChangedLines, DocumentFile, DocumentReader};
use crate::history::objects::Objects;
use crate::history::pipeline;
use crate::model::Workspace;
use crate::parallel;
use crate::progress::{Progress, Stage};
use crate::store::history::record::{CommitId, EntryRef, PathChange};
use crate::store::history::{BlockEntry, Documents, HistoryFile, KnownIds, PackedBlock};

/// Files with more bytes are compared when a question needs them, and not kept.
const MAX_FILE: u64 = 8 << 20;
/// A document with more bytes than this leaves out further files in the same way.
const MAX_DOCUMENT: usize = 32 << 20;
/// Commits that a thread takes at once.
const UNIT: usize = 128;
/// A block is full with so many bytes.
const FULL_BLOCK: usize = 1 << 20;
/// The most bytes of a file that is compared at all.
const MAX_COMPARED: u64 = 512 << 20;

/// A commit whose changes are looked at.
pub(super) struct TextCandidate {
    pub id: CommitId,
    pub changes: Vec<PathChange>,
}

/// The blocks of the change index, and the commits that they are about.
pub(super) struct ChangeIndex {
    blocks: Vec<BlockEntry>,
    known: KnownIds,
}

impl ChangeIndex {
    pub(super) fn load(file: &HistoryFile) -> Result<ChangeIndex> {
        let blocks = file.blocks()?;
        let ids = blocks.iter().flat_map(|block| block.commits.iter().copied()).collect();
        let newest = blocks.last().map_or(0, |block| block.number);
        Ok(ChangeIndex { blocks, known: KnownIds { ids, newest } })
    }

    /// Returns whether the lines of a commit are there.
    pub(super) fn has(&self, id: &CommitId) -> bool {
        self.known.ids.contains(id)
    }

    /// Adds the lines of those candidates that have none, in their order, until `deadline`.
    pub(super) fn fill(
        &mut self,
        file: &HistoryFile,
        engine: &Engine,
        candidates: &[TextCandidate],
        deadline: Option<Instant>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let missing: Vec<&TextCandidate> = candidates.iter().filter(|candidate| !self.has(&candidate.id)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (workspace, root) = (engine.workspace(), engine.store.root());
        let total = missing.len();
        progress.report(Stage::Changes, 0, total);
        let units: Vec<&[&TextCandidate]> = missing.chunks(UNIT).collect();
        let mut done = 0;
        pipeline::run(
            &units,
            engine.config().history.threads,
            || Ok((Objects::open(workspace)?, HistoryFile::open(root)?)),
            |(objects, file), unit| Ok((unit.len(), pack(file, unit.iter().map(|it| (it.id, document(objects, it))))?)),
            |(count, blocks): (usize, Vec<PackedBlock>)| {
                if progress.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                for block in blocks {
                    file.append_block(block, &mut self.known)?;
                }
                done += count;
                progress.report(Stage::Changes, done, total);
                Ok(deadline.is_none_or(|deadline| Instant::now() < deadline))
            },
        )?;
        *self = ChangeIndex::load(file)?;
        Ok(())
    }

    /// Applies `test` to the candidates whose lines are there; returns, by candidate, the changes
    /// that it accepts. `is_asked` says which changes of a candidate count, and how.
    pub(super) fn scan(
        &self,
        workspace: &Workspace,
        root: &std::path::Path,
        candidates: &[TextCandidate],
        test: &TextTest,
        is_asked: &(dyn Fn(&PathChange) -> AskedPart + Sync),
    ) -> Result<Vec<Vec<usize>>> {
        let wanted: FxHashMap<CommitId, usize> =
            candidates.iter().enumerate().map(|(at, candidate)| (candidate.id, at)).collect();
        let is_wanted = |block: &&BlockEntry| block.commits.iter().any(|id| wanted.contains_key(id));
        let blocks: Vec<&BlockEntry> = self.blocks.iter().filter(is_wanted).collect();
        let scanned = parallel::map(
            &blocks,
            || (HistoryFile::open(root).ok(), None::<Objects>),
            |(file, objects), block| -> Result<Vec<(usize, Vec<usize>)>> {
                let Some(file) = file else { return Err(unreadable(root)) };
                let text = file.block_text(block.number)?;
                let documents = HistoryFile::split_block(&block.commits, &text).ok_or_else(|| unreadable(root))?;
                let has_any = test.needs_contents || test.may_be_in(&text);
                let mut found = Vec::new();
                for (id, document) in documents {
                    let Some(at) = wanted.get(&id) else { continue };
                    let candidate = &candidates[*at];
                    let mut accepted = Vec::new();
                    for file in DocumentReader::new(document) {
                        let Some(change) = candidate.changes.get(file.change) else { continue };
                        let asked = is_asked(change);
                        let is_direct = file.is_omitted || asked != AskedPart::Whole || test.needs_contents;
                        let is_hit = match (asked, is_direct) {
                            (AskedPart::Not, _) => false,
                            (_, true) => {
                                let objects = opened(objects, workspace)?;
                                let (old, new) = asked_contents(objects, change, asked);
                                test.accepts_contents(old.as_deref(), new.as_deref())
                            }
                            (_, false) => has_any && test.accepts(file.removed, file.added, file.is_binary),
                        };
                        if is_hit {
                            accepted.push(file.change);
                        }
                    }
                    // A file whose content stayed the same has no lines, but one side of it may be
                    // asked for.
                    accepted.extend(split_renames(candidate, test, is_asked, objects, workspace)?);
                    if !accepted.is_empty() {
                        accepted.sort_unstable();
                        accepted.dedup();
                        found.push((*at, accepted));
                    }
                }
                Ok(found)
            },
        );
        let mut accepted = vec![Vec::new(); candidates.len()];
        for found in scanned {
            found?.into_iter().for_each(|(at, changes)| accepted[at] = changes);
        }
        Ok(accepted)
    }
}

/// A commit of which changed lines are counted: those of the changes at these places.
pub(super) struct CountedChanges<'c> {
    pub changes: &'c [PathChange],
    pub accepted: &'c [usize],
}

impl ChangeIndex {
    /// Counts the removed and the added lines with the text, by commit.
    pub(super) fn matching_lines(
        &self,
        workspace: &Workspace,
        root: &std::path::Path,
        commits: &FxHashMap<CommitId, CountedChanges<'_>>,
        test: &TextTest,
        is_asked: &(dyn Fn(&PathChange) -> AskedPart + Sync),
    ) -> Result<FxHashMap<CommitId, (usize, usize)>> {
        let is_wanted = |block: &&BlockEntry| block.commits.iter().any(|id| commits.contains_key(id));
        let blocks: Vec<&BlockEntry> = self.blocks.iter().filter(is_wanted).collect();
        let counted = parallel::map(
            &blocks,
            || (HistoryFile::open(root).ok(), None::<Objects>),
            |(file, objects), block| -> Result<Vec<(CommitId, (usize, usize))>> {
                let Some(file) = file else { return Err(unreadable(root)) };
                let text = file.block_text(block.number)?;
                let documents = HistoryFile::split_block(&block.commits, &text).ok_or_else(|| unreadable(root))?;
                let mut counts = Vec::new();
                for (id, document) in documents {
                    let Some(commit) = commits.get(&id) else { continue };
                    let mut sums = (0, 0);
                    let files: FxHashMap<usize, DocumentFile<'_>> =
                        DocumentReader::new(document).map(|file| (file.change, file)).collect();
                    for at in commit.accepted {
                        let Some(change) = commit.changes.get(*at) else { continue };
                        let asked = is_asked(change);
                        let stored = files
                            .get(at)
                            .filter(|file| !file.is_omitted && asked == AskedPart::Whole && !test.needs_contents);
                        let (removed, added) = match stored {
                            Some(file) => test.matching_lines(file.removed, file.added),
                            None => {
                                let (old, new) = asked_contents(opened(objects, workspace)?, change, asked);
                                if test.needs_contents {
                                    test.occurrences(old.as_deref(), new.as_deref())
                                } else {
                                    let changed = lines::compare(old.as_deref(), new.as_deref());
                                    test.matching_lines(&changed.removed, &changed.added)
                                }
                            }
                        };
                        sums = (sums.0 + removed, sums.1 + added);
                    }
                    counts.push((id, sums));
                }
                Ok(counts)
            },
        );
        let mut all = FxHashMap::default();
        for counts in counted {
            all.extend(counts?);
        }
        Ok(all)
    }
}

/// The part of a change that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskedPart {
    /// None of it.
    Not,
    /// All of it.
    Whole,
    /// Of a renamed file only the old path, which is as good as a deletion.
    OldPath,
    /// Of a renamed file only the new path, which is as good as an addition.
    NewPath,
}

/// Judges renames without a change of content of which only one path is asked for.
fn split_renames(
    candidate: &TextCandidate,
    test: &TextTest,
    is_asked: &(dyn Fn(&PathChange) -> AskedPart + Sync),
    objects: &mut Option<Objects>,
    workspace: &Workspace,
) -> Result<Vec<usize>> {
    let mut accepted = Vec::new();
    for (at, change) in candidate.changes.iter().enumerate() {
        let is_plain = change.old_path.is_some() && has_same_content(change);
        if is_plain && matches!(is_asked(change), AskedPart::OldPath | AskedPart::NewPath) {
            let (old, new) = asked_contents(opened(objects, workspace)?, change, is_asked(change));
            if test.accepts_contents(old.as_deref(), new.as_deref()) {
                accepted.push(at);
            }
        }
    }
    Ok(accepted)
}

fn opened<'o>(objects: &'o mut Option<Objects>, workspace: &Workspace) -> Result<&'o Objects> {
    if objects.is_none() {
        *objects = Some(Objects::open(workspace)?);
    }
    objects.as_ref().ok_or(Error::Cancelled)
}

fn unreadable(root: &std::path::Path) -> Error {
    Error::Corrupt { path: root.to_path_buf(), detail: "the history cannot be read".into() }
}

fn has_same_content(change: &PathChange) -> bool {
    matches!((change.old, change.new), (Some(old), Some(new)) if old.id == new.id && old.class == new.class)
}

/// Reads both sides of a change, as far as they are asked for and there.
pub(super) fn asked_contents(
    objects: &Objects,
    change: &PathChange,
    asked: AskedPart,
) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    let read = |entry: Option<EntryRef>| entry.and_then(|entry| objects.content(entry, MAX_COMPARED));
    match asked {
        AskedPart::Not => (None, None),
        AskedPart::Whole => (read(change.old), read(change.new)),
        AskedPart::OldPath => (read(change.old), None),
        AskedPart::NewPath => (None, read(change.new)),
    }
}

/// Makes the document of a commit.
fn document(objects: &Objects, candidate: &TextCandidate) -> Vec<u8> {
    let mut document = Vec::new();
    for (at, change) in candidate.changes.iter().enumerate().filter(|(_, change)| !has_same_content(change)) {
        let compared = (document.len() < MAX_DOCUMENT).then(|| compare(objects, change)).flatten();
        lines::write(&mut document, at, compared.as_ref());
    }
    document
}

/// Compares the two sides of a change; `None` if one is too large or missing.
fn compare(objects: &Objects, change: &PathChange) -> Option<ChangedLines> {
    let read = |entry: Option<EntryRef>| match entry {
        Some(entry) => objects.content(entry, MAX_FILE).map(Some),
        None => Some(None),
    };
    let (old, new) = (read(change.old)?, read(change.new)?);
    Some(lines::compare(old.as_deref(), new.as_deref()))
}

/// Packs documents into blocks.
fn pack(file: &HistoryFile, documents: impl Iterator<Item = (CommitId, Vec<u8>)>) -> Result<Vec<PackedBlock>> {
    let (mut blocks, mut open, mut size): (Vec<PackedBlock>, Documents, usize) = (Vec::new(), Vec::new(), 0);
    for (id, document) in documents {
        size += document.len();
        open.push((id, document));
        if size >= FULL_BLOCK {
            blocks.push(file.pack_block(&std::mem::take(&mut open))?);
            size = 0;
        }
    }
    if !open.is_empty() {
        blocks.push(file.pack_block(&open)?);
    }
    Ok(blocks)
}

/// Reads the document of one commit and gives its files to `read`.
pub(super) fn with_document<T>(
    file: &HistoryFile,
    index: &ChangeIndex,
    id: CommitId,
    read: impl FnOnce(Vec<DocumentFile<'_>>) -> T,
) -> Result<Option<T>> {
    let Some(block) = index.blocks.iter().find(|block| block.commits.contains(&id)) else { return Ok(None) };
    let text = file.block_text(block.number)?;
    let documents = HistoryFile::split_block(&block.commits, &text).unwrap_or_default();
    let document = documents.into_iter().find(|(other, _)| *other == id);
    Ok(document.map(|(_, document)| read(DocumentReader::new(document).collect())))
}
