//! Go to definition: the meaning of the name at a place.

use codecompass_testkit::Cursor;
use expect_test::expect;

use crate::navigation::check::{Project, check_definition};

#[test]
fn imported_class() {
    check_definition(
        r#"
//- /items.py
class Book:
    pass
//- /main.py
from items import Book

book = Bo$0ok()
"#,
        expect![[r#"
            `Book` static import
            items.py:1 class Book
        "#]],
    );
}

#[test]
fn import_statement() {
    check_definition(
        r#"
//- /items.py
class Book:
    pass
//- /main.py
from items import B$0ook
"#,
        expect![[r#"
            `Book` static import
            items.py:1 class Book
        "#]],
    );
}

#[test]
fn class_reexported_by_its_package() {
    check_definition(
        r#"
//- /shop/items.py
class Book:
    pass
//- /shop/__init__.py
from shop.items import Book
//- /main.py
from shop import Book

book = $0Book()
"#,
        expect![[r#"
            `Book` static import
            shop/items.py:1 class Book
        "#]],
    );
}

#[test]
fn import_alias() {
    check_definition(
        r#"
//- /items.py
def rounded(amount):
    return amount
//- /main.py
from items import rounded as tidy

tid$0y(3)
"#,
        expect![[r#"
            `tidy` static import
            items.py:1 function rounded
        "#]],
    );
}

#[test]
fn reexport_under_another_name() {
    check_definition(
        r#"
//- /web/money.ts
export function format(cents: number): string {
  return String(cents);
}
//- /web/index.ts
export { format as formatMoney } from './money';
//- /web/page.ts
import { formatMoney } from './index';

export const price = $0formatMoney(100);
"#,
        expect![[r#"
            `formatMoney` static import
            web/money.ts:1 function format
        "#]],
    );
}

#[test]
fn method_of_an_annotated_parameter() {
    check_definition(
        r#"
//- /items.py
class Book:
    def price(self):
        return 12


class Pen:
    def price(self):
        return 1
//- /main.py
from items import Book


def show(item: Book):
    print(item.$0price())
"#,
        expect![[r#"
            `price` static receiver_type
            items.py:2 method Book.price
        "#]],
    );
}

#[test]
fn method_of_a_new_instance() {
    check_definition(
        r#"
//- /items.py
class Book:
    def price(self):
        return 12


class Pen:
    def price(self):
        return 1
//- /main.py
from items import Book

assert Book().p$0rice() == 12
"#,
        expect![[r#"
            `price` static receiver_type
            items.py:2 method Book.price
        "#]],
    );
}

#[test]
fn method_of_an_interface() {
    check_definition(
        r#"
//- /shape.ts
export interface Shape { area(): number }

export class Square implements Shape {
  area(): number { return 4; }
}
//- /page.ts
import { Shape } from './shape';

export function render(shape: Shape): number {
  return shape.are$0a();
}
"#,
        expect![[r#"
            `area` static receiver_type
            shape.ts:1 method Shape.area
        "#]],
    );
}

#[test]
fn function_of_a_package() {
    check_definition(
        r#"
//- /go.mod
module example.com/stock
//- /stock/stock.go
package stock

type Shelf struct{ count int }

func New() *Shelf { return &Shelf{} }
//- /cmd/main.go
package main

import "example.com/stock/stock"

func main() {
	shelf := stock.$0New()
}
"#,
        expect![[r#"
            `New` static module_member
            stock/stock.go:5 function stock.New
        "#]],
    );
}

#[test]
fn package_name_is_its_folder() {
    check_definition(
        r#"
//- /go.mod
module example.com/stock
//- /stock/stock.go
package stock

func New() {}
//- /cmd/main.go
package main

import "example.com/stock/stock"

func main() {
	sto$0ck.New()
}
"#,
        expect![[r#"
            `stock` module stock
        "#]],
    );
}

#[test]
fn associated_function_of_a_reexported_type() {
    check_definition(
        r#"
//- /Cargo.toml
[package]
name = "ledger"
//- /src/lib.rs
mod book;
pub use book::Ledger;

pub fn open() -> Ledger {
    Ledger::ne$0w()
}
//- /src/book.rs
pub struct Ledger;

impl Ledger {
    pub fn new() -> Ledger {
        Ledger
    }
}
"#,
        expect![[r#"
            `new` static receiver_type
            src/book.rs:4 method Ledger::new
        "#]],
    );
}

#[test]
fn variable_set_to_a_new_instance() {
    check_definition(
        r#"
//- /main.py
class Store:
    def save(self):
        pass


def run():
    store = Store()
    $0store.save()
"#,
        expect![[r#"
            `store` local of run bound on line 7
        "#]],
    );
}

/// FIXME: it is local to `show`, but what nothing is known of is not kept as a binding.
#[test]
fn parameter_without_a_type() {
    check_definition(
        r#"
//- /main.py
def show(item):
    print(it$0em)
"#,
        expect![[r#"
            `item` unknown
        "#]],
    );
}

#[test]
fn parameter_with_a_declared_type() {
    check_definition(
        r#"
//- /store.py
class Store:
    def save(self):
        pass
//- /main.py
from store import Store


def submit(store: Store):
    $0store.save()
"#,
        expect![[r#"
            `store` local: Store of submit bound on line 4
        "#]],
    );
}

#[test]
fn builtin_is_external() {
    check_definition(
        r#"
//- /main.py
def show(item):
    pri$0nt(item)
"#,
        expect![[r#"
            `print` external
        "#]],
    );
}

#[test]
fn cursor_on_the_definition_itself() {
    check_definition(
        r#"
//- /main.py
def sho$0w(item):
    pass
"#,
        expect![[r#"
            `show` defined here
            main.py:1 function show
        "#]],
    );
}

#[test]
fn cursor_on_an_empty_line() {
    check_definition(
        r#"
//- /main.py
import os
$0

def show(item):
    pass
"#,
        expect![[r#"
            nothing
        "#]],
    );
}

#[test]
fn cursor_on_a_keyword() {
    check_definition(
        r#"
//- /main.py
d$0ef show(item):
    pass
"#,
        expect![[r#"
            `def` unknown
        "#]],
    );
}

#[test]
fn method_that_several_types_have() {
    check_definition(
        r#"
//- /a.py
class A:
    def draw(self):
        pass
//- /b.py
class B:
    def draw(self):
        pass
//- /c/use.py
def go(thing):
    thing.dr$0aw()
"#,
        expect![[r#"
            `draw` ambiguous
            a.py:2 method A.draw
            b.py:2 method B.draw
        "#]],
    );
}

#[test]
fn method_that_one_type_has() {
    check_definition(
        r#"
//- /a.py
class Thing:
    def draw_outline(self):
        pass
//- /b.py
def go(thing):
    thing.draw$0_outline()
"#,
        expect![[r#"
            `draw_outline` likely unique_name
            a.py:2 method Thing.draw_outline
        "#]],
    );
}

#[test]
fn name_alone_is_no_evidence() {
    check_definition(
        r#"
//- /a.py
class Thing:
    def draw_outline(self):
        pass
//- /b.py
def go(x):
    x.draw$0_outline()
"#,
        expect![[r#"
            `draw_outline` likely unique_name
            a.py:2 method Thing.draw_outline
        "#]],
    );
}

#[test]
fn path_that_begins_as_a_variable_is_called() {
    check_definition(
        r#"
//- /src/lib.rs
mod coop {
    pub fn go() {}
}
fn main() {
    let coop = ready!(co$0op::go());
    let other = coop::go();
}
"#,
        expect![[r#"
            `coop` module
            src/lib.rs:1 module coop
        "#]],
    );
    check_definition(
        r#"
//- /src/lib.rs
mod coop {
    pub fn go() {}
}
fn main() {
    let coop = 1;
    co$0op::go();
    coop.count_ones();
}
"#,
        expect![[r#"
            `coop` module
            src/lib.rs:1 module coop
        "#]],
    );
    check_definition(
        r#"
//- /src/lib.rs
fn main(coop: u8) {
    coop.count_ones();
    outside::co$0op::go();
}
"#,
        expect![[r#"
            `coop` external
        "#]],
    );
    check_definition(
        r#"
//- /src/lib.rs
fn main(coop: u8) {
    coop.count_ones();
    ready!(crate::task::co$0op::go(coop));
}
"#,
        expect![[r#"
            `coop` unknown
        "#]],
    );
}

#[test]
fn method_of_something_unknown() {
    check_definition(
        r#"
//- /a.py
def clean(path):
    return path.st$0rip()
"#,
        expect![[r#"
            `strip` unknown
        "#]],
    );
}

#[test]
fn name_that_begins_with_a_sign() {
    check_definition(
        r#"
//- /a.rb
class Order
  def save
    $0@lines.each(&:save)
  end
end
"#,
        expect![[r#"
            `@lines` external
        "#]],
    );
}

#[test]
fn namesake_in_a_file_that_is_not_imported() {
    check_definition(
        r#"
//- /store.py
def clean(path):
    return path
//- /other.py
def clean(text):
    return text
//- /main.py
from store import clean

c$0lean("x")
"#,
        expect![[r#"
            `clean` static import
            store.py:1 function clean
        "#]],
    );
}

#[test]
fn places_that_do_not_exist() {
    let project = Project::new("//- /main.py\nprint(1)\n");
    let ask = |path: &str, line, column| project.definition(&Cursor { path: path.into(), line, column });
    expect![[r#"
        error: main.py:300:1 is no place: main.py has 1 line, both count from 1
    "#]]
    .assert_eq(&ask("main.py", 300, 1));
    expect![[r#"
        error: main.py:0:1 is no place: main.py has 1 line, both count from 1
    "#]]
    .assert_eq(&ask("main.py", 0, 1));
    expect![[r#"
        error: no indexed file gone.py
    "#]]
    .assert_eq(&ask("gone.py", 1, 1));
}
