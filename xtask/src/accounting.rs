//! `cargo xtask accounting TREE… [--names N] [--seed N]`: the accounts of names, checked by an
//! independent scanner.
//!
//! For a sample of the definitions of each tree, `refs` must account for every place that has the
//! name as a whole word, and must list every place that it says is or may be a use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use codecompass_engine::query::{
    self, Accounting, LocateOptions, Navigator, OutlineNode, RefsAnswer, RefsOptions, UseClass,
};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::Random;

use crate::histories::compare::account::{self, NamePlace, Texts};
use crate::outcome::Outcome;

const USAGE: &str = "usage: cargo xtask accounting TREE… [--names N] [--seed N]";
/// Shorter names are left out.
const LEAST_CHARACTERS: usize = 3;
/// Marks before a name that grammars count into it, such as the `$` of a variable.
const MAX_MARKS: u32 = 2;

/// The counts of one language.
#[derive(Default)]
struct Tally {
    names: usize,
    occurrences: usize,
    proven: usize,
    likely: usize,
    possible: usize,
    other: usize,
    text: usize,
    /// Places of names that the answers list, the definition asked for among them.
    listed: usize,
    flaws: usize,
}

/// Runs with the arguments after `accounting`.
pub(crate) fn run(args: &[&str]) -> Outcome<()> {
    let (mut names, mut seed) = (200, 1);
    let mut trees = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--names" => names = words.next().ok_or(USAGE)?.parse()?,
            "--seed" => seed = words.next().ok_or(USAGE)?.parse()?,
            flag if flag.starts_with("--") => return Err(USAGE.into()),
            tree => trees.push(Path::new(tree)),
        }
    }
    if trees.is_empty() {
        return Err(USAGE.into());
    }
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut flaws = Vec::new();
    for tree in trees {
        let before = flaws.len();
        let asked = check(tree, names, seed, &mut tallies, &mut flaws)?;
        eprintln!("{}: {asked} names, {} flaws", tree.display(), flaws.len() - before);
    }
    print(&tallies);
    flaws.iter().for_each(|flaw| println!("{flaw}"));
    match flaws.len() {
        0 => Ok(()),
        count => Err(format!("{count} flaws").into()),
    }
}

/// Indexes a tree and checks a sample of its definitions; returns their number.
fn check(
    tree: &Path,
    names: usize,
    seed: u64,
    tallies: &mut BTreeMap<String, Tally>,
    flaws: &mut Vec<String>,
) -> Outcome<usize> {
    let home = tempfile::tempdir()?;
    let engine = Engine::open(tree, home.path(), Config::default())?;
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress)?;
    let navigator = Navigator::new(&snapshot).reading(engine.source(), &engine.config().index);
    let texts = Texts::read(&snapshot, &engine.workspace().root);
    let options = RefsOptions { limit: usize::MAX, ..RefsOptions::default() };
    let sample = sample(&snapshot, names, seed)?;
    for symbol in &sample {
        let answer = query::refs(&navigator, symbol, &options)?;
        let hit = &answer.subject.hit;
        let Some(accounting) = &answer.accounting else { continue };
        let places = texts.places(&accounting.name, &hit.path);
        let listed = listed(&answer, accounting, &places);
        let counted = [accounting.definitions + accounting.proven, accounting.likely, accounting.possible];
        let flaw = account::flaw(accounting, &places).or_else(|| {
            let name = &accounting.name;
            (listed != counted).then(|| format!("`{name}` is listed at {listed:?} places: {accounting:?}"))
        });
        let tally = tallies.entry(hit.language.clone()).or_default();
        tally.add(accounting, listed.iter().sum());
        if let Some(flaw) = flaw {
            tally.flaws += 1;
            flaws.push(format!("{}/{}:{} {flaw}", tree.display(), hit.path, hit.name_line));
        }
    }
    Ok(sample.len())
}

