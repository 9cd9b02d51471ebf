//! The stored history as the questions about one file or one definition read it: the commit table
//! up to date for some commits, columns of packs as they are needed, and git's objects.

use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::history::dates::format_time;
use crate::history::graph::{self, Graph};
use crate::history::objects::Objects;
use crate::history::people::Mailmap;
use crate::history::{range, words};
use crate::progress::Progress;
use crate::store::history::HistoryFile;
use crate::store::history::record::{CommitId, PathChange, Person};

/// The number of attempts to answer while other processes write.
const MAX_ATTEMPTS: usize = 5;

/// Runs `work` again if another process replaced what it reads, and once more with a new history if
/// it is damaged: it holds nothing that git does not have.
pub(super) fn retried<T>(engine: &Engine, work: impl Fn() -> Result<T>) -> Result<T> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        match work() {
            Err(Error::FileChanged { .. }) if attempts < MAX_ATTEMPTS => {}
            Err(Error::Corrupt { .. }) if attempts < MAX_ATTEMPTS => HistoryFile::delete(engine.store.root()),
            other => return other,
        }
    }
}

/// The commit table with the columns that were read.
pub(super) struct HistoryReader {
    pub graph: Graph,
    pub objects: Objects,
    file: HistoryFile,
    mailmap: Mailmap,
    changes: FxHashMap<i64, Vec<Vec<PathChange>>>,
    messages: FxHashMap<i64, Vec<String>>,
}

impl HistoryReader {
    /// Opens the history and brings it up to date for `tips`.
    pub(super) fn open(engine: &Engine, tips: &[CommitId], progress: &dyn Progress) -> Result<HistoryReader> {
        let workspace = engine.workspace();
        let file = HistoryFile::open(engine.store.root())?;
        let graph = graph::extend(&file, workspace, tips, engine.history_config(), progress)?;
        let objects = Objects::open(workspace)?;
        let mailmap = range::mailmap(&objects).map(|text| Mailmap::parse(&text)).unwrap_or_default();
        Ok(HistoryReader {
            graph,
            objects,
            file,
            mailmap,
            changes: FxHashMap::default(),
            messages: FxHashMap::default(),
        })
    }

    /// Returns the files that a commit changed; none for a merge.
    pub(super) fn changes(&mut self, number: usize) -> Result<&[PathChange]> {
        let (pack, at) = self.graph.places[number];
        if !self.changes.contains_key(&pack) {
            let changes = self.file.changes(pack)?;
            self.changes.insert(pack, changes);
        }
        let changes = self.changes.get(&pack).and_then(|changes| changes.get(at as usize));
        Ok(changes.map_or(&[], Vec::as_slice))
    }

    /// Gives back the memory of what was read.
    pub(super) fn forget(&mut self) {
        self.changes.clear();
        self.messages.clear();
    }

    /// Returns the first paragraph of a commit's message.
    pub(super) fn subject(&mut self, number: usize) -> Result<String> {
        let (pack, at) = self.graph.places[number];
        if !self.messages.contains_key(&pack) {
            let messages = self.file.messages(pack)?;
            self.messages.insert(pack, messages);
        }
        let message = self.messages.get(&pack).and_then(|messages| messages.get(at as usize));
        Ok(message.map(|message| words::split_message(message).0).unwrap_or_default())
    }

    /// Returns the author of a commit, by the mailmap.
    pub(super) fn author(&self, number: usize) -> Person {
        self.person(self.graph.heads[number].author)
    }

    /// Returns a person of the graph, by the mailmap.
    pub(super) fn person(&self, number: u32) -> Person {
        let author = self.graph.people.get(number as usize);
        author.map(|person| self.mailmap.map(person)).unwrap_or_default()
    }

    /// Returns the author's date as RFC 3339.
    pub(super) fn date(&self, number: usize) -> String {
        let head = &self.graph.heads[number];
        format_time(head.author_time, head.author_offset)
    }
}
