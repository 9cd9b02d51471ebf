//! Runs a random history and compares, after each step, every answer for every worktree, ref and
//! clone with that of a fresh index of a plain checkout. Shared by the test `histories` and the
//! chore of the same name.

#[path = "account.rs"]
pub(crate) mod account;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use account::Texts;
use codecompass_engine::model::{SkipReason, Target};
use codecompass_engine::query::{
    self, CallsOptions, Direction, Filter, LocateOptions, Navigator, RefsOptions, SearchOptions, UseSite,
};
use codecompass_engine::scan::Source;
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::{Event, History, LiveRef, Random};

/// Answers by question.
pub(crate) type Answers = BTreeMap<String, String>;

/// The numbers of things that were compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compared {
    /// Steps of histories.
    pub(crate) transitions: u64,
    /// Views whose answers were compared.
    pub(crate) views: u64,
    /// Indexes built from nothing to compare with.
    pub(crate) fresh: u64,
    /// Single answers.
    pub(crate) answers: u64,
}

/// Runs one history; an error tells the seed, what was done and the first difference.
pub(crate) fn run(seed: u64, transitions: u64) -> Result<Compared, String> {
    let mut history = History::new(seed);
    let mut checker = Checker::new(&history, seed);
    let mut outcome = checker.check(&mut history);
    for _ in 0..transitions {
        if outcome.is_err() {
            break;
        }
        let event = history.step();
        checker.compared.transitions += 1;
        outcome = checker.take_part(event, &history).and_then(|()| checker.check(&mut history));
    }
    outcome.map(|()| checker.compared).map_err(|difference| {
        let at = checker.compared.transitions;
        format!("seed {seed}, transition {at}\n{}\n{difference}", history.log().join("\n"))
    })
}

/// The index that is kept, and what was found to be true.
struct Checker {
    home: PathBuf,
    random: Random,
    commits: HashMap<String, Answers>,
    /// By worktree and fingerprint.
    worktrees: HashMap<(PathBuf, String), Answers>,
    /// Branches that exist now or did once.
    branches: HashSet<String>,
    serial: u64,
    compared: Compared,
}

impl Checker {
    fn new(history: &History, seed: u64) -> Checker {
        Checker {
            home: history.beside("home"),
            random: Random::new(seed ^ 0xc0de),
            commits: HashMap::new(),
            worktrees: HashMap::new(),
            branches: HashSet::new(),
            serial: 0,
            compared: Compared::default(),
        }
    }

    /// Applies a step that concerns the index itself.
    fn take_part(&mut self, event: Event, history: &History) -> Result<(), String> {
        let at = self.random.below(history.worktrees().len() as u64) as usize;
        let worktree = &history.worktrees()[at];
        match event {
            Event::Changed => {}
            Event::CollectGarbage => {
                open(worktree, &self.home)?.collect_garbage(Duration::ZERO).map_err(said)?;
                let problems = open(worktree, &self.home)?.store_problems().map_err(said)?;
                if !problems.is_empty() {
                    return Err(format!("problems in the store: {problems:?}"));
                }
            }
            Event::Rebuild => drop(
                sync(
                    &open(worktree, &self.home)?,
                    SyncOptions { rebuild: true, ..SyncOptions::default() },
                    &NoProgress,
                )
                .map_err(said)?,
            ),
        }
        Ok(())
    }

