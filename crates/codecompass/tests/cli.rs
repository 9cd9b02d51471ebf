//! Every command from end to end, as text and as JSON: the whole output, so that any change of it shows up in review.
//!
//! `UPDATE_EXPECT=1 cargo test -p codecompass --test cli` writes the expected outputs anew.

use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};
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

/// Compares everything that a command says with what is expected.
#[track_caller]
fn check(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    expected.assert_eq(&workspace.run(PROGRAM, args).shown(workspace));
}

/// The same for JSON, indented for the reader.
#[track_caller]
fn check_json(workspace: &TestWorkspace, args: &[&str], expected: Expect) {
    let mut answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    for text in [&mut answer.stdout, &mut answer.stderr] {
        if !text.is_empty() {
            assert_eq!(text.lines().count(), 1, "one object on one line: {text}");
            let mut value: Value = serde_json::from_str(text).unwrap();
            // Sizes of the store depend on how threads were scheduled.
            for key in ["store_bytes", "store_bytes_before"] {
                value.as_object_mut().unwrap().entry(key).and_modify(|size| *size = Value::Null);
            }
            *text = format!("{value:#}\n");
        }
    }
    expected.assert_eq(&answer.shown(workspace));
}

#[test]
fn search_by_symbol() {
    let workspace = workspace();
    check(&workspace, &["search", "OrderStore"], expect![[""]]);
    check_json(&workspace, &["search", "OrderStore", "--limit", "1"], expect![[""]]);
}

#[test]
fn search_by_path() {
    let workspace = workspace();
    check(&workspace, &["search", "web/client.ts"], expect![[""]]);
    check_json(&workspace, &["search", "invoice.py", "--limit", "1"], expect![[""]]);
}

#[test]
fn search_by_error() {
    let workspace = workspace();
    let message = "thread 'main' panicked at src/store.rs:23:5: cannot load orders from x";
    check(&workspace, &["search", message, "-n", "2"], expect![[""]]);
    check_json(&workspace, &["search", message, "-n", "1", "--detail", "location"], expect![[""]]);
}

#[test]
fn search_by_question() {
    let workspace = workspace();
    check(&workspace, &["search", "how are prices added up", "--limit", "3"], expect![[""]]);
    // Words need no quotes.
    check(&workspace, &["search", "waits", "for", "requests", "--limit=1", "--detail=location"], expect![[""]]);
    check_json(&workspace, &["search", "add up prices", "--limit", "1", "--detail", "context"], expect![[""]]);
}

#[test]
fn search_explained() {
    let workspace = workspace();
    check(&workspace, &["search", "open orders", "--limit", "2", "--explain"], expect![[""]]);
    check(&workspace, &["search", "load_orders", "--limit", "1", "--explain=basic"], expect![[""]]);
    for query in ["open orders", "OrderStore", "web/client.ts", "error: cannot load src/store.rs:23", "orders"] {
        let answer = workspace.run(PROGRAM, &["search", "--json", "--explain=full", "--limit", "50", query]).found();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        for hit in answer["results"].as_array().unwrap() {
            let parts = hit["ranking_reasons"].as_array().unwrap();
            let sum: f64 = parts.iter().map(|part| part["value"].as_f64().unwrap()).sum();
            assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{query}: {hit}");
        }
    }
}

#[test]
fn filters() {
    let workspace = workspace();
    check(&workspace, &["search", "orders", "--lang", "go", "--detail", "location"], expect![[""]]);
    check(&workspace, &["search", "orders", "--lang", "rust", "--lang", "tsx", "--detail=location"], expect![[""]]);
    check(&workspace, &["search", "orders", "--kind", "class", "--detail=location"], expect![[""]]);
    check(&workspace, &["search", "orders", "--path", "web", "--detail=location", "-n2"], expect![[""]]);
    check(&workspace, &["search", "orders", "--path", "**/*.py", "--detail=location"], expect![[""]]);
    check(&workspace, &["search", "orders", "--kind=text", "--lang=text", "--compact"], expect![[""]]);
    check(&workspace, &["locate", "open", "--lang", "python"], expect![[""]]);
    check(&workspace, &["show", "open", "--path", "src/"], expect![[""]]);
    check(&workspace, &["search", "orders", "--path", "nowhere"], expect![[""]]);
    check(&workspace, &["search", "orders", "--ref", "main", "-n1", "--detail=location"], expect![[""]]);
}

#[test]
fn locate() {
    let workspace = workspace();
    for (symbol, expected) in [
        ("OrderStore", expect![[""]]),
        ("OrderStore::open", expect![[""]]),
        ("OrderStore.open", expect![[""]]),
        ("store::OrderStore::find", expect![[""]]),
        ("Invoice.total_price", expect![[""]]),
        ("Server#Listen", expect![[""]]),
        ("orderstore", expect![[""]]),
        ("load", expect![[""]]),
        ("price", expect![[""]]),
        ("OrderStroe", expect![[""]]),
        ("src/store.rs:13", expect![[""]]),
        ("web/legacy.js:1", expect![[""]]),
        ("no_such_thing_anywhere", expect![[""]]),
        ("src/store.rs:3", expect![[""]]),
        ("src/gone.rs:3", expect![[""]]),
    ] {
        check(&workspace, &["locate", symbol], expected);
    }
    check_json(&workspace, &["locate", "open", "--limit", "1", "--explain=full"], expect![[""]]);
    check_json(&workspace, &["locate", "no_such_thing_anywhere"], expect![[""]]);
}

