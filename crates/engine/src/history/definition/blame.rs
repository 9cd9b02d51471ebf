//! The question `blame`: the commit that each line of a definition comes from, as `git blame` has
//! it.
//!
//! A line is passed on from commit to parent as long as the parent's file has it. A file that the
//! parent does not have under its path is looked for where it was renamed from. A merge passes its
//! lines to the first parent whose file is the same, else to each parent what it has.

use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::error::Result;
use crate::history::definition::symbol::{SymbolPlace, definitions};
use crate::history::lines;
use crate::history::range;
use crate::history::reader::HistoryReader;
use crate::history::reader::retried;
use crate::model::Target;
use crate::progress::Progress;
use crate::scan::ReadOutcome;
use crate::store::history::record::{ChangeStatus, CommitId, EntryRef, Person};

/// The most bytes of a file whose lines are followed.
const MAX_FILE: u64 = 64 << 20;

/// The lines of a definition with the commits that they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blame {
    /// Runs of lines of the same commit, from the first line to the last.
    pub runs: Vec<BlameRun>,
    /// The definition was not found in the file.
    pub is_missing: bool,
}

/// Lines that stand together and come from the same commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlameRun {
    /// The first line.
    pub start: u32,
    /// The texts.
    pub lines: Vec<String>,
    /// The commit; `None` for lines that are not committed.
    pub commit: Option<BlamedCommit>,
}

/// The commit that lines come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedCommit {
    /// The id.
    pub id: CommitId,
    /// The author, by the repository's mailmap.
    pub author: Person,
    /// The author's date as RFC 3339.
    pub date: String,
    /// The first paragraph of the message.
    pub subject: String,
    /// The path of the file in that commit.
    pub path: String,
    /// True if older commits are not here, so that the lines may come from one of them.
    pub is_oldest_known: bool,
}

/// The lines that are asked about.
#[derive(Clone, Debug)]
pub enum BlamePlace {
    /// A definition with its decorators and its doc comment.
    Definition(SymbolPlace),
    /// A whole file.
    File(String),
    /// One line of a file, as it is now.
    Line(String, u32),
}

impl BlamePlace {
    fn path(&self) -> &str {
        match self {
            BlamePlace::Definition(place) => &place.path,
            BlamePlace::File(path) | BlamePlace::Line(path, _) => path,
        }
    }

    /// Returns the first and the last line.
    fn lines(&self, text: &str) -> Option<(u32, u32)> {
        match self {
            BlamePlace::File(_) => Some((1, text.lines().count() as u32)),
            BlamePlace::Line(_, line) => {
                Some((*line, *line)).filter(|_| (1..=text.lines().count()).contains(&(*line as usize)))
            }
            BlamePlace::Definition(place) => {
                let facts = definitions(&place.path, text)?;
                place.find(&facts).map(|definition| (definition.outer_start_line, definition.span.end_line))
            }
        }
    }
}

/// Finds the commits that lines come from.
pub fn blame(engine: &Engine, place: &BlamePlace, progress: &dyn Progress) -> Result<Blame> {
    engine.store.claim();
    retried(engine, || blame_lines(engine, place, progress))
}

fn blame_lines(engine: &Engine, place: &BlamePlace, progress: &dyn Progress) -> Result<Blame> {
    let path = place.path();
    let range = range::resolve(engine, None)?;
    let tip = range.tips.first().copied();
    let mut walk = BlameWalk::new(HistoryReader::open(engine, &range.tips, progress)?);
    let committed = tip.and_then(|tip| walk.reader.objects.file_at(tip, path));
    let committed_bytes = walk.content(committed);
    let bytes = match engine.target() {
        Target::Commit { .. } => committed_bytes.clone(),
        _ => on_disk(engine, path, &committed_bytes).into_bytes(),
    };
    let text = String::from_utf8_lossy(&bytes);
    let Some((start, end)) = place.lines(&text) else {
        return Ok(Blame { is_missing: true, ..Blame::default() });
    };
    let wanted: Vec<Line> = (start..=end).map(|line| Line { here: line - 1, at: line - 1 }).collect();
    let texts: Vec<&str> = text.lines().collect();
    if let (Some(tip), Some(_)) = (tip, committed) {
        let kept = unchanged(&committed_bytes, &bytes, wanted).0;
        walk.run(tip, path, kept)?;
    }
    walk.runs(start, end, &texts)
}

