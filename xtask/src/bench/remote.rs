//! `cargo xtask bench remote REPOSITORY [BINARY]`: what a remote index saves and what a push costs.
//! REPOSITORY is a git clone with a long history, bare or not; it is cloned, not changed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::bench::measure::{Table, median, program, ratio, timed};
use crate::outcome::Outcome;

const CHANGED_FILES: usize = 50;
const RUNS: usize = 5;
const ONE_FILE_COMMITS: usize = 10;

/// Measures with the program at `binary`.
pub(crate) fn run(binary: &Path, repository: &str) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let tree = folder.path().join("clone");
    let remote = folder.path().join("remote");
    std::fs::create_dir(&remote)?;
    git(folder.path(), &["clone", "--quiet", repository, "clone"])?;
    let home = |name: &str| -> Outcome<std::path::PathBuf> {
        let home = folder.path().join(name);
        std::fs::create_dir_all(&home)?;
        let settings = format!("[remote]\nurl = \"file://{}\"\nauto_pull = false\n", remote.display());
        std::fs::write(home.join("config.toml"), settings)?;
        Ok(home)
    };
    let mut table = Table::default();
    let away = commit_with_files(&tree, CHANGED_FILES)?;
    git(&tree, &["checkout", "--quiet", "-b", "pushed", &away])?;
    let pusher = home("pusher")?;
    let first = push(binary, &pusher, &tree)?;
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!("\n{repository}: index of {:.1} MB, {:.1} MB sent", mb(first.total), mb(first.sent));

    let (mut full, mut pull, mut sync) = (Vec::new(), Vec::new(), Vec::new());
    git(&tree, &["checkout", "--quiet", "-"])?;
    let mut parsed = 0;
    for number in 0..RUNS {
        let run = |home: &Path, args: &[&str]| {
            timed(program(binary, home, &tree, args).stdout(Stdio::null())).map(|(time, _)| time)
        };
        full.push(run(&home(&format!("full-{number}"))?, &["index"])?);
        let taker = home(&format!("taker-{number}"))?;
        pull.push(run(&taker, &["state", "pull"])?);
        let (time, answer) = timed_answer(binary, &taker, &tree, &["index", "--json"])?;
        sync.push(time);
        parsed = answer["parsed"].as_u64().unwrap_or(0);
    }
    let (full, pull, sync) = (median(&mut full), median(&mut pull), median(&mut sync));
    println!("  full index {full:.0?}; pull {pull:.0?}, then sync {sync:.0?}, which parses {parsed} files");
    table.line("pull and sync of what differs / full index", ratio(pull + sync, full), "x", Some(0.3));

    git(&tree, &["checkout", "--quiet", "pushed"])?;
    let (mut sent, mut new) = (Vec::new(), Vec::new());
    for path in source_files(&tree)?.iter().rev().step_by(17).take(ONE_FILE_COMMITS) {
        let text = std::fs::read_to_string(tree.join(path))?;
        std::fs::write(tree.join(path), format!("{text}\n\ndef added_here(value):\n    return value\n"))?;
        git(&tree, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-am", "one file"])?;
        let pushed = push(binary, &pusher, &tree)?;
        sent.push(Duration::from_nanos(pushed.sent));
        new.push(Duration::from_nanos(pushed.new));
    }
    let bytes = |times: &mut Vec<Duration>| median(times).as_nanos() as f64;
    let (sent, new) = (bytes(&mut sent), bytes(&mut new));
    println!("  a commit of one file: {:.0} kB of the index are new, {:.0} kB are sent", new / 1e3, sent / 1e3);
    table.line("bytes pushed for a commit of one file / new index data", sent / new, "x", Some(3.0));
    table.verdict()
}

struct PushFigures {
    total: u64,
    new: u64,
    sent: u64,
}

fn push(binary: &Path, home: &Path, tree: &Path) -> Outcome<PushFigures> {
    let (_, answer) = timed_answer(binary, home, tree, &["state", "push", "--json"])?;
    let field = |name: &str| answer[name].as_u64().ok_or("state push says no sizes");
    Ok(PushFigures { total: field("total_bytes")?, new: field("new_bytes")?, sent: field("sent_bytes")? })
}

fn timed_answer(binary: &Path, home: &Path, tree: &Path, args: &[&str]) -> Outcome<(Duration, Value)> {
    let start = std::time::Instant::now();
    let output = program(binary, home, tree, args).output()?;
    let time = start.elapsed();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok((time, serde_json::from_slice(&output.stdout)?))
}

/// The newest commit that at least so many files have changed since.
fn commit_with_files(tree: &Path, wanted: usize) -> Outcome<String> {
    let commits = git(tree, &["rev-list", "--first-parent", "--max-count=500", "HEAD"])?;
    for commit in commits.lines().skip(1) {
        let changed = git(tree, &["diff", "--name-only", commit, "HEAD"])?;
        if changed.lines().count() >= wanted {
            return Ok(commit.to_string());
        }
    }
    Err("the history is too short".into())
}

fn source_files(tree: &Path) -> Outcome<Vec<String>> {
    let listed = git(tree, &["ls-files", "*.py", "*.js", "*.rb"])?;
    Ok(listed.lines().map(str::to_string).collect())
}

#[expect(clippy::disallowed_methods, reason = "the histories that are measured are made with the real git")]
fn git(directory: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new("git").args(args).current_dir(directory).output()?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}
