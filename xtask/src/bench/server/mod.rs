//! `cargo xtask bench server [TREE]`: the cost of an idle server, its speed with many clients, and
//! the truth of its answers while files are saved all the time. On a copy of Django, or of the tree
//! given, since files are changed.

pub(crate) mod client;
mod load;
pub(crate) mod process;
mod saves;
pub(super) mod tools;

use std::collections::HashMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::Duration;

use codecompass_engine::query::{self, OutlineNode};
use codecompass_engine::{Config, Engine};
use codecompass_testkit::{Git, Markers, Random, copy_tree};
use serde_json::json;

use client::Client;
use load::{Heard, Known, Length, Load};
use process::Server;
use saves::Saves;

use crate::bench::corpus::CORPORA;
use crate::bench::measure::{Table, median, ratio};
use crate::bench::measure::{millis, percentile};
use crate::outcome::Outcome;

/// Starts of the server; the handshake is the median of them.
const STARTS: usize = 5;
/// Rest before memory is looked at, and the time in which processor time is counted.
const REST: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(30);
/// The same after the clients have asked, once what is left of the last saves is done.
const AFTER_LOAD: Duration = Duration::from_secs(10);
const UNTIL_CALM: Duration = Duration::from_secs(5);
/// The time that clients search on quiet files, and in a crowd.
const QUIET: Duration = Duration::from_secs(50);
const CROWDED: Duration = Duration::from_secs(20);
const SAVES: usize = 1000;
/// Both sides of a comparison take turns, so that a machine that becomes slower or faster changes
/// both.
const ROUNDS: u32 = 5;
/// Between an answer and the next question of a client: so many ask, but not more than two cores
/// can answer.
const PAUSE: Duration = Duration::from_millis(200);
const CLIENTS: usize = 8;
const CROWD: usize = 32;
/// Names that are searched.
const KNOWN: usize = 400;
/// Connections that stop in the middle of a request, and such that ask and never read.
const HALF_OPEN: usize = 8;
const DEAF: usize = 8;

/// Measures a server on a copy of Django, or of `tree`.
pub(crate) fn run(binary: &Path, tree: Option<&str>) -> Outcome<()> {
    let source = match tree {
        Some(tree) => Path::new(tree).to_path_buf(),
        None => CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("no Django")?.tree()?,
    };
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("tree"), folder.path().join("home"));
    copy_to_repository(&source, &tree);
    let mut table = Table::default();
    let mut handshakes = Vec::new();
    for start in 0..STARTS {
        let server = Server::start(binary, &folder.path().join(format!("unused{start}")), &tree)?;
        Client::connect(&server.address)?.discover()?;
        handshakes.push(server.since.elapsed());
    }
    let server = Server::start(binary, &home, &tree)?;
    server.wait_until_ready()?;
    println!("server on {}, first index {:.1} s", source.display(), server.since.elapsed().as_secs_f64());
    table.line(
        "start of the process to its first answer, nothing indexed",
        millis(median(&mut handshakes)),
        "ms",
        Some(100.0),
    );
    at_rest(&server, &mut table);

    let (known, changing) = choose(&tree, &home)?;
    let mut saves = Saves::new(&tree, &changing)?;
    let markers = Markers::default();
    let load = |clients, length| Load { address: &server.address, known: &known, clients, pause: PAUSE, length };
    let mut load_test = LoadTest { load: &load, saves: &mut saves, markers: &markers, failures: Vec::new() };

    // Once for the disk's cache.
    load::run(&load(CLIENTS, Length::Time(Duration::from_secs(2))), None)?;
    let peak_of_index = server.megabytes("status", "VmHWM:");
    let has_forgotten = server.forget_peak();
    load_test.saving(&mut table)?;

    thread::sleep(UNTIL_CALM);
    if let Some(percent) = processor_at_rest(&server, AFTER_LOAD) {
        table.line("processor at rest after these saves, of one core", percent, "%", Some(1.0));
    }

    load_test.crowded(&server, &mut table)?;
    if let Some(peak) = server.megabytes("status", "VmHWM:") {
        let what = if has_forgotten { "peak memory while all that" } else { "peak memory, the first index included" };
        table.line(what, peak, "MB", Some(600.0));
    }
    if let Some(peak) = peak_of_index {
        table.line("peak memory of the first index", peak, "MB", Some(600.0));
    }
    let failures = load_test.failures;
    table.line("answers that are wrong, or of before and do not say so", failures.len() as f64, "", Some(0.0));
    for failure in failures.iter().take(10) {
        println!("  {}", failure.chars().take(600).collect::<String>());
    }
    table.verdict()
}

