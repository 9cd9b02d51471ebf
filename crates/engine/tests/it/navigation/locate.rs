//! Definitions that a name or a place means.

use expect_test::{Expect, expect};

use crate::navigation::check::{
    Filter, HierarchyOptions, LocateOptions, PathPattern, Project, all_uses, whole_hierarchy,
};

const ORDERS: &str = r#"
//- /src/store.rs
pub struct OrderStore;

impl OrderStore {
    pub fn open(path: &str) -> OrderStore {
        OrderStore
    }

    fn find(&self, number: u64) {}
}

fn load_orders(path: &str) {}
//- /billing/invoice.py
class Invoice:
    def total_price(self):
        return 0


def open(path):
    return Invoice(path)
//- /web/legacy.js
export const retryLimit = 3;

export function loadOrders(path) {
  return fetch(path);
}
//- /cmd/serve/main.go
package main

type Server struct {
	port int
}

func (s *Server) Listen() error {
	return nil
}
//- /tests/test_invoice.py
def test_total_price():
    pass
"#;

#[track_caller]
fn check(symbol: &str, expected: Expect) {
    expected.assert_eq(&Project::new(ORDERS).locate(symbol, &ten()));
}

fn ten() -> LocateOptions {
    LocateOptions { limit: 10, ..LocateOptions::default() }
}