/// Chooses definitions at random, the same ones for the same seed; returns their ids.
fn sample(snapshot: &Snapshot, names: usize, seed: u64) -> Outcome<Vec<String>> {
    let mut places = Vec::new();
    for path in snapshot.paths() {
        let Ok(outline) = query::outline(snapshot, path) else { continue };
        let mut nodes: Vec<OutlineNode> = outline.symbols;
        while let Some(mut node) = nodes.pop() {
            nodes.append(&mut node.children);
            if node.name.chars().count() >= LEAST_CHARACTERS {
                places.push(format!("{path}:{}", node.line_start));
            }
        }
    }
    places.sort();
    places.dedup();
    let mut random = Random::new(seed);
    let mut symbols = BTreeSet::new();
    while symbols.len() < names && !places.is_empty() {
        let place = places.swap_remove(random.below(places.len() as u64) as usize);
        let found = query::locate(snapshot, &place, &LocateOptions::default())?;
        let hit = found.hits.into_iter().next().filter(|hit| hit.name.chars().count() >= LEAST_CHARACTERS);
        symbols.extend(hit.and_then(|hit| hit.symbol_id).map(|id| id.to_string()));
    }
    Ok(symbols.into_iter().collect())
}

/// Counts the places of the name that the answer lists, by class. The definition that is asked for
/// is the answer's subject and so a proven one, unless it has no name of its own: an instance of a
/// type class is called after the type, and that place is a use of the type.
fn listed(answer: &RefsAnswer, accounting: &Accounting, places: &[NamePlace<'_>]) -> [usize; 3] {
    let hit = &answer.subject.hit;
    let declarations = answer.uses.iter().filter(|site| site.is_declaration).count();
    let mut sites: BTreeMap<NamePlace<'_>, UseClass> = BTreeMap::new();
    for site in &answer.uses {
        let class = sites.entry((&site.path, site.line, site.column)).or_insert(site.class);
        *class = site.class.min(*class);
    }
    let class_at = |(path, line, column): NamePlace<'_>| {
        (0..=MAX_MARKS).filter_map(|marks| sites.get(&(path, line, column.saturating_sub(marks)))).min().copied()
    };
    let mut subject = Some((hit.path.as_str(), hit.name_line)).filter(|_| declarations < accounting.definitions);
    let mut listed = [0; 3];
    for place in places {
        let mut is_subject = || subject.take_if(|(path, line)| (*path, *line) == (place.0, place.1)).is_some();
        let class = class_at(*place).or_else(|| is_subject().then_some(UseClass::Static));
        for (count, known) in listed.iter_mut().zip(UseClass::ALL) {
            *count += usize::from(class == Some(known));
        }
    }
    listed
}

impl Tally {
    fn add(&mut self, accounting: &Accounting, listed: usize) {
        self.names += 1;
        self.occurrences += accounting.occurrences;
        self.proven += accounting.definitions + accounting.proven;
        self.likely += accounting.likely;
        self.possible += accounting.possible;
        self.other += accounting.other;
        self.text += accounting.text;
        self.listed += listed;
    }

    fn merge(&mut self, other: &Tally) {
        self.names += other.names;
        self.occurrences += other.occurrences;
        self.proven += other.proven;
        self.likely += other.likely;
        self.possible += other.possible;
        self.other += other.other;
        self.text += other.text;
        self.listed += other.listed;
        self.flaws += other.flaws;
    }
}

fn print(tallies: &BTreeMap<String, Tally>) {
    println!(
        "{:12} {:>6} {:>11} {:>15} {:>15} {:>15} {:>15} {:>15} {:>7} {:>6}",
        "language", "names", "occurrences", "static", "likely", "possible", "other", "text", "listed", "flaws"
    );
    let mut all = Tally::default();
    tallies.values().for_each(|tally| all.merge(tally));
    for (language, tally) in tallies.iter().map(|(language, tally)| (language.as_str(), tally)).chain([("all", &all)]) {
        let part = |count: usize| format!("{count} {:5.1}%", 100.0 * share(count, tally.occurrences));
        println!(
            "{language:12} {:>6} {:>11} {:>15} {:>15} {:>15} {:>15} {:>15} {:>7.4} {:>6}",
            tally.names,
            tally.occurrences,
            part(tally.proven),
            part(tally.likely),
            part(tally.possible),
            part(tally.other),
            part(tally.text),
            share(tally.listed, tally.occurrences - tally.other - tally.text),
            tally.flaws,
        );
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
