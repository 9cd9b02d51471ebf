//! `cargo xtask bench tools TREE…`: how long each tool takes in a server that knows the tree, as a
//! client sees it over stdio. Every question is asked once for the first time and once again.

use std::path::Path;
use std::time::{Duration, Instant};

use codecompass_engine::query::{self, OutlineNode};
use codecompass_engine::{Config, Engine, Snapshot};
use codecompass_syntax::facts::Kind;
use codecompass_testkit::Random;
use serde_json::{Value, json};

use crate::bench::measure::{millis, percentile, program, timed};
use crate::outcome::Outcome;
use crate::stdio_client::StdioClient;

/// Questions for each tool that takes a symbol, words or a file.
const QUESTIONS: usize = 40;
/// Files that symbols are taken from.
const FILES: usize = 400;

/// Something to ask about.
struct SampledSymbol {
    name: String,
    path: String,
    line: u32,
    is_type: bool,
}

/// The arguments of a tool.
#[derive(Clone, Copy)]
enum Given {
    /// A definition by its place.
    Place,
    /// A type by its place.
    Type,
    /// A name, which may have several definitions.
    Name(&'static str),
    Words,
    File,
    Nothing,
}

/// A tool, what it is asked about, and its limits in milliseconds: half of the first answers and 95
/// of 100.
const TOOLS: [(&str, Given, f64, f64); 22] = [
    ("search_code", Given::Words, 30.0, 150.0),
    ("grep_code", Given::Name("pattern"), 50.0, 500.0),
    ("locate_symbol", Given::Name("symbol"), 10.0, 50.0),
    ("get_symbol", Given::Place, 10.0, 50.0),
    ("get_file_outline", Given::File, 10.0, 50.0),
    ("get_code_context", Given::Words, 50.0, 250.0),
    ("find_references", Given::Place, 30.0, 500.0),
    ("get_call_graph", Given::Place, 50.0, 500.0),
    ("get_symbol_hierarchy", Given::Type, 30.0, 200.0),
    ("analyze_impact", Given::Place, 100.0, 2000.0),
    ("trace_path", Given::Name("to"), 100.0, 2000.0),
    ("find_symbols", Given::Nothing, 100.0, 500.0),
    ("find_related_symbols", Given::Place, 100.0, 500.0),
    ("search_similar_symbol", Given::Place, 100.0, 500.0),
    ("read_file", Given::File, 10.0, 50.0),
    ("get_dependencies", Given::File, 50.0, 300.0),
    ("list_directory", Given::Nothing, 50.0, 500.0),
    ("list_refs", Given::Nothing, 50.0, 500.0),
    ("index_status", Given::Nothing, 20.0, 100.0),
    ("get_architecture", Given::Nothing, 100.0, 1000.0),
    ("list_endpoints", Given::Nothing, 100.0, 1000.0),
    ("list_services", Given::Nothing, 100.0, 1000.0),
];

/// The times of one tool on one tree.
struct Times {
    first: Vec<Duration>,
    again: Vec<Duration>,
}

/// Measures `binary` on each of `trees` and prints a table.
pub(crate) fn run(binary: &Path, trees: &[&str]) -> Outcome<()> {
    if trees.is_empty() {
        return Err("usage: cargo xtask bench tools TREE…".into());
    }
    let mut columns = Vec::new();
    for tree in trees {
        let path = std::path::absolute(tree)?;
        columns.push(of_tree(binary, &path).map_err(|error| format!("{tree}: {error}"))?);
    }
    let names = trees.iter().map(|tree| tree.trim_end_matches('/').rsplit('/').next().unwrap_or(tree));
    println!("| ms: p50, p95, p50 again | {} | limits |", names.collect::<Vec<_>>().join(" | "));
    println!("|---|{}---|", "---|".repeat(trees.len()));
    let mut failed = 0;
    for (number, (tool, _, half, most)) in TOOLS.iter().enumerate() {
        let mut cells = Vec::new();
        for column in &mut columns {
            let times = &mut column[number];
            let [p50, p95, again] = [
                millis(percentile(&mut times.first, 50)),
                millis(percentile(&mut times.first, 95)),
                millis(percentile(&mut times.again, 50)),
            ];
            let mark = if p50 > *half || p95 > *most { "**" } else { "" };
            failed += usize::from(!mark.is_empty());
            cells.push(format!("{mark}{p50:.1}, {p95:.1}, {again:.1}{mark}"));
        }
        println!("| `{tool}` | {} | {half}, {most} |", cells.join(" | "));
    }
    if failed > 0 { Err(format!("{failed} limits exceeded").into()) } else { Ok(()) }
}

/// Measures all tools on a tree.
fn of_tree(binary: &Path, tree: &Path) -> Outcome<Vec<Times>> {
    let folder = tempfile::tempdir()?;
    timed(program(binary, folder.path(), tree, &["index"]).stdout(std::process::Stdio::null()))?;
    let engine = Engine::open(tree, folder.path(), Config::default())?;
    let snapshot = engine.snapshot()?.ok_or("nothing is indexed")?;
    let asked = asked(&snapshot)?;
    if asked.is_empty() {
        return Err("there is no definition to ask about".into());
    }
    println!("{}: {} files", tree.display(), query::status(&snapshot)?.files);
    drop((snapshot, engine));
    let mut found = Vec::new();
    for (tool, given, ..) in TOOLS {
        // What one tool has read is not there for the next.
        let mut client = StdioClient::start(binary, tree, folder.path(), &["--tools", "all"])?;
        client.begin()?;
        ask(&mut client, "index_status", &json!({}))?;
        let questions = questions(&asked, given);
        let mut times = Times { first: Vec::new(), again: Vec::new() };
        for question in &questions {
            times.first.push(ask(&mut client, tool, question)?);
        }
        for question in &questions {
            times.again.push(ask(&mut client, tool, question)?);
        }
        client.end()?;
        found.push(times);
    }
    Ok(found)
}

/// Calls a tool; returns the time to its answer.
fn ask(client: &mut StdioClient, tool: &str, arguments: &Value) -> Outcome<Duration> {
    let start = Instant::now();
    let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
    let time = start.elapsed();
    if answer["isError"] == true {
        return Err(format!("{tool} {arguments}: {}", answer["content"][0]["text"]).into());
    }
    Ok(time)
}

fn questions(asked: &[SampledSymbol], given: Given) -> Vec<Value> {
    let place = |one: &SampledSymbol| json!({"symbol": format!("{}:{}", one.path, one.line)});
    let all = || asked.iter().take(QUESTIONS);
    match given {
        Given::Place => all().map(place).collect(),
        Given::Type => asked.iter().filter(|one| one.is_type).take(QUESTIONS).map(place).collect(),
        Given::Name(argument) => all().map(|one| json!({argument: one.name})).collect(),
        Given::Words => {
            let words = asked.windows(2).take(QUESTIONS).map(
                |pair| json!({"query": format!("where is {} used for {}", words(&pair[0].name), words(&pair[1].name))}),
            );
            words.collect()
        }
        Given::File => all().map(|one| json!({"path": one.path})).collect(),
        Given::Nothing => vec![json!({})],
    }
}

/// Returns the words of a name.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && words.chars().last().is_some_and(char::is_lowercase) {
            words.push(' ');
        }
        words.extend(if letter == '_' { ' '.to_lowercase() } else { letter.to_lowercase() });
    }
    words.trim().to_string()
}

/// Returns definitions of functions and types in files chosen at random, always the same ones.
fn asked(snapshot: &Snapshot) -> Outcome<Vec<SampledSymbol>> {
    let mut random = Random::new(7);
    let mut paths: Vec<String> = snapshot.paths().map(str::to_string).collect();
    paths.sort();
    while paths.len() > FILES {
        paths.swap_remove(random.below(paths.len() as u64) as usize);
    }
    let mut found = Vec::new();
    for path in paths {
        let mut nodes: Vec<OutlineNode> = query::outline(snapshot, &path)?.symbols;
        while let Some(mut node) = nodes.pop() {
            nodes.append(&mut node.children);
            let is_type = node.kind.is_type() && node.kind != Kind::Impl;
            if (is_type || node.kind.is_callable()) && node.name.len() > 2 {
                found.push(SampledSymbol { name: node.name, path: path.clone(), line: node.line_start, is_type });
            }
        }
    }
    for number in (1..found.len()).rev() {
        found.swap(number, random.below(number as u64 + 1) as usize);
    }
    Ok(found)
}