#[test]
fn name_in_a_file() {
    check(
        "billing/invoice.py::open",
        expect![[r#"
        exact
        billing/invoice.py:6 function open
    "#]],
    );
    check(
        "store.rs::OrderStore::open",
        expect![[r#"
        exact
        src/store.rs:4 method OrderStore::open
    "#]],
    );
    check(
        "src/store.rs::total_price",
        expect![[r#"
        nothing
    "#]],
    );
    check(
        "OrderStore::open",
        expect![[r#"
        exact
        src/store.rs:4 method OrderStore::open
    "#]],
    );
}

#[test]
fn bare_name() {
    check(
        "OrderStore",
        expect![[r#"
        exact
        src/store.rs:1 struct OrderStore
    "#]],
    );
}

#[test]
fn bare_name_of_several() {
    check(
        "open",
        expect![[r#"
        exact
        billing/invoice.py:6 function open
        src/store.rs:4 method OrderStore::open
    "#]],
    );
}

#[test]
fn qualified_name_in_the_notation_of_its_language() {
    check(
        "OrderStore::open",
        expect![[r#"
        exact
        src/store.rs:4 method OrderStore::open
    "#]],
    );
}

#[test]
fn qualified_name_in_the_notation_of_another_language() {
    check(
        "OrderStore.open",
        expect![[r#"
        exact
        src/store.rs:4 method OrderStore::open
    "#]],
    );
}

#[test]
fn qualified_name_with_a_hash() {
    check(
        "Server#Listen",
        expect![[r#"
        exact
        cmd/serve/main.go:7 method main.Server.Listen
    "#]],
    );
}

#[test]
fn qualified_name_with_the_module_of_its_file() {
    check(
        "store::OrderStore::find",
        expect![[r#"
        exact
        src/store.rs:8 method OrderStore::find
    "#]],
    );
}

#[test]
fn name_in_another_case() {
    check(
        "orderstore",
        expect![[r#"
        case_insensitive
        src/store.rs:1 struct OrderStore
    "#]],
    );
}

#[test]
fn beginning_of_a_name() {
    check(
        "load",
        expect![[r#"
        prefix
        web/legacy.js:3 function loadOrders
        src/store.rs:11 function load_orders
    "#]],
    );
}

#[test]
fn part_of_a_name() {
    check(
        "price",
        expect![[r#"
        sub_word
        billing/invoice.py:2 method Invoice.total_price
        tests/test_invoice.py:1 function test_total_price
    "#]],
    );
}

#[test]
fn name_with_a_typo() {
    check(
        "OrderStroe",
        expect![[r#"
        fuzzy
        src/store.rs:1 struct OrderStore
    "#]],
    );
}

#[test]
fn line_inside_of_a_definition() {
    check(
        "src/store.rs:5",
        expect![[r#"
        place
        src/store.rs:4 method OrderStore::open
    "#]],
    );
}

#[test]
fn line_of_a_variable() {
    check(
        "web/legacy.js:1",
        expect![[r#"
        place
        web/legacy.js:1 variable retryLimit
    "#]],
    );
}

#[test]
fn line_without_a_definition() {
    check(
        "src/store.rs:2",
        expect![[r#"
        error: no definition stands at src/store.rs:2
    "#]],
    );
}

#[test]
fn line_after_the_end_of_the_file() {
    check(
        "src/store.rs:900",
        expect![[r#"
        error: src/store.rs has only 11 lines: no definition stands at src/store.rs:900
    "#]],
    );
}

#[test]
fn line_of_a_file_that_is_not_there() {
    check(
        "src/stor.rs:3",
        expect![[r#"
            error: no indexed file src/stor.rs
            or src/store.rs
        "#]],
    );
}

#[test]
fn name_that_nothing_has() {
    check(
        "no_such_thing_anywhere",
        expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn empty_name() {
    check(
        " ",
        expect![[r#"
        error: the symbol is empty
    "#]],
    );
}

#[test]
fn a_limit_cuts_the_list_and_not_the_count() {
    let options = LocateOptions { limit: 1, ..ten() };
    expect![[r#"
        exact
        billing/invoice.py:6 function open
        1 of 2
    "#]]
    .assert_eq(&Project::new(ORDERS).locate("open", &options));
}

#[test]
fn filters_leave_out_what_they_do_not_name() {
    let project = Project::new(ORDERS);
    let in_language = |name: &str| Filter { languages: vec![name.into()], ..Filter::default() };
    let of_kind = |name: &str| Filter { kinds: vec![name.into()], ..Filter::default() };
    let below = |path: &str| Filter { paths: vec![PathPattern::new(path).unwrap()], ..Filter::default() };
    let ask = |filter: Filter| project.locate("open", &LocateOptions { filter, ..ten() });
    expect![[r#"
        exact
        src/store.rs:4 method OrderStore::open
    "#]]
    .assert_eq(&ask(in_language("rust")));
    expect![[r#"
        exact
        billing/invoice.py:6 function open
    "#]]
    .assert_eq(&ask(of_kind("function")));
    expect![[r#"
        nothing
    "#]]
    .assert_eq(&ask(below("web")));
}

/// The questions that are about one definition take the best meaning and tell the others.
mod best_meaning {
    use super::*;

    const LIBRARIES: &str = r#"
//- /src/dict.c
#include "dict.h"

int dictAdd(int key)
{
    return key;
}
//- /src/dict.h
int dictAdd(int key);
//- /src/main.c
#include "dict.h"

int main(void)
{
    return dictAdd(3);
}
//- /deps/other/dict.c
#include "dict.h"

static int dictAdd(int key)
{
    return key + 1;
}
//- /deps/other/dict.h
static int dictAdd(int key);
"#;

    #[test]
    fn declaration_belongs_to_the_definition_of_its_library() {
        let project = Project::new(LIBRARIES);
        expect![[r#"
            src/dict.h:1:5 declaration dictAdd, static scope
            src/main.c:5:12 call dictAdd in main, static import
            deps/other/dict.h:1:12 declaration dictAdd, static scope
            3 uses in 3 files, 5 occurrences
            also at deps/other/dict.h:1
            also at src/dict.h:1
            src/dict.c:3 dictAdd has 1 use
            deps/other/dict.c:3 dictAdd has 0 uses
        "#]]
        .assert_eq(&project.references("dictAdd", &all_uses()));
        expect![[r#"
            deps/other/dict.h:1:12 declaration dictAdd, static scope
            1 use in 1 file, 5 occurrences, 3 other
            also at deps/other/dict.h:1
        "#]]
        .assert_eq(&project.references("deps/other/dict.c:3", &all_uses()));
    }

    #[test]
    fn qualified_names_in_the_notation_of_their_language() {
        let project = Project::new(
            r#"
//- /order.rb
class Order
  def save
  end
end

Order.new.save
//- /shelf.go
package stock

type Shelf struct{}

func (s *Shelf) Put() { s.grow() }

func (s *Shelf) grow() {}
//- /src/lib.rs
pub struct Ledger;

impl Ledger {
    fn check(&self) {}

    fn all(&self) {
        self.check()
    }
}
"#,
        );
        expect![[r#"
            order.rb:6:11 call save, static receiver_type
            1 use in 1 file, 2 occurrences
        "#]]
        .assert_eq(&project.references("Order#save", &all_uses()));
        expect![[r#"
            shelf.go:5:27 call grow in stock.Shelf.Put, static receiver_type
            1 use in 1 file, 2 occurrences
        "#]]
        .assert_eq(&project.references("Shelf.grow", &all_uses()));
        expect![[r#"
            src/lib.rs:7:14 call check in Ledger::all, static enclosing_type
            1 use in 1 file, 2 occurrences
        "#]]
        .assert_eq(&project.references("Ledger::check", &all_uses()));
    }

    #[test]
    fn a_bang_after_a_name_without_one_is_ignored() {
        let project = Project::new("//- /a.ts\nexport function parse() {}\nparse()\n");
        expect![[r#"
            a.ts:2:1 call parse, static scope
            1 use in 1 file, 2 occurrences
        "#]]
        .assert_eq(&project.references("parse!", &all_uses()));
    }

    #[test]
    fn name_that_nothing_has() {
        let project = Project::new("//- /a.py\nclass Store:\n    pass\n");
        expect![[r#"
            error: no symbol `stroe`
            or Store
        "#]]
        .assert_eq(&project.references("stroe", &all_uses()));
        expect![[r#"
            error: no symbol `entirely_else`
        "#]]
        .assert_eq(&project.references("entirely_else", &all_uses()));
    }

    #[test]
    fn empty_name() {
        let project = Project::new("//- /a.py\nclass Store:\n    pass\n");
        expect![[r#"
            error: the symbol is empty
        "#]]
        .assert_eq(&project.references(" ", &all_uses()));
    }

    #[test]
    fn line_without_a_definition() {
        let project = Project::new("//- /a.py\nclass Store:\n    pass\n\n\nStore()\n");
        expect![[r#"
            error: no definition stands at a.py:5
        "#]]
        .assert_eq(&project.references("a.py:5", &all_uses()));
        expect![[r#"
            error: a.py has only 5 lines: no definition stands at a.py:900
        "#]]
        .assert_eq(&project.references("a.py:900", &all_uses()));
        expect![[r#"
            error: no indexed file gone.py
        "#]]
        .assert_eq(&project.references("gone.py:1", &all_uses()));
    }

    #[test]
    fn name_that_only_a_filter_hides_is_told_by_its_place() {
        let filter = Filter { kinds: vec!["method".into()], ..Filter::default() };
        let project = Project::new("//- /a.py\nclass Store:\n    pass\n");
        expect![[r#"
            error: no symbol `Store`
            or a.py:1
        "#]]
        .assert_eq(&project.hierarchy("Store", &HierarchyOptions { filter, ..whole_hierarchy() }));
    }
}
