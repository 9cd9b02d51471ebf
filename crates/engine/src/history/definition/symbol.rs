//! The question `history --symbol`: the commits that changed one definition.
//!
//! Its lines are followed from commit to parent, as `git log -L` does. A commit whose hunks touch
//! none of them only shifts them. Where one does, both versions are parsed, and the definition is
//! found again by its name; else by its place, if it was renamed; else in another file of the same
//! commit, if it was moved.

use std::time::Duration;

use codecompass_syntax::facts::{Definition, FileFacts};
use codecompass_syntax::{Parsed, registry};
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::error::Result;
use crate::history::lines::FoundLine;
use crate::history::lines::{self, LineHunk};
use crate::history::objects::Objects;
use crate::history::range;
use crate::history::reader::HistoryReader;
use crate::history::reader::retried;
use crate::progress::Progress;
use crate::store::history::record::{CommitId, EntryRef, PathChange, Person};

/// The most bytes of a file that is parsed.
const MAX_FILE: u64 = 4 << 20;
/// The longest time that one file's parse may take.
const PARSE_TIME: Duration = Duration::from_secs(10);

/// The definition that is asked about, as it is now.
#[derive(Clone, Debug)]
pub struct SymbolPlace {
    /// The path of its file.
    pub path: String,
    /// Its name within the file, with its containers.
    pub local_name: String,
    /// The word of its kind.
    pub kind: String,
    /// Its first line in the files on disk; decides between definitions of the same name.
    pub line: u32,
}

impl SymbolPlace {
    /// Finds the definition in facts of its file.
    pub(in crate::history) fn find<'f>(&self, facts: &'f FileFacts) -> Option<&'f Definition> {
        let named = facts.definitions.iter().filter(|definition| {
            definition.local_name(&facts.definitions) == self.local_name && definition.kind.as_str() == self.kind
        });
        named.min_by_key(|definition| definition.span.start_line.abs_diff(self.line))
    }
}

/// The way in which a commit changed a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolChangeKind {
    /// It is new.
    Introduced,
    /// Its lines changed.
    Modified,
    /// It has another name.
    Renamed,
    /// It comes from another file.
    Moved,
}

impl SymbolChangeKind {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SymbolChangeKind::Introduced => "introduced",
            SymbolChangeKind::Modified => "modified",
            SymbolChangeKind::Renamed => "renamed",
            SymbolChangeKind::Moved => "moved",
        }
    }
}

/// A commit that changed the definition.
#[derive(Clone, Debug)]
pub struct SymbolCommit {
    /// The id.
    pub id: CommitId,
    /// The author, by the repository's mailmap.
    pub author: Person,
    /// The author's date as RFC 3339.
    pub date: String,
    /// The first paragraph of the message.
    pub subject: String,
    /// The way in which it changed the definition.
    pub change: SymbolChangeKind,
    /// The path of the file after the commit.
    pub path: String,
    /// The name after the commit.
    pub name: String,
    /// The declaration before, where there was one.
    pub before: Option<String>,
    /// The declaration after.
    pub after: Option<String>,
    /// The changed lines of the definition.
    pub lines: Vec<FoundLine>,
}

/// The commits that changed a definition, the newest first.
#[derive(Clone, Debug, Default)]
pub struct SymbolHistory {
    /// All of them.
    pub commits: Vec<SymbolCommit>,
    /// True if the first one introduced the definition; else older ones are not here.
    pub is_complete: bool,
    /// The definition is not in the commit that is checked out.
    pub is_uncommitted: bool,
}

/// Finds the commits that changed the definition at `place`, from the engine's commit backwards.
pub fn symbol_history(engine: &Engine, place: &SymbolPlace, progress: &dyn Progress) -> Result<SymbolHistory> {
    engine.store.claim();
    retried(engine, || follow(engine, place, progress))
}