    fn check(&mut self, history: &mut History) -> Result<(), String> {
        let worktrees = history.worktrees().to_vec();
        let mut known = Vec::new();
        for worktree in &worktrees {
            known.push(self.check_worktree(history, worktree)?);
        }
        let refs = history.refs(&worktrees[0]);
        let former = history.former_commit().map(|id| LiveRef { name: id.clone(), branch: None, commit: id });
        let mut asked = HashSet::new();
        for live in refs.iter().chain(&former) {
            let at = self.random.below(worktrees.len() as u64) as usize;
            let (head, expected) = &known[at];
            let engine = self.at_ref(&worktrees[at], live)?;
            if live.branch.is_some() && live.branch == *head {
                if *engine.target() != Target::Checkout {
                    return Err(format!(
                        "{} is checked out in {} but not taken from there",
                        live.name,
                        worktrees[at].display()
                    ));
                }
                let actual = self.answers(&engine, true)?;
                self.compare(&live.name, &actual, &expected.clone())?;
            } else if asked.insert(live.commit.clone()) {
                self.check_commit(history, &engine, live)?;
            }
        }
        self.check_names(&worktrees[0], &refs)?;
        for clone in history.clones().to_vec() {
            let mut asked = HashSet::new();
            for live in history.refs(&clone) {
                let is_bare = !clone.join(".git").exists();
                let is_other = is_bare || live.branch.is_none();
                if is_other && asked.insert(live.commit.clone()) {
                    let engine = self.at_ref(&clone, &live)?;
                    self.check_commit(history, &engine, &live)?;
                }
            }
        }
        Ok(())
    }

    /// A branch that is gone is no longer answered for.
    fn check_names(&mut self, worktree: &Path, refs: &[LiveRef]) -> Result<(), String> {
        self.branches.extend(refs.iter().filter_map(|live| live.branch.clone()));
        let unborn = fs::read_to_string(worktree.join(".git/HEAD")).unwrap_or_default();
        for gone in self.branches.iter().filter(|name| !refs.iter().any(|live| live.branch.as_ref() == Some(name))) {
            let is_unborn = unborn.trim() == format!("ref: refs/heads/{gone}");
            if open(worktree, &self.home)?.at_ref(gone).is_ok() != is_unborn {
                return Err(format!("the branch {gone} is gone (unborn in the checkout: {is_unborn})"));
            }
        }
        Ok(())
    }

    fn at_ref(&self, directory: &Path, live: &LiveRef) -> Result<Engine, String> {
        let engine =
            open(directory, &self.home)?.at_ref(&live.name).map_err(|error| format!("{}: {error}", live.name))?;
        match engine.target() {
            Target::Commit { id, .. } if *id != live.commit => Err(format!("{live:?} resolved to {id}")),
            _ => Ok(engine),
        }
    }

    /// Compares a worktree with a fresh index of it; returns its branch and answers.
    fn check_worktree(&mut self, history: &History, worktree: &Path) -> Result<(Option<String>, Answers), String> {
        let name = worktree.display().to_string();
        let engine = open(worktree, &self.home)?;
        let key = (worktree.to_path_buf(), history.fingerprint(worktree));
        let expected = match self.worktrees.get(&key) {
            Some(known) => known.clone(),
            None => {
                let answers = self.fresh(history, worktree)?;
                self.worktrees.insert(key, answers.clone());
                answers
            }
        };
        let actual = self.answers(&engine, true)?;
        self.compare(&name, &actual, &expected)?;
        if !engine.is_fresh().map_err(said)? {
            return Err(format!("{name}: not fresh just after a sync"));
        }
        let (branch, commit) = history.head(worktree);
        let snapshot = engine.snapshot().map_err(said)?.ok_or("no snapshot after a sync")?;
        let status = query::status(&snapshot).map_err(said)?;
        if (&status.head_ref, &status.head_commit) != (&branch, &commit) {
            return Err(format!("{name}: HEAD is {branch:?} {commit:?}, not {status:?}"));
        }
        Ok((branch, expected))
    }

    fn check_commit(&mut self, history: &History, engine: &Engine, live: &LiveRef) -> Result<(), String> {
        if !self.commits.contains_key(&live.commit) {
            let place = history.beside("plain");
            history.checkout(&live.commit, &place);
            let answers = self.fresh(history, &place)?;
            fs::remove_dir_all(&place).map_err(said)?;
            self.commits.insert(live.commit.clone(), without_git(answers));
        }
        let actual = without_git(self.answers(engine, true)?);
        let expected = self.commits[&live.commit].clone();
        self.compare(&live.name, &actual, &expected)
    }

