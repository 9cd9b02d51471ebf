//! All uses of a definition.

use codecompass_engine::syntax::facts::RefKind;
use expect_test::expect;

use crate::navigation::check::{
    Filter, Navigator, PathPattern, Project, RefsOptions, TestUses, all_uses, check_references, check_references_with,
};

#[test]
fn class_through_a_reexport() {
    check_references(
        r#"
//- /shop/items.py
class B$0ook:
    pass
//- /shop/__init__.py
from shop.items import Book
//- /shop/cli.py
from shop import Book


def main():
    show(Book())


def show(item: Book):
    pass
"#,
        expect![[r#"
            shop/__init__.py:1:24 import Book, static import
            shop/cli.py:1:18 import Book, static import
            shop/cli.py:5:10 call Book in main, static import
            shop/cli.py:8:16 type Book in show, static import
            4 uses in 2 files, 5 occurrences
        "#]],
    );
}

#[test]
fn function_under_an_import_alias() {
    check_references(
        r#"
//- /items.py
def rou$0nded(amount):
    return amount


def price():
    return rounded(12)
//- /main.py
from items import rounded as tidy

tidy(3)
"#,
        expect![[r#"
            items.py:6:12 call rounded in price, static scope
            main.py:1:19 import rounded, static import
            main.py:1:30 import tidy, static import
            main.py:3:1 call tidy, static import
            4 uses in 2 files, 3 occurrences, 2 renamed
        "#]],
    );
}

#[test]
fn supertype_under_an_import_alias() {
    check_references(
        r#"
//- /base.py
class Pri$0ced:
    pass
//- /items.py
from base import Priced as Costly


class Book(Costly):
    pass
"#,
        expect![[r#"
            items.py:1:18 import Priced, static import
            items.py:1:28 import Costly, static import
            items.py:4:12 inherit Costly in Book, static import
            3 uses in 1 file, 2 occurrences, 2 renamed
        "#]],
    );
}

#[test]
fn function_reexported_under_another_name() {
    check_references(
        r#"
//- /web/money.ts
export function for$0mat(cents: number): string {
  return String(cents);
}
//- /web/index.ts
export { format as formatMoney } from './money';
//- /web/page.ts
import { formatMoney } from './index';

export function render(cents: number): string {
  return formatMoney(cents);
}
"#,
        expect![[r#"
            web/index.ts:1:10 import format, static import
            web/index.ts:1:20 import formatMoney, static import
            web/page.ts:1:10 import formatMoney, static import
            web/page.ts:4:10 call formatMoney in render, static import
            4 uses in 2 files, 2 occurrences, 3 renamed
        "#]],
    );
}

#[test]
fn method_by_the_type_of_its_receiver() {
    check_references(
        r#"
//- /stock/stock.go
package stock

type Shelf struct{ count int }

func (s *Shelf) Put() { s.grow() }

func (s *Shelf) gro$0w() { s.count++ }

type Box struct{}

func (b *Box) grow() {}

func fill(b *Box) { b.grow() }
"#,
        expect![[r#"
            stock/stock.go:5:27 call grow in stock.Shelf.Put, static receiver_type
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

/// Methods of one name that stand side by side are not one symbol.
#[test]
fn methods_of_two_types_side_by_side() {
    check_references(
        r#"
//- /stock/stock.go
package stock

type Shelf struct{ count int }

type Box struct{}

func (s *Shelf) gro$0w() { s.count++ }

func (b *Box) grow() {}

func fill(s *Shelf) { s.grow() }
func pack(b *Box) { b.grow() }
"#,
        expect![[r#"
            stock/stock.go:11:25 call grow in stock.fill, static receiver_type
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

#[test]
fn associated_function_of_a_reexported_type() {
    check_references(
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
    pub fn n$0ew() -> Ledger {
        Ledger
    }
}
"#,
        expect![[r#"
            src/lib.rs:5:13 call new in open, static receiver_type
            1 use in 1 file, 2 occurrences
        "#]],
    );
}

#[test]
fn a_use_stands_for_its_definition() {
    check_references(
        r#"
//- /main.py
def main():
    sub$0mit("book")


def submit(order):
    pass


submit("pen")
"#,
        expect![[r#"
            main.py:2:5 call submit in main, static scope
            main.py:5:5 declaration submit, static scope
            main.py:9:1 call submit, static scope
            3 uses in 1 file, 3 occurrences
        "#]],
    );
}

#[test]
fn namesake_elsewhere_is_not_counted() {
    check_references(
        r#"
//- /store.py
def cl$0ean(path):
    return path


clean("x")
//- /other.py
def clean(text):
    return text


clean("y")
"#,
        expect![[r#"
            store.py:5:1 call clean, static scope
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

#[test]
fn no_use() {
    check_references(
        r#"
//- /other.py
def cl$0ean(text):
    return text
"#,
        expect![[r#"
            0 uses in 0 files, 1 occurrence
        "#]],
    );
}

const DRAWN: &str = r#"
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
fn ambiguous_use_is_counted_apart() {
    check_references(
        DRAWN,
        expect![[r#"
            c/use.py:2:11 call draw in go, possible name_only
            1 use in 1 file, 3 occurrences, 1 other
        "#]],
    );
}

#[test]
fn proven_uses_only() {
    check_references_with(
        DRAWN,
        &RefsOptions { least: codecompass_engine::query::UseClass::Static, ..all_uses() },
        expect![[r#"
            0 uses in 0 files, 1 filtered, 3 occurrences, 1 other
        "#]],
    );
}

#[test]
fn name_with_a_bang_is_a_name_of_its_own() {
    check_references(
        r#"
//- /order.rb
class Order
  def save
    1
  end

  def sa$0ve!
    save
  end
end

def run
  Order.new.save!
end
"#,
        expect![[r#"
            order.rb:12:13 call save! in run, static receiver_type
            1 use in 1 file, 2 occurrences
        "#]],
    );
}

#[test]
fn name_without_a_bang_is_a_name_of_its_own() {
    check_references(
        r#"
//- /order.rb
class Order
  def sa$0ve
    1
  end

  def save!
    save
  end
end

def run
  Order.new.save!
end
"#,
        expect![[r#"
            order.rb:7:5 call save in Order#save!, static enclosing_type
            1 use in 1 file, 4 occurrences, 2 other
        "#]],
    );
}

#[test]
fn overloads_are_one_symbol() {
    check_references(
        r#"
//- /body.ts
export function parse(text: string): string
export function parse(text: number): string
export function par$0se(text: unknown): string {
  return `${text}`
}
//- /main.ts
import { parse } from './body'

parse(1)
"#,
        expect![[r#"
            body.ts:1:17 declaration parse, static scope
            body.ts:2:17 declaration parse, static scope
            main.ts:1:10 import parse, static import
            main.ts:3:1 call parse, static import
            4 uses in 2 files, 5 occurrences
            also at body.ts:1
            also at body.ts:2
        "#]],
    );
}

const TESTED: &str = r#"
//- /shop/items.py
class Bo$0ok:
    pass
//- /shop/cli.py
from shop.items import Book

Book()
//- /tests/test_items.py
from shop.items import Book


def test_book():
    assert Book()
"#;

#[test]
fn of_one_kind() {
    check_references_with(
        TESTED,
        &RefsOptions { kinds: vec![RefKind::Import], ..all_uses() },
        expect![[r#"
            shop/cli.py:1:24 import Book, static import
            tests/test_items.py:1:24 import Book, static import
            2 uses in 2 files, 2 filtered, 5 occurrences
        "#]],
    );
}

#[test]
fn in_tests_only() {
    check_references_with(
        TESTED,
        &RefsOptions { tests: TestUses::Only, ..all_uses() },
        expect![[r#"
            tests/test_items.py:1:24 import Book, static import
            tests/test_items.py:5:12 call Book in test_book, static import
            2 uses in 1 file, 2 filtered, 5 occurrences
        "#]],
    );
}

#[test]
fn outside_of_tests() {
    check_references_with(
        TESTED,
        &RefsOptions { tests: TestUses::Exclude, ..all_uses() },
        expect![[r#"
            shop/cli.py:1:24 import Book, static import
            shop/cli.py:3:1 call Book, static import
            2 uses in 1 file, 2 filtered, 5 occurrences
        "#]],
    );
}

#[test]
fn below_a_folder() {
    let filter = Filter { paths: vec![PathPattern::new("shop").unwrap()], ..Filter::default() };
    check_references_with(
        TESTED,
        &RefsOptions { filter, ..all_uses() },
        expect![[r#"
            shop/cli.py:1:24 import Book, static import
            shop/cli.py:3:1 call Book, static import
            2 uses in 1 file, 2 filtered, 5 occurrences
        "#]],
    );
}

#[test]
fn a_limit_cuts_the_list_and_not_the_count() {
    check_references_with(
        TESTED,
        &RefsOptions { limit: 1, ..RefsOptions::default() },
        expect![[r#"
            shop/cli.py:1:24 import Book, static import
            4 uses in 2 files, 5 occurrences
        "#]],
    );
}

#[test]
fn source_comes_before_tests_under_a_limit() {
    check_references_with(
        r#"
//- /a_tests/test_items.py
from shop.items import Book
//- /shop/items.py
class Bo$0ok:
    pass


Book()
"#,
        &RefsOptions { limit: 1, ..RefsOptions::default() },
        expect![[r#"
            shop/items.py:5:1 call Book, static scope
            2 uses in 2 files, 3 occurrences
        "#]],
    );
}

#[test]
fn cursor_on_a_name_of_which_nothing_is_known() {
    check_references(
        "//- /a.py\ndef clean(path):\n    return path.$0strip()\n",
        expect![[r#"
        error: it is not known what `strip` means at a.py:2:17
    "#]],
    );
}

#[test]
fn cursor_on_a_name_from_outside() {
    check_references(
        "//- /a.py\ndef clean(path):\n    $0print(path)\n",
        expect![[r#"
        error: `print` is defined outside of the repository, used at a.py:2:5
    "#]],
    );
}

#[test]
fn cursor_on_a_local_variable() {
    check_references(
        "//- /a.py\ndef clean(path):\n    print($0path)\n",
        expect![[r#"
        error: no name that leads to a definition stands at a.py:2:11
    "#]],
    );
}

#[test]
fn cursor_on_an_ambiguous_name() {
    check_references(
        &DRAWN.replace("dr$0aw", "draw").replace("thing.draw", "thing.dr$0aw"),
        expect![[r#"
        error: `draw` may mean 2 definitions, and nothing tells which
        or a.py:2
        or b.py:2
    "#]],
    );
}

/// A process that stays answers after an edit as a new one would, and reads only what it has not.
#[test]
fn the_next_state_takes_over_what_was_read() {
    let project = Project::new(
        r#"
//- /items.py
def rounded(amount):
    return amount
//- /main.py
from items import rounded

rounded(1)
"#,
    );
    let ask = |navigator: &Navigator<'_>| crate::navigation::check::references(navigator, "rounded", &all_uses());
    let before = Navigator::new(&project.snapshot);
    expect![[r#"
        main.py:1:19 import rounded, static import
        main.py:3:1 call rounded, static import
        2 uses in 1 file
    "#]]
    .assert_eq(&ask(&before));
    project.workspace.write("more.py", "from items import rounded\n\nTEN = rounded(10)\n");
    project.workspace.write("main.py", "def rounded(x):\n    return x\n\n\nrounded(1)\n");
    let next = project.sync();
    let after = ask(&before.for_next(&next));
    expect![[r#"
        more.py:1:19 import rounded, static import
        more.py:3:7 call rounded in TEN, static import
        main.py:5:1 call rounded, static scope
        3 uses in 2 files
        items.py:1 rounded has 2 uses
        main.py:1 rounded has 1 use
    "#]]
    .assert_eq(&after);
    assert_eq!(after, ask(&Navigator::new(&next)));
}

#[test]
fn static_member_of_unknown_values() {
    check_references(
        r#"
//- /data.ts
export class LocalData {
  static sa$0ve() {}
  static flush() { this.save(); }
}
export class Other { save(a: number) {} }
//- /use.ts
import { LocalData } from "./data";

export function draw(context: any, Kind: any, make: any) {
  context.save();
  context.inner.save();
  Kind.save();
  make().save();
  LocalData.save();
}
"#,
        expect![[r#"
            data.ts:3:25 call save in LocalData.flush, static enclosing_type
            use.ts:8:13 call save in draw, static receiver_type
            use.ts:7:10 call save in draw, likely arity
            use.ts:6:8 call save in draw, possible name_only
            4 uses in 2 files, 8 occurrences, 3 other
        "#]],
    );
}

#[test]
fn function_of_a_module_and_members_of_values() {
    check_references(
        r#"
//- /mutate.ts
export function mut$0ate() {}
//- /use.ts
import * as tools from "./mutate";
import { helpers } from "elsewhere";

export function draw(app: any) {
  app.scene.mutate();
  app.mutate();
  helpers.mutate();
  tools.mutate();
}
"#,
        expect![[r#"
            use.ts:8:9 call mutate in draw, static module_member
            1 use in 1 file, 6 occurrences, 3 other, 1 text
        "#]],
    );
}

#[test]
fn a_bare_name_means_all_its_definitions() {
    let project = Project::new(
        r#"
//- /stores.py
class Disk:
    def persist(self):
        pass


class Cloud:
    def persist(self):
        pass


def save(disk: Disk, cloud: Cloud, other):
    cloud.persist()
    disk.persist()
    cloud.persist()
    other.persist()
"#,
    );
    expect![[r#"
        stores.py:12:11 call persist in save, static receiver_type
        stores.py:14:11 call persist in save, static receiver_type
        stores.py:13:10 call persist in save, static receiver_type
        stores.py:15:11 call persist in save, possible name_only
        4 uses in 1 file, 6 occurrences
        stores.py:7 Cloud.persist has 2 uses
        stores.py:2 Disk.persist has 1 use
    "#]]
    .assert_eq(&project.references("persist", &all_uses()));
    expect![[r#"
        stores.py:13:10 call persist in save, static receiver_type
        stores.py:15:11 call persist in save, possible name_only
        2 uses in 1 file, 6 occurrences, 3 other
    "#]]
    .assert_eq(&project.references("Disk.persist", &all_uses()));
}

#[test]
fn many_unrelated_definitions_are_listed_with_their_uses() {
    let class = |at: usize| {
        format!("class S{at}:\n    def persist(self):\n        pass\n\ndef save{at}(s: S{at}):\n    s.persist()\n\n")
    };
    let classes: String = (0..9).map(class).collect();
    let project = Project::new(&format!("//- /a.py\n{classes}"));
    expect![[r#"
        0 uses in 0 files
        a.py:2 S0.persist has 1 use
        a.py:9 S1.persist has 1 use
        a.py:16 S2.persist has 1 use
        a.py:23 S3.persist has 1 use
        a.py:30 S4.persist has 1 use
        a.py:37 S5.persist has 1 use
        a.py:44 S6.persist has 1 use
        a.py:51 S7.persist has 1 use
        a.py:58 S8.persist has 1 use
    "#]]
    .assert_eq(&project.references("persist", &all_uses()));
}

#[test]
fn many_definitions_that_override_each_other_are_one_family() {
    let class = |at: usize| format!("class S{at}(Base):\n    def persist(self):\n        pass\n\n");
    let classes: String = (0..9).map(class).collect();
    let project = Project::new(&format!("//- /a.py\nclass Base:\n    def persist(self):\n        pass\n\n{classes}"));
    expect![[r#"
        0 uses in 0 files, 10 occurrences
        a.py:2 Base.persist has 0 uses
        a.py:6 S0.persist has 0 uses
        a.py:10 S1.persist has 0 uses
        a.py:14 S2.persist has 0 uses
        a.py:18 S3.persist has 0 uses
        a.py:22 S4.persist has 0 uses
        a.py:26 S5.persist has 0 uses
        a.py:30 S6.persist has 0 uses
        a.py:34 S7.persist has 0 uses
        a.py:38 S8.persist has 0 uses
    "#]]
    .assert_eq(&project.references("persist", &all_uses()));
}

#[test]
fn the_few_uses_that_a_filter_leaves_out_are_told() {
    let project = Project::new(
        r#"
//- /a.py
def run(): pass
//- /b.py
from a import run

run()
"#,
    );
    let options = RefsOptions { kinds: vec![RefKind::Call], ..all_uses() };
    let navigator = Navigator::new(&project.snapshot);
    let answer = codecompass_engine::query::refs(&navigator, "run", &options).unwrap();
    let left_out: Vec<(&str, u32)> = answer.few_filtered.iter().map(|site| (site.kind_name(), site.line)).collect();
    assert_eq!(left_out, [("import", 1)]);
}

/// The definition that an import may give has a higher number than any in the file that imports it.
#[test]
fn alternative_in_a_longer_file() {
    check_references(
        r#"
//- /longer.py
class One:
    def a(self): ...
    def b(self): ...
    def c(self): ...


def cho$0sen():
    return 1
//- /main.py
try:
    from longer import chosen
except ImportError:
    def chosen():
        return 2

chosen()
"#,
        expect![[r#"
            main.py:2:24 import chosen, static import
            main.py:7:1 call chosen, static scope
            2 uses in 1 file, 4 occurrences, 1 other
        "#]],
    );
}

#[test]
fn names_with_a_mark_in_front() {
    let fixture = r#"
//- /store.ts
export class Store {
    #open() {}
    open() {}
    run() { this.#open(); this.open() }
}
"#;
    let project = Project::new(fixture);
    expect![[r#"
        store.ts:4:18 call #open in Store.run, static enclosing_type
        1 use in 1 file, 2 occurrences
    "#]]
    .assert_eq(&project.references("Store.#open", &all_uses()));
    expect![[r#"
        store.ts:4:18 call #open in Store.run, static enclosing_type
        1 use in 1 file, 2 occurrences
    "#]]
    .assert_eq(&project.references("#open", &all_uses()));
    expect![[r#"
        store.ts:4:32 call open in Store.run, static enclosing_type
        store.ts:2:6 unknown open in Store.#open, possible name_only
        2 uses in 1 file, 4 occurrences, 1 other
    "#]]
    .assert_eq(&project.references("Store#open", &all_uses()));
}

#[test]
fn alias_of_a_generic_type_outside_of_namespaces() {
    check_references_with(
        r#"
//- /use.cs
using Alias = Generic<Argument>;
public class Argument {}
class User { void Run() { Alias.Test.Go(3); } }
//- /generic.cs
internal static class Generic<T> { internal class Test { public static int G$0o(int x) => 1; } }
"#,
        &all_uses(),
        expect![[r#"
            use.cs:3:38 call Go in User.Run, static receiver_type
            1 use in 1 file, 2 occurrences
        "#]],
    );
}