fn follow(engine: &Engine, place: &SymbolPlace, progress: &dyn Progress) -> Result<SymbolHistory> {
    let range = range::resolve(engine, None)?;
    let Some(tip) = range.tips.first().copied() else {
        return Ok(SymbolHistory { is_uncommitted: true, ..SymbolHistory::default() });
    };
    let mut walk = SymbolWalk { reader: HistoryReader::open(engine, &range.tips, progress)? };
    let Some(entry) = walk.reader.objects.file_at(tip, &place.path) else {
        return Ok(SymbolHistory { is_uncommitted: true, ..SymbolHistory::default() });
    };
    let found = walk.facts(&place.path, entry).and_then(|facts| {
        let found = place.find(&facts)?;
        Some(FollowedDefinition::new(&place.path, found, &facts))
    });
    let Some(followed) = found else {
        return Ok(SymbolHistory { is_uncommitted: true, ..SymbolHistory::default() });
    };
    walk.run(tip, followed, &range.tips)
}

/// A definition at one commit.
#[derive(Clone, Debug)]
struct FollowedDefinition {
    path: String,
    name: String,
    kind: &'static str,
    /// The first and the last line.
    start: u32,
    end: u32,
}

impl FollowedDefinition {
    fn new(path: &str, definition: &Definition, facts: &FileFacts) -> FollowedDefinition {
        FollowedDefinition {
            path: path.to_string(),
            name: definition.local_name(&facts.definitions).to_string(),
            kind: definition.kind.as_str(),
            start: definition.outer_start_line,
            end: definition.span.end_line,
        }
    }

    /// Returns whether a hunk changes a line, or removes lines between two of them.
    fn is_touched(&self, hunk: &LineHunk) -> bool {
        let (start, end) = (self.start - 1, self.end);
        match hunk.added {
            0 => start < hunk.new_start && hunk.new_start < end,
            added => hunk.new_start < end && start < hunk.new_start + added,
        }
    }

    /// Returns the lines as they were before hunks that do not touch them.
    fn shifted(&self, hunks: &[LineHunk]) -> (u32, u32) {
        let before = |line: u32| {
            let above = hunks.iter().take_while(|hunk| hunk.new_start + hunk.added < line.max(1));
            above.fold(i64::from(line), |at, hunk| at + i64::from(hunk.removed) - i64::from(hunk.added))
        };
        let start = before(self.start).max(1) as u32;
        (start, start + (self.end - self.start))
    }
}

struct SymbolWalk {
    reader: HistoryReader,
}

/// The outcome of a comparison with the parent.
enum SymbolStep {
    /// The commit did not change the definition, which was this before.
    Same(FollowedDefinition),
    /// It did.
    Changed { before: Option<FollowedDefinition>, commit: Box<SymbolCommit> },
}

impl SymbolWalk {
    fn run(&mut self, tip: CommitId, followed: FollowedDefinition, tips: &[CommitId]) -> Result<SymbolHistory> {
        let order = self.reader.graph.log_order(tips);
        let mut numbers: Vec<usize> = (0..order.len()).filter(|number| order[*number] != u32::MAX).collect();
        numbers.sort_by_key(|number| order[*number]);
        let mut states: FxHashMap<CommitId, FollowedDefinition> = FxHashMap::default();
        states.insert(tip, followed);
        let mut history = SymbolHistory::default();
        for number in numbers {
            let head = self.reader.graph.heads[number].clone();
            let Some(followed) = states.remove(&head.id) else { continue };
            if head.parents.len() > 1 {
                self.follow_merge(&head.parents, head.id, followed, &mut states);
                continue;
            }
            match self.step(number, &followed)? {
                SymbolStep::Same(before) => {
                    if let Some(parent) = head.parents.first() {
                        states.entry(*parent).or_insert(before);
                    }
                }
                SymbolStep::Changed { before, commit } => {
                    history.is_complete |= commit.change == SymbolChangeKind::Introduced;
                    history.commits.push(*commit);
                    if let (Some(before), Some(parent)) = (before, head.parents.first()) {
                        states.entry(*parent).or_insert(before);
                    }
                }
            }
        }
        Ok(history)
    }

