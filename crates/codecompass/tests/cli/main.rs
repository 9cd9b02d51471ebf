//! Every command from end to end, as text and as JSON: the whole output, so that any change of it
//! shows up in review.
//!
//! `UPDATE_EXPECT=1 cargo test -p codecompass --test cli` writes the expected outputs anew.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod advice;
mod branches;
mod endpoints;
mod files;
mod find;
mod freshness;
mod graph;
mod install;
mod machine;
mod navigation;
mod projects;
mod relations;
mod remote;
mod services;
mod several;
mod state;
mod store;
mod symbols;
mod watch;
mod watch_troubles;
mod workspaces;

use codecompass_testkit::{Answer, TestWorkspace};
use expect_test::Expect;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

const FIXTURE: &str = r#"
//- /src/store.rs
//! Keeps orders by number.

use std::collections::HashMap;

/// A store of orders.
pub struct OrderStore {
    orders: HashMap<u64, Order>,
}

impl OrderStore {
    /// Opens the store that a file holds.
    pub fn open(path: &str) -> OrderStore {
        let orders = load_orders(path);
        OrderStore { orders }
    }

    fn find(&self, number: u64) -> Option<&Order> {
        self.orders.get(&number)
    }
}

fn load_orders(path: &str) -> HashMap<u64, Order> {
    panic!("cannot load orders from {path}")
}
//- /billing/invoice.py
"""Invoices for orders."""


class Invoice:
    """What a customer owes."""

    def __init__(self, order):
        self.order = order

    def total_price(self):
        """Adds up the prices of all lines."""
        return sum(line.price for line in self.order.lines)


def open(path):
    return Invoice(path)
//- /web/client.ts
export interface Order {
  number: number;
}

/** Talks to the server. */
export class OrderClient {
  async fetchOrders(): Promise<Order[]> {
    return (await fetch('/orders')).json();
  }
}
//- /web/OrderList.tsx
export function OrderList(props: { orders: string[] }) {
  return <ul>{props.orders.map((order) => <li>{order}</li>)}</ul>;
}
//- /web/legacy.js
export const retryLimit = 3;

export function loadOrders(path) {
  return fetch(path);
}
//- /cmd/serve/main.go
package main

// Server answers questions about orders.
type Server struct {
	port int
}

// Listen waits for requests.
func (s *Server) Listen() error {
	return nil
}

func main() {}
//- /tests/test_invoice.py
from billing.invoice import Invoice


def test_total_price():
    assert Invoice(None).total_price() == 0
//- /README.md
# Orders

How orders become invoices.

## Retries

Requests are retried three times.
//- /.gitignore
*.tmp
//- /.codecompassignore
secret/
//- /scratch.tmp
nothing
//- /secret/plan.md
# Plan
//- /node_modules/left/index.js
module.exports = 1;
"#;

fn workspace() -> TestWorkspace {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.write_bytes("data/blob.py", b"x = 1\n\0\0\0\n");
    workspace
}

fn shown(answer: &Answer, workspace: &TestWorkspace) -> String {
    answer.shown(workspace).replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// Compares everything that a command says with what is expected.
#[track_caller]
fn check(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    expected.assert_eq(&shown(&workspace.run(PROGRAM, args), workspace));
}

/// The same for lists whose order is the ranking's business.
#[track_caller]
fn check_unordered(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    let shown = shown(&workspace.run(PROGRAM, args), workspace);
    let mut lines: Vec<&str> = shown.lines().collect();
    lines.sort();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

/// The same for JSON, indented for the reader.
#[track_caller]
fn check_json(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    check_object(workspace, args, name_symbols, expected);
}

/// The same with every field of the symbols that the answer is about.
#[track_caller]
fn check_every_field(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    check_object(workspace, args, |_| {}, expected);
}

#[track_caller]
fn check_object(workspace: &TestWorkspace, args: &[&str], shorten: fn(&mut Value), expected: Expect) {
    let mut answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    for text in [&mut answer.stdout, &mut answer.stderr] {
        if !text.is_empty() {
            assert_eq!(text.lines().count(), 1, "one object on one line: {text}");
            let mut value: Value = serde_json::from_str(text).unwrap();
            hide_sizes(&mut value);
            shorten(&mut value);
            *text = format!("{value:#}\n");
        }
    }
    expected.assert_eq(&shown(&answer, workspace));
}

/// Writes each symbol that an answer is about, or that an edge connects, as one line.
fn name_symbols(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(name_symbols),
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), &value["kind"], &value["qualified_name"], &value["path"]) {
                    ("symbol" | "from" | "to", Value::String(kind), Value::String(name), Value::String(path)) => {
                        let line = [&value["line_start"], &value["line"]].into_iter().find(|line| line.is_u64());
                        *value = format!("{kind} {name}, {path}:{}", line.unwrap_or(&Value::Null)).into();
                    }
                    _ => name_symbols(value),
                }
            }
        }
        _ => {}
    }
}

/// Replaces every number in a text by `N`.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() {
            shown.push(c);
            continue;
        }
        shown.push('N');
        while chars.next_if(|c| c.is_ascii_digit() || *c == '.').is_some() {}
    }
    shown
}

