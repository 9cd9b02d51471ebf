//! `cargo xtask bench large [go|linux]`: whether questions stay quick, and saves soon in the index,
//! in a tree of that size. In one process that has the index open, as a server has; beside `rg`,
//! which reads all files. The index is kept next to the tree and brought up to date by the next
//! run.

use std::path::Path;
use std::time::{Duration, Instant};

use codecompass_engine::query::{self, LocateOptions, Navigator, RefsOptions, SearchOptions};
use codecompass_engine::watch::{self, Options, Owner};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};

use crate::bench::corpus::{CORPORA, Corpus};
use crate::bench::freshness::{PATIENCE, clean, time, until_it_vouches};
use crate::bench::measure::{Table, median, peer, ratio};
use crate::bench::measure::{millis, percentile};
use crate::outcome::Outcome;

const ROUNDS: usize = 3;
const SAVES: usize = 41;

/// Of no tree in particular, and of both.
const QUESTIONS: &[&str] = &[
    "how is memory allocated for a new object",
    "where is a lock released after an error",
    "open a file and read its contents",
    "parse a date from a string",
    "send a packet over a socket",
    "which code compares two versions",
    "schedule work on another thread",
    "compute a checksum of a buffer",
    "copy data from one buffer to another",
    "remove an entry from a hash table",
    "check the permissions of a file",
    "retry when the operation was interrupted",
    "convert an error code to a message",
    "how are signals delivered to a process",
    "sort a list in place",
    "compress data with deflate",
    "wait until a timer expires",
    "verify a certificate signature",
    "register a new device driver",
    "balance a tree after an insertion",
];

/// Measures questions and saves on the corpus `name`.
pub(crate) fn run(name: &str) -> Outcome<()> {
    let corpus = CORPORA.iter().find(|corpus| corpus.name == name).ok_or("corpora are django, go and linux")?;
    let tree = corpus.tree()?;
    let home = std::env::temp_dir().join("codecompass-bench").join(format!("{name}-index"));
    std::fs::create_dir_all(&home)?;
    let open = || Engine::open(&tree, &home, Config::default());
    let engine = open()?;
    println!("{name}: bringing the index up to date …");
    sync(&engine, SyncOptions::default(), &NoProgress)?;
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress)?;
    let status = query::status(&snapshot)?;
    println!("  {} files, {} symbols, {} vectors", status.files, status.symbols, engine.store_summary()?.vectors);

    let mut table = Table::default();
    ask(&engine, &snapshot, corpus, &tree, &mut table)?;
    drop(snapshot);
    save(&engine, corpus, &tree, &home, &mut table)?;
    if let Some(memory) = resident_mb() {
        table.line("memory of this process at the end", memory, "MB", None);
    }
    table.verdict()
}

/// Measures questions of each kind, beside `rg`.
fn ask(engine: &Engine, snapshot: &Snapshot, corpus: &Corpus, tree: &Path, table: &mut Table) -> Outcome<()> {
    let semantic = engine.semantic().ok_or("no model")?;
    let by_meaning = SearchOptions { limit: 10, semantic: Some(semantic.clone()), ..SearchOptions::default() };
    let by_words = SearchOptions { limit: 10, ..SearchOptions::default() };
    let locate = LocateOptions { limit: 10, ..LocateOptions::default() };
    let (mut questions, mut words, mut meanings) = (Vec::new(), Vec::new(), Vec::new());
    let (mut names, mut definitions, mut uses, mut rg) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let refs = RefsOptions { limit: 50, ..RefsOptions::default() };
    for round in 0..=ROUNDS {
        // The first round reads the files of the index.
        let keep = |times: &mut Vec<Duration>, took: Duration| times.extend((round > 0).then_some(took));
        for question in QUESTIONS {
            keep(&mut questions, time(|| Ok(query::search(snapshot, question, &by_meaning).map(drop)?))?);
            keep(&mut words, time(|| Ok(query::search(snapshot, question, &by_words).map(drop)?))?);
            keep(&mut meanings, time(|| Ok(query::nearest(snapshot, &semantic, question, 100).map(drop)?))?);
            keep(&mut names, time(|| Ok(query::search(snapshot, corpus.identifier, &by_meaning).map(drop)?))?);
            keep(&mut definitions, time(|| Ok(query::locate(snapshot, corpus.identifier, &locate).map(drop)?))?);
        }
        keep(&mut uses, time(|| Ok(query::refs(&Navigator::new(snapshot), corpus.identifier, &refs).map(drop)?))?);
        peer(&["rg", "-w", corpus.identifier], tree)?.into_iter().for_each(|took| keep(&mut rg, took));
    }
    let question = median(&mut questions);
    table.line("question in words, median", millis(question), "ms", None);
    table.line("the same, 95 of 100", millis(percentile(&mut questions, 95)), "ms", None);
    table.line("by words alone, median", millis(median(&mut words)), "ms", None);
    table.line("by meaning alone, median", millis(median(&mut meanings)), "ms", None);
    table.line("search of an identifier, median", millis(median(&mut names)), "ms", None);
    table.line("its definition, median", millis(median(&mut definitions)), "ms", None);
    table.line("its uses, median", millis(median(&mut uses)), "ms", None);
    if rg.is_empty() {
        println!("  rg is not installed: no comparison");
    } else {
        table.line("question in words / rg -w of an identifier", ratio(question, median(&mut rg)), "x", Some(0.5));
    }
    Ok(())
}

/// Measures the look at all files, and how soon a watcher has saves in the index.
fn save(engine: &Engine, corpus: &Corpus, tree: &Path, home: &Path, table: &mut Table) -> Outcome<()> {
    let mut looks = Vec::new();
    for _ in 0..ROUNDS {
        looks.push(time(|| Ok(engine.is_fresh().map(drop)?))?);
    }
    table.line("the look at all files before a question, median", millis(median(&mut looks)), "ms", None);
    let (root, store) = (tree.to_path_buf(), home.to_path_buf());
    let watcher =
        watch::start(move || Engine::open(&root, &store, Config::default()), Options::new(Owner::Server), |_| {})?;
    let start = Instant::now();
    until_it_vouches(&watcher)?;
    table.line("until a new watcher vouches", start.elapsed().as_secs_f64(), "s", None);
    let file = tree.join(corpus.file);
    let original = std::fs::read(&file)?;
    let mut saved = Vec::new();
    for round in 0..SAVES {
        std::fs::write(&file, [&original[..], "\n".repeat(round % 5 + 1).as_bytes()].concat())?;
        saved.push(time(|| clean(watcher.catch_up(PATIENCE)))?);
    }
    std::fs::write(&file, original)?;
    clean(watcher.catch_up(PATIENCE))?;
    table.line("from a save to its place in the index, median", millis(median(&mut saved)), "ms", Some(100.0));
    table.line("the same, 95 of 100", millis(percentile(&mut saved, 95)), "ms", None);
    Ok(())
}

/// Memory of this process, pages of files included; `None` where /proc does not tell.
fn resident_mb() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1e3)
}
