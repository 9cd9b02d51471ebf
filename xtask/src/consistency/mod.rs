//! `cargo xtask consistency TREE… [--symbols N] [--seed N] [--binary PATH] [--json]`: do the
//! answers about a tree agree with each other?
//!
//! No truth is needed: the same fact must be the same in every answer, in every language. For a
//! sample of the definitions and names of each tree the library is asked all questions, and for a
//! part of them the program: on the command line, as a server, on its page, and about two trees at
//! once. `docs/evaluation.md` lists the checks. A disagreement is printed with two commands that
//! show it, and makes the exit code 1.

#[path = "../../../crates/engine/tests/it/consistency/checks/mod.rs"]
mod checks;
mod program;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use checks::report::Disagreement;
use checks::{CheckedTree, Extent, Report, check};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
use codecompass_testkit::Random;
use serde_json::json;

use crate::bench::measure;
use crate::outcome::Outcome;

const USAGE: &str = "usage: cargo xtask consistency TREE… [--symbols N] [--seed N] [--binary PATH] [--json]";
/// Uses of one symbol that are asked about.
const MAX_USES: usize = 6;
/// Threads that ask the library about one tree.
const THREADS: u64 = 2;

/// A tree and the program that answers for it.
struct ConsistencyRun<'a> {
    tree: &'a Path,
    /// Another tree, for questions to several.
    other: Option<&'a Path>,
    binary: &'a Path,
    symbols: usize,
    seed: u64,
}

/// Runs with the arguments after `consistency`.
pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome<()> {
    let (mut symbols, mut seed, mut binary, mut is_json) = (100, 1, None, false);
    let mut trees = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--symbols" => symbols = words.next().ok_or(USAGE)?.parse()?,
            "--seed" => seed = words.next().ok_or(USAGE)?.parse()?,
            "--binary" => binary = Some(dunce::canonicalize(words.next().ok_or(USAGE)?)?),
            "--json" => is_json = true,
            flag if flag.starts_with("--") => return Err(USAGE.into()),
            tree => trees.push(dunce::canonicalize(tree)?),
        }
    }
    if trees.is_empty() {
        return Err(USAGE.into());
    }
    let binary: PathBuf = match binary {
        Some(binary) => binary,
        None => measure::build(root, "codecompass")?,
    };
    let mut report = Report::default();
    let mut lines = Vec::new();
    for (at, tree) in trees.iter().enumerate() {
        let other = trees.get((at + 1) % trees.len()).filter(|other| *other != tree).map(PathBuf::as_path);
        let found = ask(&ConsistencyRun { tree, other, binary: &binary, symbols, seed })?;
        let asked: usize = found.asked.values().sum();
        eprintln!("{}: {asked} comparisons, {} disagree", tree.display(), found.disagreements.len());
        lines.extend(found.disagreements.iter().map(|one| if is_json { object(tree, one) } else { text(tree, one) }));
        report.merge(found);
    }
    lines.iter().for_each(|line| println!("{line}"));
    print(&report, is_json);
    match report.disagreements.len() {
        0 => Ok(()),
        count => Err(format!("{count} disagreements").into()),
    }
}

/// Indexes a tree, and asks the library and the program.
fn ask(asked: &ConsistencyRun<'_>) -> Outcome<Report> {
    let home = tempfile::tempdir()?;
    let engine = Engine::open(asked.tree, home.path(), Config::default())?;
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress)?;
    let engine = &engine;
    let mut report = Report::default();
    let parts = std::thread::scope(|scope| {
        let threads = (0..THREADS).map(|thread| {
            scope.spawn(move || {
                let random = Random::new(asked.seed * THREADS + thread);
                let symbols = asked.symbols.div_ceil(THREADS as usize);
                let extent = Extent { symbols, names: symbols, uses: MAX_USES, random };
                // A snapshot belongs to one thread.
                match engine.snapshot()? {
                    Some(snapshot) => check(&CheckedTree::new(engine, &snapshot), extent),
                    None => Ok(Report::default()),
                }
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    for part in parts {
        report.merge(part.map_err(|_| "a check panicked")??);
    }
    report.merge(program::check(asked, home.path(), &snapshot)?);
    Ok(report)
}

/// A disagreement as a line of JSON.
fn object(tree: &Path, found: &Disagreement) -> String {
    let Disagreement { check, language, subject, difference, commands } = found;
    let commands: Vec<String> = commands.iter().map(|command| whole(tree, command)).collect();
    json!({
        "tree": tree.display().to_string(), "check": check, "language": language,
        "subject": subject, "difference": difference, "commands": commands,
    })
    .to_string()
}

fn text(tree: &Path, found: &Disagreement) -> String {
    let Disagreement { check, language, subject, difference, commands } = found;
    let [one, other] = commands.each_ref().map(|command| whole(tree, command));
    format!("{check} {language} {subject}: {difference}\n    {one}\n    {other}")
}

/// A command with the program and the tree.
fn whole(tree: &Path, command: &str) -> String {
    if command.starts_with("# ") {
        command.into()
    } else {
        format!("codecompass {command} --workspace {}", tree.display())
    }
}

/// Prints the numbers by check, with the languages that disagree.
fn print(report: &Report, is_json: bool) {
    let mut rows: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for ((check, _), count) in &report.asked {
        rows.entry(check).or_default().0 += count;
    }
    for found in &report.disagreements {
        *rows.entry(found.check).or_default().1.entry(&found.language).or_default() += 1;
    }
    let asked: usize = report.asked.values().sum();
    if is_json {
        println!("{}", json!({"comparisons": asked, "disagreements": report.disagreements.len()}));
        return;
    }
    for (check, (count, languages)) in rows {
        let wrong: usize = languages.values().sum();
        let by_language: Vec<String> =
            languages.iter().map(|(language, count)| format!("{language} {count}")).collect();
        println!("{check:12} {count:6} compared {wrong:4} disagree  {}", by_language.join(" "));
    }
    println!("{:12} {asked:6} compared {:4} disagree", "all", report.disagreements.len());
}