    /// Follows a definition through a merge: to a parent that has the same file, else to all that
    /// have it with the same lines or the same name.
    fn follow_merge(
        &mut self,
        parents: &[CommitId],
        id: CommitId,
        followed: FollowedDefinition,
        states: &mut FxHashMap<CommitId, FollowedDefinition>,
    ) {
        let Some(entry) = self.reader.objects.file_at(id, &followed.path) else { return };
        let entries: Vec<(CommitId, Option<EntryRef>)> =
            parents.iter().map(|parent| (*parent, self.reader.objects.file_at(*parent, &followed.path))).collect();
        if let Some((parent, _)) = entries.iter().find(|(_, other)| *other == Some(entry)) {
            states.entry(*parent).or_insert(followed);
            return;
        }
        for (parent, other) in entries {
            let Some(other) = other else { continue };
            let before = self.facts(&followed.path, other).and_then(|facts| named(&facts, &followed));
            if let Some(before) = before {
                states.entry(parent).or_insert(before);
            }
        }
    }

    fn step(&mut self, number: usize, followed: &FollowedDefinition) -> Result<SymbolStep> {
        let changes = self.reader.changes(number)?.to_vec();
        let Some(change) = changes.iter().find(|change| change.new.is_some() && change.path == followed.path) else {
            // Without a parent there is nothing before.
            if self.reader.graph.heads[number].parents.is_empty() {
                return self.changed(number, followed, None, SymbolChangeKind::Introduced, &[]);
            }
            return Ok(SymbolStep::Same(followed.clone()));
        };
        let old_path = change.old_path.clone().unwrap_or_else(|| change.path.clone());
        let (old, new) = (self.text(change.old), self.text(change.new));
        let hunks = lines::hunks(old.as_bytes(), new.as_bytes());
        if change.old.is_some() && !hunks.iter().any(|hunk| followed.is_touched(hunk)) {
            let (start, end) = followed.shifted(&hunks);
            return Ok(SymbolStep::Same(FollowedDefinition { path: old_path, start, end, ..followed.clone() }));
        }
        let in_file = change.old.and_then(|entry| {
            let (before, after) = (self.facts(&old_path, entry)?, self.facts(&followed.path, change.new?)?);
            self.before_in(&before, &after, &FollowedDefinition { path: old_path.clone(), ..followed.clone() }, &hunks)
        });
        if let Some(before) = in_file {
            let kind =
                if before.name == followed.name { SymbolChangeKind::Modified } else { SymbolChangeKind::Renamed };
            return self.changed(number, followed, Some(before), kind, &hunks);
        }
        match self.moved_from(&changes, followed) {
            Some(before) => self.changed(number, followed, Some(before), SymbolChangeKind::Moved, &hunks),
            None => self.changed(number, followed, None, SymbolChangeKind::Introduced, &hunks),
        }
    }

    /// Finds the definition before a change of its file.
    fn before_in(
        &self,
        before: &FileFacts,
        after: &FileFacts,
        followed: &FollowedDefinition,
        hunks: &[LineHunk],
    ) -> Option<FollowedDefinition> {
        if let Some(found) = named(before, followed) {
            return Some(found);
        }
        // A renamed one stands in the same place, and no other definition has the old name now.
        let is_gone = |definition: &&Definition| {
            let name = definition.local_name(&before.definitions);
            let has_name = |other: &Definition| other.local_name(&after.definitions) == name;
            definition.kind.as_str() == followed.kind && !after.definitions.iter().any(has_name)
        };
        let (start, end) = followed.shifted(hunks);
        let overlap = |definition: &Definition| {
            let (from, to) = (definition.outer_start_line.max(start), definition.span.end_line.min(end));
            (to + 1).saturating_sub(from)
        };
        let candidates = before.definitions.iter().filter(is_gone).filter(|definition| {
            let length = definition.span.end_line + 1 - definition.outer_start_line;
            overlap(definition) * 2 > length.max(end + 1 - start)
        });
        let best = candidates.max_by_key(|definition| overlap(definition))?;
        Some(FollowedDefinition::new(&followed.path, best, before))
    }

    /// Finds the definition in another file from which the commit removed it.
    fn moved_from(&self, changes: &[PathChange], followed: &FollowedDefinition) -> Option<FollowedDefinition> {
        let language = registry::language_of(&followed.path, "").map(|language| language.name);
        for change in changes.iter().filter(|change| change.path != followed.path) {
            let path = change.old_path.as_ref().unwrap_or(&change.path);
            if registry::language_of(path, "").map(|language| language.name) != language {
                continue;
            }
            let Some(before) = change.old.and_then(|entry| self.facts(path, entry)) else { continue };
            let other = FollowedDefinition { path: path.clone(), ..followed.clone() };
            let Some(found) = named(&before, &other) else { continue };
            let after = change.new.and_then(|entry| self.facts(&change.path, entry));
            if after.is_none_or(|after| named(&after, &other).is_none()) {
                return Some(found);
            }
        }
        None
    }

