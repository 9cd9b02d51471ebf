//! Files by how much they changed lately, and the people who changed them.
//!
//! A change counts half as much for every [`HALF_LIFE`] that it is older than the newest commit,
//! and the less, the more files its commit changed. Files are followed through renames: what a file
//! went through under an old path counts for the path that it has now.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Engine;
use crate::error::Result;
use crate::history::dates::format_time;
use crate::history::graph::Graph;
use crate::history::range::{self, Range};
use crate::history::reader::HistoryReader;
use crate::history::reader::retried;
use crate::progress::Progress;
use crate::query::Filter;
use crate::store::history::HistoryFile;
use crate::store::history::record::{CommitId, Person};

/// The time after which a change counts half as much.
const HALF_LIFE: i64 = 90 * 86_400;
/// The time before the newest commit that is looked at if nothing else is said.
const WINDOW: i64 = 365 * 86_400;
/// Commits that change more files change none in particular.
pub(in crate::history) const MAX_FILES: usize = 100;
/// Authors that are named of a file or folder.
const MAX_AUTHORS: usize = 3;

/// Restrictions of a question about hot spots. Empty fields restrict nothing.
#[derive(Clone, Debug, Default)]
pub struct HotSpotOptions {
    /// Paths and languages of files.
    pub filter: Filter,
    /// Unix seconds; a year before the newest commit if not given.
    pub since: Option<i64>,
    /// A ref or a range; what is checked out if not given.
    pub range: Option<String>,
}

/// The files that changed most lately.
#[derive(Clone, Debug, Default)]
pub struct HotSpots {
    /// The hottest first.
    pub files: Vec<HotFile>,
    /// The folders right below the one that was asked for, or below the root, with the people who
    /// changed them; the hottest first.
    pub folders: Vec<HotFolder>,
    /// Those who changed any of the files, the most active first.
    pub authors: Vec<PathAuthor>,
    /// The number of commits that changed any of the files.
    pub commits: usize,
    /// The oldest commits that were looked at, as RFC 3339; `None` if all were.
    pub since: Option<String>,
}

/// A file that changed.
#[derive(Clone, Debug)]
pub struct HotFile {
    /// The path now.
    pub path: String,
    /// The number of commits that changed it.
    pub commits: usize,
    /// The sum of the weights of its changes.
    pub heat: f64,
    /// The date of the newest one as RFC 3339.
    pub last_changed: String,
    /// Those who changed it most.
    pub authors: Vec<PathAuthor>,
}

/// A folder whose files changed.
#[derive(Clone, Debug)]
pub struct HotFolder {
    /// The path.
    pub path: String,
    /// The number of commits that changed it.
    pub commits: usize,
    /// The sum of the heat of its files.
    pub heat: f64,
    /// Those who changed it most.
    pub authors: Vec<PathAuthor>,
}

/// A person who changed a file or folder.
#[derive(Clone, Debug, PartialEq)]
pub struct PathAuthor {
    /// The author, by the repository's mailmap.
    pub author: Person,
    /// The number of commits.
    pub commits: usize,
    /// The part in the weights of all changes, from 0 to 1.
    pub share: f64,
}

/// Finds the files that changed most lately, with their authors.
pub fn hot_spots(engine: &Engine, options: &HotSpotOptions, progress: &dyn Progress) -> Result<HotSpots> {
    engine.store.claim();
    retried(engine, || find(engine, options, progress))
}

/// Returns whether the commit table has a ref or range, or what is checked out, so that a question
/// about it need not read any commit.
pub fn is_history_ready(engine: &Engine, range: Option<&str>) -> bool {
    let ready = || -> Result<bool> {
        let Some(file) = HistoryFile::existing(engine.store.root())? else { return Ok(false) };
        let range = range::resolve(engine, range)?;
        let graph = Graph::load(&file)?;
        Ok(!range.tips.is_empty() && range.tips.iter().all(|tip| graph.number(tip).is_some()))
    };
    engine.workspace().git_dir.is_some() && ready().unwrap_or(false)
}