    /// All answers of an index built from nothing.
    fn fresh(&mut self, history: &History, directory: &Path) -> Result<Answers, String> {
        self.serial += 1;
        self.compared.fresh += 1;
        let home = history.beside(&format!("fresh{}", self.serial));
        let answers = self.answers(&open(directory, &home)?, false)?;
        fs::remove_dir_all(home).map_err(said)?;
        Ok(answers)
    }

    /// Answers to all questions, or to some.
    fn answers(&mut self, engine: &Engine, some: bool) -> Result<Answers, String> {
        let (snapshot, _) = sync(engine, SyncOptions::default(), &NoProgress).map_err(said)?;
        let random = &mut self.random;
        let mut take = || !some || random.chance(40);
        answers(engine, &snapshot, &mut take)
    }

    fn compare(&mut self, what: &str, actual: &Answers, expected: &Answers) -> Result<(), String> {
        self.compared.views += 1;
        self.compared.answers += actual.len() as u64;
        for (question, answer) in actual {
            let truth = expected.get(question).map_or("(nothing)", String::as_str);
            if answer != truth {
                return Err(format!("{what}: {question}\n{}", difference(truth, answer)));
            }
        }
        Ok(())
    }
}

/// Opens an engine with a small limit on sizes, so that small files are too large.
pub(crate) fn open(directory: &Path, home: &Path) -> Result<Engine, String> {
    let mut config = Config::default();
    config.index.threads = 1;
    config.index.max_file_bytes = 30_000;
    Engine::open(directory, home, config).map_err(said)
}

/// Everything a user can learn from a snapshot; of names and questions those that `take` wants.
pub(crate) fn answers(engine: &Engine, snapshot: &Snapshot, take: &mut dyn FnMut() -> bool) -> Result<Answers, String> {
    let mut answers = Answers::new();
    let mut put = |question: String, answer: String| drop(answers.insert(question, answer));
    let paths: Vec<&str> = snapshot.paths().collect();
    for path in &paths {
        put(format!("outline {path}"), format!("{:?}", query::outline(snapshot, path)));
    }
    put("paths".into(), paths.join("\n"));
    let mut status = query::status(snapshot).map_err(said)?;
    (status.generation, status.head_ref, status.head_commit) = (0, None, None);
    put("status".into(), format!("{status:?}"));
    for name in History::names().into_iter().filter(|_| take()) {
        let options = LocateOptions { filter: Filter::default(), limit: 100 };
        put(format!("locate {name}"), lines(&query::locate(snapshot, name, &options)));
        let shown = query::show(snapshot, engine.source(), &engine.config().index, name, &Filter::default());
        put(format!("show {name}"), lines(&shown));
    }
    navigate(engine, snapshot, take, &mut put)?;
    for question in History::questions().iter().filter(|_| take()) {
        let found = query::search(
            snapshot,
            question,
            &SearchOptions { limit: 100, semantic: query::Semantic::built_in(), ..SearchOptions::default() },
        );
        put(format!("search {question}"), lines(&found));
    }
    put("skipped by content".into(), lines(&snapshot.skipped_by_content().map_err(said)?));
    let skipped = engine.skipped().map_err(said)?;
    for skip in &skipped {
        let is_git = skip.is_dir
            && matches!(&skip.reason, SkipReason::IgnoreFile { file, .. } if !file.ends_with(".codecompassignore"));
        let key = if is_git { "skipped directory" } else { "skipped" };
        put(format!("{key} {}", skip.path), format!("{} {}", skip.is_dir, skip.reason));
    }
    let kept: Vec<&str> = skipped.iter().map(|skip| skip.path.as_str()).filter(|path| *path != ".git").collect();
    put("all skipped".into(), kept.join("\n"));
    Ok(answers)
}

