//! The question `history`: the commits that fit words, texts of changes, people, times and paths.

use std::time::Instant;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Engine;
use crate::error::Result;
use crate::history::changed_text::{self, TextQuery, TextTest};
use crate::history::dates::format_time;
use crate::history::documents::{self, AskedPart, ChangeIndex, CountedChanges, TextCandidate};
use crate::history::evolution::groups::{self, CountedCommit, HistoryGroup, HistoryGrouping};
use crate::history::graph::{self, Graph};
use crate::history::lines;
use crate::history::lines::FoundLine;
use crate::history::meaning;
use crate::history::objects::Objects;
use crate::history::people::Mailmap;
use crate::history::range::{self, Range};
use crate::history::reader::retried;
use crate::history::words::{self, TermCounts, Words};
use crate::plural;
use crate::progress::Progress;
use crate::query::Filter;
use crate::store::history::HistoryFile;
use crate::store::history::record::{ChangeStatus, CommitHead, CommitId, PathChange, Person};
use crate::tokenize;

/// The restrictions of a question about commits. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct HistoryOptions {
    /// A question in words; the commits that fit it best come first.
    pub question: Option<String>,
    /// A regular expression that a line of the message matches, as `git log --grep`.
    pub grep: Option<String>,
    /// A change of a text.
    pub text: Option<TextQuery>,
    /// Ignore case in `grep` and `text`.
    pub ignore_case: bool,
    /// Parts of names or e-mail addresses, one of which the author has.
    pub authors: Vec<String>,
    /// Unix seconds.
    pub since: Option<i64>,
    /// Unix seconds.
    pub until: Option<i64>,
    /// Paths and languages of changed files.
    pub filter: Filter,
    /// A ref, `A..B` or `A...B`; what is checked out if not given.
    pub range: Option<String>,
    /// Only merges, or none.
    pub merges: Option<bool>,
    /// Kinds of changes, one of which a file has.
    pub kinds: Vec<ChangeStatus>,
    /// The commits in question, such as those that changed a definition.
    pub among: Option<Vec<CommitId>>,
    /// Count the commits in groups instead of listing them.
    pub grouping: Option<HistoryGrouping>,
    /// Commits to skip.
    pub offset: usize,
    /// The most commits to list.
    pub limit: usize,
    /// The most lines of a commit to show.
    pub max_lines: usize,
    /// The moment at which the search in changes that are not indexed ends.
    pub deadline: Option<Instant>,
}

/// The answer: commits, the newest first, or the best first for a question in words.
#[derive(Clone, Debug, Default)]
pub struct HistoryAnswer {
    /// A page of the commits that fit.
    pub commits: Vec<FoundCommit>,
    /// The number of all that fit.
    pub total: usize,
    /// The commits that fit, counted, if that was asked for.
    pub groups: Vec<HistoryGroup>,
    /// The number of commits that the range has.
    pub searched: usize,
    /// Commits whose changes were not looked at because time was over.
    pub unsearched: usize,
    /// The reason why nothing was found, where one is known.
    pub reason: Option<String>,
    /// The parts of the history that are missing.
    pub notes: Vec<String>,
    /// The range as it was understood.
    pub range: String,
}

/// A commit that fits.
#[derive(Clone, Debug)]
pub struct FoundCommit {
    /// The id.
    pub id: CommitId,
    /// The author, by the repository's mailmap.
    pub author: Person,
    /// The author's date as RFC 3339.
    pub date: String,
    /// The first paragraph of the message.
    pub subject: String,
    /// The rest of the message.
    pub body: String,
    /// The parents.
    pub parents: Vec<CommitId>,
    /// The changed files that the question is about.
    pub files: Vec<FoundFile>,
    /// The number of files that the commit changed.
    pub changed_files: usize,
    /// The changed lines with the text, the first ones.
    pub lines: Vec<FoundLine>,
    /// The number of such lines.
    pub total_lines: usize,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The kind of the change.
    pub status: ChangeStatus,
    /// The path after the commit, or before it if the file is gone.
    pub path: String,
    /// The path before, if it was another.
    pub old_path: Option<String>,
}

