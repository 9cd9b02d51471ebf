//! From uses to definitions and back, across files, in four languages: exact answers on a small project.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use codecompass_engine::query::{
    self, AtMeaning, CallsOptions, Direction, ImpactOptions, Navigator, Node, RefsOptions, Side, TestUses, TraceOptions,
};
use codecompass_engine::syntax::facts::RefKind;
use codecompass_engine::{Config, Engine, Error, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};

const PROJECT: &str = r#"
//- /shop/base.py
class Priced:
    def price(self):
        raise NotImplementedError

    def label(self):
        return str(self.price())
//- /shop/items.py
from shop.base import Priced as Costly


class Book(Costly):
    def price(self):
        return rounded(12)


def rounded(amount):
    return amount
//- /shop/__init__.py
from shop.items import Book, rounded
//- /shop/cli.py
from shop import Book
from shop import rounded as tidy


def main():
    book = Book()
    show(book)


def show(item: Book):
    print(item.price(), tidy(3))


def ping(left):
    return pong(left - 1)


def pong(left):
    return ping(left) if left else 0


if __name__ == "__main__":
    main()
//- /tests/test_items.py
from shop.items import Book


def test_price():
    assert Book().price() == 12
//- /web/money.ts
export function format(cents: number): string {
  return String(cents);
}
export interface Shape { area(): number }
//- /web/index.ts
export { format as formatMoney } from './money';
//- /web/page.ts
import { formatMoney } from './index';
import { Shape } from './money';

export class Square implements Shape {
  area(): number {
    return this.side();
  }
  side(): number {
    return 2;
  }
}

export function render(shape: Shape): string {
  return formatMoney(shape.area());
}
//- /go.mod
module example.com/stock
//- /stock/stock.go
package stock

type Shelf struct{ count int }

func (s *Shelf) Put() { s.grow() }

func (s *Shelf) grow() { s.count++ }

func New() *Shelf { return &Shelf{} }
//- /cmd/main.go
package main

import "example.com/stock/stock"

func main() {
	shelf := stock.New()
	shelf.Put()
}
//- /Cargo.toml
[package]
name = "ledger"
//- /src/lib.rs
mod book;
pub use book::Ledger;

pub fn open() -> Ledger {
    Ledger::new()
}
//- /src/book.rs
pub struct Ledger;

impl Ledger {
    pub fn new() -> Ledger {
        Ledger.check()
    }

    fn check(self) -> Ledger {
        self
    }
}
"#;

struct Fixture {
    _workspace: TestWorkspace,
    engine: Engine,
    snapshot: Snapshot,
}

fn fixture() -> Fixture {
    let workspace = TestWorkspace::plain(PROJECT);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let snapshot = sync(&engine, SyncOptions::default(), &NoProgress).unwrap().0;
    Fixture { _workspace: workspace, engine, snapshot }
}

fn all_refs() -> RefsOptions {
    RefsOptions { limit: 100, ..RefsOptions::default() }
}

fn refs(fixture: &Fixture, symbol: &str, options: &RefsOptions, expected: Expect) {
    let answer = query::refs(&Navigator::new(&fixture.snapshot), symbol, options).unwrap();
    let mut shown = String::new();
    for site in &answer.uses {
        let around = site.enclosing.as_ref().map_or("-", |enclosing| enclosing.qualified_name.as_str());
        let (kind, confidence, evidence) = (site.kind.as_str(), site.confidence.as_str(), site.evidence.as_str());
        shown += &format!(
            "{}:{}:{} {kind} {} in {around}, {confidence} {evidence}\n",
            site.path, site.line, site.column, site.name
        );
    }
    shown += &format!(
        "{} in {} files, {} filtered, {} ambiguous\n",
        answer.total, answer.files, answer.filtered, answer.ambiguous_total
    );
    expected.assert_eq(&shown);
}