pub(super) fn copy_to_repository(source: &Path, tree: &Path) {
    copy_tree(source, tree);
    // Whatever repository it was, it is one of its own from here on.
    let _ = std::fs::remove_dir_all(tree.join(".git"));
    let git = Git::at(tree);
    git.run(&["init", "--quiet", "--initial-branch=main"]);
    git.run(&["add", "--all"]);
    git.run(&["commit", "--quiet", "--message", "all"]);
}

/// Comparisons of a server under different loads.
struct LoadTest<'a> {
    /// Makes a load of so many clients and such a length.
    load: &'a dyn Fn(usize, Length) -> Load<'a>,
    saves: &'a mut Saves,
    markers: &'a Markers,
    failures: Vec<String>,
}

impl LoadTest<'_> {
    /// Compares searches while files are saved with those on quiet files.
    fn saving(&mut self, table: &mut Table) -> Outcome<()> {
        let (mut quiet, mut saving) = (Heard::default(), Heard::default());
        for _ in 0..ROUNDS {
            quiet.add(load::run(&(self.load)(CLIENTS, Length::Time(QUIET / ROUNDS)), None)?);
            let length = Length::Saves(SAVES / ROUNDS as usize);
            saving.add(load::run(&(self.load)(CLIENTS, length), Some((self.saves, self.markers)))?);
        }
        let calm = told("8 clients, nobody saves", &mut quiet, &mut self.failures);
        let busy = told("8 clients, 20 saves a second", &mut saving, &mut self.failures);
        table.line("search while files are saved / on quiet files, 95 of 100", ratio(busy, calm), "x", Some(3.0));
        Ok(())
    }

    /// Compares searches beside connections that hang with those of a crowd alone.
    fn crowded(&mut self, server: &Server, table: &mut Table) -> Outcome<()> {
        let (mut crowd, mut beside) = (Heard::default(), Heard::default());
        for _ in 0..ROUNDS {
            let crowded = (self.load)(CROWD, Length::Time(CROWDED / ROUNDS));
            crowd.add(load::run(&crowded, Some((self.saves, self.markers)))?);
            let bad = misbehave(server)?;
            beside.add(load::run(&crowded, Some((self.saves, self.markers)))?);
            drop(bad);
        }
        let crowded = told("32 clients, 20 saves a second", &mut crowd, &mut self.failures);
        let disturbed = told("the same, with 16 connections that hang", &mut beside, &mut self.failures);
        table.line(
            "search beside connections that hang / without, 95 of 100",
            ratio(disturbed, crowded),
            "x",
            Some(2.0),
        );
        Ok(())
    }
}

/// Measures the idle server.
fn at_rest(server: &Server, table: &mut Table) {
    thread::sleep(REST);
    if let Some(memory) = server.megabytes("status", "VmRSS:") {
        table.line("memory at rest after the first index, resident", memory, "MB", Some(80.0));
    }
    if let Some(memory) = server.megabytes("smaps_rollup", "Pss:") {
        table.line("the same, shared pages counted in part", memory, "MB", Some(80.0));
    }
    if let Some(percent) = processor_at_rest(server, IDLE) {
        table.line("processor at rest, of one core", percent, "%", Some(1.0));
    }
    if let Some(memory) = server.megabytes("status", "VmRSS:") {
        table.line("resident memory after that", memory, "MB", None);
    }
}

