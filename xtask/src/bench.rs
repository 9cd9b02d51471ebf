//! `cargo xtask bench`: ratios against limits and peers, all in one run, since machines are noisy and absolute times
//! mean little. Needs `rg` and `ctags` (Debian packages ripgrep and universal-ctags) for the peer lines.
//!
//! Django carries the speed limits; the Go and Linux trees show that larger ones finish within their memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use codecompass_engine::config::IndexConfig;
use codecompass_engine::{query, scan};
use codecompass_syntax::language_of;

use crate::corpus::{CORPORA, Corpus};
use crate::{
    Outcome, bench_freshness, bench_large, bench_navigation, bench_refs, bench_resume, bench_search, bench_server,
};

const INDEX_RUNS: usize = 3;
const QUERY_RUNS: usize = 21;

/// Measures the corpora named, or Django.
pub(crate) fn run(root: &Path, names: &[&str]) -> Outcome<()> {
    if let ["search"] = names {
        return bench_search::run();
    }
    if let ["freshness"] = names {
        return bench_freshness::run();
    }
    if let ["large", rest @ ..] = names {
        return bench_large::run(rest.first().unwrap_or(&"linux"));
    }
    let binary = build(root)?;
    if let ["refs", repository] = names {
        return bench_refs::run(&binary, repository);
    }
    if let ["navigation"] = names {
        return bench_navigation::run(&binary);
    }
    if let ["server", rest @ ..] = names {
        return bench_server::run(&binary, rest.first().copied());
    }
    if let ["resume", rest @ ..] = names {
        return bench_resume::run(&binary, rest.first().unwrap_or(&"linux"));
    }
    let names = if names.is_empty() { &["django"] } else { names };
    let mut failed = 0;
    for name in names {
        let corpus = CORPORA.iter().find(|corpus| corpus.name == *name).ok_or("corpora are django, go and linux")?;
        let tree = corpus.tree()?;
        println!("\n{name}");
        let mut table = Table::default();
        measure(&binary, corpus, &tree, &mut table)?;
        failed += table.failed;
    }
    if failed > 0 {
        return Err(format!("{failed} limits exceeded").into());
    }
    Ok(())
}

/// Lines with limits, and how many were exceeded.
#[derive(Default)]
pub(crate) struct Table {
    failed: usize,
}

impl Table {
    pub(crate) fn line(&mut self, what: &str, value: f64, unit: &str, limit: Option<f64>) {
        let verdict = match limit {
            Some(limit) if value > limit => {
                self.failed += 1;
                format!("limit {limit}{unit}  EXCEEDED")
            }
            Some(limit) => format!("limit {limit}{unit}  ok"),
            None => String::new(),
        };
        println!("  {what:<58} {value:>9.2}{unit:<3} {verdict}");
    }

    /// An error when a limit was exceeded.
    pub(crate) fn verdict(&self) -> Outcome<()> {
        match self.failed {
            0 => Ok(()),
            failed => Err(format!("{failed} limits exceeded").into()),
        }
    }
}

fn measure(binary: &Path, corpus: &Corpus, tree: &Path, table: &mut Table) -> Outcome<()> {
    let limit = |value: f64| corpus.timed.then_some(value);
    let config = IndexConfig::default();
    let (mut parse, mut index) = (Vec::new(), Vec::new());
    let mut peak_mb = 0.0_f64;
    let mut home = tempfile::tempdir()?;
    for _ in 0..if corpus.timed { INDEX_RUNS } else { 1 } {
        parse.push(read_and_parse(tree, &config)?);
        home = tempfile::tempdir()?;
        let (time, mb) = timed(program(binary, home.path(), tree, &["index"]).stdout(Stdio::null()))?;
        index.push(time);
        peak_mb = peak_mb.max(mb);
    }
    let status = status(home.path(), tree)?;
    println!(
        "  {} files, {} symbols, {:.1} MB of source; index {:.2} s, reading and parsing alone {:.2} s",
        status.files,
        status.symbols,
        status.source_bytes as f64 / 1e6,
        median(&mut index).as_secs_f64(),
        median(&mut parse).as_secs_f64()
    );
    table.line(
        "full index / reading and parsing the same files",
        ratio(median(&mut index), median(&mut parse)),
        "x",
        limit(2.5),
    );
    table.line("peak memory while indexing", peak_mb, "MB", Some(corpus.memory_limit_mb));
    let disk = folder_bytes(home.path())?;
    table.line("index on disk / indexed source", disk as f64 / status.source_bytes as f64, "x", Some(1.0));

    let (mut start, mut search, mut rg, mut edit) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let file = tree.join(corpus.file);
    let original = std::fs::read(&file)?;
    for run in 0..QUERY_RUNS {
        start.push(timed(program(binary, home.path(), tree, &["--version"]).stdout(Stdio::null()))?.0);
        search.push(timed(program(binary, home.path(), tree, &["search", corpus.identifier]).stdout(Stdio::null()))?.0);
        rg.extend(peer(&["rg", "-w", corpus.identifier], tree)?);
        std::fs::write(&file, [&original[..], format!("\n{}", " ".repeat(run)).as_bytes()].concat())?;
        edit.push(timed(program(binary, home.path(), tree, &["sync"]).stdout(Stdio::null()))?.0);
    }
    std::fs::write(&file, original)?;
    let start = median(&mut start);
    let beyond_start = median(&mut edit).saturating_sub(start).as_secs_f64() * 1e3;
    table.line("sync after one edit, beyond process start", beyond_start, "ms", limit(100.0));
    let search = median(&mut search);
    match rg.is_empty() {
        true => println!("  rg is not installed: no comparison"),
        false => table.line("search of an identifier / rg -w of it", ratio(search, median(&mut rg)), "x", limit(1.5)),
    }
    match peer(&["ctags", "-R", "-f", "/dev/null", "."], tree)? {
        Some(ctags) => table.line("full index / universal-ctags", ratio(median(&mut index), ctags), "x", None),
        None => println!("  ctags is not installed: no comparison"),
    }
    Ok(())
}

