//! `cargo xtask truth TRUTH SOURCES`: navigation against what compilers say.
//!
//! TRUTH is a folder of `NAME.json.gz` files, SOURCES a folder with a checkout of each NAME. For
//! every symbol that the compiler knows and something uses: is its definition found by name, and
//! from a place that uses it; are its references and its callers the compiler's? Answers at
//! identifiers that the compiler itself could not resolve count neither way. Of truth that was
//! made while a program ran, only the share of its calls that `refs` lists is counted. The programs
//! in `eval/truth` make both kinds.
//!
//! `--misses OPERATION` lists what is wrong, `--ask PATH:LINE:COLUMN` says what a name means,
//! `--only NAME` takes one repository, `--static` counts only answers that are said to be proven,
//! `--evidence` adds the precision of each class of references and of each evidence, `--listed` how
//! many of the true references `refs` lists when possible ones are counted, too.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use codecompass_engine::query::{self, LocateOptions, Navigator, RefsOptions, UseClass, locate};
use codecompass_engine::{Confidence, Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use serde::Deserialize;

use crate::outcome::Outcome;

#[derive(Deserialize)]
struct Truth {
    repo: String,
    language: String,
    files: Vec<String>,
    symbols: Vec<TrueSymbol>,
    edges: Vec<TrueEdge>,
    #[serde(default)]
    unknown: HashMap<String, Vec<(usize, u32, u32)>>,
    /// True if it has the calls that happened while a program ran: what it does not have may be a
    /// use all the same.
    #[serde(default)]
    partial: bool,
}

#[derive(Deserialize)]
struct TrueSymbol {
    name: String,
    kind: String,
    def: Spot,
    #[serde(default)]
    defs: Vec<Spot>,
    #[serde(default)]
    test: bool,
    refs: Vec<Site>,
}

#[derive(Deserialize, Clone)]
struct Spot {
    path: String,
    line: u32,
    col: u32,
    #[serde(default)]
    end_line: u32,
}

#[derive(Deserialize)]
struct Site {
    path: String,
    line: u32,
    col: u32,
    #[serde(default)]
    import: bool,
}

#[derive(Deserialize)]
struct TrueEdge {
    caller: usize,
    callee: usize,
    is_call: bool,
}

impl TrueSymbol {
    fn places(&self) -> Vec<Spot> {
        if self.defs.is_empty() { vec![self.def.clone()] } else { self.defs.clone() }
    }
}

/// The counts for one group of symbols.
#[derive(Default, Clone)]
struct Counts {
    /// Right first answers and questions.
    by_name: (u32, u32),
    by_name_once: (u32, u32),
    from_use: (u32, u32),
    references: Pooled,
    ambiguous: Pooled,
    callers: Pooled,
    callees: Pooled,
    /// Right and wrong references by class and evidence.
    by_evidence: BTreeMap<(UseClass, &'static str), (u32, u32)>,
    listed: Listed,
}

/// Lines of true references: those that `refs` lists, and those that it does not; and the lines
/// that it lists as possible and that are none.
#[derive(Default, Clone)]
struct Listed {
    certain: u32,
    possible: u32,
    unlisted: u32,
    wrong_possible: u32,
}

/// True positives, false positives, misses; and the sum of F1 over symbols.
#[derive(Default, Clone)]
struct Pooled {
    hits: u32,
    wrong: u32,
    missed: u32,
    sum: f64,
    count: u32,
}

impl Pooled {
    fn add(&mut self, hits: usize, wrong: usize, missed: usize) {
        self.hits += hits as u32;
        self.wrong += wrong as u32;
        self.missed += missed as u32;
        self.sum += f1(hits as f64, wrong as f64, missed as f64);
        self.count += 1;
    }

    fn precision(&self) -> f64 {
        share(self.hits, self.hits + self.wrong)
    }

    fn recall(&self) -> f64 {
        share(self.hits, self.hits + self.missed)
    }

    fn micro(&self) -> f64 {
        f1(f64::from(self.hits), f64::from(self.wrong), f64::from(self.missed))
    }

    fn macro_average(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / f64::from(self.count) }
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

fn f1(hits: f64, wrong: f64, missed: f64) -> f64 {
    if hits == 0.0 { 0.0 } else { 2.0 * hits / (2.0 * hits + wrong + missed) }
}

#[derive(Default)]
struct Flags {
    misses: Option<String>,
    only: Option<String>,
    only_static: bool,
    by_evidence: bool,
    listed: bool,
    ask: Vec<String>,
}

/// Runs with the arguments after `truth`.
pub(crate) fn run(args: &[&str]) -> Outcome<()> {
    let mut flags = Flags::default();
    let mut folders = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--misses" => flags.misses = words.next().map(|word| word.to_string()),
            "--only" => flags.only = words.next().map(|word| word.to_string()),
            "--static" => flags.only_static = true,
            "--evidence" => flags.by_evidence = true,
            "--listed" => flags.listed = true,
            "--ask" => flags.ask.extend(words.next().map(|word| word.to_string())),
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    let [truth, sources] = folders.as_slice() else {
        return Err("usage: cargo xtask truth TRUTH SOURCES [--only NAME] [--misses OPERATION] [--static]".into());
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(truth)?.map(|entry| Ok(entry?.path())).collect::<Outcome<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".json.gz"));
    files.sort();
    let mut groups: BTreeMap<String, Counts> = BTreeMap::new();
    let mut happened: BTreeMap<String, Counts> = BTreeMap::new();
    for file in files {
        let truth = read(&file)?;
        let root = sources.join(&truth.repo);
        if flags.only.as_ref().is_some_and(|only| *only != truth.repo) || !root.is_dir() {
            continue;
        }
        let home = tempfile::tempdir()?;
        let engine = Engine::open(&root, home.path(), Config::default())?;
        let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress)?;
        for place in &flags.ask {
            ask(&snapshot, place)?;
        }
        if !flags.ask.is_empty() {
            continue;
        }
        let navigator = Navigator::new(&snapshot).reading(engine.source(), &engine.config().index);
        let counts = score(&truth, &snapshot, navigator, &flags)?;
        let groups = if truth.partial { &mut happened } else { &mut groups };
        for group in [format!("{}/{}", truth.language, truth.repo), truth.language.clone(), "all".into()] {
            groups.entry(group).or_default().merge(&counts);
        }
    }
    print(&groups);
    print_happened(&happened);
    if flags.by_evidence {
        print_evidence(&groups);
    }
    if flags.listed {
        print_listed(&groups);
    }
    Ok(())
}

/// Prints the meaning of the name at a place.
fn ask(snapshot: &Snapshot, place: &str) -> Outcome<()> {
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let meaning = Navigator::new(snapshot).meaning_at(parts.next().unwrap_or(""), line.parse()?, column.parse()?)?;
    match meaning {
        None => println!("{place}: no name that leads anywhere"),
        Some(m) => {
            let hits = m.hits.iter().map(|hit| format!("{}:{} {}", hit.path, hit.line_start, hit.qualified_name));
            let hits: Vec<String> = hits.collect();
            println!("{place}: {:?} {:?} external {} {hits:?}", m.confidence, m.evidence, m.is_external);
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the truth is packed with gzip, which nothing else here can read")]
fn read(file: &Path) -> Outcome<Truth> {
    let output = Command::new("gzip").arg("-dc").arg(file).output()?;
    if !output.status.success() {
        return Err(format!("gzip cannot read {}", file.display()).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

impl Counts {
    fn merge(&mut self, other: &Counts) {
        for (mine, theirs) in [
            (&mut self.by_name, &other.by_name),
            (&mut self.by_name_once, &other.by_name_once),
            (&mut self.from_use, &other.from_use),
        ] {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        for (mine, theirs) in [
            (&mut self.references, &other.references),
            (&mut self.ambiguous, &other.ambiguous),
            (&mut self.callers, &other.callers),
            (&mut self.callees, &other.callees),
        ] {
            mine.hits += theirs.hits;
            mine.wrong += theirs.wrong;
            mine.missed += theirs.missed;
            mine.sum += theirs.sum;
            mine.count += theirs.count;
        }
        let (listed, theirs) = (&mut self.listed, &other.listed);
        listed.certain += theirs.certain;
        listed.possible += theirs.possible;
        listed.unlisted += theirs.unlisted;
        listed.wrong_possible += theirs.wrong_possible;
        for (key, theirs) in &other.by_evidence {
            let mine = self.by_evidence.entry(*key).or_default();
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
    }
}

fn print_listed(groups: &BTreeMap<String, Counts>) {
    for (group, Counts { listed, .. }) in groups {
        let Listed { certain, possible, unlisted, wrong_possible } = *listed;
        let recall = share(certain + possible, certain + possible + unlisted);
        println!(
            "{group:22} | listed {certain:6} as static or likely {possible:5} as possible {unlisted:5} not  {recall:.4} | possible and none {wrong_possible:6}"
        );
    }
}

/// Prints how many of the calls that happened are listed.
fn print_happened(groups: &BTreeMap<String, Counts>) {
    for (group, Counts { listed, .. }) in groups {
        let Listed { certain, possible, unlisted, .. } = *listed;
        let recall = share(certain + possible, certain + possible + unlisted);
        println!(
            "{group:22} | calls that happened: {certain:6} static or likely {possible:5} possible {unlisted:5} not listed  {recall:.4}"
        );
    }
}

fn print_evidence(groups: &BTreeMap<String, Counts>) {
    for (group, counts) in groups {
        for class in UseClass::ALL {
            let of_class = counts.by_evidence.iter().filter(|((known, _), _)| *known == class);
            let whole = of_class.clone().fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1));
            let rows = of_class.map(|((_, evidence), count)| (*evidence, *count));
            for (evidence, (right, wrong)) in std::iter::once(("all", whole)).chain(rows) {
                let precision = share(right, right + wrong);
                println!(
                    "{group:22} | {:9} {evidence:16} {right:6} right {wrong:5} wrong  {precision:.3}",
                    class.as_str()
                );
            }
        }
    }
}

fn print(groups: &BTreeMap<String, Counts>) {
    println!(
        "{:22} | by name once | from use | refs P     R     F1    macro  ambig | callers P     R     F1    macro | callees F1",
        "group"
    );
    for (group, counts) in groups {
        let Counts { by_name, by_name_once, from_use, references, ambiguous, callers, callees, .. } = counts;
        println!(
            "{group:22} | {:.3}   {:.3} | {:.3}    | {:.3}  {:.3} {:.3} {:.3}  {:.3} | {:.3}     {:.3} {:.3} {:.3} | {:.3}",
            share(by_name.0, by_name.1),
            share(by_name_once.0, by_name_once.1),
            share(from_use.0, from_use.1),
            references.precision(),
            references.recall(),
            references.micro(),
            references.macro_average(),
            ambiguous.macro_average(),
            callers.precision(),
            callers.recall(),
            callers.micro(),
            callers.macro_average(),
            callees.micro(),
        );
    }
}

/// The compiler's answers, by place.
struct Index<'truth> {
    truth: &'truth Truth,
    files: HashSet<&'truth str>,
    functions: HashMap<&'truth str, Vec<(u32, u32, usize)>>,
    callers: HashMap<usize, BTreeSet<usize>>,
    callees: HashMap<usize, BTreeSet<usize>>,
    at: HashMap<(&'truth str, u32), Vec<usize>>,
    sites: HashMap<(&'truth str, u32, u32), Vec<usize>>,
    named: HashMap<&'truth str, u32>,
}

impl<'truth> Index<'truth> {
    fn new(truth: &'truth Truth) -> Index<'truth> {
        let mut index = Index {
            truth,
            files: truth.files.iter().map(String::as_str).collect(),
            functions: HashMap::new(),
            callers: HashMap::new(),
            callees: HashMap::new(),
            at: HashMap::new(),
            sites: HashMap::new(),
            named: HashMap::new(),
        };
        for (number, known) in truth.symbols.iter().enumerate() {
            *index.named.entry(&known.name).or_default() += 1;
            let spots = if known.defs.is_empty() { std::slice::from_ref(&known.def) } else { &known.defs };
            for spot in spots {
                index.at.entry((&spot.path, spot.line)).or_default().push(number);
                if matches!(known.kind.as_str(), "function" | "method" | "constructor") && spot.end_line > 0 {
                    index.functions.entry(&spot.path).or_default().push((spot.line, spot.end_line, number));
                }
            }
            for site in &known.refs {
                index.sites.entry((&site.path, site.line, site.col)).or_default().push(number);
            }
        }
        index.functions.values_mut().for_each(|list| list.sort_unstable());
        for edge in truth.edges.iter().filter(|edge| edge.is_call) {
            index.callers.entry(edge.callee).or_default().insert(edge.caller);
            index.callees.entry(edge.caller).or_default().insert(edge.callee);
        }
        index
    }

    /// The innermost function around a line.
    fn enclosing(&self, path: &str, line: u32) -> Option<usize> {
        let mut functions = self.functions.get(path)?.iter();
        functions.rfind(|(start, end, _)| *start <= line && line <= *end).map(|(.., number)| *number)
    }

    fn unknown(&self, name: &str) -> HashSet<(&'truth str, u32)> {
        let sites = self.truth.unknown.get(name).into_iter().flatten();
        sites.map(|(file, line, _)| (self.truth.files[*file].as_str(), *line)).collect()
    }
}

fn skipped(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__") || matches!(name, "constructor" | "main" | "init" | "_")
}

fn score<'a>(truth: &'a Truth, snapshot: &'a Snapshot, navigator: Navigator<'a>, flags: &'a Flags) -> Outcome<Counts> {
    let mut scorer = Scorer { index: Index::new(truth), snapshot, navigator, flags, counts: Counts::default() };
    for (number, known) in truth.symbols.iter().enumerate() {
        if skipped(&known.name) || known.test || known.refs.is_empty() {
            continue;
        }
        let spots = known.places();
        let asked = Asked {
            number,
            known,
            lines: spots.iter().map(|spot| (spot.path.as_str(), spot.line)).collect(),
            at: (spots[0].path.as_str(), spots[0].line, Some(spots[0].col)),
            unknown: scorer.index.unknown(&known.name),
        };
        if truth.partial {
            scorer.listed(&asked)?;
            continue;
        }
        scorer.by_name(&asked)?;
        scorer.at_uses(&asked)?;
        scorer.references(&asked)?;
        if flags.listed {
            scorer.listed(&asked)?;
        }
        scorer.callers(&asked)?;
        scorer.callees(&asked)?;
    }
    Ok(scorer.counts)
}

/// A symbol that all questions are asked about.
struct Asked<'a> {
    number: usize,
    known: &'a TrueSymbol,
    /// The lines that define it.
    lines: HashSet<(&'a str, u32)>,
    /// The path, line and column of its first definition.
    at: (&'a str, u32, Option<u32>),
    /// Places of its name that the compiler could not resolve.
    unknown: HashSet<(&'a str, u32)>,
}

/// Asks and counts.
struct Scorer<'a, 'view> {
    index: Index<'a>,
    snapshot: &'a Snapshot,
    navigator: Navigator<'view>,
    flags: &'a Flags,
    counts: Counts,
}

impl Scorer<'_, '_> {
    fn counted(&self, confidence: Confidence) -> bool {
        !self.flags.only_static || confidence == Confidence::Static
    }

    fn counts_use(&self, class: UseClass) -> bool {
        if self.flags.only_static { class == UseClass::Static } else { class != UseClass::Possible }
    }

    fn shows(&self, operation: &str) -> bool {
        self.flags.misses.as_deref() == Some(operation)
    }

    fn is_ambiguous(&self, asked: &Asked) -> bool {
        self.index.named[asked.known.name.as_str()] > 1
    }

    fn by_name(&mut self, asked: &Asked) -> Outcome<()> {
        let (known, lines, (path, line, _)) = (asked.known, &asked.lines, asked.at);
        let options = LocateOptions { limit: 20, ..LocateOptions::default() };
        let found = locate(self.snapshot, &known.name, &options)?;
        let first = found.hits.iter().find(|hit| self.index.files.contains(hit.path.as_str()));
        let named_at = |hit: &codecompass_engine::query::Hit| -> bool {
            (hit.line_start..=hit.line_end.min(hit.line_start + 3))
                .any(|line| lines.contains(&(hit.path.as_str(), line)))
        };
        let is_right = first.is_some_and(|hit| lines.contains(&(hit.path.as_str(), hit.line_start)));
        self.counts.by_name.1 += 1;
        self.counts.by_name.0 += u32::from(is_right);
        if !self.is_ambiguous(asked) {
            self.counts.by_name_once.1 += 1;
            self.counts.by_name_once.0 += u32::from(is_right);
            if !is_right && self.shows("def") {
                let near = first.is_some_and(named_at);
                println!(
                    "def {path}:{line} {} {} got {:?} near {near}",
                    known.kind,
                    known.name,
                    first.map(|h| (&h.path, h.line_start))
                );
            }
        }
        Ok(())
    }

    fn at_uses(&mut self, asked: &Asked) -> Outcome<()> {
        let (known, (path, line, _)) = (asked.known, asked.at);
        for (at, site) in known.refs.iter().enumerate().filter(|(_, site)| !site.import).take(8) {
            let meaning = self.navigator.meaning_at(&site.path, site.line, site.col)?;
            let allowed = self.index.sites.get(&(site.path.as_str(), site.line, site.col)).into_iter().flatten();
            let mut right: HashSet<(&str, u32)> = asked.lines.clone();
            right.extend(allowed.flat_map(|other| {
                let other = &self.index.truth.symbols[*other];
                let spots = if other.defs.is_empty() { std::slice::from_ref(&other.def) } else { &other.defs };
                spots.iter().map(|spot| (spot.path.as_str(), spot.line))
            }));
            let mut hits = meaning.iter().flat_map(|m| &m.hits);
            let first = hits.find(|hit| self.index.files.contains(hit.path.as_str()));
            let is_right = first.is_some_and(|hit| right.contains(&(hit.path.as_str(), hit.line_start)));
            self.counts.from_use.1 += 1;
            self.counts.from_use.0 += u32::from(is_right);
            if !is_right && self.shows("use") && at < 2 {
                let what = meaning.as_ref().map(|m| (m.hits.len(), m.confidence, m.evidence, m.is_external));
                println!(
                    "use {}:{}:{} {} {} ({path}:{line}) got {:?} {what:?}",
                    site.path,
                    site.line,
                    site.col,
                    known.kind,
                    known.name,
                    first.map(|h| (&h.path, h.line_start))
                );
            }
        }
        Ok(())
    }

    fn references(&mut self, asked: &Asked) -> Outcome<()> {
        let (known, (path, line, column)) = (asked.known, asked.at);
        let wanted: BTreeSet<(&str, u32)> = known.refs.iter().map(|site| (site.path.as_str(), site.line)).collect();
        let mut answers = self.navigator.references_at(path, line, column)?;
        // Words that stand for a constructor are no names in the truth.
        answers.retain(|site| known.kind != "constructor" || site.name == known.name);
        let given: BTreeSet<(&str, u32)> = answers
            .iter()
            .filter(|site| self.counts_use(site.class) && self.index.files.contains(site.path.as_str()))
            .map(|site| (site.path.as_str(), site.line))
            .collect();
        let is_neutral = |place: &(&str, u32)| asked.lines.contains(place) || asked.unknown.contains(place);
        let wrong: Vec<_> = given.difference(&wanted).filter(|place| !is_neutral(place)).collect();
        for site in answers.iter().filter(|site| self.index.files.contains(site.path.as_str())) {
            let place = (site.path.as_str(), site.line);
            if wanted.contains(&place) || !is_neutral(&place) {
                let count = self.counts.by_evidence.entry((site.class, site.evidence.as_str())).or_default();
                count.0 += u32::from(wanted.contains(&place));
                count.1 += u32::from(!wanted.contains(&place));
            }
        }
        let missed: Vec<_> = wanted.difference(&given).collect();
        let hits = given.intersection(&wanted).count();
        self.counts.references.add(hits, wrong.len(), missed.len());
        if self.is_ambiguous(asked) {
            self.counts.ambiguous.add(hits, wrong.len(), missed.len());
        }
        if self.shows("refs") && (!wrong.is_empty() || !missed.is_empty()) {
            println!("refs {path}:{line} {} {}: {hits} right", known.kind, known.name);
            wrong.iter().take(20).for_each(|(path, line)| println!("    wrong  {path}:{line}"));
            missed.iter().take(20).for_each(|(path, line)| println!("    missed {path}:{line}"));
        }
        Ok(())
    }

    /// Counts the true references that the whole answer lists.
    fn listed(&mut self, asked: &Asked) -> Outcome<()> {
        let (known, (path, line, column)) = (asked.known, asked.at);
        let place = format!("{path}:{line}:{}", column.unwrap_or(1));
        let options = RefsOptions { limit: usize::MAX, ..RefsOptions::default() };
        let Ok(answer) = query::refs(&self.navigator, &place, &options) else { return Ok(()) };
        let mut given: BTreeMap<(&str, u32), UseClass> = BTreeMap::new();
        for site in answer.uses.iter().filter(|site| self.index.files.contains(site.path.as_str())) {
            let class = given.entry((&site.path, site.line)).or_insert(site.class);
            *class = site.class.min(*class);
        }
        let wanted: BTreeSet<(&str, u32)> = known.refs.iter().map(|site| (site.path.as_str(), site.line)).collect();
        let listed = &mut self.counts.listed;
        let mut unlisted = Vec::new();
        for place in &wanted {
            match given.get(place) {
                Some(UseClass::Possible) => listed.possible += 1,
                Some(_) => listed.certain += 1,
                None => unlisted.push(place),
            }
        }
        unlisted.retain(|place| !asked.lines.contains(*place));
        listed.unlisted += unlisted.len() as u32;
        let is_neutral = |place: &(&str, u32)| asked.lines.contains(place) || asked.unknown.contains(place);
        let is_none = |place: &(&str, u32)| !wanted.contains(place) && !is_neutral(place);
        let possible = given.iter().filter(|(place, class)| **class == UseClass::Possible && is_none(place));
        listed.wrong_possible += possible.count() as u32;
        if self.flags.misses.as_deref() == Some("listed") && !unlisted.is_empty() {
            println!("listed {path}:{line} {} {}", known.kind, known.name);
            unlisted.iter().take(20).for_each(|(path, line)| println!("    unlisted {path}:{line}"));
        }
        Ok(())
    }

    fn callers(&mut self, asked: &Asked) -> Outcome<()> {
        let (known, (path, line, column)) = (asked.known, asked.at);
        let Some(wanted) = self.index.callers.get(&asked.number) else { return Ok(()) };
        let neutral: HashSet<Option<usize>> =
            asked.unknown.iter().map(|(path, line)| self.index.enclosing(path, *line)).collect();
        let mut given = BTreeSet::new();
        for site in self.navigator.callers_at(path, line, column)? {
            let place = (site.path.as_str(), site.line);
            let is_neutral = asked.lines.contains(&place) || asked.unknown.contains(&place);
            if self.counts_use(site.class) && self.index.files.contains(place.0) && !is_neutral {
                given.extend(self.index.enclosing(place.0, place.1));
            }
        }
        let wrong: Vec<_> = given.difference(wanted).filter(|caller| !neutral.contains(&Some(**caller))).collect();
        let missed: Vec<_> = wanted.difference(&given).collect();
        self.counts.callers.add(given.intersection(wanted).count(), wrong.len(), missed.len());
        if self.shows("callers") && (!wrong.is_empty() || !missed.is_empty()) {
            println!("callers {path}:{line} {} {}", known.kind, known.name);
            let place = |caller: &usize| {
                let known = &self.index.truth.symbols[*caller];
                format!("{}:{} {}", known.def.path, known.def.line, known.name)
            };
            wrong.iter().take(20).for_each(|caller| println!("    wrong  {}", place(caller)));
            missed.iter().take(20).for_each(|caller| println!("    missed {}", place(caller)));
        }
        Ok(())
    }

    fn callees(&mut self, asked: &Asked) -> Outcome<()> {
        let (path, line, column) = asked.at;
        let Some(wanted) = self.index.callees.get(&asked.number) else { return Ok(()) };
        let mut given = BTreeSet::new();
        let mut wrong = HashSet::new();
        for (hit, _, confidence) in self.navigator.callees_at(path, line, column)? {
            if !self.counted(confidence) || !self.index.files.contains(hit.path.as_str()) {
                continue;
            }
            let here = self.index.at.get(&(hit.path.as_str(), hit.line_start)).into_iter().flatten();
            match here.copied().find(|number| self.index.truth.symbols[*number].name == hit.name) {
                Some(callee) => _ = given.insert(callee),
                None => _ = wrong.insert((hit.path, hit.line_start)),
            }
        }
        let extra = given.difference(wanted).count() + wrong.len();
        self.counts.callees.add(given.intersection(wanted).count(), extra, wanted.difference(&given).count());
        Ok(())
    }
}