/// Finds commits.
pub fn search_history(engine: &Engine, options: &HistoryOptions, progress: &dyn Progress) -> Result<HistoryAnswer> {
    engine.store.claim();
    retried(engine, || HistorySearch::new(engine, options, progress)?.answer(progress))
}

impl HistoryOptions {
    pub(super) fn restricts_files(&self) -> bool {
        let Filter { languages, paths, path_regexes, excluded, .. } = &self.filter;
        let is_any = [paths, path_regexes, excluded].iter().any(|patterns| !patterns.is_empty());
        is_any || self.filter.projects.is_some() || !languages.is_empty() || !self.kinds.is_empty()
    }

    /// Returns the part of a change that paths, languages and kinds ask for. A rename of which only
    /// one path is asked for is an addition or a deletion, as in git.
    pub(super) fn asked(&self, change: &PathChange) -> AskedPart {
        let filter = &self.filter;
        let accepts = |path: &str| {
            filter.accepts_path(path) && (filter.languages.is_empty() || filter.accepts_file_language(path))
        };
        let (asked, status) = match &change.old_path {
            None if accepts(&change.path) => (AskedPart::Whole, change.status),
            None => return AskedPart::Not,
            Some(old) => match (accepts(old), accepts(&change.path)) {
                (true, true) => (AskedPart::Whole, change.status),
                (true, false) => (AskedPart::OldPath, ChangeStatus::Deleted),
                (false, true) => (AskedPart::NewPath, ChangeStatus::Added),
                (false, false) => return AskedPart::Not,
            },
        };
        if self.kinds.is_empty() || self.kinds.contains(&status) { asked } else { AskedPart::Not }
    }
}

struct HistorySearch<'q> {
    engine: &'q Engine,
    options: &'q HistoryOptions,
    range: Range,
    file: HistoryFile,
    graph: Graph,
    objects: Objects,
    /// The people of the graph, by the mailmap.
    people: Vec<Person>,
    columns: Columns,
}

/// Columns of packs that were read.
#[derive(Default)]
struct Columns {
    messages: FxHashMap<i64, Vec<String>>,
    changes: FxHashMap<i64, Vec<Vec<PathChange>>>,
}

