//! `cargo xtask bench history REPOSITORY`: the commit table, the change index and questions about
//! commits, on a git clone, against `git log` in the same run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::measure::{Table, folder_bytes, median, peer, program, ratio, timed};
use crate::outcome::Outcome;

/// The most times as long as git's own walk over trees.
const TABLE_LIMIT: f64 = 2.0;
/// The longest time of the change index, in seconds.
const INDEX_LIMIT: f64 = 120.0;
/// The largest share of the packs on disk.
const SIZE_LIMIT: f64 = 0.15;
/// The most memory of its own, in MB; mapped packs are the system's cache.
const MEMORY_LIMIT: f64 = 400.0;
/// The largest share of the time of `git log`.
const WARM_LIMIT: f64 = 0.02;
const RUNS: usize = 3;
const PATTERN: &str = "def get_queryset";

/// Measures with the program at `binary`.
pub(crate) fn run(binary: &Path, repository: &str) -> Outcome<()> {
    let tree = PathBuf::from(repository);
    let folder = tempfile::tempdir()?;
    let home = folder.path();
    let mut table = Table::default();
    let walk = ["git", "log", "--format=%H", "--raw", "--no-renames", "HEAD"];
    let walked = peer(&walk, &tree)?.ok_or("git is not installed")?;
    let (made, _) = timed(program(binary, home, &tree, &["history", "-n1"]).stdout(Stdio::null()))?;
    table.line("commit table / git's walk over trees", ratio(made, walked), "x", Some(TABLE_LIMIT));
    let (indexed, memory) = own_memory(&mut program(binary, home, &tree, &["history", "-n1", "--regex", PATTERN]))?;
    table.line("change index", indexed.as_secs_f64(), "s", Some(INDEX_LIMIT));
    table.line("its own memory at the most", memory, "MB", Some(MEMORY_LIMIT));
    let packs = ["objects/pack", ".git/objects/pack"].map(|folder| folder_bytes(&tree.join(folder)).unwrap_or(0));
    let size = folder_bytes(home)? as f64 / packs.iter().sum::<u64>().max(1) as f64;
    table.line("everything on disk / packs of git", size, "x", Some(SIZE_LIMIT));
    // The limit is a share of `git log -G`; `-S` compares blobs without a diff and is faster.
    for (what, ours, theirs, limit) in [
        ("a regular expression / git log -G", "--regex", format!("-G{PATTERN}"), Some(WARM_LIMIT)),
        ("a text / git log -S", "--changes", format!("-S{PATTERN}"), None),
    ] {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            let mut question = program(binary, home, &tree, &["history", ours, PATTERN]);
            times.push(timed(question.stdout(Stdio::null()))?.0);
        }
        let git = peer(&["git", "log", "--format=%H", &theirs, "HEAD"], &tree)?.ok_or("git is not installed")?;
        let warm = median(&mut times);
        println!("  {what}: {:.2} s, git {:.2} s", warm.as_secs_f64(), git.as_secs_f64());
        table.line(what, ratio(warm, git), "x", limit);
    }
    table.verdict()
}

/// Runs a command to its end; returns its time and the most memory of its own, in MB.
fn own_memory(command: &mut Command) -> Outcome<(Duration, f64)> {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    loop {
        let text = std::fs::read_to_string(&status_file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("RssAnon:"));
        let kb: Option<f64> = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        peak = peak.max(kb.unwrap_or(0.0));
        if let Some(status) = child.try_wait()? {
            if status.code().is_none_or(|code| code > 1) {
                return Err(format!("{command:?} failed: {status}").into());
            }
            return Ok((start.elapsed(), peak / 1e3));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
