//! Files and definitions that change together with others: in the same commits, more often than
//! chance would have it.
//!
//! Of a pair it is counted how many commits changed both, the support, and which part that is of
//! the commits that changed the first, the confidence. Pairs are ordered by a sum in which a commit
//! counts the less, the more files it changed; commits with very many are left out.

use rustc_hash::{FxHashMap, FxHashSet};

use codecompass_syntax::facts::{Definition, FileFacts};

use crate::engine::Engine;
use crate::error::Result;
use crate::history::definition::symbol::{SymbolPlace, definitions, symbol_history, text_of};
use crate::history::evolution::activity::{MAX_FILES, PathWalk, file_weight};
use crate::history::lines::{self, LineHunk};
use crate::history::range;
use crate::history::reader::HistoryReader;
use crate::history::reader::retried;
use crate::progress::Progress;
use crate::store::history::record::CommitId;

/// Commits that are looked at for files, the newest ones.
const MAX_COMMITS: usize = 50_000;
/// Commits of a definition whose files are parsed, the newest ones.
const MAX_PARSED: usize = 100;
/// Commits that must have changed both.
const MIN_COMMITS: usize = 2;
/// Fewer of the commits than this part do not make a pair.
const MIN_SHARE: f64 = 0.1;
/// The most pairs of each kind.
const MAX_PAIRS: usize = 100;

/// Files and definitions that change together with another.
#[derive(Clone, Debug, Default)]
pub struct ChangesWith {
    /// The number of commits that changed the file or definition that is asked about.
    pub commits: usize,
    /// The best first.
    pub others: Vec<ChangedWith>,
}

/// A file or definition that changes together with another.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedWith {
    /// The path now.
    pub path: String,
    /// The name, the word of the kind and the first line of a definition; `None` for a file.
    pub symbol: Option<ChangedSymbol>,
    /// The number of commits that changed both.
    pub commits: usize,
    /// The part of the commits that changed the other, from 0 to 1.
    pub share: f64,
}

/// A definition that changes together with another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangedSymbol {
    /// The name with its containers.
    pub name: String,
    /// The word of its kind.
    pub kind: &'static str,
    /// The first line now.
    pub line: u32,
}

/// Finds the files that change together with the one at `path`.
pub fn files_changed_with(engine: &Engine, path: &str, progress: &dyn Progress) -> Result<ChangesWith> {
    engine.store.claim();
    retried(engine, || files(engine, path, progress))
}

fn files(engine: &Engine, path: &str, progress: &dyn Progress) -> Result<ChangesWith> {
    let range = range::resolve(engine, None)?;
    let Some(tip) = range.tips.first().copied() else { return Ok(ChangesWith::default()) };
    let mut reader = HistoryReader::open(engine, &range.tips, progress)?;
    let mut walk = PathWalk::new(&reader, &range, None);
    let mut pairs = Pairs::default();
    let mut looked_at = 0;
    while let Some(number) = walk.next() {
        looked_at += 1;
        if looked_at > MAX_COMMITS {
            break;
        }
        let Some(changed) = walk.paths(&mut reader, number)? else { continue };
        if changed.iter().any(|other| other == path) {
            let weight = file_weight(changed.len());
            pairs.add(changed.into_iter().filter(|other| other != path).map(|path| (path, None)), weight);
        }
    }
    let mut found = pairs.ordered();
    found.others.retain(|other| reader.objects.file_at(tip, &other.path).is_some());
    found.others.truncate(MAX_PAIRS);
    Ok(found)
}

/// Finds the definitions that change together with the one at `place`.
pub fn symbols_changed_with(engine: &Engine, place: &SymbolPlace, progress: &dyn Progress) -> Result<ChangesWith> {
    engine.store.claim();
    let history = symbol_history(engine, place, progress)?;
    let commits: Vec<CommitId> = history.commits.iter().map(|commit| commit.id).collect();
    let names: FxHashSet<(String, String)> =
        history.commits.into_iter().map(|commit| (commit.path, commit.name)).collect();
    retried(engine, || symbols(engine, place, &commits, &names, progress))
}