impl<'q> HistorySearch<'q> {
    fn new(engine: &'q Engine, options: &'q HistoryOptions, progress: &dyn Progress) -> Result<HistorySearch<'q>> {
        let workspace = engine.workspace();
        let range = range::resolve(engine, options.range.as_deref())?;
        let file = HistoryFile::open(engine.store.root())?;
        let tips: Vec<CommitId> = range.tips.iter().chain(&range.hidden).copied().collect();
        let graph = graph::extend(&file, workspace, &tips, engine.history_config(), progress)?;
        let objects = Objects::open(workspace)?;
        let mailmap = range::mailmap(&objects).map(|text| Mailmap::parse(&text)).unwrap_or_default();
        let people = graph.people.iter().map(|person| mailmap.map(person)).collect();
        Ok(HistorySearch { engine, options, range, file, graph, objects, people, columns: Columns::default() })
    }

    fn answer(mut self, progress: &dyn Progress) -> Result<HistoryAnswer> {
        let mut answer = HistoryAnswer { range: self.range.name.clone(), ..HistoryAnswer::default() };
        let (mut wanted, in_range) = self.in_range(&mut answer);
        answer.searched = in_range;
        self.by_head(&mut wanted, &mut answer);
        self.by_message(&mut wanted)?;
        let mut accepted: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let test =
            self.options.text.as_ref().map(|query| TextTest::new(query, self.options.ignore_case)).transpose()?;
        let index = match &test {
            Some(test) => Some(self.by_text(&mut wanted, test, &mut accepted, &mut answer, progress)?),
            None => {
                self.by_paths(&mut wanted)?;
                None
            }
        };
        let ordered = self.order(&wanted)?;
        answer.total = ordered.len();
        if answer.total == 0 && answer.reason.is_none() && !self.options.filter.paths.is_empty() {
            answer.reason = self.path_reason();
        }
        if let Some(grouping) = self.options.grouping {
            let lines = match (&test, &index) {
                (Some(test), Some(index)) => self.matching_lines(&accepted, test, index)?,
                _ => FxHashMap::default(),
            };
            let counted = ordered.iter().map(|number| {
                let head = &self.graph.heads[*number];
                let (removed, added) = lines.get(&head.id).copied().unwrap_or_default();
                CountedCommit { head, author: &self.people[head.author as usize], lines: (added, removed) }
            });
            answer.groups = groups::count(grouping, counted);
            return Ok(answer);
        }
        let page = ordered.into_iter().skip(self.options.offset).take(self.options.limit);
        for number in page {
            let files = accepted.remove(&number);
            answer.commits.push(self.found(number, files, test.as_ref().zip(index.as_ref()))?);
        }
        Ok(answer)
    }

    /// Selects the commits of the range.
    fn in_range(&self, answer: &mut HistoryAnswer) -> (FixedBitSet, usize) {
        if self.range.tips.is_empty() {
            answer.reason = Some("the repository has no commits yet".into());
            return (FixedBitSet::new(), 0);
        }
        let mut all = self.graph.reachable(&self.range.tips, None);
        let hidden = self.graph.reachable(&self.range.hidden, None).found;
        all.found.difference_with(&hidden);
        let count = all.found.count_ones(..);
        self.note_missing(&all.found, &all.missing, answer);
        if count == 0 {
            let back = self.graph.reachable(&self.range.hidden, None);
            let mut back = back.found;
            back.difference_with(&self.graph.reachable(&self.range.tips, None).found);
            let back = back.count_ones(..);
            answer.reason = Some(match back {
                0 => format!("{} has no commits", self.range.name),
                _ => format!("{} has no commits; the other way round there are {back}", self.range.name),
            });
        }
        let Some(since) = self.options.since else { return (all.found, count) };
        let mut found = self.graph.reachable(&self.range.tips, Some(since)).found;
        found.difference_with(&hidden);
        (found, count)
    }

    fn note_missing(&self, found: &FixedBitSet, missing: &FxHashSet<CommitId>, answer: &mut HistoryAnswer) {
        let limit = self.engine.config().history.max_commits;
        let is_capped = self.graph.heads.len() >= limit && !missing.is_empty();
        if is_capped {
            answer.notes.push(format!(
                "only the newest {limit} commits are kept (`history.max_commits`); older ones were not searched"
            ));
        } else if !missing.is_empty() {
            answer.notes.push(format!("{} are not in this clone", plural::counted(missing.len(), "commit", "commits")));
        }
        let heads = || found.ones().map(|number| &self.graph.heads[number]);
        if heads().any(|head| head.is_edge) {
            let text =
                "this is a shallow clone: older commits are not here, and its oldest ones count as adding every file";
            answer.notes.push(text.into());
        }
        let incomplete = heads().filter(|head| head.is_incomplete).count();
        if incomplete > 0 {
            let commits = plural::counted(incomplete, "commit", "commits");
            answer.notes.push(format!("the trees of {commits} are not in this clone; their changes are unknown"));
        }
    }

    fn by_head(&self, wanted: &mut FixedBitSet, answer: &mut HistoryAnswer) {
        let options = self.options;
        let has_changes = options.text.is_some() || !options.kinds.is_empty() || !options.filter.languages.is_empty();
        if let Some(among) = &options.among {
            let mut given = FixedBitSet::with_capacity(self.graph.heads.len());
            given.extend(among.iter().filter_map(|id| self.graph.number(id)));
            wanted.intersect_with(&given);
        }
        let is_author = self.authors(wanted, answer);
        retain(wanted, |number| {
            let head = &self.graph.heads[number];
            let is_merge = head.parents.len() > 1;
            options.until.is_none_or(|until| head.commit_time <= until)
                && options.merges.is_none_or(|merges| merges == is_merge)
                && !(has_changes && is_merge)
                && is_author.as_ref().is_none_or(|is_author| is_author.contains(head.author as usize))
        });
    }

    /// Returns the people that are asked for.
    fn authors(&self, wanted: &FixedBitSet, answer: &mut HistoryAnswer) -> Option<FixedBitSet> {
        let asked: Vec<String> = self.options.authors.iter().map(|name| name.to_lowercase()).collect();
        if asked.is_empty() {
            return None;
        }
        let mut found = FixedBitSet::with_capacity(self.people.len());
        for (number, person) in self.people.iter().enumerate() {
            let text = person.to_string().to_lowercase();
            found.set(number, asked.iter().any(|part| text.contains(part)));
        }
        let heads = || wanted.ones().map(|number| &self.graph.heads[number]);
        if !heads().any(|head| found.contains(head.author as usize)) && wanted.count_ones(..) > 0 {
            let names = similar_people(&asked, heads(), &self.people);
            let hint = if names.is_empty() {
                String::new()
            } else {
                format!("; authors with such names: {}", names.join(", "))
            };
            let authors = self.options.authors.join(", ");
            answer.reason =
                Some(format!("no commit here is by an author with `{authors}` in the name or e-mail{hint}"));
        }
        Some(found)
    }

    fn by_message(&mut self, wanted: &mut FixedBitSet) -> Result<()> {
        let Some(pattern) = &self.options.grep else { return Ok(()) };
        let regex = changed_text::regex(pattern, self.options.ignore_case)?;
        self.load(wanted, true, false)?;
        let matches = |number: usize| {
            let message = self.message(number);
            regex.is_match(b"") || message.lines().any(|line| regex.is_match(line.as_bytes()))
        };
        retain(wanted, matches);
        Ok(())
    }

    /// Keeps the commits with a changed file that paths, languages and kinds accept.
    fn by_paths(&mut self, wanted: &mut FixedBitSet) -> Result<()> {
        if !self.options.restricts_files() {
            return Ok(());
        }
        self.load(wanted, false, true)?;
        let mut merges = Vec::new();
        retain(wanted, |number| {
            if self.graph.heads[number].parents.len() > 1 {
                merges.push(number);
                return true;
            }
            self.changes(number).iter().any(|change| self.options.asked(change) != AskedPart::Not)
        });
        // A merge counts if it differs from one of its parents, as with `git log --full-history`.
        // Parents outside of the range have no say if there are others.
        let hidden = self.graph.reachable(&self.range.hidden, None).found;
        for number in merges {
            let head = self.graph.heads[number].clone();
            let is_relevant = |parent: &&CommitId| {
                let is_hidden = self.graph.number(parent).is_some_and(|number| hidden.contains(number));
                !is_hidden || self.range.hidden.contains(parent)
            };
            let relevant: Vec<CommitId> = head.parents.iter().filter(is_relevant).copied().collect();
            let parents = if relevant.is_empty() { head.parents } else { relevant };
            let differs = parents.iter().any(|parent| self.merge_differs(head.id, *parent));
            wanted.set(number, differs);
        }
        Ok(())
    }

    fn merge_differs(&mut self, id: CommitId, parent: CommitId) -> bool {
        let filter = &self.options.filter;
        let plain: Option<Vec<&str>> = filter.paths.iter().map(|pattern| pattern.as_plain()).collect();
        let is_plain = filter.path_regexes.is_empty() && filter.excluded.is_empty() && filter.projects.is_none();
        if let Some(plain) = plain.filter(|_| is_plain) {
            return plain.iter().any(|path| self.objects.entry_at(id, path) != self.objects.entry_at(parent, path));
        }
        let filter = filter.clone();
        self.objects.differs(id, parent, &|path| filter.accepts_path(path)).unwrap_or(false)
    }

    fn by_text(
        &mut self,
        wanted: &mut FixedBitSet,
        test: &TextTest,
        accepted: &mut FxHashMap<usize, Vec<usize>>,
        answer: &mut HistoryAnswer,
        progress: &dyn Progress,
    ) -> Result<ChangeIndex> {
        self.load(wanted, false, true)?;
        let mut numbers: Vec<usize> = wanted.ones().collect();
        numbers
            .retain(|number| self.changes(*number).iter().any(|change| self.options.asked(change) != AskedPart::Not));
        numbers.sort_by_key(|number| std::cmp::Reverse((self.graph.heads[*number].commit_time, *number)));
        let candidate = |number: &usize| TextCandidate {
            id: self.graph.heads[*number].id,
            changes: self.changes(*number).to_vec(),
        };
        let candidates: Vec<TextCandidate> = numbers.iter().map(candidate).collect();
        let (workspace, root) = (self.engine.workspace(), self.engine.store.root());
        let mut index = ChangeIndex::load(&self.file)?;
        index.fill(&self.file, self.engine, &candidates, self.options.deadline, progress)?;
        answer.unsearched = candidates.iter().filter(|candidate| !index.has(&candidate.id)).count();
        let options = self.options;
        let asked = |change: &PathChange| options.asked(change);
        let found = index.scan(workspace, root, &candidates, test, &asked)?;
        wanted.clear();
        for (number, changes) in numbers.into_iter().zip(found) {
            if !changes.is_empty() {
                wanted.insert(number);
                accepted.insert(number, changes);
            }
        }
        Ok(index)
    }

    /// Counts the removed and the added lines with the text, by commit.
    fn matching_lines(
        &self,
        accepted: &FxHashMap<usize, Vec<usize>>,
        test: &TextTest,
        index: &ChangeIndex,
    ) -> Result<FxHashMap<CommitId, (usize, usize)>> {
        let commits = accepted
            .iter()
            .map(|(number, accepted)| {
                (self.graph.heads[*number].id, CountedChanges { changes: self.changes(*number), accepted })
            })
            .collect();
        let (workspace, root) = (self.engine.workspace(), self.engine.store.root());
        let options = self.options;
        index.matching_lines(workspace, root, &commits, test, &|change| options.asked(change))
    }

    /// Puts the commits into the order in which they are listed.
    fn order(&mut self, wanted: &FixedBitSet) -> Result<Vec<usize>> {
        let mut numbers: Vec<usize> = wanted.ones().collect();
        let places = self.graph.log_order(&self.range.tips);
        let newest = |number: &usize| places[*number];
        let Some(question) = self.options.question.as_deref() else {
            numbers.sort_by_key(newest);
            return Ok(numbers);
        };
        let terms = tokenize::terms(question);
        let counts = self.count_terms(&terms, &mut numbers)?;
        let scores = words::score(terms.len(), &counts);
        let mut scored: Vec<(usize, f64)> = numbers.into_iter().zip(scores).filter(|(_, score)| *score > 0.0).collect();
        let by_score =
            |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then_with(|| newest(&a.0).cmp(&newest(&b.0)));
        scored.sort_by(by_score);
        if self.engine.uses_meaning() && terms.len() >= meaning::MIN_TERMS {
            let best = scored.len().min(meaning::MAX_REORDERED);
            let mut read = FixedBitSet::with_capacity(self.graph.heads.len());
            read.extend(scored[..best].iter().map(|(number, _)| *number));
            self.load(&read, true, true)?;
            let commits: Vec<Words<'_>> = scored[..best].iter().map(|(number, _)| self.words_of(*number)).collect();
            let scores: Vec<f64> = scored[..best].iter().map(|(_, score)| *score).collect();
            let mixed = meaning::mix(question, &commits, &scores);
            scored[..best].iter_mut().zip(mixed).for_each(|(commit, score)| commit.1 = score);
            scored[..best].sort_by(by_score);
        }
        Ok(scored.into_iter().map(|(number, _)| number).collect())
    }

    /// Counts terms in commits, pack by pack, so that not all messages are in memory at once. Puts
    /// the commits into the order of the packs.
    fn count_terms(&mut self, terms: &[String], numbers: &mut [usize]) -> Result<Vec<TermCounts>> {
        numbers.sort_by_key(|number| (self.graph.places[*number].0, *number));
        let mut counts = Vec::with_capacity(numbers.len());
        let places = &self.graph.places;
        let packs: Vec<&[usize]> = numbers.chunk_by(|a, b| places[*a].0 == places[*b].0).collect();
        for packed in packs {
            let pack = self.graph.places[packed[0]].0;
            let was_read = (self.columns.messages.contains_key(&pack), self.columns.changes.contains_key(&pack));
            self.load_pack(pack, true, true)?;
            let commits: Vec<Words<'_>> = packed.iter().map(|number| self.words_of(*number)).collect();
            counts.extend(words::count_terms(terms, &commits));
            if !was_read.0 {
                self.columns.messages.remove(&pack);
            }
            if !was_read.1 {
                self.columns.changes.remove(&pack);
            }
        }
        Ok(counts)
    }

    fn words_of(&self, number: usize) -> Words<'_> {
        Words { message: self.message(number), changes: self.changes(number) }
    }

    fn found(
        &mut self,
        number: usize,
        accepted: Option<Vec<usize>>,
        text: Option<(&TextTest, &ChangeIndex)>,
    ) -> Result<FoundCommit> {
        let mut only = FixedBitSet::with_capacity(self.graph.heads.len());
        only.insert(number);
        self.load(&only, true, true)?;
        let head = &self.graph.heads[number];
        let changes = self.changes(number);
        let is_shown = |(at, change): &(usize, &PathChange)| match &accepted {
            Some(accepted) => accepted.contains(at),
            None => self.options.asked(change) != AskedPart::Not,
        };
        let shown: Vec<(usize, &PathChange)> = changes.iter().enumerate().filter(is_shown).collect();
        let mut lines = Vec::new();
        if let Some((test, index)) = text {
            for (at, change) in &shown {
                lines.extend(self.lines(head.id, *at, change, test, index)?);
            }
        }
        let total_lines = lines.len();
        lines.truncate(self.options.max_lines);
        let (subject, body) = words::split_message(self.message(number));
        Ok(FoundCommit {
            id: head.id,
            author: self.people[head.author as usize].clone(),
            date: format_time(head.author_time, head.author_offset),
            subject,
            body: body.to_string(),
            parents: head.parents.clone(),
            files: shown.iter().map(|(_, change)| self.file_of(change)).collect(),
            changed_files: changes.len(),
            lines,
            total_lines,
        })
    }

    fn file_of(&self, change: &PathChange) -> FoundFile {
        let (status, path, old_path) = match self.options.asked(change) {
            AskedPart::OldPath => (ChangeStatus::Deleted, change.old_path.clone().unwrap_or_default(), None),
            AskedPart::NewPath => (ChangeStatus::Added, change.path.clone(), None),
            _ => (change.status, change.path.clone(), change.old_path.clone()),
        };
        FoundFile { status, path, old_path }
    }

    /// Lists the changed lines of a file that have the text.
    fn lines(
        &self,
        id: CommitId,
        at: usize,
        change: &PathChange,
        test: &TextTest,
        index: &ChangeIndex,
    ) -> Result<Vec<FoundLine>> {
        let asked = self.options.asked(change);
        let stored = documents::with_document(&self.file, index, id, |files| {
            let file = files.into_iter().find(|file| file.change == at && !file.is_omitted);
            file.map(|file| test.shown_lines(&file.hunks(), file.removed, file.added))
        })?;
        let shown = match stored.flatten().filter(|_| asked == AskedPart::Whole) {
            Some(shown) => shown,
            None => {
                let (old, new) = documents::asked_contents(&self.objects, change, asked);
                let changed = lines::compare(old.as_deref(), new.as_deref());
                test.shown_lines(&changed.hunks, &changed.removed, &changed.added)
            }
        };
        let line = |line: changed_text::ShownLine| {
            let old_path = change.old_path.as_ref().filter(|_| !line.is_added);
            let path = old_path.unwrap_or(&change.path).clone();
            FoundLine { path, is_added: line.is_added, line: line.number, text: line.text }
        };
        Ok(shown.into_iter().map(line).collect())
    }

    fn path_reason(&self) -> Option<String> {
        let paths: Vec<&str> = self.options.filter.paths.iter().map(|pattern| pattern.as_str()).collect();
        let is_known = self.columns.changes.values().flatten().flatten().any(|change| {
            let old = change.old_path.as_deref();
            self.options.filter.accepts_path(&change.path)
                || old.is_some_and(|old| self.options.filter.accepts_path(old))
        });
        (!is_known).then(|| format!("no commit here changed a file at {}", paths.join(", ")))
    }

    /// Reads columns for the commits that are wanted.
    fn load(&mut self, wanted: &FixedBitSet, messages: bool, changes: bool) -> Result<()> {
        let packs: FxHashSet<i64> = wanted.ones().map(|number| self.graph.places[number].0).collect();
        packs.into_iter().try_for_each(|pack| self.load_pack(pack, messages, changes))
    }

    fn load_pack(&mut self, pack: i64, messages: bool, changes: bool) -> Result<()> {
        let columns = &mut self.columns;
        if messages && !columns.messages.contains_key(&pack) {
            columns.messages.insert(pack, self.file.messages(pack)?);
        }
        if changes && !columns.changes.contains_key(&pack) {
            columns.changes.insert(pack, self.file.changes(pack)?);
        }
        Ok(())
    }

    fn message(&self, number: usize) -> &str {
        let (pack, at) = self.graph.places[number];
        self.columns.messages.get(&pack).and_then(|messages| messages.get(at as usize)).map_or("", String::as_str)
    }

    fn changes(&self, number: usize) -> &[PathChange] {
        let (pack, at) = self.graph.places[number];
        self.columns.changes.get(&pack).and_then(|changes| changes.get(at as usize)).map_or(&[], Vec::as_slice)
    }
}

fn retain(wanted: &mut FixedBitSet, mut keep: impl FnMut(usize) -> bool) {
    let numbers: Vec<usize> = wanted.ones().collect();
    numbers.into_iter().for_each(|number| wanted.set(number, keep(number)));
}

/// Returns names of authors that share a beginning with one that was asked for.
fn similar_people<'h>(asked: &[String], heads: impl Iterator<Item = &'h CommitHead>, people: &[Person]) -> Vec<String> {
    let is_like = |person: &Person| {
        let name = person.name.to_lowercase();
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let start = |word: &str| word.chars().take(4).collect::<String>();
        asked.iter().any(|asked| {
            words(asked).iter().any(|one| words(&name).iter().any(|two| one.len() > 3 && start(one) == start(two)))
        })
    };
    let known: FxHashSet<u32> = heads.map(|head| head.author).collect();
    let mut names: Vec<String> = known
        .iter()
        .map(|number| &people[*number as usize])
        .filter(|it| is_like(it))
        .map(|it| it.name.clone())
        .collect();
    names.sort();
    names.dedup();
    names.truncate(5);
    names
}