/// Reads the file on disk, with the line ends that git would store.
fn on_disk(engine: &Engine, path: &str, committed: &[u8]) -> String {
    let read = engine.source().reader().read(path, None, &engine.config().index);
    let text = match read {
        ReadOutcome::Text(read) => read.text,
        _ => String::new(),
    };
    if committed.contains(&b'\r') { text } else { text.replace("\r\n", "\n") }
}

/// A line that is looked for, by numbers from 0.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// In the version that is asked about.
    here: u32,
    /// In the version of the commit.
    at: u32,
}

/// Divides lines of `new` into those that `old` has, with their places there, and the others.
fn unchanged(old: &[u8], new: &[u8], wanted: Vec<Line>) -> (Vec<Line>, Vec<Line>) {
    let hunks = lines::placed_hunks(old, new);
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for line in wanted {
        let above = hunks.partition_point(|hunk| hunk.new_start <= line.at);
        match above.checked_sub(1).map(|last| hunks[last]) {
            None => kept.push(line),
            Some(hunk) if line.at < hunk.new_start + hunk.added => changed.push(line),
            Some(hunk) => {
                let behind = line.at - (hunk.new_start + hunk.added);
                kept.push(Line { at: hunk.old_start + hunk.removed + behind, ..line });
            }
        }
    }
    (kept, changed)
}

/// A commit to look at; the newest first.
type Turn = (i64, std::cmp::Reverse<usize>);

struct BlameWalk {
    reader: HistoryReader,
    turns: BinaryHeap<Turn>,
    /// The lines that commits have to answer for, by number and path.
    pending: FxHashMap<usize, FxHashMap<String, Vec<Line>>>,
    /// The number of the commit that a line comes from, and the path there.
    found: FxHashMap<u32, (usize, String)>,
}

impl BlameWalk {
    fn new(reader: HistoryReader) -> BlameWalk {
        BlameWalk { reader, turns: BinaryHeap::new(), pending: FxHashMap::default(), found: FxHashMap::default() }
    }

    fn content(&self, entry: Option<EntryRef>) -> Vec<u8> {
        entry.and_then(|entry| self.reader.objects.content(entry, MAX_FILE)).unwrap_or_default()
    }

    fn run(&mut self, tip: CommitId, path: &str, lines: Vec<Line>) -> Result<()> {
        self.pass(tip, path, lines);
        while let Some((_, std::cmp::Reverse(number))) = self.turns.pop() {
            let Some(files) = self.pending.remove(&number) else { continue };
            for (path, lines) in files {
                self.step(number, &path, lines)?;
            }
        }
        Ok(())
    }

    /// Makes a commit answer for lines of a file. False if it is not in the table.
    fn pass(&mut self, id: CommitId, path: &str, lines: Vec<Line>) -> bool {
        let Some(number) = self.reader.graph.number(&id) else { return false };
        if !lines.is_empty() {
            let files = self.pending.entry(number).or_default();
            files.entry(path.to_string()).or_default().extend(lines);
            self.turns.push((self.reader.graph.heads[number].commit_time, std::cmp::Reverse(number)));
        }
        true
    }

    /// Passes lines on to the parents of a commit; it keeps those that no parent has.
    fn step(&mut self, number: usize, path: &str, mut lines: Vec<Line>) -> Result<()> {
        let head = self.reader.graph.heads[number].clone();
        let known = |walk: &BlameWalk, id: &CommitId| walk.reader.graph.number(id).is_some();
        let origins: Vec<(CommitId, Origin)> = match head.parents.as_slice() {
            [] => Vec::new(),
            [parent] if known(self, parent) => self.origin(number, path)?.map(|it| (*parent, it)).into_iter().collect(),
            [_] => Vec::new(),
            parents => {
                let known: Vec<CommitId> = parents.iter().filter(|parent| known(self, parent)).copied().collect();
                self.merge_origins(head.id, &known, path)
            }
        };
        if let Some((parent, origin)) = origins.iter().find(|(_, origin)| origin.is_same) {
            self.pass(*parent, &origin.path.clone(), lines);
            return Ok(());
        }
        let new = self.reader.objects.file_at(head.id, path).filter(|_| !origins.is_empty());
        let new = self.content(new);
        for (parent, origin) in origins {
            let old = self.content(Some(origin.entry));
            let (kept, changed) = unchanged(&old, &new, lines);
            self.pass(parent, &origin.path, kept);
            lines = changed;
        }
        for line in lines {
            self.found.insert(line.here, (number, path.to_string()));
        }
        Ok(())
    }