fn find(engine: &Engine, options: &HotSpotOptions, progress: &dyn Progress) -> Result<HotSpots> {
    let range = range::resolve(engine, options.range.as_deref())?;
    let Some(tip) = range.tips.first().copied() else { return Ok(HotSpots::default()) };
    let tips: Vec<CommitId> = range.tips.iter().chain(&range.hidden).copied().collect();
    let mut reader = HistoryReader::open(engine, &tips, progress)?;
    let newest = reader.graph.number(&tip).map_or(0, |number| reader.graph.heads[number].commit_time);
    let since = options.since.unwrap_or(newest - WINDOW);
    let mut spots = gather(&mut reader, options, &range, Some(since))?;
    if spots.files.is_empty() && options.since.is_none() {
        // Nothing happened in the last year: all of the past counts then.
        spots = gather(&mut reader, options, &range, None)?;
    }
    Ok(spots)
}

fn gather(reader: &mut HistoryReader, options: &HotSpotOptions, range: &Range, since: Option<i64>) -> Result<HotSpots> {
    let Some(tip) = range.tips.first().copied() else { return Ok(HotSpots::default()) };
    let filter = &options.filter;
    let accepts =
        |path: &str| filter.accepts_path(path) && (filter.languages.is_empty() || filter.accepts_file_language(path));
    let files = reader.objects.plain_changes(tip, None).unwrap_or_default();
    let there: FxHashSet<String> = files.into_iter().map(|file| file.path).filter(|path| accepts(path)).collect();
    let base = match filter.paths.as_slice() {
        [one] => one.as_plain().map(|path| format!("{}/", path.trim_end_matches('/'))).unwrap_or_default(),
        _ => String::new(),
    };
    let mut walk = PathWalk::new(reader, range, since);
    let newest = walk.newest_time(reader);
    let (mut all, mut by_file, mut by_folder) = (PathSums::default(), FxHashMap::default(), FxHashMap::default());
    while let Some(number) = walk.next() {
        let Some(changed) = walk.paths(reader, number)? else { continue };
        let head = &reader.graph.heads[number];
        let age = (newest - head.commit_time).max(0) as f64 / HALF_LIFE as f64;
        let weight = file_weight(changed.len()) * 0.5_f64.powf(age);
        let change =
            PathChangeWeight { author: head.author, weight, time: head.commit_time, offset: head.author_offset };
        let changed: Vec<&String> = changed.iter().filter(|path| there.contains(*path)).collect();
        if changed.is_empty() {
            continue;
        }
        all.add(&change);
        let mut folders: Vec<&str> = Vec::new();
        for path in changed {
            by_file.entry(path.clone()).or_insert_with(PathSums::default).add(&change);
            if let Some((folder, _)) = path.strip_prefix(base.as_str()).and_then(|rest| rest.split_once('/')) {
                let folder = &path[..base.len() + folder.len()];
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        for folder in folders {
            by_folder.entry(folder.to_string()).or_insert_with(PathSums::default).add(&change);
        }
    }
    let mut files: Vec<HotFile> = by_file.into_iter().map(|(path, sums)| sums.file(path, reader)).collect();
    files.sort_by(|a, b| b.heat.total_cmp(&a.heat).then_with(|| a.path.cmp(&b.path)));
    let mut folders: Vec<HotFolder> = by_folder.into_iter().map(|(path, sums)| sums.folder(path, reader)).collect();
    folders.sort_by(|a, b| b.heat.total_cmp(&a.heat).then_with(|| a.path.cmp(&b.path)));
    let since = since.map(|since| format_time(since, 0));
    Ok(HotSpots { files, folders, commits: all.commits, authors: all.authors(reader, usize::MAX), since })
}

/// Returns the weight of a commit that changed `files` files.
pub(in crate::history) fn file_weight(files: usize) -> f64 {
    1.0 / (files.max(2) as f64).log2()
}

struct PathChangeWeight {
    author: u32,
    weight: f64,
    time: i64,
    offset: i32,
}

/// The changes of a file or folder.
#[derive(Default)]
struct PathSums {
    commits: usize,
    heat: f64,
    newest: (i64, i32),
    by_author: FxHashMap<u32, (usize, f64)>,
}

impl PathSums {
    fn add(&mut self, change: &PathChangeWeight) {
        self.commits += 1;
        self.heat += change.weight;
        self.newest = self.newest.max((change.time, change.offset));
        let author = self.by_author.entry(change.author).or_default();
        author.0 += 1;
        author.1 += change.weight;
    }

    /// Returns those who did most of it, by name.
    fn authors(&self, reader: &HistoryReader, limit: usize) -> Vec<PathAuthor> {
        let mut by_name: FxHashMap<String, (Person, usize, f64)> = FxHashMap::default();
        let mut numbers: Vec<u32> = self.by_author.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let (person, (commits, weight)) = (reader.person(number), self.by_author[&number]);
            let sums = by_name.entry(person.name.clone()).or_insert((person, 0, 0.0));
            (sums.1, sums.2) = (sums.1 + commits, sums.2 + weight);
        }
        let mut authors: Vec<(Person, usize, f64)> = by_name.into_values().collect();
        authors.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        authors.truncate(limit);
        let share = |weight: f64| if self.heat > 0.0 { weight / self.heat } else { 0.0 };
        authors
            .into_iter()
            .map(|(author, commits, weight)| PathAuthor { author, commits, share: share(weight) })
            .collect()
    }

    fn file(&self, path: String, reader: &HistoryReader) -> HotFile {
        HotFile {
            path,
            commits: self.commits,
            heat: self.heat,
            last_changed: format_time(self.newest.0, self.newest.1),
            authors: self.authors(reader, MAX_AUTHORS),
        }
    }

    fn folder(&self, path: String, reader: &HistoryReader) -> HotFolder {
        let authors = self.authors(reader, MAX_AUTHORS);
        HotFolder { path, commits: self.commits, heat: self.heat, authors }
    }
}

/// Goes through commits from the newest to the oldest and tells the files that they changed by the
/// paths that those have now.
pub(in crate::history) struct PathWalk {
    /// Numbers of commits, the oldest first.
    pending: Vec<usize>,
    /// The path now of files that had another one.
    renamed: FxHashMap<String, String>,
}

impl PathWalk {
    pub(in crate::history) fn new(reader: &HistoryReader, range: &Range, since: Option<i64>) -> PathWalk {
        let graph = &reader.graph;
        let order = graph.log_order(&range.tips);
        let mut found = graph.reachable(&range.tips, since).found;
        found.difference_with(&graph.reachable(&range.hidden, None).found);
        let mut pending: Vec<usize> = found.ones().collect();
        pending.sort_by_key(|number| Reverse(order[*number]));
        PathWalk { pending, renamed: FxHashMap::default() }
    }

    fn newest_time(&self, reader: &HistoryReader) -> i64 {
        self.pending.iter().map(|number| reader.graph.heads[*number].commit_time).max().unwrap_or(0)
    }

    /// Returns the path that the file at `path` of the commit in turn has now.
    pub(in crate::history) fn path_now(&self, path: &str) -> String {
        self.renamed.get(path).map_or(path, String::as_str).to_string()
    }

    /// Returns the next commit.
    pub(in crate::history) fn next(&mut self) -> Option<usize> {
        self.pending.pop()
    }

    /// Returns the files that a commit changed, by their paths now; `None` for a merge, and for a
    /// commit that changed too many. To be called for each commit in turn.
    pub(in crate::history) fn paths(
        &mut self,
        reader: &mut HistoryReader,
        number: usize,
    ) -> Result<Option<Vec<String>>> {
        let changes = reader.changes(number)?;
        let is_counted = (1..=MAX_FILES).contains(&changes.len());
        let mut paths = Vec::new();
        for change in changes {
            let now = self.renamed.get(&change.path).unwrap_or(&change.path).clone();
            if let Some(old) = &change.old_path {
                self.renamed.insert(old.clone(), now.clone());
            }
            if is_counted {
                paths.push(now);
            }
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(is_counted.then_some(paths))
    }
}