/// Takes away what depends on how threads were scheduled: sizes and checksums of the store's files,
/// and the times and processes of index runs.
fn hide_sizes(value: &mut Value) {
    let Some(object) = value.as_object_mut() else { return };
    for (key, value) in object {
        match key.as_str() {
            "store_bytes" | "store_bytes_before" | "database_bytes" | "text_bytes" | "vector_bytes" | "other_bytes" => {
                *value = Value::Null
            }
            "archive_bytes" | "total_bytes" | "facts_version" => *value = Value::Null,
            "files" if value.is_array() => *value = Value::Null,
            "runs" => {
                for run in value.as_array_mut().into_iter().flatten() {
                    for key in ["duration_ms", "pid", "started_at"] {
                        run[key] = Value::Null;
                    }
                }
            }
            _ => hide_sizes(value),
        }
    }
}

#[test]
fn completions() {
    let workspace = TestWorkspace::plain("");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workspace.run(PROGRAM, &["completions", shell]).found();
        assert!(script.contains("codecompass") && script.contains("outline"), "{shell}");
    }
    let script = workspace.run(PROGRAM, &["completions", "bash"]).found();
    for word in
        ["search", "locate", "outline", "show", "index", "sync", "status", "doctor", "gc", "state", "--show-ignored"]
    {
        assert!(script.contains(word), "{word}");
    }
    assert!(!workspace.home().join("stores").exists(), "nothing is indexed for this");
}

#[test]
fn exit_codes_and_colours() {
    let workspace = workspace();
    for (code, args) in [
        (0, &["search", "orders"][..]),
        (1, &["search", "zzzqqqxxx"]),
        (0, &["context", "orders"]),
        (1, &["context", "zzzqqqxxx"]),
        (1, &["locate", "zzzqqqxxx"]),
        (0, &["refs", "load_orders"]),
        (1, &["refs", "Server.Listen"]),
        (0, &["calls", "load_orders"]),
        (1, &["locate", "--at", "src/store.rs:2:1"]),
        (2, &["refs", "zzzqqqxxx"]),
        (2, &["calls", "zzzqqqxxx"]),
        (2, &["trace", "zzzqqqxxx"]),
        (2, &["impact", "zzzqqqxxx"]),
        (2, &["show", "zzzqqqxxx"]),
        (2, &["outline", "zzzqqqxxx"]),
        (2, &["search"]),
        (2, &["nonsense"]),
        (0, &["help"]),
        (0, &["--version"]),
        (0, &["search", "--help"]),
    ] {
        workspace.run(PROGRAM, args).ended_with(code);
    }
    let escape = "\u{1b}[";
    assert!(!workspace.run(PROGRAM, &["search", "orders"]).found().contains(escape));
    assert!(workspace.run(PROGRAM, &["search", "orders", "--color", "always"]).found().contains(escape));
    assert!(!workspace.run(PROGRAM, &["search", "orders", "--color", "always", "--json"]).found().contains(escape));
}

#[test]
fn where_the_question_is_asked() {
    let workspace = workspace();
    let top = workspace.run(PROGRAM, &["search", "orders"]).found();
    let mut below = workspace.command(PROGRAM, &["search", "orders"]);
    below.current_dir(workspace.root().join("web"));
    assert_eq!(Answer::of(&mut below).found(), top, "a folder of a repository means all of it");
    let root = workspace.root();
    let mut elsewhere = workspace.command(PROGRAM, &["search", "orders", "-w", root.to_str().unwrap()]);
    elsewhere.current_dir("/");
    assert_eq!(Answer::of(&mut elsewhere).found(), top);
    let mut relative = workspace.command(PROGRAM, &["outline", "client.ts"]);
    relative.current_dir(workspace.root().join("web"));
    let outline = Answer::of(&mut relative).found();
    assert!(outline.starts_with("web/client.ts typescript"), "{outline}");
}

#[test]
fn same_question_same_bytes() {
    let workspace = workspace();
    let questions: &[&[&str]] = &[
        &["search", "how are orders loaded", "--explain=full"],
        &["search", "how are orders loaded", "--json", "--explain=full", "--limit", "100"],
        &["search", "orders", "--json", "--detail", "context"],
        &["search", "open", "--json", "--explain=full"],
        &["context", "how are orders loaded", "--json", "--max-tokens", "500"],
        &["context", "how are orders loaded", "--strategy", "depth"],
        &["locate", "open", "--json", "--explain=full"],
        &["locate", "ordr", "--json"],
        &["outline", "src/store.rs", "--json"],
        &["show", "open", "--json"],
        &["refs", "load_orders", "--json"],
        &["calls", "OrderStore::open", "--json"],
        &["trace", "load_orders", "--json"],
        &["impact", "Invoice", "--json"],
        &["index", "--show-ignored", "--json"],
    ];
    let ask = || questions.iter().map(|args| workspace.run(PROGRAM, args)).collect::<Vec<_>>();
    let first = ask();
    assert_eq!(ask(), first);
    workspace.run(PROGRAM, &["index", "--force"]).found();
    assert_eq!(ask(), first, "a rebuilt index answers the same");
    // A detour leaves no trace.
    workspace.write("src/store.rs", "pub fn open() {}\n");
    workspace.run(PROGRAM, &["sync"]).found();
    workspace.run_git(&["checkout", "--quiet", "--", "src/store.rs"]);
    assert_eq!(ask(), first);
    workspace.run(PROGRAM, &["gc", "--now"]).found();
    assert_eq!(ask(), first);
}
