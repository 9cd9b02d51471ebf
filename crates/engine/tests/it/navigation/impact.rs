//! Code and tests that a change of a definition may affect.

use expect_test::expect;

use crate::navigation::check::check_impact;

#[test]
fn callers_their_callers_tests_and_entry_points() {
    check_impact(
        r#"
//- /store.py
class Store:
    def save(self, order):
        return write(order)


def wri$0te(order):
    pass
//- /main.py
from store import Store


def main():
    submit(Store(), "book")


def submit(store: Store, order):
    store.save(order)


main()
//- /tests/test_store.py
from store import Store


def test_save():
    Store().save("y")
"#,
        expect![[r#"
            code at depth 1: Store.save:2, call of write on line 3, static
            code at depth 2: submit:8, call of Store.save on line 9, static
            code at depth 3: main:4, call of submit on line 5, static
            test at depth 2: test_save:4, call of Store.save on line 5, static
            entry point at depth 3: main:4, call of submit on line 5, static
            [1, 2, 1] in 3 files
        "#]],
    );
}

#[test]
fn subtypes_and_who_names_them() {
    check_impact(
        r#"
//- /base.py
class Pri$0ced:
    pass
//- /items.py
from base import Priced


class Book(Priced):
    pass
//- /main.py
from items import Book


def main():
    show(Book())


def show(item: Book):
    pass
"#,
        expect![[r#"
            code at depth 1: Book:4, inherit of Priced on line 4, static
            code at depth 2: main:4, call of Book on line 5, static
            code at depth 2: show:8, type of Book on line 8, static
            entry point at depth 2: main:4, call of Book on line 5, static
            [1, 2] in 2 files
        "#]],
    );
}

#[test]
fn callers_of_what_a_method_implements_are_a_guess() {
    check_impact(
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
        expect![[r#"
            code at depth 1: Square.area:4, call of Square.side on line 4, static
            code at depth 2: render:8, call of Square.area on line 9, likely
            [1, 1] in 1 file
        "#]],
    );
}

#[test]
fn callers_in_another_file_of_the_crate() {
    check_impact(
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
        expect![[r#"
            code at depth 1: Ledger::new:4, call of Ledger::check on line 5, static
            code at depth 2: open:4, call of Ledger::new on line 5, static
            [1, 1] in 2 files
        "#]],
    );
}

#[test]
fn nothing_uses_it() {
    check_impact(
        "//- /other.py\ndef cle$0an(text):\n    return text\n",
        expect![[r#"
        [] in 0 files
    "#]],
    );
}

#[test]
fn overloads_that_use_it_are_affected_one_by_one() {
    check_impact(
        r#"
//- /Conn.java
class Conn {
    void open() { connect(1); }

    void close() { }

    void open(int port) { connect(port); }

    private void conn$0ect(int port) { connect(port, 3); }

    private void connect(int port, int tries) { }
}
"#,
        expect![[r#"
            code at depth 1: Conn.open:2, call of Conn.connect on line 2, static
            code at depth 1: Conn.open:6, call of Conn.connect on line 6, static
            [2] in 1 file
        "#]],
    );
}

#[test]
fn uses_with_few_candidates_are_followed_after_all_others() {
    check_impact(
        r#"
//- /stores.py
class Disk:
    def per$0sist(self):
        pass


class Cloud:
    def persist(self):
        pass


def save_disk(disk: Disk):
    disk.persist()


def save(store):
    store.persist()


def main():
    save(Disk())
    save_disk(Disk())
"#,
        expect![[r#"
            code at depth 1: save_disk:11, call of Disk.persist on line 12, static
            code at depth 2: main:19, call of save_disk on line 21, static
            code at depth 1: save:15, call of Disk.persist on line 16, possible
            entry point at depth 2: main:19, call of save_disk on line 21, static
            [2, 1] in 1 file
        "#]],
    );
}

#[test]
fn uses_with_many_candidates_are_listed() {
    check_impact(
        r#"
//- /stores.py
class A:
    def per$0sist(self):
        pass


class B:
    def persist(self):
        pass


class C:
    def persist(self):
        pass


class D:
    def persist(self):
        pass


def save(store):
    store.persist()
"#,
        expect![[r#"
            [] in 0 files
            stores.py:22:11 call persist in save, possible name_only
        "#]],
    );
}
