//! Uses that are told by their form: addresses, types in quotes, names from other projects, and
//! neighbours of one name.

use codecompass_engine::config::IndexConfig;
use codecompass_engine::syntax::facts::RefKind;
use expect_test::expect;

use crate::navigation::check::{
    Navigator, Project, RefsOptions, all_uses, check_references, check_references_with, references,
};

/// Names that stand two bytes apart are told from one another.
#[test]
fn neighbours_of_one_name() {
    let fixture = |source: &str| format!("//- /a.py\n{source}");
    let source = "
class Chain:
    def f(self, step):
        return self


def f(x):
    return x


def run(a: Chain):
    return a.f(f)
";
    check_references(
        &fixture(&source.replace("def f(self", "def $0f(self")),
        expect![[r#"
            a.py:12:14 call f in run, static receiver_type
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
    check_references(
        &fixture(&source.replace("def f(x", "def $0f(x")),
        expect![[r#"
            a.py:12:16 read f in run, static scope
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

/// A field that is given by its address, which may write it.
const ADDRESSES: &str = r#"
//- /set.h
struct set { long connect$0timeout; long other; };
int parse(const char *text, long *out);
//- /set.c
#include "set.h"
int setopt(struct set *s, const char *text) {
    s->connecttimeout = 1;
    if (s->connecttimeout > 3)
        return 0;
    return parse(text, &s->connecttimeout);
}
"#;

#[test]
fn address_of_a_field() {
    check_references(
        ADDRESSES,
        expect![[r#"
        set.c:3:8 write connecttimeout in setopt, static receiver_type
        set.c:4:12 read connecttimeout in setopt, static receiver_type
        set.c:6:28 address connecttimeout in setopt, static receiver_type
        3 uses in 1 file, 4 occurrences
    "#]],
    );
    let kinds = vec![RefKind::Write];
    check_references_with(
        ADDRESSES,
        &RefsOptions { kinds, ..all_uses() },
        expect![[r#"
        set.c:3:8 write connecttimeout in setopt, static receiver_type
        set.c:6:28 address connecttimeout in setopt, static receiver_type
        2 uses in 1 file, 1 filtered, 4 occurrences
    "#]],
    );
}

/// A file that is too large to be indexed has possible uses, and is counted as soon as it is there.
#[test]
fn uses_in_a_large_file() {
    let index = IndexConfig { max_file_bytes: 100, ..IndexConfig::default() };
    let project = Project::with("//- /a.py\ndef run(): pass\n", index);
    project.workspace.write("b/large.py", &format!("from a import run\nrun()\n# {}\n", "x".repeat(100)));
    project.workspace.write("large.txt", &"run ".repeat(100));
    let snapshot = project.sync();
    let navigator = Navigator::new(&snapshot).reading(project.engine.source(), &project.engine.config().index);
    expect![[r#"
        b/large.py:1:15 unknown run, possible name_only
        b/large.py:2:1 unknown run, possible name_only
        2 uses in 1 file, 3 occurrences
    "#]]
    .assert_eq(&references(&navigator, "run", &all_uses()));
}

/// Behind a syntax error, a name that nothing imports is not proven to be another.
#[test]
fn names_behind_a_syntax_error() {
    let project = Project::new(
        r#"
//- /m.py
def a():
    pass
//- /whole.py
def run():
    return a()
//- /broken.py
def first():
    return a()

from m import (a
def broken(:
a(
//- /imported.py
from m import a

def broken(:
a(
"#,
    );
    expect![[r#"
        imported.py:1:15 import a, static import
        imported.py:4:1 read a, static import
        broken.py:4:16 read a, possible name_only
        broken.py:6:1 read a, possible name_only
        4 uses in 2 files, 7 occurrences, 2 other
    "#]]
    .assert_eq(&project.references("a", &all_uses()));
}

/// A call with another number of arguments cannot mean a function without default values.
#[test]
fn calls_with_other_numbers_of_arguments() {
    check_references(
        r#"
//- /shop.py
class Shop:
    def se$0ll(self, item, count=1):
        return item


class Wide:
    def sell(self, *items, **options):
        return items
//- /use.py
def run(a, b, items):
    a.sell(1)
    a.sell(1, count=2)
    b.sell(1, 2, 3, 4)
    b.sell()
    a.sell(*items)
    return a.sell
"#,
        expect![[r#"
            use.py:2:7 call sell in run, possible name_only
            use.py:3:7 call sell in run, possible name_only
            use.py:6:7 call sell in run, possible name_only
            use.py:7:14 read sell in run, possible name_only
            4 uses in 1 file, 8 occurrences, 3 other
        "#]],
    );
}

/// A file that cannot see a private definition has no use of it.
#[test]
fn private_definitions() {
    check_references(
        r#"
//- /go.mod
module shop
//- /store/store.go
package store

type Store struct{}

func (s *Store) re$0set() {}
//- /store/more.go
package store

import "example.com/lib"

func clear() { lib.Every().reset() }
//- /web/web.go
package web

import "example.com/lib"

func clear() { lib.Every().reset() }
"#,
        expect![[r#"
            store/more.go:5:28 call reset in store.clear, possible name_only
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
    check_references(
        r#"
//- /src/lib.rs
mod store;
mod web;
//- /src/store.rs
mod inner;
pub struct Store { cap: u8 }
impl Store {
    fn re$0set(&self) {}
}
//- /src/store/inner.rs
fn clear(all: &impl Unknown) { all.make().reset() }
//- /src/web.rs
fn clear(all: &impl Unknown) { all.make().reset() }
"#,
        expect![[r#"
            src/store/inner.rs:1:43 call reset in clear, possible name_only
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
    check_references(
        r#"
//- /A.java
class A {
    private void re$0set() {}
    void run(Unknown all) { all.make().reset(); }
}
//- /B.java
class B {
    void run(Unknown all) { all.make().reset(); }
}
"#,
        expect![[r#"
            A.java:3:40 call reset in A.run, possible name_only
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
}

/// Members that a file keeps to itself; those of a trait are there for every class that uses it.
#[test]
fn private_members_of_more_languages() {
    check_references(
        r#"
//- /a.php
<?php
class A {
    private function re$0set() {}
    function run($all) { $all->make()->reset(); }
}
//- /b.php
<?php
class B { function run($all) { $all->make()->reset(); } }
"#,
        expect![[r#"
            a.php:4:40 call reset in A::run, likely unique_name
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
    check_references(
        r#"
//- /a.php
<?php
trait A {
    private function re$0set() {}
}
//- /b.php
<?php
class B {
    use A;
    function run() { $this->reset(); }
}
"#,
        expect![[r#"
            b.php:4:29 call reset in B::run, static enclosing_type
            1 use in 1 file, 2 occurrences
        "#]],
    );
    check_references(
        r#"
//- /a.swift
class A {
    fileprivate func re$0set() {}
    func run(all: Unknown) { all.make().reset() }
}
//- /b.swift
class B {
    func run(all: Unknown) { all.make().reset() }
}
"#,
        expect![[r#"
            a.swift:3:41 call reset in A.run, possible name_only
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
}

/// A symbol or atom that is written with the name counts as text where the name is called, and may
/// be a use where it is not.
#[test]
fn symbols_of_a_name() {
    let fixture = |call: &str| {
        format!(
            "//- /a.rb
class Store
  def re$0set
  end
end
//- /b.rb
def run(all)
  all.make.{call}
  config[:reset] = 1
end
"
        )
    };
    check_references(
        &fixture("reset"),
        expect![[r#"
        b.rb:2:12 call reset in run, possible name_only
        1 use in 1 file, 3 occurrences, 1 text
    "#]],
    );
    check_references(
        &fixture("other"),
        expect![[r#"
        b.rb:3:11 unknown reset in run, possible name_only
        1 use in 1 file, 2 occurrences
    "#]],
    );
    check_references(
        "
//- /a.ex
defmodule Store do
  def re$0set(x), do: x
  def run(y), do: {:reset, reset(y)}
end
",
        expect![[r#"
            a.ex:3:28 call reset in Store.run, static scope
            1 use in 1 file, 3 occurrences, 1 text
        "#]],
    );
}

/// Modules of a file may stand elsewhere.
#[test]
fn private_definitions_of_distant_modules() {
    check_references(
        r#"
//- /src/lib.rs
mod store;
//- /src/store.rs
#[path = "../other/inner.rs"]
mod inner;
pub struct Store { cap: u8 }
impl Store {
    fn re$0set(&self) {}
}
//- /other/inner.rs
fn clear(all: &impl Unknown) { all.make().reset() }
"#,
        expect![[r#"
            other/inner.rs:1:43 call reset in clear, possible name_only
            1 use in 1 file, 2 occurrences
        "#]],
    );
}

/// Names of parameters in calls, and local variables, are no uses of a method.
#[test]
fn parameters_and_local_variables() {
    check_references(
        r#"
//- /shop.py
class Shop:
    def co$0unt(self):
        return 1


class Item:
    count: int


def run(shops, options):
    count = 3
    call(count=count)
    call(1,
         count = 2)
    for shop in shops:
        shop.item().count(count == 2)
"#,
        expect![[r#"
            shop.py:16:21 call count in run, possible name_only
            1 use in 1 file, 8 occurrences, 6 other
        "#]],
    );
    check_references(
        r#"
//- /shop.ts
export class Shop {
  co$0unt(): number { return 1 }
}
export function run(shops: any) {
  const count = 3
  call({ count: 1 })
  return shops.first().count(count)
}
"#,
        expect![[r#"
            shop.ts:7:24 call count in run, likely unique_name
            shop.ts:6:10 unknown count in run, possible name_only
            2 uses in 1 file, 5 occurrences, 2 other
        "#]],
    );
}

/// A method may be read without a call, though another type has a field of its name.
#[test]
fn methods_that_are_passed_on() {
    check_references(
        r#"
//- /shop.ts
export class Shop {
  re$0quest() { return 1 }
}
export interface Event { request: string }
//- /use.ts
import { make } from 'lib'
const all = make()
call({ fetch: all.request })
"#,
        expect![[r#"
            use.ts:3:19 read request, possible name_only
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
}

#[test]
fn types_in_quotes() {
    check_references(
        r#"
//- /shop.py
import typing as t

import shop


class B$0ook:
    def next(self) -> "Book | None":
        return None


def all(first: "list[shop.Book]", kind: t.Literal["Book"]) -> t.Annotated[int, "a Book"]:
    return t.cast("Book", first)
"#,
        expect![[r#"
            shop.py:7:24 type Book in Book.next, static scope
            shop.py:11:27 type Book in all, static module_member
            shop.py:12:20 type Book in all, static scope
            3 uses in 1 file, 6 occurrences, 2 text
        "#]],
    );
}

/// A name that is imported and not defined here.
#[test]
fn name_from_another_project() {
    let project = Project::new(
        r#"
//- /app.py
from flask import Flask, request as req
import numpy as np

app = Flask(__name__)  # a Flask


def shape(x):
    return np.array(x).shape, req.args, x.array
//- /more.py
import flask


def make():
    return flask.Flask("more")
//- /main.go
package main

import "net/http"

func main() {
	http.HandleFunc("/", nil)
	http.ListenAndServe(":80", nil)
}
"#,
    );
    expect![[r#"
        app.py:1:19 import Flask, static import
        app.py:4:7 call Flask in app, static import
        more.py:5:18 call Flask in make, static module_member
        3 uses in 2 files, 4 occurrences, 1 text
    "#]]
    .assert_eq(&project.references("Flask", &all_uses()));
    expect![[r#"
        app.py:1:19 import Flask, static import
        app.py:4:7 call Flask in app, static import
        more.py:5:18 call Flask in make, static module_member
        3 uses in 2 files, 4 occurrences, 1 text
    "#]]
    .assert_eq(&project.references("flask.Flask", &all_uses()));
    expect![[r#"
        app.py:1:26 import request, static import
        app.py:1:37 import req, static import
        app.py:8:31 read req in shape, static import
        3 uses in 1 file, 1 occurrence, 2 renamed
    "#]]
    .assert_eq(&project.references("request", &all_uses()));
    expect![[r#"
        app.py:2:17 import np, static import
        app.py:8:12 read np in shape, static import
        2 uses in 1 file, 2 occurrences
    "#]]
    .assert_eq(&project.references("np", &all_uses()));
    expect![[r#"
        app.py:8:15 call array in shape, static module_member
        app.py:8:43 read array in shape, possible name_only
        2 uses in 1 file, 2 occurrences
    "#]]
    .assert_eq(&project.references("array", &all_uses()));
    expect![[r#"
        main.go:6:7 call HandleFunc in main.main, static module_member
        1 use in 1 file, 1 occurrence
    "#]]
    .assert_eq(&project.references("http.HandleFunc", &all_uses()));
    expect![[r#"
        error: no symbol `Flasc`
    "#]]
    .assert_eq(&project.references("Flasc", &all_uses()));
}

/// A line that names several definitions is answered for the first, and the others are told.
#[test]
fn line_with_several_definitions() {
    let project = Project::new(
        r#"
//- /point.h
struct point { int x; int y; };
//- /point.c
#include "point.h"
int sum(struct point p) { return p.x + p.y; }
"#,
    );
    expect![[r#"
        point.c:2:16 type point in sum, static import
        1 use in 1 file, 3 occurrences, 1 text
        or point.h:1 point.x
        or point.h:1 point.y
    "#]]
    .assert_eq(&project.references("point.h:1", &all_uses()));
    expect![[r#"
        point.c:2:42 read y in sum, static receiver_type
        1 use in 1 file, 2 occurrences
    "#]]
    .assert_eq(&project.references("point.h:1:27", &all_uses()));
}

/// A call on something unknown may reach a method that overrides the likely one.
#[test]
fn a_guess_at_the_overridden_method() {
    let fixture = "
//- /a.py
class Base:
    def save(self, order):
        raise NotImplementedError


class Store(Base):
    def $0save(self, order):
        return 1


def submit(anything, order):
    anything.save(order)
";
    check_references(
        fixture,
        expect![[r#"
        a.py:12:14 call save in submit, possible name_only
        1 use in 1 file, 3 occurrences, 1 other
    "#]],
    );
}

/// The trait of an impl or bound by its path, with arguments.
#[test]
fn a_trait_that_is_implemented_by_its_path() {
    let fixture = "
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/lib.rs
pub mod de;
struct Line;
impl<'de> de::Access<'de> for Line {}
trait Deep<'de>: de::Access<'de> {}
//- /src/de.rs
pub trait $0Access<'de> {}
";
    let options = RefsOptions { kinds: vec![RefKind::Inherit], ..all_uses() };
    check_references_with(
        fixture,
        &options,
        expect![[r#"
        src/lib.rs:3:15 inherit Access in Line, static module_member
        src/lib.rs:4:22 inherit Access in Deep, static module_member
        2 uses in 1 file, 3 occurrences
    "#]],
    );
}

/// A path that begins with a crate of no repository means nothing here.
#[test]
fn paths_into_crates_outside() {
    check_references(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
mod other;
pub mod futures;
pub struct Handle;
impl Handle {
    pub fn cur$0rent() -> Handle { Handle }
}
//- /src/futures.rs
pub fn current() {}
//- /src/other.rs
pub fn run() {
    let id = std::thread::current().id();
    futures_io::current();
    let maybe = futures::current();
    crate::Handle::current();
}
"#,
        expect![[r#"
            src/other.rs:5:20 call current in run, static receiver_type
            src/other.rs:4:26 call current in run, possible name_only
            2 uses in 1 file, 6 occurrences, 3 other
        "#]],
    );
    check_references(
        r#"
//- /Cargo.toml
[package]
name = "a"
//- /src/lib.rs
pub trait Rea$0d {}
pub struct Own;
impl futures_io::Read for Own {}
impl Read for Own {}
pub fn copy<T: futures_io::Read>(from: T) {}
"#,
        expect![[r#"
            src/lib.rs:4:6 inherit Read in Own, static scope
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

/// A scope proves nothing where the grammar lost its way.
#[test]
fn uses_in_code_that_does_not_parse() {
    check_references(
        r#"
//- /a.py
def $0send(x):
    return x
//- /b.py
from a import send

def whole():
    def send(x):
        return x
    send(1)

def broken():
    def send(x):
        return x
    open(((
    send(2)

"#,
        expect![[r#"
            b.py:1:15 import send, static import
            b.py:12:5 call send in broken, possible name_only
            2 uses in 1 file, 6 occurrences, 3 other
        "#]],
    );
}
