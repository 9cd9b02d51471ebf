//! `cargo xtask bench`: ratios against limits and peers, all in one run, since machines are noisy
//! and absolute times mean little. Needs `rg` and `ctags` (Debian packages ripgrep and
//! universal-ctags) for the peer lines.
//!
//! Django carries the speed limits; the Go and Linux trees show that larger ones finish within
//! their memory.

pub(crate) mod cluster;
mod corpus;
pub(crate) mod measure;

mod freshness;
mod graph;
mod grep;
mod history;
mod large;
mod navigation;
mod refs;
mod remote;
mod resume;
mod search;
pub(crate) mod server;
pub(crate) mod ui;

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use codecompass_engine::config::IndexConfig;
use codecompass_engine::{query, scan};
use codecompass_syntax::language_of;

use crate::outcome::Outcome;
use corpus::{CORPORA, Corpus};
use measure::{Table, build, folder_bytes, median, peer, program, ratio, timed};

const INDEX_RUNS: usize = 3;
const QUERY_RUNS: usize = 21;

/// Measures the corpora named, or Django. `--program PATH` measures another program than the one of
/// this checkout.
pub(crate) fn run(root: &Path, names: &[&str]) -> Outcome<()> {
    let (other_program, names) = match names {
        ["--program", path, rest @ ..] => (Some(std::path::absolute(path)?), rest),
        names => (None, names),
    };
    if let ["search"] = names {
        return search::run();
    }
    if let ["freshness"] = names {
        return freshness::run();
    }
    if let ["large", rest @ ..] = names {
        return large::run(rest.first().unwrap_or(&"linux"));
    }
    if let ["remote", repository, binary] = names {
        return remote::run(&std::path::absolute(binary)?, repository);
    }
    let binary = match other_program {
        Some(program) => program,
        None => build(root, "codecompass")?,
    };
    if let ["remote", repository] = names {
        return remote::run(&binary, repository);
    }
    if let ["cluster", part @ ..] = names {
        build(root, "codecompass-node")?;
        return cluster::run(root, &binary, part);
    }
    if let ["refs", repository] = names {
        return refs::run(&binary, repository);
    }
    if let ["history", repository] = names {
        return history::run(&binary, repository);
    }
    if let ["grep"] = names {
        return grep::run(&binary);
    }
    if let ["navigation"] = names {
        return navigation::run(&binary);
    }
    if let ["graph", rest @ ..] = names {
        return graph::run(&binary, rest.first().copied());
    }
    if let ["server", rest @ ..] = names {
        return server::run(&binary, rest.first().copied());
    }
    if let ["tools", trees @ ..] = names {
        return server::tools::run(&binary, trees);
    }
    if let ["ui"] = names {
        return ui::run(&binary);
    }
    if let ["resume", rest @ ..] = names {
        return resume::run(&binary, rest.first().unwrap_or(&"linux"));
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
    if rg.is_empty() {
        println!("  rg is not installed: no comparison");
    } else {
        table.line("search of an identifier / rg -w of it", ratio(search, median(&mut rg)), "x", limit(1.5));
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

fn status(home: &Path, tree: &Path) -> Outcome<query::StatusAnswer> {
    let engine = codecompass_engine::Engine::open(tree, home, codecompass_engine::Config::default())?;
    let snapshot = engine.snapshot()?.ok_or("the index run published nothing")?;
    Ok(query::status(&snapshot)?)
}