fn calls(fixture: &Fixture, symbol: &str, direction: Direction, depth: u32, expected: Expect) {
    let options = CallsOptions { directions: vec![direction], depth, limit: 100, overrides: false, static_only: false };
    let answer = query::calls(&Navigator::new(&fixture.snapshot), symbol, &options).unwrap();
    let mut shown = String::new();
    for level in &answer.levels {
        for (edge, is_new) in &level.edges {
            let mark = if *is_new { "" } else { " (known)" };
            let (from, to) = (node(&edge.from), node(&edge.to));
            shown += &format!("{} {from} > {to} at {}:{}{mark}\n", level.depth, edge.path, edge.line);
        }
    }
    for overridden in &answer.through {
        shown += &format!("through {}: {}\n", node(&overridden.method), overridden.calls);
    }
    expected.assert_eq(&shown);
}

fn node(node: &Node) -> String {
    format!("{}:{}", node.qualified_name, node.line)
}

fn trace(fixture: &Fixture, from: Option<&str>, to: &str, expected: Expect) {
    let options = TraceOptions { depth: 10, max_paths: 5, static_only: false };
    let answer = query::trace(&Navigator::new(&fixture.snapshot), from, to, &options).unwrap();
    let mut shown = String::new();
    for path in &answer.paths {
        let start = path.steps.first().map(|step| node(&step.from)).unwrap_or_default();
        let steps: Vec<String> = path.steps.iter().map(|step| node(&step.to)).collect();
        shown += &format!("{start} > {} {}\n", steps.join(" > "), path.confidence.as_str());
    }
    shown += &format!("{} expanded, cut {}, only tests {}\n", answer.expanded, answer.is_cut, answer.only_tests);
    expected.assert_eq(&shown);
}

fn impact(fixture: &Fixture, symbol: &str, expected: Expect) {
    let options = ImpactOptions { depth: 3, static_only: false, limit: 100 };
    let answer = query::impact(&Navigator::new(&fixture.snapshot), symbol, &options).unwrap();
    let mut shown = String::new();
    for (list, affected) in [("code", &answer.affected), ("tests", &answer.tests), ("entry", &answer.entry_points)] {
        for affected in affected {
            let (confidence, kind) = (affected.confidence.as_str(), affected.kind.as_str());
            let uses = format!("{} of {}:{}", kind, node(&affected.uses), affected.line);
            shown += &format!("{list} {} {} {confidence}, {uses}\n", affected.depth, node(&affected.node));
        }
    }
    shown += &format!("{:?} in {} files\n", answer.per_depth, answer.files.len());
    expected.assert_eq(&shown);
}