fn symbols(
    engine: &Engine,
    place: &SymbolPlace,
    commits: &[CommitId],
    names: &FxHashSet<(String, String)>,
    progress: &dyn Progress,
) -> Result<ChangesWith> {
    let range = range::resolve(engine, None)?;
    let Some(tip) = range.tips.first().copied() else { return Ok(ChangesWith::default()) };
    let mut reader = HistoryReader::open(engine, &range.tips, progress)?;
    let mut wanted: FxHashSet<usize> = commits.iter().filter_map(|id| reader.graph.number(id)).collect();
    let mut walk = PathWalk::new(&reader, &range, None);
    let (mut pairs, mut parsed) = (Pairs::default(), 0);
    while let Some(number) = walk.next() {
        if wanted.is_empty() || parsed >= MAX_PARSED {
            break;
        }
        // Renames on the way are noted, whatever the commit is.
        let Some(changed) = walk.paths(&mut reader, number)? else {
            wanted.remove(&number);
            continue;
        };
        if !wanted.remove(&number) {
            continue;
        }
        parsed += 1;
        let touched = touched_in(&mut reader, &walk, number)?;
        let others = touched.into_iter().filter(|(path, symbol)| {
            let is_it = *path == place.path && symbol.name == place.local_name;
            !is_it && !names.contains(&(path.clone(), symbol.name.clone()))
        });
        pairs.add(others.map(|(path, symbol)| (path, Some(symbol))), file_weight(changed.len()));
    }
    let mut found = pairs.ordered();
    found.others.truncate(MAX_PAIRS);
    let mut now: FxHashMap<String, Option<FileFacts>> = FxHashMap::default();
    for other in &mut found.others {
        let facts = now.entry(other.path.clone()).or_insert_with(|| {
            let entry = reader.objects.file_at(tip, &other.path)?;
            definitions(&other.path, &text_of(&reader.objects, Some(entry)))
        });
        let line = facts.as_ref().zip(other.symbol.as_ref()).and_then(|(facts, symbol)| {
            let is_it =
                |it: &&Definition| it.kind.as_str() == symbol.kind && it.local_name(&facts.definitions) == symbol.name;
            facts.definitions.iter().find(is_it).map(|it| it.span.start_line)
        });
        if let Some(symbol) = &mut other.symbol {
            symbol.line = line.unwrap_or(0);
        }
    }
    // What is gone by now has no line.
    found.others.retain(|other| other.symbol.as_ref().is_some_and(|symbol| symbol.line > 0));
    Ok(found)
}

/// Lists the innermost definitions that a commit changed, by the paths that their files have now.
fn touched_in(reader: &mut HistoryReader, walk: &PathWalk, number: usize) -> Result<Vec<(String, ChangedSymbol)>> {
    let changes = reader.changes(number)?.to_vec();
    let mut touched = Vec::new();
    for change in changes.iter().filter(|change| change.new.is_some()).take(MAX_FILES) {
        let (old, new) = (text_of(&reader.objects, change.old), text_of(&reader.objects, change.new));
        let Some(facts) = definitions(&change.path, &new) else { continue };
        let hunks = lines::hunks(old.as_bytes(), new.as_bytes());
        for definition in innermost(&facts, &hunks) {
            let name = definition.local_name(&facts.definitions).to_string();
            let symbol = ChangedSymbol { name, kind: definition.kind.as_str(), line: 0 };
            touched.push((walk.path_now(&change.path), symbol));
        }
    }
    touched.sort_by(|a, b| (&a.0, &a.1.name, a.1.kind).cmp(&(&b.0, &b.1.name, b.1.kind)));
    touched.dedup();
    Ok(touched)
}

/// Returns the definitions with a changed line that no definition inside of them has.
fn innermost<'f>(facts: &'f FileFacts, hunks: &[LineHunk]) -> Vec<&'f Definition> {
    let lines = |definition: &Definition| (definition.outer_start_line, definition.span.end_line);
    let is_touched = |definition: &&Definition| {
        let (start, end) = lines(definition);
        hunks.iter().any(|hunk| {
            let (from, to) = (hunk.new_start + 1, hunk.new_start + hunk.added.max(1));
            from <= end && start <= to
        })
    };
    let touched: Vec<&Definition> = facts.definitions.iter().filter(is_touched).collect();
    let is_inside = |inner: &Definition, outer: &Definition| {
        let ((a, b), (c, d)) = (lines(inner), lines(outer));
        c <= a && b <= d && (a, b) != (c, d)
    };
    touched.iter().filter(|outer| !touched.iter().any(|inner| is_inside(inner, outer))).copied().collect()
}

/// Counts of what changed together with one file or definition.
#[derive(Default)]
struct Pairs {
    commits: usize,
    by_other: FxHashMap<(String, Option<ChangedSymbol>), (usize, f64)>,
}

impl Pairs {
    fn add(&mut self, others: impl Iterator<Item = (String, Option<ChangedSymbol>)>, weight: f64) {
        self.commits += 1;
        for other in others {
            let sums = self.by_other.entry(other).or_default();
            *sums = (sums.0 + 1, sums.1 + weight);
        }
    }

    fn ordered(self) -> ChangesWith {
        let total = self.commits;
        let is_pair = |commits: usize| commits >= MIN_COMMITS && commits as f64 >= MIN_SHARE * total as f64;
        let mut pairs: Vec<_> = self.by_other.into_iter().filter(|(_, (commits, _))| is_pair(*commits)).collect();
        pairs.sort_by(|a, b| {
            let name = |pair: &((String, Option<ChangedSymbol>), _)| {
                let symbol = pair.0.1.as_ref().map(|symbol| (symbol.name.clone(), symbol.kind));
                (pair.0.0.clone(), symbol)
            };
            (b.1.1).total_cmp(&a.1.1).then_with(|| name(a).cmp(&name(b)))
        });
        let share = |commits: usize| commits as f64 / total.max(1) as f64;
        let other = |((path, symbol), (commits, _)): ((String, Option<ChangedSymbol>), (usize, f64))| ChangedWith {
            path,
            symbol,
            commits,
            share: share(commits),
        };
        ChangesWith { commits: total, others: pairs.into_iter().map(other).collect() }
    }
}