/// Reads and parses the files that an index run would, with as many threads, and nothing else.
fn read_and_parse(tree: &Path, config: &IndexConfig) -> Outcome<Duration> {
    let workspace = scan::discover(tree)?;
    let start = Instant::now();
    let files = scan::list(&workspace, config)?.files;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..config.threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let scan::ReadOutcome::Text(source) = scan::read(&workspace.root, &file.path, config) else {
                        continue;
                    };
                    if let Some(language) = language_of(&file.path, &source.text) {
                        codecompass_syntax::build_tree(&source.text, language);
                    }
                }
            });
        }
    });
    Ok(start.elapsed())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program and its peers, where cargo puts it")]
pub(crate) fn build(root: &Path) -> Outcome<std::path::PathBuf> {
    let status =
        Command::new("cargo").args(["build", "--release", "--package", "codecompass"]).current_dir(root).status()?;
    if !status.success() {
        return Err("the release build failed".into());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), std::path::PathBuf::from);
    Ok(target.join("release/codecompass"))
}

#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program and its peers")]
pub(crate) fn program(binary: &Path, home: &Path, tree: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(binary);
    command.args(args).arg("--quiet").current_dir(tree).env("CODECOMPASS_HOME", home).stdin(Stdio::null());
    command
}

/// The time of a peer's run, `None` when it is not installed.
#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program and its peers")]
pub(crate) fn peer(line: &[&str], tree: &Path) -> Outcome<Option<Duration>> {
    let mut command = Command::new(line[0]);
    command.args(&line[1..]).current_dir(tree).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match timed(&mut command) {
        Ok((time, _)) => Ok(Some(time)),
        Err(error)
            if error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Runs a command to its end; returns its time and its peak memory in MB (0 where /proc does not tell).
pub(crate) fn timed(command: &mut Command) -> Outcome<(Duration, f64)> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0.0_f64;
    // Short runs are waited for closely, long ones watched for their memory.
    let mut pause = Duration::from_micros(200);
    loop {
        if let Ok(text) = std::fs::read_to_string(&status_file) {
            let line = text.lines().find(|line| line.starts_with("VmHWM:"));
            let kb = line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok());
            peak_kb = peak_kb.max(kb.unwrap_or(0.0));
        }
        if let Some(status) = child.try_wait()? {
            // ctags and rg say 1 for "nothing found" and the like; only ours must succeed.
            if status.code().is_none_or(|code| code > 1) {
                return Err(format!("{command:?} failed: {status}").into());
            }
            return Ok((start.elapsed(), peak_kb / 1e3));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(if start.elapsed().as_millis() > 500 { 20 } else { 1 }));
    }
}

fn status(home: &Path, tree: &Path) -> Outcome<query::StatusAnswer> {
    let engine = codecompass_engine::Engine::open(tree, home, codecompass_engine::Config::default())?;
    let snapshot = engine.snapshot()?.ok_or("the index run published nothing")?;
    Ok(query::status(&snapshot)?)
}

pub(crate) fn folder_bytes(folder: &Path) -> Outcome<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        total += if entry.file_type()?.is_dir() { folder_bytes(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}

pub(crate) fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64().max(1e-9)
}

pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