#[test]
fn references() {
    let fixture = fixture();
    refs(
        &fixture,
        "Book",
        &all_refs(),
        expect![[r#"
        shop/__init__.py:1:24 import Book in -, static import
        shop/cli.py:1:18 import Book in -, static import
        shop/cli.py:6:12 call Book in main, static import
        shop/cli.py:10:16 type Book in show, static import
        tests/test_items.py:1:24 import Book in -, static import
        tests/test_items.py:5:12 call Book in test_price, static import
        6 in 3 files, 0 filtered, 0 ambiguous
    "#]],
    );
    refs(
        &fixture,
        "rounded",
        &all_refs(),
        expect![[r#"
        shop/__init__.py:1:30 import rounded in -, static import
        shop/cli.py:2:18 import rounded in -, static import
        shop/cli.py:2:29 import tidy in -, static import
        shop/cli.py:11:25 call tidy in show, static import
        shop/items.py:6:16 call rounded in Book.price, static scope
        5 in 3 files, 0 filtered, 0 ambiguous
    "#]],
    );
    refs(
        &fixture,
        "Priced",
        &all_refs(),
        expect![[r#"
        shop/items.py:1:23 import Priced in -, static import
        shop/items.py:1:33 import Costly in -, static import
        shop/items.py:4:12 inherit Costly in Book, static import
        3 in 1 files, 0 filtered, 0 ambiguous
    "#]],
    );
    refs(
        &fixture,
        "web/money.ts:1",
        &all_refs(),
        expect![[r#"
            web/index.ts:1:10 import format in -, static import
            web/index.ts:1:20 import formatMoney in -, static import
            web/page.ts:1:10 import formatMoney in -, static import
            web/page.ts:14:10 call formatMoney in render, static import
            4 in 2 files, 0 filtered, 0 ambiguous
        "#]],
    );
    refs(
        &fixture,
        "Shelf.grow",
        &all_refs(),
        expect![[r#"
        stock/stock.go:5:27 call grow in stock.Shelf.Put, static receiver_type
        1 in 1 files, 0 filtered, 0 ambiguous
    "#]],
    );
    refs(
        &fixture,
        "Ledger::new",
        &all_refs(),
        expect![[r#"
        src/lib.rs:5:13 call new in open, static receiver_type
        1 in 1 files, 0 filtered, 0 ambiguous
    "#]],
    );
    // A use stands for what it means.
    refs(
        &fixture,
        "src/lib.rs:5:13",
        &all_refs(),
        expect![[r#"
        src/lib.rs:5:13 call new in open, static receiver_type
        1 in 1 files, 0 filtered, 0 ambiguous
    "#]],
    );
}

#[test]
fn filtered_references() {
    let fixture = fixture();
    let options = RefsOptions { kinds: vec![RefKind::Import], ..all_refs() };
    refs(
        &fixture,
        "Book",
        &options,
        expect![[r#"
        shop/__init__.py:1:24 import Book in -, static import
        shop/cli.py:1:18 import Book in -, static import
        tests/test_items.py:1:24 import Book in -, static import
        3 in 3 files, 3 filtered, 0 ambiguous
    "#]],
    );
    let options = RefsOptions { tests: TestUses::Only, ..all_refs() };
    refs(
        &fixture,
        "Book",
        &options,
        expect![[r#"
        tests/test_items.py:1:24 import Book in -, static import
        tests/test_items.py:5:12 call Book in test_price, static import
        2 in 1 files, 4 filtered, 0 ambiguous
    "#]],
    );
    let options = RefsOptions { tests: TestUses::Exclude, limit: 1, ..RefsOptions::default() };
    refs(
        &fixture,
        "Book.price",
        &options,
        expect![[r#"
        shop/cli.py:11:16 call price in show, static receiver_type
        1 in 1 files, 1 filtered, 0 ambiguous
    "#]],
    );
}

#[test]
fn call_graphs() {
    let fixture = fixture();
    calls(
        &fixture,
        "rounded",
        Direction::Callers,
        3,
        expect![[r#"
        1 show:10 > rounded:9 at shop/cli.py:11
        1 Book.price:5 > rounded:9 at shop/items.py:6
        2 main:5 > show:10 at shop/cli.py:7
        2 show:10 > Book.price:5 at shop/cli.py:11 (known)
        2 test_price:4 > Book.price:5 at tests/test_items.py:5
        3 shop/cli.py:1 > main:5 at shop/cli.py:23
    "#]],
    );
    calls(
        &fixture,
        "Book.price",
        Direction::Callers,
        1,
        expect![[r#"
        1 show:10 > Book.price:5 at shop/cli.py:11
        1 test_price:4 > Book.price:5 at tests/test_items.py:5
        through Priced.price:2: 1
    "#]],
    );
    calls(
        &fixture,
        "ping",
        Direction::Callers,
        10,
        expect![[r#"
        1 pong:18 > ping:14 at shop/cli.py:19
        2 ping:14 > pong:18 at shop/cli.py:15 (known)
    "#]],
    );
    calls(
        &fixture,
        "shop/cli.py:5",
        Direction::Callees,
        3,
        expect![[r#"
        1 main:5 > Book:4 at shop/cli.py:6
        1 main:5 > show:10 at shop/cli.py:7
        2 show:10 > Book.price:5 at shop/cli.py:11
        2 show:10 > rounded:9 at shop/cli.py:11
        3 Book.price:5 > rounded:9 at shop/items.py:6 (known)
    "#]],
    );
    calls(
        &fixture,
        "cmd/main.go:5",
        Direction::Callees,
        3,
        expect![[r#"
        1 main.main:5 > stock.New:9 at cmd/main.go:6
        1 main.main:5 > stock.Shelf.Put:5 at cmd/main.go:7
        2 stock.New:9 > stock.Shelf:3 at stock/stock.go:9
        2 stock.Shelf.Put:5 > stock.Shelf.grow:7 at stock/stock.go:5
    "#]],
    );
    calls(
        &fixture,
        "render",
        Direction::Callees,
        2,
        expect![[r#"
        1 render:13 > format:1 at web/page.ts:14
        1 render:13 > Shape.area:4 at web/page.ts:14
    "#]],
    );
    calls(
        &fixture,
        "Ledger::check",
        Direction::Callers,
        3,
        expect![[r#"
        1 Ledger::new:4 > Ledger::check:8 at src/book.rs:5
        2 open:4 > Ledger::new:4 at src/lib.rs:5
    "#]],
    );
}

#[test]
fn traces() {
    let fixture = fixture();
    trace(
        &fixture,
        None,
        "rounded",
        expect![[r#"
        main:5 > show:10 > rounded:9 static
        Priced.label:5 > Book.price:5 > rounded:9 heuristic
        main:5 > show:10 > Book.price:5 > rounded:9 static
        4 expanded, cut false, only tests false
    "#]],
    );
    trace(
        &fixture,
        Some("main"),
        "tests/test_items.py:4",
        expect![[r#"
        1 expanded, cut false, only tests false
    "#]],
    );
    trace(
        &fixture,
        Some("shop/cli.py:5"),
        "Book.price",
        expect![[r#"
        main:5 > show:10 > Book.price:5 static
        4 expanded, cut false, only tests false
    "#]],
    );
    trace(
        &fixture,
        None,
        "Shelf.grow",
        expect![[r#"
        main.main:5 > stock.Shelf.Put:5 > stock.Shelf.grow:7 static
        2 expanded, cut false, only tests false
    "#]],
    );
    trace(
        &fixture,
        None,
        "Square.side",
        expect![[r#"
        render:13 > Square.area:5 > Square.side:8 heuristic
        3 expanded, cut false, only tests false
    "#]],
    );
    trace(
        &fixture,
        Some("ping"),
        "ping",
        expect![[r#"
        ping:14 > pong:18 > ping:14 static
        2 expanded, cut false, only tests false
    "#]],
    );
}

#[test]
fn impacts() {
    let fixture = fixture();
    impact(
        &fixture,
        "rounded",
        expect![[r#"
        code 1 show:10 static, call of rounded:9:11
        code 1 Book.price:5 static, call of rounded:9:6
        code 2 Priced.label:5 heuristic, call of Book.price:5:6
        code 2 main:5 static, call of show:10:7
        code 3 shop/cli.py:1 static, call of main:5:23
        tests 2 test_price:4 static, call of Book.price:5:5
        entry 2 main:5 static, call of show:10:7
        [2, 3, 1] in 4 files
    "#]],
    );
    impact(
        &fixture,
        "Priced",
        expect![[r#"
        code 1 Book:4 static, inherit of Priced:1:4
        code 2 main:5 static, call of Book:4:6
        code 2 show:10 static, type of Book:4:10
        code 3 shop/cli.py:1 static, call of main:5:23
        tests 2 test_price:4 static, call of Book:4:5
        entry 2 main:5 static, call of Book:4:6
        [1, 3, 1] in 3 files
    "#]],
    );
    impact(
        &fixture,
        "Square.side",
        expect![[r#"
        code 1 Square.area:5 static, call of Square.side:8:6
        code 2 render:13 heuristic, call of Square.area:5:14
        [1, 1] in 1 files
    "#]],
    );
    impact(
        &fixture,
        "Ledger::check",
        expect![[r#"
        code 1 Ledger::new:4 static, call of Ledger::check:8:5
        code 2 open:4 static, call of Ledger::new:4:5
        [1, 1] in 2 files
    "#]],
    );
}

#[test]
fn meanings() {
    let fixture = fixture();
    let navigator = Navigator::new(&fixture.snapshot);
    let side = Side { snapshot: &fixture.snapshot, source: fixture.engine.source() };
    let mut shown = String::new();
    for place in [
        ("shop/cli.py", 6, 12),
        ("shop/cli.py", 11, 11),
        ("shop/cli.py", 11, 16),
        ("shop/cli.py", 11, 25),
        ("shop/cli.py", 11, 5),
        ("shop/cli.py", 10, 5),
        ("shop/cli.py", 9, 1),
        ("web/page.ts", 14, 10),
        ("cmd/main.go", 6, 11),
        ("cmd/main.go", 6, 17),
        ("src/lib.rs", 5, 13),
    ] {
        let answer = query::at(&navigator, side, &fixture.engine.config().index, place, 10).unwrap();
        let hits: Vec<String> = answer.hits.iter().map(|hit| format!("{}:{}", hit.path, hit.name_line)).collect();
        let meaning = match &answer.meaning {
            AtMeaning::Found { confidence, evidence } => format!("{} {}", confidence.as_str(), evidence.as_str()),
            AtMeaning::Local { of, line, .. } => format!("local of {} at {line}", of.qualified_name),
            other => format!("{other:?}"),
        };
        shown += &format!("{}:{}:{} {:?} {meaning} {}\n", place.0, place.1, place.2, answer.name, hits.join(" "));
    }
    expect![[r#"
        shop/cli.py:6:12 "Book" static import shop/items.py:4
        shop/cli.py:11:11 "item" local of show at 10 
        shop/cli.py:11:16 "price" static receiver_type shop/items.py:5
        shop/cli.py:11:25 "tidy" static import shop/items.py:9
        shop/cli.py:11:5 "print" External 
        shop/cli.py:10:5 "show" Definition shop/cli.py:10
        shop/cli.py:9:1 "" Nothing 
        web/page.ts:14:10 "formatMoney" static import web/money.ts:1
        cmd/main.go:6:11 "stock" Module { folder: Some("stock") } 
        cmd/main.go:6:17 "New" static module_member stock/stock.go:9
        src/lib.rs:5:13 "new" static receiver_type src/book.rs:4
    "#]]
    .assert_eq(&shown);
    let nowhere = query::at(&navigator, side, &fixture.engine.config().index, ("shop/cli.py", 999, 1), 10);
    assert!(matches!(nowhere, Err(Error::InvalidInput(_))), "{nowhere:?}");
    let nobody = query::refs(&navigator, "nobody_at_all", &all_refs());
    assert!(matches!(nobody, Err(Error::SymbolNotFound { .. })), "{nobody:?}");
    let outside = query::refs(&navigator, "shop/cli.py:11:5", &all_refs());
    assert!(matches!(outside, Err(Error::NothingAt { .. })), "{outside:?}");
}

/// A process that stays answers after an edit as a new one would, and reads only what it has not.
#[test]
fn the_next_state_takes_over_what_was_read() {
    let fixture = fixture();
    let before = Navigator::new(&fixture.snapshot);
    let ask = |navigator: &Navigator<'_>| {
        let answer = query::refs(navigator, "rounded", &all_refs()).unwrap();
        answer.uses.iter().map(|site| format!("{}:{}", site.path, site.line)).collect::<Vec<_>>()
    };
    let known = ask(&before);
    fixture._workspace.write("shop/more.py", "from shop.items import rounded\n\nTEN = rounded(10)\n");
    fixture._workspace.write("shop/cli.py", "def rounded(x):\n    return x\n\n\nrounded(1)\n");
    let next = sync(&fixture.engine, SyncOptions::default(), &NoProgress).unwrap().0;
    let after = ask(&before.for_next(&next));
    assert_eq!(after, ask(&Navigator::new(&next)));
    assert!(after.contains(&"shop/more.py:3".to_string()) && !after.iter().any(|site| site.starts_with("shop/cli.py")));
    assert!(known.iter().any(|site| site.starts_with("shop/cli.py")), "{known:?}");
}
