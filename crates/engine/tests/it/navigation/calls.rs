//! Callers and callees of a function.

use codecompass_engine::query::Direction;
use expect_test::expect;

use crate::navigation::check::{
    CallsOptions, Project, callers, check_callees, check_callers, check_calls_with, five_chains,
};

#[test]
fn caller_through_an_import() {
    check_callers(
        r#"
//- /a.py
def tar$0get():
    pass
//- /b.py
from a import target


def run():
    target()
"#,
        1,
        expect![[r#"
            run:4 calls target at b.py:5, static import
        "#]],
    );
}

const SHOP: &str = r#"
//- /shop/store.py
class Base:
    def save(self, order):
        raise NotImplementedError


class Store(Base):
    def __init__(self, path):
        self.path = clean(path)

    def save(self, order):
        return write(self.path, order)


def clean(path):
    return path


def write(path, order):
    pass
//- /shop/main.py
from shop.store import Store, clean


def main():
    store = Store("orders")
    submit(store, "book")


def submit(store: Store, order):
    store.save(clean(order))


main()
//- /tests/test_store.py
from shop.store import Store


def test_save():
    Store("x").save("y")
"#;

/// The shop with the cursor in front of the only such text.
fn shop_at(text: &str) -> String {
    assert_eq!(SHOP.matches(text).count(), 1, "{text}");
    SHOP.replace(text, &format!("$0{text}"))
}

#[test]
fn callers_of_callers_up_to_the_top_level() {
    check_callers(
        &shop_at("write(path, order):"),
        5,
        expect![[r#"
        Store.save:10 calls write at shop/store.py:11, static scope
          submit:9 calls Store.save at shop/main.py:10, static receiver_type
          test_save:4 calls Store.save at tests/test_store.py:5, static receiver_type
            main:4 calls submit at shop/main.py:6, static scope
              shop/main.py:1 calls main at shop/main.py:13, static scope
    "#]],
    );
}

#[test]
fn callers_up_to_a_depth() {
    check_callers(
        &shop_at("write(path, order):"),
        2,
        expect![[r#"
        Store.save:10 calls write at shop/store.py:11, static scope
          submit:9 calls Store.save at shop/main.py:10, static receiver_type
          test_save:4 calls Store.save at tests/test_store.py:5, static receiver_type
    "#]],
    );
}

#[test]
fn making_an_instance_calls_the_constructor() {
    check_callers(
        &shop_at("__init__"),
        1,
        expect![[r#"
        main:4 calls Store.__init__ at shop/main.py:5, static import
        test_save:4 calls Store.__init__ at tests/test_store.py:5, static import
    "#]],
    );
}

#[test]
fn calls_of_an_overridden_method_are_counted_apart() {
    check_callers(
        r#"
//- /a.py
class Priced:
    def price(self):
        raise NotImplementedError

    def label(self):
        return str(self.price())


class Book(Priced):
    def pri$0ce(self):
        return 12


def show(book: Book):
    print(book.price())
"#,
        1,
        expect![[r#"
            show:14 calls Book.price at a.py:15, static receiver_type
            perhaps through Priced.price:2: 1 call
        "#]],
    );
}

#[test]
fn calls_of_an_overridden_method_on_request() {
    check_calls_with(
        r#"
//- /a.py
class Priced:
    def price(self):
        raise NotImplementedError

    def label(self):
        return str(self.price())


class Book(Priced):
    def pri$0ce(self):
        return 12


def show(book: Book):
    print(book.price())
"#,
        &CallsOptions { overrides: true, ..callers() },
        expect![[r#"
            Priced.label:5 calls Book.price at a.py:6, likely enclosing_type through Priced.price
            show:14 calls Book.price at a.py:15, static receiver_type
        "#]],
    );
}

#[test]
fn functions_that_call_each_other() {
    check_callers(
        r#"
//- /a.py
def pin$0g(left):
    return pong(left - 1)


def pong(left):
    return ping(left) if left else 0
"#,
        10,
        expect![[r#"
            pong:5 calls ping at a.py:6, static scope
              ping:1 calls pong at a.py:2, static scope (known)
        "#]],
    );
}

#[test]
fn function_that_calls_itself() {
    check_callers(
        "//- /a.py\ndef $0down(n):\n    return down(n - 1)\n",
        10,
        expect![[r#"
        down:1 calls down at a.py:2, static scope (known)
    "#]],
    );
}

#[test]
fn method_that_calls_a_private_one() {
    check_callers(
        r#"
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

    fn che$0ck(self) -> Ledger {
        self
    }
}
"#,
        3,
        expect![[r#"
            Ledger::new:4 calls Ledger::check at src/book.rs:5, static receiver_type
              open:4 calls Ledger::new at src/lib.rs:5, static receiver_type
        "#]],
    );
}

#[test]
fn function_that_is_passed_on_is_another_use() {
    check_callers(
        r#"
//- /a.py
def cle$0an(text):
    return text


def all_clean(texts):
    return map(clean, texts)
"#,
        1,
        expect![[r#"
            1 other use
        "#]],
    );
}

const AMBIGUOUS: &str = r#"
//- /a.py
class A:
    def dr$0aw(self):
        pass
//- /b.py
class B:
    def draw(self):
        pass
//- /c/use.py
def go(thing):
    thing.draw()
"#;

#[test]
fn ambiguous_calls_are_counted_apart() {
    check_callers(
        AMBIGUOUS,
        1,
        expect![[r#"
            go:1 calls A.draw at c/use.py:2, possible name_only
        "#]],
    );
}

const GUESSED: &str = r#"
//- /a.py
class Thing:
    def draw_outl$0ine(self):
        pass


def sure(a: Thing):
    a.draw_outline()
//- /b.py
def go(thing):
    thing.draw_outline()
"#;

#[test]
fn guessed_calls_say_so() {
    check_callers(
        GUESSED,
        1,
        expect![[r#"
            sure:6 calls Thing.draw_outline at a.py:7, static receiver_type
            go:1 calls Thing.draw_outline at b.py:2, likely unique_name
        "#]],
    );
}

#[test]
fn proven_calls_only() {
    check_calls_with(
        GUESSED,
        &CallsOptions { least: codecompass_engine::query::UseClass::Static, ..callers() },
        expect![[r#"
        sure:6 calls Thing.draw_outline at a.py:7, static receiver_type
    "#]],
    );
}

#[test]
fn callers_in_source_come_before_those_in_tests_under_a_limit() {
    check_calls_with(
        r#"
//- /a_tests/test_clean.py
from shop.text import clean


def test_clean():
    assert clean("x") == "x"
//- /shop/text.py
def cle$0an(text):
    return text


def tidy(text):
    return clean(text)
"#,
        &CallsOptions { limit: 1, ..callers() },
        expect![[r#"
            tidy:5 calls clean at shop/text.py:6, static scope
            1 of 2 at depth 1
        "#]],
    );
}

#[test]
fn nothing_calls_it() {
    check_callers("//- /a.py\ndef cl$0ean(text):\n    return text\n", 1, expect![[""]]);
}

#[test]
fn callees_of_callees() {
    check_callees(
        &shop_at("main():\n    store"),
        3,
        expect![[r#"
        Store:6 called by main at shop/main.py:5, static import
        submit:9 called by main at shop/main.py:6, static scope
          clean:14 called by Store at shop/store.py:8, static scope
          Store.save:10 called by submit at shop/main.py:10, static receiver_type
          clean:14 called by submit at shop/main.py:10, static import (known)
            write:18 called by Store.save at shop/store.py:11, static scope
    "#]],
    );
}

#[test]
fn callees_of_a_leaf() {
    check_callees(&shop_at("write(path, order):"), 3, expect![[""]]);
}

#[test]
fn callees_of_a_package() {
    check_callees(
        r#"
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

func ma$0in() {
	shelf := stock.New()
	shelf.Put()
}
"#,
        3,
        expect![[r#"
            stock.New:9 called by main.main at cmd/main.go:6, static module_member
            stock.Shelf.Put:5 called by main.main at cmd/main.go:7, static receiver_type
              stock.Shelf:3 called by stock.New at stock/stock.go:9, static scope
              stock.Shelf.grow:7 called by stock.Shelf.Put at stock/stock.go:5, static receiver_type
        "#]],
    );
}

#[test]
fn callee_of_an_interface() {
    check_callees(
        r#"
//- /money.ts
export function format(cents: number): string {
  return String(cents);
}
export interface Shape { area(): number }

export class Square implements Shape {
  area(): number { return 4; }
}
//- /page.ts
import { Shape, format } from './money';

export function ren$0der(shape: Shape): string {
  return format(shape.area());
}
"#,
        2,
        expect![[r#"
            format:1 called by render at page.ts:4, static import
            Shape.area:4 called by render at page.ts:4, static receiver_type
        "#]],
    );
}

#[test]
fn callees_that_are_not_defined_here() {
    check_callees(
        r#"
//- /main.go
package main

import "net/http"

func ma$0in() {
	serve(handler)
	http.ListenAndServe(":80", nil)
	http.ListenAndServe(":81", nil)
}

func serve(h any) { h.start() }
"#,
        1,
        expect![[r#"
            main.serve:11 called by main.main at main.go:6, static scope
            outside http.ListenAndServe on [7, 8]
        "#]],
    );
}

/// Functions in tables, by the names of fields and by their places, and one that is assigned.
const STORED: &str = r#"
//- /ops.h
struct node;
typedef int close_fn(struct node *node);
struct ops {
    const char *name;
    int (*follow)(struct node *node, int flags);
    close_fn *close;
};
struct node { const struct ops *ops; };
//- /disk.c
#include "ops.h"
static int disk_follow(struct node *node, int flags) { return 0; }
static int disk_close(struct node *node) { return 0; }
static int disk_count(void) { return 0; }
const struct ops disk_ops = {
    .name = "disk",
    .follow = disk_follow,
    .close = &disk_close,
};
//- /net.c
#include "ops.h"
static int net_follow(struct node *node, int flags) { return 1; }
static int net_close(struct node *node) { return 1; }
static const struct ops net_ops = { "net", net_follow, net_close };
void register_late(struct ops *ops);
int late_follow(struct node *node, int flags) { return 2; }
void register_late(struct ops *ops) { ops->follow = late_follow; }
//- /walk.c
#include "ops.h"
int walk(struct node *node) {
    int found = node->ops->follow(node, 1);
    return node->ops->close(node) + found;
}
"#;

fn stored(function: &str) -> String {
    STORED.replace(function, &function.replace('_', "$0_"))
}

#[test]
fn function_in_a_table_by_the_name_of_its_field() {
    check_callers(
        &stored("int disk_follow("),
        1,
        expect![[r#"
        1 possible call
        walk.c:3:28 call follow in walk, possible stored_function
        1 other use
    "#]],
    );
    check_callers(
        &stored("int disk_close("),
        1,
        expect![[r#"
        1 possible call
        walk.c:4:23 call close in walk, possible stored_function
        1 other use
    "#]],
    );
}

#[test]
fn function_in_a_table_by_its_place() {
    check_callers(
        &stored("int net_follow("),
        1,
        expect![[r#"
        1 possible call
        walk.c:3:28 call follow in walk, possible stored_function
        1 other use
    "#]],
    );
}

#[test]
fn function_assigned_to_a_field() {
    check_callers(
        &stored("int late_follow("),
        1,
        expect![[r#"
        1 possible call
        walk.c:3:28 call follow in walk, possible stored_function
        1 other use
    "#]],
    );
}

#[test]
fn functions_that_a_field_may_hold() {
    check_callees(
        &STORED.replace("int walk(", "int wa$0lk("),
        1,
        expect![[r#"
        ops.follow:5 called by walk at walk.c:3, static receiver_type
        ops.close:6 called by walk at walk.c:4, static receiver_type
        perhaps disk_follow:2 at walk.c:3 through ops.follow
        perhaps late_follow:6 at walk.c:3 through ops.follow
        perhaps disk_close:3 at walk.c:4 through ops.close
    "#]],
    );
}

#[test]
fn signatures_of_one_function_are_one_callee() {
    check_callees(
        r#"
//- /point.ts
export function pointFrom(x: number, y: number): Point;
export function pointFrom(xy: [number, number]): Point;
export function pointFrom(a: any, b?: any): any {
  return a;
}
//- /use.ts
import { pointFrom } from "./point";

export function dr$0aw() {
  pointFrom(1, 2);
}
"#,
        1,
        expect![[r#"
            pointFrom:3 called by draw at use.ts:4, static import
        "#]],
    );
}

#[test]
fn package_of_tests_is_no_part_of_its_folder() {
    check_callees(
        r#"
//- /go.mod
module example.com/shop
//- /check/equal.go
package check

func Equal(a, b int) bool { return same(a, b) }

func same(a, b int) bool { return a == b }
//- /check/equal_test.go
package check_test

func Equal(a, b int) bool { return false }

func same(a, b int) bool { return true }
//- /forms/form.go
package forms

import "example.com/shop/check"

func Sub$0mit() bool { return check.Equal(1, 2) }
"#,
        2,
        expect![[r#"
            check.Equal:3 called by forms.Submit at forms/form.go:5, static module_member
              check.same:5 called by check.Equal at check/equal.go:3, static scope
        "#]],
    );
}

/// A property is named by one word, whether it is read or written.
#[test]
fn getter_and_setter_are_asked_about_together() {
    let fixture = r#"
//- /box.ts
export class Box {
  get value() {
    return track(this);
  }
  set value(next) {
    trigger(this, next);
  }
}
function track(box: Box) { return box; }
function trigger(box: Box, next: any) {}
"#;
    let project = Project::new(fixture);
    let options = CallsOptions { directions: vec![Direction::Callees], ..callers() };
    expect![[r#"
        track:9 called by Box.value at box.ts:3, static scope
        trigger:10 called by Box.value at box.ts:6, static scope
    "#]]
    .assert_eq(&project.calls("Box.value", &options));
    expect![[r#"
        trigger:10 called by Box.value at box.ts:6, static scope
    "#]]
    .assert_eq(&project.calls("box.ts:5", &options));
    expect![[r#"
        Box.value:5 > trigger:10, static
    "#]]
    .assert_eq(&project.trace(Some("Box.value"), "trigger", &five_chains()));
}

#[test]
fn calls_with_few_candidates_are_followed_as_possible() {
    let fixture = r#"
//- /stores.py
class Disk:
    def persist(self):
        flush()


class Cloud:
    def persist(self):
        pass


def flush():
    pass


def save(store):
    store.persist()


def main():
    save(1)
"#;
    let project = Project::new(fixture);
    let callers_of = |symbol: &str| project.calls(symbol, &CallsOptions { depth: 3, ..callers() });
    expect![[r#"
        save:15 calls Disk.persist at stores.py:16, possible name_only
          main:19 calls save at stores.py:20, static scope
    "#]]
    .assert_eq(&callers_of("Disk.persist"));
    let directions = vec![Direction::Callees];
    let callees = CallsOptions { directions, depth: 2, ..callers() };
    expect![[r#"
        Disk.persist:2 called by save at stores.py:16, possible name_only
        Cloud.persist:7 called by save at stores.py:16, possible name_only
          flush:11 called by Disk.persist at stores.py:3, static scope
    "#]]
    .assert_eq(&project.calls("save", &callees));
    let sure = CallsOptions { least: codecompass_engine::query::UseClass::Likely, ..callees };
    expect![[r#""#]].assert_eq(&project.calls("save", &sure));
}

#[test]
fn calls_with_many_candidates_are_named_with_their_number() {
    let classes: String = (0..5).map(|at| format!("class S{at}:\n    def persist(self):\n        pass\n\n")).collect();
    let project = Project::new(&format!("//- /a.py\n{classes}\ndef save(store):\n    store.persist()\n"));
    let options = CallsOptions { directions: vec![Direction::Callees], ..callers() };
    expect![[r#"
        unknown store.persist on [23], any of 5
    "#]]
    .assert_eq(&project.calls("save", &options));
}

#[test]
fn a_bare_name_asks_for_the_calls_of_all_its_definitions() {
    let project = Project::new(
        r#"
//- /stores.py
class Disk:
    def persist(self):
        flush()


class Cloud:
    def persist(self):
        upload()


def flush():
    pass


def upload():
    pass


def save(disk: Disk, cloud: Cloud):
    disk.persist()
    cloud.persist()
"#,
    );
    let directions = vec![Direction::Callers, Direction::Callees];
    expect![[r#"
        save:19 calls Disk.persist at stores.py:20, static receiver_type
        save:19 calls Cloud.persist at stores.py:21, static receiver_type (known)
        flush:11 called by Disk.persist at stores.py:3, static scope
        upload:15 called by Cloud.persist at stores.py:8, static scope
    "#]]
    .assert_eq(&project.calls("persist", &CallsOptions { directions, ..callers() }));
}
