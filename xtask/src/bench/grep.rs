//! `cargo xtask bench grep`: exact text search, and uses with the account of a name, on Django
//! against `rg`, in new processes and by a running MCP server.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use codecompass_engine::{Config, Engine};
use serde_json::{Value, json};

use crate::bench::corpus::CORPORA;
use crate::bench::measure::{Table, median, millis, peer, program, ratio, timed};
use crate::bench::navigation;
use crate::bench::server::client::Client;
use crate::bench::server::copy_to_repository;
use crate::bench::server::process::Server;
use crate::outcome::Outcome;

const RUNS: usize = 21;
/// Runs before the first that counts.
const WARM_UP: usize = 2;
/// The most times as long as `rg`.
const COLD_LIMIT: f64 = 1.0;
const WARM_LIMIT: f64 = 0.4;
/// The longest median of uses by a server, in milliseconds.
const REFS_LIMIT_MS: f64 = 8.0;

/// A search, as options of both programs and as arguments of the tool.
struct TextSearch {
    what: &'static str,
    /// Both programs take these.
    options: &'static [&'static str],
    pattern: &'static str,
}

/// Case counts in all of them, since `rg` counts it if not told otherwise.
const SEARCHES: [TextSearch; 3] = [
    TextSearch { what: "literal", options: &["-s", "-F"], pattern: "get_queryset" },
    TextSearch { what: "whole word", options: &["-s", "-w"], pattern: "get_queryset" },
    TextSearch { what: "regex", options: &["-s"], pattern: r"def (get|set)_\w+\(self, request" },
];

impl TextSearch {
    fn line<'a>(&'a self, command: &'a str) -> Vec<&'a str> {
        [&[command], self.options, &[self.pattern]].concat()
    }

    fn arguments(&self) -> Value {
        json!({
            "pattern": self.pattern,
            "case_sensitive": self.options.contains(&"-s"),
            "fixed_strings": self.options.contains(&"-F"),
            "word": self.options.contains(&"-w"),
        })
    }
}

/// Measures with the program at `binary`.
pub(crate) fn run(binary: &Path) -> Outcome<()> {
    let source = CORPORA.iter().find(|corpus| corpus.name == "django").ok_or("no Django")?.tree()?;
    // Answers of a server take several times as long in a folder that is no repository.
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("tree"), folder.path().join("home"));
    copy_to_repository(&source, &tree);
    if peer(&["rg", "--version"], &tree)?.is_none() {
        println!("  rg is not installed: only times, no comparison");
    }
    timed(program(binary, &home, &tree, &["index"]).stdout(Stdio::null()))?;
    let symbols = {
        let engine = Engine::open(&tree, &home, Config::default())?;
        let snapshot = engine.snapshot()?.ok_or("the index run published nothing")?;
        navigation::chosen(&snapshot)?.0
    };
    let mut table = Table::default();
    let ours = |args: &[&str]| timed(program(binary, &home, &tree, args).stdout(Stdio::null())).map(|(time, _)| time);
    for search in &SEARCHES {
        let (cold, rg) = take_turns(|| ours(&search.line("grep")), || peer(&search.line("rg"), &tree))?;
        compare(&mut table, &format!("grep of a {}, new process", search.what), cold, rg, Some(COLD_LIMIT));
    }
    let name = symbols.first().ok_or("no symbol has about 200 uses")?.rsplit(' ').next().unwrap_or_default();
    let (cold, rg) = take_turns(|| ours(&["refs", name]), || peer(&["rg", "-w", name], &tree))?;
    compare(&mut table, &format!("refs of {name} with its account, new process"), cold, rg, Some(COLD_LIMIT));

    let server = Server::start(binary, &home, &tree)?;
    server.wait_until_ready()?;
    let mut client = Client::connect(&server.address)?;
    for search in &SEARCHES {
        let arguments = search.arguments();
        let (warm, rg) = take_turns(|| call(&mut client, "grep_code", &arguments), || peer(&search.line("rg"), &tree))?;
        compare(&mut table, &format!("grep of a {}, by a server", search.what), warm, rg, Some(WARM_LIMIT));
    }
    refs(&mut client, &symbols, &mut table)?;
    table.verdict()
}

/// Measures a server's uses of symbols, given as `path:line name`: the first time for each, and
/// when it has read the files that use them.
fn refs(client: &mut Client, symbols: &[String], table: &mut Table) -> Outcome<()> {
    println!("  {} symbols with 150 to 300 uses", symbols.len());
    let rounds = [
        ("refs with the account, by a server, first time for a symbol", Some(REFS_LIMIT_MS)),
        ("the same, asked again", None),
    ];
    for (what, limit) in rounds {
        let mut times = Vec::new();
        for symbol in symbols {
            let place = symbol.split(' ').next().unwrap_or_default();
            times.push(call(client, "find_references", &json!({"symbol": place}))?);
        }
        table.line(what, millis(median(&mut times)), "ms", limit);
    }
    Ok(())
}

/// Medians of two programs that take turns, so that a machine that becomes slower or faster changes
/// both; the second may be missing.
fn take_turns(
    mut ours: impl FnMut() -> Outcome<Duration>,
    theirs: impl Fn() -> Outcome<Option<Duration>>,
) -> Outcome<(Duration, Option<Duration>)> {
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for run in 0..WARM_UP + RUNS {
        let (our_time, their_time) = (ours()?, theirs()?);
        if run >= WARM_UP {
            our_times.push(our_time);
            their_times.extend(their_time);
        }
    }
    let theirs = (!their_times.is_empty()).then(|| median(&mut their_times));
    Ok((median(&mut our_times), theirs))
}

fn call(client: &mut Client, tool: &str, arguments: &Value) -> Outcome<Duration> {
    let called = client.call(tool, arguments);
    called.answer?;
    Ok(called.answered - called.asked)
}

fn compare(table: &mut Table, what: &str, ours: Duration, rg: Option<Duration>, limit: Option<f64>) {
    match rg {
        Some(rg) => {
            println!("  {what}: {:.1} ms, rg {:.1} ms", millis(ours), millis(rg));
            table.line(&format!("{what} / rg"), ratio(ours, rg), "x", limit);
        }
        None => println!("  {what}: {:.1} ms", millis(ours)),
    }
}
