//! `cargo xtask history-truth TREE… [--questions N] [--blame N] [--seed N]`: questions about
//! commits that are made from a repository's own history, compared with the answers of `git log`,
//! and the lines of files, compared with those of `git blame`.

#[path = "../../crates/engine/tests/it/histories/git_log.rs"]
mod git_log;

use std::path::Path;
use std::time::{Duration, Instant};

use codecompass_testkit::{Git, Random};

use self::git_log::LogQuestions;
use crate::outcome::Outcome;

const USAGE: &str = "usage: cargo xtask history-truth TREE… [--questions N] [--blame N] [--seed N]";

/// Runs with the arguments after `history-truth`.
pub(crate) fn run(args: &[&str]) -> Outcome<()> {
    let (mut count, mut blamed, mut seed) = (200, 20, 1);
    let mut trees = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--questions" => count = words.next().ok_or(USAGE)?.parse()?,
            "--blame" => blamed = words.next().ok_or(USAGE)?.parse()?,
            "--seed" => seed = words.next().ok_or(USAGE)?.parse()?,
            flag if flag.starts_with("--") => return Err(USAGE.into()),
            tree => trees.push(Path::new(tree)),
        }
    }
    if trees.is_empty() {
        return Err(USAGE.into());
    }
    let mut different = 0;
    for tree in trees {
        if count > 0 {
            different += compare(tree, count, seed)?;
        }
        different += compare_blame(tree, blamed, seed)?;
    }
    match different {
        0 => Ok(()),
        count => Err(format!("{count} answers differ").into()),
    }
}

/// Asks `count` questions; returns how many answers differ.
fn compare(tree: &Path, count: usize, seed: u64) -> Outcome<usize> {
    let home = tempfile::tempdir()?;
    let engine = git_log::open(tree, home.path());
    let git = Git::at(tree);
    let mut questions = LogQuestions::new(&git, "HEAD", seed);
    let (mut asked, mut different, mut spent) = (0, 0, Duration::ZERO);
    while asked < count {
        let question = questions.next().ok_or("the history has no commits")?;
        let start = Instant::now();
        if let Some(difference) = git_log::difference(&engine, &git, &question) {
            different += 1;
            println!("  {difference}");
        }
        spent += start.elapsed();
        asked += 1;
    }
    println!("{}: {} of {asked} answers are git's, in {:.0} s", tree.display(), asked - different, spent.as_secs_f64());
    Ok(different)
}

/// Compares the commits of the lines of `count` files; returns how many files differ.
fn compare_blame(tree: &Path, count: usize, seed: u64) -> Outcome<usize> {
    let home = tempfile::tempdir()?;
    let git = Git::at(tree);
    let head = git.ask(&["rev-parse", "HEAD"]).ok_or("the history has no commits")?;
    let engine = git_log::open(tree, home.path()).at_ref(head.trim())?;
    let listed = git.ask(&["ls-tree", "-r", "--name-only", "HEAD"]).unwrap_or_default();
    let paths: Vec<&str> = listed.lines().collect();
    let mut random = Random::new(seed);
    let (mut asked, mut different, mut spent) = (0, 0, Duration::ZERO);
    while asked < count && !paths.is_empty() {
        let path = paths[random.below(paths.len() as u64) as usize];
        let start = Instant::now();
        if let Some(difference) = git_log::blame_difference(&engine, &git, Some("HEAD"), path) {
            different += 1;
            println!("  {difference}");
        }
        spent += start.elapsed();
        asked += 1;
    }
    let same = asked - different;
    println!("{}: {same} of {asked} files are blamed as by git, in {:.0} s", tree.display(), spent.as_secs_f64());
    Ok(different)
}
