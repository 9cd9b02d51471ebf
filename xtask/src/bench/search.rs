//! `cargo xtask bench search`: what questions in words cost in a process that is running, what
//! vectors add to indexing, and how long a hundred thousand of them take to compare. On Django, and
//! on a tree made for the purpose.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use codecompass_engine::config::SemanticMode;
use codecompass_engine::query::{self, SearchOptions, Semantic};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};

use crate::bench::corpus::CORPORA;
use crate::bench::measure::{Table, median, millis, percentile, ratio};
use crate::outcome::Outcome;

const INDEX_RUNS: usize = 5;
const ROUNDS: usize = 5;
/// Files of the tree that is made, and functions in each: a hundred thousand documents.
const FILES: usize = 2_000;
const FUNCTIONS: usize = 50;

pub(crate) const QUESTIONS: &[&str] = &[
    "how are database migrations applied in order",
    "where is the session cookie signed",
    "password hashing and upgrade of old hashes",
    "which code resolves a URL to a view",
    "how does the template engine load parent templates",
    "middleware that protects against cross site request forgery",
    "convert a queryset filter into SQL where clauses",
    "cache backend that stores values in files",
    "how are model fields validated before saving",
    "send an email with attachments",
    "lazy evaluation of translated strings",
    "pagination of long lists of objects",
    "how static files are collected from apps",
    "where does the admin check permissions",
    "parse an uploaded file in chunks",
    "register a signal receiver",
    "date formatting in the user's language",
    "roll back a transaction when an exception is raised",
    "build an inline formset for related objects",
    "prefetch related objects to avoid many queries",
    "test client that makes requests without a server",
    "escape html in template output",
    "how are settings loaded from the environment",
    "serialize models to json and back",
    "compile translation message files",
    "detect changes of source files and reload the server",
    "geometry fields and spatial lookups",
    "generate a slug from a title",
    "validate an email address",
    "logging of failed requests to administrators",
];

/// Issue texts with prose, code and traces, one after the other.
const LONG_TEXTS: &str = include_str!("long_texts.txt");
const BETWEEN_TEXTS: &str = "=====\n";

/// Measures indexing and questions on Django, and the comparison of vectors on a tree made for it.
pub(crate) fn run() -> Outcome<()> {
    let mut table = Table::default();
    let corpus = CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("no Django")?;
    let tree = corpus.tree()?;
    let home = tempfile::tempdir()?;
    let open = |mode: SemanticMode| {
        let mut config = Config::default();
        config.semantic.mode = mode;
        Engine::open(&tree, home.path(), config)
    };
    let (with, without) = (open(SemanticMode::Hybrid)?, open(SemanticMode::Off)?);
    let rebuild = SyncOptions { rebuild: true, ..SyncOptions::default() };
    let (mut off, mut on) = (Vec::new(), Vec::new());
    for _ in 0..INDEX_RUNS {
        for (engine, times) in [(&without, &mut off), (&with, &mut on)] {
            let start = Instant::now();
            sync(engine, rebuild, &NoProgress)?;
            times.push(start.elapsed());
        }
    }
    let (on, off) = (median(&mut on), median(&mut off));
    println!("django: full index {:.2} s with vectors, {:.2} s without", on.as_secs_f64(), off.as_secs_f64());
    table.line("full index with vectors / without", ratio(on, off), "x", Some(1.25));

    let (snapshot, _) = sync(&with, SyncOptions::default(), &NoProgress)?;
    let semantic = with.semantic().ok_or("no model")?;
    ask(&snapshot, &semantic, &mut table)?;
    scan(&semantic, &mut table)?;
    table.verdict()
}

/// Measures questions in words, with and without vectors.
fn ask(snapshot: &Snapshot, semantic: &Semantic, table: &mut Table) -> Outcome<()> {
    let options = SearchOptions { limit: 10, semantic: Some(semantic.clone()), ..SearchOptions::default() };
    let plain = SearchOptions { limit: 10, ..SearchOptions::default() };
    let mut searches = Vec::new();
    let mut by_words = Vec::new();
    for round in 0..=ROUNDS {
        for question in QUESTIONS {
            let [took, words] = [&options, &plain].map(|options| {
                let start = Instant::now();
                query::search(snapshot, question, options).map(|_| start.elapsed())
            });
            // The first round reads the files of the index.
            if round > 0 {
                searches.push(took?);
                by_words.push(words?);
            }
        }
    }
    println!("  {} questions, {ROUNDS} times, one process", QUESTIONS.len());
    table.line("question in words, median", millis(median(&mut searches)), "ms", Some(5.0));
    table.line("the same, 95 of 100", millis(percentile(&mut searches, 95)), "ms", Some(15.0));
    table.line("by words alone, median", millis(median(&mut by_words)), "ms", None);
    ask_long(snapshot, &options, table)
}

/// Measures issue texts.
fn ask_long(snapshot: &Snapshot, options: &SearchOptions, table: &mut Table) -> Outcome<()> {
    let texts: Vec<&str> = LONG_TEXTS.split(BETWEEN_TEXTS).collect();
    let mut searches = Vec::new();
    for round in 0..=ROUNDS {
        for text in &texts {
            let start = Instant::now();
            query::search(snapshot, text, options)?;
            if round > 0 {
                searches.push(start.elapsed());
            }
        }
    }
    println!("  {} issue texts, {ROUNDS} times", texts.len());
    table.line("issue text, median", millis(median(&mut searches)), "ms", Some(25.0));
    Ok(())
}

/// Measures the comparison of a question with a hundred thousand vectors.
fn scan(semantic: &Semantic, table: &mut Table) -> Outcome<()> {
    let made = tempfile::tempdir()?;
    write_tree(made.path())?;
    let home = tempfile::tempdir()?;
    let engine = Engine::open(made.path(), home.path(), Config::default())?;
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress)?;
    println!("{} documents with vectors, made for this", engine.store_summary()?.vectors);
    let mut scans: Vec<Duration> = Vec::new();
    for question in QUESTIONS.iter().cycle().take(QUESTIONS.len() * 2) {
        let start = Instant::now();
        let near = query::nearest(&snapshot, semantic, question, 100)?;
        scans.push(start.elapsed());
        if near.len() < 100 {
            return Err("fewer documents than asked for".into());
        }
    }
    scans.remove(0);
    table.line("the nearest hundred of them, median", millis(median(&mut scans)), "ms", Some(5.0));
    Ok(())
}

/// Functions with names and words of their own.
fn write_tree(root: &Path) -> Outcome<()> {
    const WORDS: &[&str] = &[
        "user", "order", "token", "cache", "file", "path", "query", "index", "price", "session", "event", "queue",
        "retry", "parse", "render", "merge", "split", "count", "limit", "owner", "group", "image", "color", "graph",
        "route",
    ];
    let word = |n: usize| WORDS[n % WORDS.len()];
    for file in 0..FILES {
        let mut text = String::new();
        for function in 0..FUNCTIONS {
            let n = file * FUNCTIONS + function;
            let (a, b, c) = (word(n), word(n / 7 + 3), word(n / 31 + 11));
            let _ = write!(text, "def {a}_{b}_{n}({c}, {b}):\n    {a} = {c}.{b}({n})\n    return {a}.{c}({b})\n\n\n");
        }
        let folder = root.join(format!("{}_{}", word(file), file / 100));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{}_{file}.py", word(file / 3))), text)?;
    }
    Ok(())
}