/// Returns the share of a core that the idle server takes during `time`.
fn processor_at_rest(server: &Server, time: Duration) -> Option<f64> {
    let before = server.processor_seconds()?;
    thread::sleep(time);
    Some((server.processor_seconds()? - before) / time.as_secs_f64() * 100.0)
}

/// Prints what the clients heard, and gives how long 95 of 100 searches took at most.
fn told(what: &str, heard: &mut Heard, failures: &mut Vec<String>) -> Duration {
    let (half, most) = (median(&mut heard.searches), percentile(&mut heard.searches, 95));
    println!(
        "  {what}: {} searches, {:.0} a second, median {:.1} ms, 95 of 100 {:.1} ms, {} said stale",
        heard.searches.len(),
        heard.searches.len() as f64 / heard.took.as_secs_f64(),
        millis(half),
        millis(most),
        heard.stale_searches
    );
    if heard.saves > 0 {
        println!(
            "    {} saves in {:.0} s, {} questions about them, median {:.1} ms, 95 of 100 {:.1} ms, {} said stale, {} wrong or errors",
            heard.saves,
            heard.took.as_secs_f64(),
            heard.asked,
            millis(median(&mut heard.asks)),
            millis(percentile(&mut heard.asks, 95)),
            heard.said_stale,
            heard.wrong.len()
        );
    }
    failures.append(&mut heard.wrong);
    most
}

/// Names with one definition, in files that stay as they are; and the files that may be changed,
/// which are the others.
fn choose(tree: &Path, home: &Path) -> Outcome<(Vec<Known>, Vec<String>)> {
    let engine = Engine::open(tree, home, Config::default())?;
    let snapshot = engine.snapshot()?.ok_or("nothing is indexed")?;
    let paths: Vec<String> = snapshot.paths().map(str::to_string).collect();
    let mut by_name: HashMap<String, Vec<Known>> = HashMap::new();
    let mut changing = Vec::new();
    for (number, path) in paths.iter().filter(|path| saves::function(path).is_some()).enumerate() {
        let may_change = number % 2 == 1;
        if may_change {
            changing.push(path.clone());
        }
        let mut nodes: Vec<OutlineNode> = query::outline(&snapshot, path)?.symbols;
        while let Some(mut node) = nodes.pop() {
            nodes.append(&mut node.children);
            let path = if may_change { String::new() } else { path.clone() };
            by_name.entry(node.name.clone()).or_default().push(Known { name: node.name, path, line: node.line_start });
        }
    }
    let mut known: Vec<Known> = by_name
        .into_values()
        .filter(|definitions| definitions.len() == 1)
        .flatten()
        .filter(|known| !known.path.is_empty() && known.name.len() > 7)
        .collect();
    known.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    let mut random = Random::new(5);
    while known.len() > KNOWN {
        known.swap_remove(random.below(known.len() as u64) as usize);
    }
    Ok((known, changing))
}

/// Connections that send half a request, and such that ask for much and never read it.
fn misbehave(server: &Server) -> Outcome<Vec<TcpStream>> {
    let mut streams = Vec::new();
    for number in 0..HALF_OPEN + DEAF {
        let arguments = json!({"query": "how are things done", "limit": 100, "max_tokens": 20000});
        let params = json!({"name": "search_code", "arguments": arguments});
        let request = client::post(&server.address, 1, "tools/call", Some("search_code"), params);
        let mut stream = client::connect(&server.address)?;
        if number < HALF_OPEN {
            stream.write_all(&request.as_bytes()[..request.len() / 2 + number * 10])?;
        } else {
            (0..4).try_for_each(|_| stream.write_all(request.as_bytes()))?;
        }
        streams.push(stream);
    }
    Ok(streams)
}