    /// Returns the file of the only parent of a commit.
    fn origin(&mut self, number: usize, path: &str) -> Result<Option<Origin>> {
        let head = self.reader.graph.heads[number].clone();
        let changes = self.reader.changes(number)?;
        let change = changes.iter().find(|change| change.new.is_some() && change.path == path).cloned();
        Ok(match change {
            None => {
                let entry = self.reader.objects.file_at(head.id, path);
                entry.map(|entry| Origin { path: path.to_string(), entry, is_same: true })
            }
            Some(change) if matches!(change.status, ChangeStatus::Added | ChangeStatus::TypeChanged) => None,
            Some(change) => change.old.map(|entry| Origin {
                is_same: Some(entry.id) == change.new.map(|new| new.id),
                path: change.old_path.unwrap_or(change.path),
                entry,
            }),
        })
    }

    /// Returns the files of the parents of a merge, each content once.
    fn merge_origins(&mut self, id: CommitId, parents: &[CommitId], path: &str) -> Vec<(CommitId, Origin)> {
        let objects = &mut self.reader.objects;
        let Some(own) = objects.file_at(id, path) else { return Vec::new() };
        let mut origins: Vec<(CommitId, Origin)> = Vec::new();
        let mut missing = Vec::new();
        let add = |parent: CommitId, path: String, entry: EntryRef, origins: &mut Vec<(CommitId, Origin)>| {
            if !origins.iter().any(|(_, other)| other.entry == entry) {
                origins.push((parent, Origin { path, entry, is_same: entry.id == own.id }));
            }
        };
        for parent in parents {
            match objects.file_at(*parent, path) {
                Some(entry) if entry.class == own.class => add(*parent, path.to_string(), entry, &mut origins),
                _ => missing.push(*parent),
            }
        }
        if origins.iter().any(|(_, origin)| origin.is_same) {
            return origins;
        }
        for parent in missing {
            let changes = objects.changes(id, Some(parent)).unwrap_or_default();
            let renamed = changes.into_iter().find(|change| change.path == path && change.old_path.is_some());
            if let Some((old_path, entry)) = renamed.and_then(|change| change.old_path.zip(change.old)) {
                add(parent, old_path, entry, &mut origins);
            }
        }
        origins.sort_by_key(|(parent, _)| parents.iter().position(|other| other == parent));
        origins
    }

    /// Groups the lines from `start` to `end` by commit.
    fn runs(&mut self, start: u32, end: u32, texts: &[&str]) -> Result<Blame> {
        let mut blame = Blame::default();
        let mut commits: FxHashMap<(usize, String), BlamedCommit> = FxHashMap::default();
        let mut last: Option<Option<(usize, String)>> = None;
        for line in start..=end {
            let place = self.found.get(&(line - 1)).cloned();
            let text = texts.get(line as usize - 1).copied().unwrap_or_default().to_string();
            if last.as_ref() == Some(&place)
                && let Some(run) = blame.runs.last_mut()
            {
                run.lines.push(text);
                continue;
            }
            let commit = match &place {
                None => None,
                Some(place) => {
                    if !commits.contains_key(place) {
                        let commit = self.commit(place.0, &place.1)?;
                        commits.insert(place.clone(), commit);
                    }
                    commits.get(place).cloned()
                }
            };
            blame.runs.push(BlameRun { start: line, lines: vec![text], commit });
            last = Some(place);
        }
        Ok(blame)
    }

    fn commit(&mut self, number: usize, path: &str) -> Result<BlamedCommit> {
        let graph = &self.reader.graph;
        let head = &graph.heads[number];
        let is_unknown = |parent: &CommitId| graph.number(parent).is_none();
        Ok(BlamedCommit {
            id: head.id,
            is_oldest_known: head.is_edge || head.is_incomplete || head.parents.iter().any(is_unknown),
            author: self.reader.author(number),
            date: self.reader.date(number),
            subject: self.reader.subject(number)?,
            path: path.to_string(),
        })
    }
}

/// A file of a parent that lines may come from.
struct Origin {
    path: String,
    entry: EntryRef,
    /// True if its content is that of the commit.
    is_same: bool,
}
