//! The program against itself: the command line, the server, its page, and questions to several
//! repositories.

use std::collections::BTreeSet;
use std::path::Path;

use codecompass_engine::Snapshot;
use codecompass_engine::query::{self, OutlineNode};
use codecompass_testkit::Random;
use serde_json::{Value, json};

use super::ConsistencyRun;
use super::checks::Report;
use super::checks::report::Comparison;
use crate::bench::measure::program;
use crate::bench::server::client::Client;
use crate::bench::server::process::Server;
use crate::bench::ui::fetch;
use crate::outcome::Outcome;

/// Definitions that the program is asked about.
const MAX_SYMBOLS: usize = 12;
/// Results of each answer.
const LIMIT: usize = 30;
/// The most that a tool call may ask for.
const MAX_TOKENS: usize = 20_000;

/// Commands, with the tools that ask the same.
const QUESTIONS: [(&str, &str); 5] = [
    ("refs", "find_references"),
    ("calls", "get_call_graph"),
    ("impact", "analyze_impact"),
    ("hierarchy", "get_symbol_hierarchy"),
    ("trace", "trace_path"),
];

/// A definition that is asked about.
struct Subject {
    place: String,
    language: String,
}

/// Asks the program about a sample of definitions, by all ways.
pub(super) fn check(asked: &ConsistencyRun<'_>, home: &Path, snapshot: &Snapshot) -> Outcome<Report> {
    let mut report = Report::default();
    let server = Server::start_with(asked.binary, home, asked.tree, &["--ui", "--tools", "all"])?;
    server.wait_until_ready()?;
    let mut client = Client::connect(&server.address)?;
    for subject in sample(asked, snapshot) {
        for (command, tool) in QUESTIONS {
            let alone = ask(asked, home, command, &subject, &[])?;
            let answer = called(&mut client, command, tool, &subject)?;
            let call = format!("# {tool} {}", json!({"symbol": subject.place}));
            let commands = [format!("{command} --json {}", subject.place), call];
            compare(&mut report, "mcp", &subject, commands, difference(&alone, &answer));
            if let Some(other) = asked.other {
                let other = other.to_string_lossy();
                let both = ask(asked, home, command, &subject, &["--workspace", &other])?;
                let several = format!("{command} --json {} --workspace {other}", subject.place);
                let commands = [format!("{command} --json {}", subject.place), several];
                compare(&mut report, "several", &subject, commands, difference(&alone, &both));
            }
            let account = unbalanced(&alone["metadata"]["accounting"]);
            let refs = format!("{command} --json {}", subject.place);
            compare(&mut report, "account", &subject, [refs.clone(), refs], account);
        }
        denials(asked, home, &subject, &mut report)?;
        page(asked, home, &server.address, &subject, &mut report)?;
    }
    Ok(report)
}

/// Chooses definitions at random.
fn sample(asked: &ConsistencyRun<'_>, snapshot: &Snapshot) -> Vec<Subject> {
    let mut found = Vec::new();
    for path in snapshot.paths() {
        let Ok(outline) = query::outline(snapshot, path) else { continue };
        let mut nodes: Vec<OutlineNode> = outline.symbols;
        while let Some(mut node) = nodes.pop() {
            nodes.append(&mut node.children);
            if !node.kind.is_outline_only() && (node.kind.is_callable() || node.kind.is_type()) {
                found
                    .push(Subject { place: format!("{path}:{}", node.line_start), language: outline.language.clone() });
            }
        }
    }
    let mut random = Random::new(asked.seed);
    let mut chosen: Vec<Subject> = Vec::new();
    while chosen.len() < MAX_SYMBOLS.min(asked.symbols) && !found.is_empty() {
        chosen.push(found.swap_remove(random.below(found.len() as u64) as usize));
    }
    chosen
}

fn compare(
    report: &mut Report,
    check: &'static str,
    subject: &Subject,
    commands: [String; 2],
    difference: Option<String>,
) {
    let comparison = Comparison { check, language: &subject.language, subject: &subject.place, commands };
    report.add(comparison, difference);
}

/// Asks on the command line for JSON.
fn ask(asked: &ConsistencyRun<'_>, home: &Path, command: &str, subject: &Subject, more: &[&str]) -> Outcome<Value> {
    let limit = LIMIT.to_string();
    let limits: &[&str] = if command == "trace" { &[] } else { &["--limit", &limit] };
    let tree = asked.tree.to_string_lossy();
    let mut words = vec![command, &subject.place, "--json", "--workspace", &tree];
    words.extend(limits);
    words.extend(more);
    let output = program(asked.binary, home, asked.tree, &words).output()?;
    Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}

