//! Chains of calls that lead to a function.

use expect_test::expect;

use crate::navigation::check::{Project, TraceOptions, check_trace, five_chains};

const SHOP: &str = r#"
//- /store.py
class Store:
    def __init__(self, path):
        self.path = clean(path)

    def save(self, order):
        return write(self.path, order)


def clean(path):
    return path


def write(path, order):
    pass
//- /main.py
from store import Store, clean


def main():
    store = Store("orders")
    submit(store, "book")


def submit(store: Store, order):
    store.save(clean(order))
//- /tests/test_store.py
from store import Store


def test_save():
    Store("x").save("y")
"#;

/// The shop with the cursor in front of the only such text.
fn shop_at(text: &str) -> String {
    assert_eq!(SHOP.matches(text).count(), 1, "{text}");
    SHOP.replace(text, &format!("$0{text}"))
}

#[test]
fn from_an_entry_point() {
    check_trace(
        &shop_at("write(path, order):"),
        None,
        expect![[r#"
        main:4 > submit:9 > Store.save:5 > write:13, static
    "#]],
    );
}

#[test]
fn a_step_counts_further_calls() {
    check_trace(
        "//- /a.py\ndef write$0(text):\n    pass\n\n\ndef main():\n    write(1)\n    write(2)\n    write(3)\n",
        None,
        expect![[r#"
            main:5 > write:1 (+2), static
        "#]],
    );
}

#[test]
fn from_a_given_function() {
    check_trace(
        &shop_at("write(path, order):"),
        Some("submit"),
        expect![[r#"
        submit:9 > Store.save:5 > write:13, static
    "#]],
    );
}

#[test]
fn by_several_ways_one_of_them_through_a_constructor() {
    check_trace(
        &shop_at("clean(path):"),
        Some("main"),
        expect![[r#"
        main:4 > submit:9 > clean:9, static
        main:4 > Store.__init__:2 > clean:9, static
    "#]],
    );
}

#[test]
fn against_the_direction_of_calls() {
    check_trace(
        &shop_at("main():"),
        Some("write"),
        expect![[r#"
        0 reached from the start, 0 lead there
        no caller: main:4
    "#]],
    );
}

#[test]
fn only_a_test_leads_there() {
    check_trace(
        r#"
//- /store.py
def cle$0an(path):
    return path
//- /tests/test_store.py
from store import clean


def test_clean():
    clean("x")
"#,
        None,
        expect![[r#"
            test_clean:4 > clean:1, static
            only tests lead there
        "#]],
    );
}

#[test]
fn from_a_method_of_a_package() {
    check_trace(
        r#"
//- /go.mod
module example.com/stock
//- /stock/stock.go
package stock

type Shelf struct{ count int }

func (s *Shelf) Put() { s.grow() }

func (s *Shelf) gr$0ow() { s.count++ }

func New() *Shelf { return &Shelf{} }
//- /cmd/main.go
package main

import "example.com/stock/stock"

func main() {
	shelf := stock.New()
	shelf.Put()
}
"#,
        None,
        expect![[r#"
            main.main:5 > stock.Shelf.Put:5 > stock.Shelf.grow:7, static
        "#]],
    );
}

#[test]
fn through_an_interface_is_a_guess() {
    check_trace(
        r#"
//- /page.ts
export interface Shape { area(): number }

export class Square implements Shape {
  area(): number { return this.side(); }
  si$0de(): number { return 2; }
}

export function render(shape: Shape): number {
  return shape.area();
}
"#,
        None,
        expect![[r#"
            render:8 > Square.area:4 > Square.side:5, likely
        "#]],
    );
}

#[test]
fn from_a_function_to_itself() {
    check_trace(
        r#"
//- /a.py
def pi$0ng(left):
    return pong(left - 1)


def pong(left):
    return ping(left) if left else 0
"#,
        Some("ping"),
        expect![[r#"
            ping:1 > pong:5 > ping:1, static
        "#]],
    );
}

const TWO_WAYS: &str = "//- /a.py\ndef one():\n    two()\n\n\ndef three():\n    two()\n\n\ndef two():\n    pass\n";

#[test]
fn more_chains_than_asked_for() {
    let project = Project::new(TWO_WAYS);
    let at_most = |max_paths| project.trace(None, "two", &TraceOptions { max_paths, ..five_chains() });
    expect![[r#"
        one:1 > two:9, static
        has more
    "#]]
    .assert_eq(&at_most(1));
    expect![[r#"
        one:1 > two:9, static
        three:5 > two:9, static
    "#]]
    .assert_eq(&at_most(2));
}

#[test]
fn start_that_nothing_has() {
    let project = Project::new(TWO_WAYS);
    expect![[r#"
        error: no symbol `thre`
        or three
    "#]]
    .assert_eq(&project.trace(Some("thre"), "two", &five_chains()));
}

#[test]
fn through_an_interface_that_the_type_does_not_name() {
    check_trace(
        r#"
//- /go.mod
module example.com/shop
//- /core/app.go
package core

type App interface {
	Save(order string) error
	Close()
}
//- /core/base.go
package core

type BaseApp struct{}

func (app *BaseApp) Save(order string) error { return app.create(order) }

func (app *BaseApp) Close() {}

func (app *BaseApp) cre$0ate(order string) error { return nil }

type Draft struct{}

func (draft *Draft) Save(order string) error { return nil }
//- /web/web.go
package web

import "example.com/shop/core"

func submit(app core.App) error {
	return app.Save("book")
}
"#,
        Some("submit"),
        expect![[r#"
            web.submit:5 > core.BaseApp.Save:5 > core.BaseApp.create:9, likely
        "#]],
    );
}

#[test]
fn through_a_class_without_a_name() {
    check_trace(
        r#"
//- /Shop.java
class Shop {
  Object create(boolean eager) {
    if (eager) check();
    return Proxy.of(new Handler() {
      @Override public Object invoke(Object proxy) {
        return load();
      }
    });
  }
  void check() { load(); }
  Object lo$0ad() { return null; }
}
"#,
        Some("create"),
        expect![[r#"
            Shop.create:2 > Shop.check:10 > Shop.load:11, static
            Shop.create:2 > Shop.create.invoke:5 > Shop.load:11, likely
        "#]],
    );
}

#[test]
fn function_that_is_called_where_it_is_defined() {
    check_trace(
        r#"
//- /a.py
def outer():
    def inner():
        tar$0get()

    def other():
        inner()


def target():
    pass
"#,
        Some("outer"),
        expect![[r#"
            outer:1 > outer.other:5 > outer.inner:2 > target:9, likely
        "#]],
    );
}

#[test]
fn through_the_initialiser_of_a_field() {
    check_trace(
        r#"
//- /data.ts
const sto$0re = (order: string) => order;

export class Data {
  private static save = debounce((order: string) => {
    store(order);
  }, 300);

  static submit(order: string) {
    Data.save(order);
  }
}
"#,
        None,
        expect![[r#"
            Data.submit:8 > Data.save:4 > store:1, static
        "#]],
    );
}

#[test]
fn search_without_result_tells_how_far_it_came() {
    check_trace(
        r#"
//- /a.py
def main(handler):
    prepare()
    handler.download(1)


def prepare():
    pass
//- /b.py
class Http:
    def download(self, request):
        send(request)


class Ftp:
    def download(self, request):
        pass


def unused():
    send(1)


def se$0nd(request):
    pass
"#,
        Some("main"),
        expect![[r#"
            main:1 > Http.download:2 > send:15, possible
        "#]],
    );
}

#[test]
fn where_there_is_no_chain_calls_with_few_candidates_are_followed() {
    check_trace(
        r#"
//- /stores.py
class Disk:
    def per$0sist(self):
        pass


class Cloud:
    def persist(self):
        pass


def save(store):
    store.persist()


def start(store):
    save(store)
"#,
        Some("start"),
        expect![[r#"
            start:15 > save:11 > Disk.persist:2, possible
        "#]],
    );
}

#[test]
fn chains_that_differ_in_one_function_are_variants() {
    let fixture = r#"
//- /a.py
def start():
    one()
    other()


def one():
    middle()


def other():
    middle()


def middle():
    last()


def la$0st():
    pass
"#;
    check_trace(
        fixture,
        Some("start"),
        expect![[r#"
            start:1 > one:6 > middle:14 > last:18, static
        "#]],
    );
    let (project, cursor) = Project::at_cursor(fixture);
    let options = TraceOptions { with_variants: true, ..five_chains() };
    expect![[r#"
        start:1 > one:6 > middle:14 > last:18, static
        start:1 > other:10 > middle:14 > last:18, static
    "#]]
    .assert_eq(&project.trace(Some("start"), &cursor.to_string(), &options));
}

/// A function that only has the parameters of a handler, and is called by one, is no start.
#[test]
fn helpers_of_handlers_are_no_starts() {
    check_trace(
        r#"
//- /web.go
package web

import "net/http"

type Proxy struct{}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.prepare(w, r) }

func (p *Proxy) prepare(w http.ResponseWriter, r *http.Request) { copyHea$0der(r) }

func copyHeader(r *http.Request) {}
"#,
        None,
        expect![[r#"
            web.Proxy.ServeHTTP:7 > web.Proxy.prepare:9 > web.copyHeader:11, static
        "#]],
    );
}