/// Uses and calls of the first definition in each file that `take` wants, and of the names that
/// histories are made of.
fn navigate(
    engine: &Engine,
    snapshot: &Snapshot,
    take: &mut dyn FnMut() -> bool,
    put: &mut dyn FnMut(String, String),
) -> Result<(), String> {
    let navigator = Navigator::new(snapshot).reading(engine.source(), &engine.config().index);
    let texts = match engine.source() {
        Source::Directory(root) => Some(Texts::read(snapshot, root)),
        Source::Objects(_) => None,
    };
    let mut symbols: Vec<String> = History::names().into_iter().map(str::to_string).collect();
    for path in snapshot.paths() {
        let outline = query::outline(snapshot, path).ok();
        let first = outline.as_ref().and_then(|outline| outline.symbols.first());
        symbols.extend(first.map(|node| format!("{path}:{}", node.line_start)));
    }
    for symbol in symbols.into_iter().filter(|_| take()) {
        let options = RefsOptions { limit: 1000, ..RefsOptions::default() };
        let answer = query::refs(&navigator, &symbol, &options);
        let account = answer.as_ref().ok().and_then(|answer| answer.accounting.as_ref().zip(Some(&answer.subject.hit)));
        if let (Some((accounting, hit)), Some(texts)) = (account, &texts)
            && let Some(flaw) = account::flaw(accounting, &texts.places(&accounting.name, &hit.path))
        {
            return Err(flaw);
        }
        let uses = answer.map(|answer| {
            let site = |site: &UseSite| {
                let kind = site.kind.map_or("unknown", |kind| kind.as_str());
                let (class, evidence) = (site.class.as_str(), site.evidence.as_str());
                format!("{}:{}:{} {kind} {class} {evidence}\n", site.path, site.line, site.column)
            };
            let uses: String = answer.uses.iter().map(site).collect();
            let (subject, account) = (&answer.subject.hit, &answer.accounting);
            format!("{}:{}\n{uses}{account:?}", subject.path, subject.line_start)
        });
        put(format!("refs {symbol}"), uses.unwrap_or_else(|error| error.to_string()));
        let directions = vec![Direction::Callers, Direction::Callees];
        let options = CallsOptions {
            directions,
            depth: 2,
            limit: 1000,
            overrides: true,
            least: query::UseClass::Possible,
            scope: query::Scope::default(),
        };
        let calls = query::calls(&navigator, &symbol, &options).map(|answer| lines(&answer.levels));
        put(format!("calls {symbol}"), calls.unwrap_or_else(|error| error.to_string()));
    }
    Ok(())
}

/// Leaves out what a tree cannot say: that there is a `.git`, and which directories git ignores but
/// tracks.
pub(crate) fn without_git(mut answers: Answers) -> Answers {
    let ignored: Vec<String> =
        answers.keys().filter_map(|key| key.strip_prefix("skipped directory ").map(str::to_string)).collect();
    answers.retain(|key, _| key != "skipped .git" && !key.starts_with("skipped directory "));
    if let Some(all) = answers.get_mut("all skipped") {
        let kept: Vec<&str> = all.lines().filter(|path| !ignored.iter().any(|other| other == path)).collect();
        *all = kept.join("\n");
    }
    answers
}

fn lines(answer: &impl Debug) -> String {
    format!("{answer:?}").replace(", Hit {", ",\nHit {").replace("[Hit {", "[\nHit {")
}

/// The lines that only one of two texts has, from a little before the place where the first two of
/// them part.
fn difference(expected: &str, actual: &str) -> String {
    let only = |one: &str, other: &str| -> Vec<String> {
        let other: HashSet<&str> = other.lines().collect();
        one.lines().filter(|line| !other.contains(line)).take(4).map(str::to_string).collect()
    };
    let (missing, added) = (only(expected, actual), only(actual, expected));
    let alike = missing.first().zip(added.first()).map_or(0, |(one, other)| {
        one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count().saturating_sub(60)
    });
    let cut = |line: &String| line.chars().skip(alike).take(600).collect::<String>();
    let signed = |sign: char, lines: &[String]| -> String {
        lines.iter().map(|line| format!("{sign} {}{}\n", if alike > 0 { "…" } else { "" }, cut(line))).collect()
    };
    format!("{}{}", signed('-', &missing), signed('+', &added))
}

/// An error with its causes.
pub(crate) fn said(error: impl std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        text.push_str(&format!(": {deeper}"));
        source = deeper.source();
    }
    text
}