    fn changed(
        &mut self,
        number: usize,
        followed: &FollowedDefinition,
        before: Option<FollowedDefinition>,
        change: SymbolChangeKind,
        hunks: &[LineHunk],
    ) -> Result<SymbolStep> {
        let head = self.reader.graph.heads[number].clone();
        let parent = head.parents.first().copied();
        let old = before.as_ref().zip(parent).and_then(|(it, parent)| self.reader.objects.file_at(parent, &it.path));
        let new = self.reader.objects.file_at(head.id, &followed.path);
        let subject = self.reader.subject(number)?;
        let shown = |followed: &FollowedDefinition, entry: Option<EntryRef>| {
            let facts = self.facts(&followed.path, entry?)?;
            let found = facts
                .definitions
                .iter()
                .find(|it| it.outer_start_line == followed.start && it.kind.as_str() == followed.kind)?;
            Some(found.signature.clone())
        };
        let commit = SymbolCommit {
            id: head.id,
            author: self.reader.author(number),
            date: self.reader.date(number),
            subject,
            change,
            path: followed.path.clone(),
            name: followed.name.clone(),
            before: before.as_ref().and_then(|before| shown(before, old)),
            after: shown(followed, new),
            lines: match change {
                SymbolChangeKind::Modified | SymbolChangeKind::Renamed => {
                    changed_lines(followed, before.as_ref(), &self.text(old), &self.text(new), hunks)
                }
                _ => Vec::new(),
            },
        };
        Ok(SymbolStep::Changed { before, commit: Box::new(commit) })
    }

    fn text(&self, entry: Option<EntryRef>) -> String {
        text_of(&self.reader.objects, entry)
    }

    fn facts(&self, path: &str, entry: EntryRef) -> Option<FileFacts> {
        definitions(path, &self.text(Some(entry)))
    }
}

/// Reads the text of an entry; empty if it is not there or too large.
pub(in crate::history) fn text_of(objects: &Objects, entry: Option<EntryRef>) -> String {
    let bytes = entry.and_then(|entry| objects.content(entry, MAX_FILE)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Parses the definitions of a text.
pub(in crate::history) fn definitions(path: &str, text: &str) -> Option<FileFacts> {
    let language = registry::language_of(path, text)?;
    match codecompass_syntax::parse_definitions(text, language, PARSE_TIME) {
        Parsed::Facts(facts) => Some(*facts),
        _ => None,
    }
}

/// Finds the definition of the same name and kind, the nearest if there are several.
fn named(facts: &FileFacts, followed: &FollowedDefinition) -> Option<FollowedDefinition> {
    let is_it = |definition: &&Definition| {
        definition.local_name(&facts.definitions) == followed.name && definition.kind.as_str() == followed.kind
    };
    let nearest = |definition: &&Definition| definition.outer_start_line.abs_diff(followed.start);
    let found = facts.definitions.iter().filter(is_it).min_by_key(nearest)?;
    Some(FollowedDefinition::new(&followed.path, found, facts))
}

/// Lists the removed and added lines of a definition.
fn changed_lines(
    after: &FollowedDefinition,
    before: Option<&FollowedDefinition>,
    old: &str,
    new: &str,
    hunks: &[LineHunk],
) -> Vec<FoundLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut shown = Vec::new();
    let mut add = |followed: &FollowedDefinition, texts: &[&str], first: u32, count: u32, is_added: bool| {
        for line in first + 1..=first + count {
            if let Some(text) = texts.get(line as usize - 1).filter(|_| (followed.start..=followed.end).contains(&line))
            {
                let text = text.to_string();
                shown.push(FoundLine { path: followed.path.clone(), is_added, line: Some(line), text });
            }
        }
    };
    for hunk in hunks {
        if let Some(before) = before {
            add(before, &old, hunk.old_start, hunk.removed, false);
        }
        add(after, &new, hunk.new_start, hunk.added, true);
    }
    shown
}