#[test]
fn symbol_ids_lead_back() {
    let workspace = workspace();
    let by_name = workspace.run(PROGRAM, &["locate", "--json", "Invoice.total_price"]).found();
    let by_name: Value = serde_json::from_str(&by_name).unwrap();
    let id = by_name["results"][0]["symbol_id"].as_str().unwrap();
    for command in ["locate", "show"] {
        let answer = workspace.run(PROGRAM, &[command, id]).found();
        assert!(answer.starts_with("billing/invoice.py:10-12  method  Invoice.total_price\n"), "{answer}");
    }
    // The id is for this very content; the stable id is for the symbol.
    workspace.write("billing/invoice.py", "\n\nclass Invoice:\n    def total_price(self):\n        return 0\n");
    check(&workspace, &["show", id], expect![[""]]);
    let moved = workspace.run(PROGRAM, &["locate", "--json", "Invoice.total_price"]).found();
    let moved: Value = serde_json::from_str(&moved).unwrap();
    assert_eq!(moved["results"][0]["symbol_stable_id"], by_name["results"][0]["symbol_stable_id"]);
    assert_ne!(moved["results"][0]["symbol_id"], by_name["results"][0]["symbol_id"]);
}

#[test]
fn outline() {
    let workspace = workspace();
    check(&workspace, &["outline", "src/store.rs"], expect![[""]]);
    check(&workspace, &["outline", "src/store.rs", "--depth", "top"], expect![[""]]);
    check(&workspace, &["outline", "invoice.py", "--depth=all"], expect![[""]]);
    check(&workspace, &["outline", "README.md"], expect![[""]]);
    check_json(&workspace, &["outline", "cmd/serve/main.go"], expect![[""]]);
    check_json(&workspace, &["outline", "web/client.ts", "--depth", "top"], expect![[""]]);
}

#[test]
fn show() {
    let workspace = workspace();
    check(&workspace, &["show", "OrderStore::open"], expect![[""]]);
    check(&workspace, &["show", "open"], expect![[""]]);
    check(&workspace, &["show", "OrderStroe"], expect![[""]]);
    check_json(&workspace, &["show", "Listen"], expect![[""]]);
}

#[test]
fn index_and_sync() {
    let workspace = workspace();
    check(&workspace, &["status"], expect![[""]]);
    check_json(&workspace, &["status"], expect![[""]]);
    check(&workspace, &["index"], expect![[""]]);
    check(&workspace, &["index"], expect![[""]]);
    workspace.write("src/new.rs", "pub fn added() {}\n");
    workspace.remove("web/legacy.js");
    check(&workspace, &["sync"], expect![[""]]);
    check(&workspace, &["sync"], expect![[""]]);
    check(&workspace, &["index", "--force"], expect![[""]]);
    workspace.remove("src/new.rs");
    check_json(&workspace, &["sync"], expect![[""]]);
    check(&workspace, &["index", "--show-ignored"], expect![[""]]);
    check_json(&workspace, &["index", "--show-ignored"], expect![[""]]);
}

#[test]
fn status_doctor_and_gc() {
    let workspace = workspace();
    check(&workspace, &["doctor"], expect![[""]]);
    workspace.run(PROGRAM, &["index"]).found();
    check(&workspace, &["status"], expect![[""]]);
    let head = workspace.run_git(&["rev-parse", "HEAD"]);
    let mut status = workspace.run(PROGRAM, &["status", "--json"]);
    assert_eq!(status.stdout.matches(head.trim()).count(), 1);
    status.stdout = status.stdout.replace(head.trim(), "COMMIT");
    let status: Value = serde_json::from_str(&status.shown(&workspace)).unwrap();
    for field in ["root", "ref", "head", "generation", "files", "symbols", "freshness_status", "indexing_status"] {
        assert!(!status[field].is_null(), "{field} is part of the contract");
    }
    assert_eq!((&status["head"], &status["ref"], &status["root"]), (&"COMMIT".into(), &"main".into(), &"ROOT".into()));
    check(&workspace, &["doctor", "--full"], expect![[""]]);
    check_json(&workspace, &["doctor"], expect![[""]]);
    workspace.write("README.md", "# Changed\n");
    check(&workspace, &["status"], expect![[""]]);
    workspace.run(PROGRAM, &["sync"]).found();
    let collected = workspace.run(PROGRAM, &["gc"]).found();
    assert!(collected.starts_with("removed 0 file versions and 0 checkouts that are gone; "), "{collected}");
    assert!(collected.ends_with("\n1 more are kept for a while; --now removes them\n"), "{collected}");
    check_json(&workspace, &["gc", "--now"], expect![[""]]);
}

#[test]
fn completions() {
    let workspace = TestWorkspace::plain("");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workspace.run(PROGRAM, &["completions", shell]).found();
        assert!(script.contains("codecompass") && script.contains("outline"), "{shell}");
    }
    let script = workspace.run(PROGRAM, &["completions", "bash"]).found();
    for word in ["search", "locate", "outline", "show", "index", "sync", "status", "doctor", "gc", "--show-ignored"] {
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
        (1, &["locate", "zzzqqqxxx"]),
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
    assert_eq!(codecompass_testkit::Answer::of(&mut below).found(), top, "a folder of a repository means all of it");
    let root = workspace.root();
    let mut elsewhere = workspace.command(PROGRAM, &["search", "orders", "-w", root.to_str().unwrap()]);
    elsewhere.current_dir("/");
    assert_eq!(codecompass_testkit::Answer::of(&mut elsewhere).found(), top);
    let mut relative = workspace.command(PROGRAM, &["outline", "client.ts"]);
    relative.current_dir(workspace.root().join("web"));
    let outline = codecompass_testkit::Answer::of(&mut relative).found();
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
        &["locate", "open", "--json", "--explain=full"],
        &["locate", "ordr", "--json"],
        &["outline", "src/store.rs", "--json"],
        &["show", "open", "--json"],
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