/// Calls the tool of a command.
fn called(client: &mut Client, command: &str, tool: &str, subject: &Subject) -> Outcome<Value> {
    let argument = if command == "trace" { "to" } else { "symbol" };
    let mut arguments = json!({argument: subject.place, "max_tokens": MAX_TOKENS});
    if command != "trace" {
        arguments["limit"] = json!(LIMIT);
    }
    Ok(client.call(tool, &arguments).answer.unwrap_or_else(|error| json!({"error": error})))
}

/// Returns what one answer has and the other has not. An answer that ends at its limit of tokens
/// has a part of the other.
fn difference(one: &Value, other: &Value) -> Option<String> {
    let (mut first, mut second) = (BTreeSet::new(), BTreeSet::new());
    facts("", one, &mut first);
    facts("", other, &mut second);
    let is_cut = other["metadata"]["result_completeness"] == "truncated";
    let without = first.difference(&second).next().filter(|_| !is_cut);
    let beyond = second.difference(&first).next();
    (without.is_some() || beyond.is_some()).then(|| format!("only the first: {without:?}, only the second: {beyond:?}"))
}

/// Adds the places of an answer with what is said of them, but for its metadata.
fn facts(name: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| facts(name, item, found)),
        Value::Object(fields) => {
            if let (Some(path), Some(line)) = (fields.get("path"), fields.get("line")) {
                let told = ["column", "confidence", "depth", "direction"].map(|key| fields.get(key).cloned());
                let told: Vec<String> = told.into_iter().flatten().map(|value| value.to_string()).collect();
                found.insert(format!("{name} {path}:{line} {}", told.join(" ")));
            }
            let lists = fields.iter().filter(|(key, value)| value.is_array() && *key != "metadata");
            lists.for_each(|(key, value)| facts(key, value, found));
        }
        _ => {}
    }
}

/// Returns what is wrong with the sum of an account.
fn unbalanced(account: &Value) -> Option<String> {
    let occurrences = account["occurrences"].as_u64()?;
    let count = |class: &str| account[class].as_u64().unwrap_or(0);
    let uses: u64 = ["static", "likely", "possible", "other", "text"].map(count).iter().sum();
    // Definitions are a class of their own, or a part of what is proven.
    let is_whole = uses == occurrences || uses + count("definitions") == occurrences;
    (!is_whole).then(|| format!("{occurrences} occurrences, classes add up to {uses}"))
}

/// An answer that has nothing proven tells of possible uses.
fn denials(asked: &ConsistencyRun<'_>, home: &Path, subject: &Subject, report: &mut Report) -> Outcome<()> {
    let refs = ask(asked, home, "refs", subject, &[])?;
    let possible = refs["metadata"]["accounting"]["possible"].as_u64().unwrap_or(0);
    if possible == 0 {
        return Ok(());
    }
    for command in ["refs", "impact"] {
        let tree = asked.tree.to_string_lossy();
        let words = [command, &subject.place, "--workspace", &tree];
        let output = program(asked.binary, home, asked.tree, &words).output()?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let difference = (!told.contains("possible")).then(|| format!("{possible} possible uses are not told"));
        let commands = [format!("refs --json {}", subject.place), format!("{command} {}", subject.place)];
        compare(report, "denial", subject, commands, difference);
    }
    Ok(())
}

/// The page of a symbol has the number of uses that the command line has.
fn page(asked: &ConsistencyRun<'_>, home: &Path, address: &str, subject: &Subject, report: &mut Report) -> Outcome<()> {
    let uses = ask(asked, home, "refs", subject, &["--tests", "exclude"])?;
    let Some(total) = uses["total"].as_u64() else { return Ok(()) };
    let name = asked.tree.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = format!("/r/{name}/-/symbol?s={}", subject.place.replace('/', "%2F").replace(':', "%3A"));
    let Ok((_, body)) = fetch(address, &path) else { return Ok(()) };
    let body = String::from_utf8_lossy(&body).into_owned();
    let shown = body.split("\"#uses\"").nth(1).and_then(|rest| rest.split('>').nth(1));
    let number: String = shown.unwrap_or("").chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
    let shown = number.replace(',', "").parse::<u64>().ok();
    let difference = (shown.is_some() && shown != Some(total)).then(|| format!("{total} uses, the page has {shown:?}"));
    let refs = format!("refs --json --tests exclude {}", subject.place);
    compare(report, "page", subject, [refs, format!("# {path}")], difference);
    Ok(())
}
