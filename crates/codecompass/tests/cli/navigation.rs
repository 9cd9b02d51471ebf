//! `refs` and `locate --at`: from uses to definitions and back. The project is shared with
//! `graph.rs`.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{check, check_every_field, check_json};

const FIXTURE: &str = r#"
//- /app/store.py
class Base:
    def save(self, order):
        raise NotImplementedError


class Store(Base):
    def __init__(self, path):
        self.path = clean(path)

    def save(self, order):
        return write(self.path, order)


def clean(path):
    return path.strip()


def write(path, order):
    with open(path) as file:
        file.write(order)
//- /app/main.py
from app.store import Store, clean


def main():
    store = Store("orders")
    submit(store, "book")


def submit(store: Store, order):
    store.save(clean(order))
    unknown(order).save(order)


main()
//- /app/other.py
def clean(text):
    return text
//- /tests/test_store.py
from app.store import Store


def test_save():
    Store("x").save("y")
"#;

pub(crate) fn workspace() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn refs_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["refs", "Store"],
        expect![[r#"
            app/store.py:6-11  class  Store
                class Store(Base)
            5 of 5 uses proven, in 2 files (2 call, 1 type, 2 import)

            app/main.py
                 1:23  import   at top level  from app.store import Store, clean
                 5:13  call     in main  store = Store("orders")
                 9:19  type     in submit  def submit(store: Store, order):

            tests/test_store.py
                 1:23  import   at top level  from app.store import Store
                  5:5  call     in test_save  Store("x").save("y")
        "#]],
    );
    check(
        &workspace,
        &["refs", "clean"],
        expect![[r#"
            2 definitions of `clean`:
                3 uses  app/store.py:14  function  clean
                0 uses  app/other.py:1  function  clean
            3 of 3 uses proven, in 2 files (2 call, 1 import)

            of clean (app/store.py:14)

            app/main.py
                 1:30  import   at top level  from app.store import Store, clean
                10:16  call     in submit  store.save(clean(order))

            app/store.py
                 8:21  call     in Store.__init__  self.path = clean(path)
        "#]],
    );
    check(
        &workspace,
        &["refs", "Store", "--kind", "call", "--tests", "exclude"],
        expect![[r#"
            app/store.py:6-11  class  Store
                class Store(Base)
            1 of 1 use proven, in 1 file (call); 4 left out: 3 by --kind, 1 by --tests

            app/main.py
                 5:13  call     in main  store = Store("orders")

            left out:

            app/main.py
                 1:23  import   at top level  from app.store import Store, clean
                 9:19  type     in submit  def submit(store: Store, order):

            tests/test_store.py
                 1:23  import   at top level  from app.store import Store
                  5:5  call     in test_save  Store("x").save("y")
        "#]],
    );
    check(
        &workspace,
        &["refs", "Store", "--limit", "1", "--path", "app"],
        expect![[r#"
            app/store.py:6-11  class  Store
                class Store(Base)
            3 of 3 uses proven, in 1 file (1 call, 1 type, 1 import); 2 left out by --path

            app/main.py
                 1:23  import   at top level  from app.store import Store, clean

            left out:

            tests/test_store.py
                 1:23  import   at top level  from app.store import Store
                  5:5  call     in test_save  Store("x").save("y")

            not listed: 2 static; --limit and --offset show them, --path, --kind, --tests and --confidence narrow
        "#]],
    );
    check(
        &workspace,
        &["refs", "app/other.py:1"],
        expect![[r#"
            app/other.py:1-2  function  clean
                def clean(text)
            no use of it was found
            of 5 occurrences of `clean` 1 is this one, 4 are not
            --- exit code 1
        "#]],
    );
}

#[test]
fn refs_as_json() {
    let workspace = workspace();
    check_every_field(
        &workspace,
        &["refs", "write"],
        expect![[r#"
            {
              "metadata": {
                "accounting": {
                  "definitions": 1,
                  "likely": 0,
                  "name": "write",
                  "occurrences": 3,
                  "other": 1,
                  "possible": 0,
                  "static": 1,
                  "text": 0
                },
                "by_class": {
                  "likely": 0,
                  "possible": 0,
                  "static": 1
                },
                "by_kind": {
                  "call": 1
                },
                "codecompass_protocol_version": "1.0",
                "files": 1,
                "left_out_by_filters": 0,
                "ref": "main",
                "returned": 1,
                "total_candidates": 1
              },
              "others": [],
              "references": [
                {
                  "column": 16,
                  "confidence": "static",
                  "enclosing": {
                    "kind": "method",
                    "line": 10,
                    "name": "save",
                    "qualified_name": "Store.save"
                  },
                  "evidence": "scope",
                  "kind": "call",
                  "line": 11,
                  "name": "write",
                  "path": "app/store.py"
                }
              ],
              "symbol": {
                "kind": "function",
                "language": "python",
                "line": 18,
                "line_end": 20,
                "line_start": 18,
                "name": "write",
                "path": "app/store.py",
                "qualified_name": "write",
                "signature": "def write(path, order)",
                "symbol_id": "6b1804fdbcb5.7",
                "symbol_stable_id": "f2204f8247a41528",
                "visibility": "public"
              },
              "total": 1
            }
        "#]],
    );
}

#[test]
fn places_and_kinds_without_refs() {
    let workspace = workspace();
    check(
        &workspace,
        &["refs", "app/store.py:15:17"],
        expect![[r#"
            --- stderr
            error: it is not known what `strip` means at app/store.py:15:17
            help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
            --- exit code 2
        "#]],
    );
    check(
        &workspace,
        &["refs", "app/main.py:10:5"],
        expect![[r#"
            --- stderr
            error: no name that leads to a definition stands at app/main.py:10:5
            help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
            --- exit code 2
        "#]],
    );
    check(
        &workspace,
        &["refs", "Store", "--kind", "verb"],
        expect![[r#"
            --- stderr
            error: invalid value 'verb' for '--kind <KIND>'
              [possible values: call, type, inherit, import, write, read, address, declaration]

            For more information, try '--help'.
            --- exit code 2
        "#]],
    );
}

#[test]
fn locate_at_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["locate", "--at", "app/main.py:5:13"],
        expect![[r#"
            `Store` means, static by import:
            app/store.py:6-11  class  Store
                class Store(Base)
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "app/main.py:10:11"],
        expect![[r#"
                `save` means, static by receiver type:
                app/store.py:10-11  method  Store.save
                    def save(self, order)
            "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "app/main.py:9:5"],
        expect![[r#"
            `submit` is defined right here:
            app/main.py:9-11  function  submit
                def submit(store: Store, order)
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "app/main.py:10:5"],
        expect![[r#"
            `store` is local to function submit, bound at app/main.py:9, declared as `Store`
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "app/main.py:8:5"],
        expect![[r#"
            no name stands at app/main.py:8:5
            --- exit code 1
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "app/store.py:19:10"],
        expect![[r#"
            `open` at app/store.py:19:10 is defined outside of the repository
            --- exit code 1
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "app/gone.py:3:1"],
        expect![[r#"
            --- stderr
            error: no indexed file app/gone.py
            help: give a path below the workspace root; `codecompass index --show-ignored` lists what is skipped, and why
            --- exit code 2
        "#]],
    );
}

#[test]
fn locate_at_as_json() {
    let workspace = workspace();
    check_json(
        &workspace,
        &["locate", "--at", "app/main.py:10:11"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "meaning": "found",
                "name": "save",
                "ref": "main",
                "returned": 1,
                "total_candidates": 1
              },
              "results": [
                {
                  "confidence": "static",
                  "evidence": "receiver_type",
                  "kind": "method",
                  "language": "python",
                  "line": 10,
                  "line_end": 11,
                  "line_start": 10,
                  "name": "save",
                  "path": "app/store.py",
                  "qualified_name": "Store.save",
                  "signature": "def save(self, order)",
                  "symbol_id": "6b1804fdbcb5.5",
                  "symbol_stable_id": "569adfef122408bb",
                  "visibility": "public"
                }
              ]
            }
        "#]],
    );
    check_json(
        &workspace,
        &["locate", "--at", "app/main.py:10:5"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "meaning": "local",
                "name": "store",
                "ref": "main",
                "returned": 1,
                "total_candidates": 1
              },
              "results": [
                {
                  "declared_type": "Store",
                  "enclosing": {
                    "kind": "function",
                    "line": 9,
                    "name": "submit",
                    "qualified_name": "submit"
                  },
                  "kind": "local",
                  "line": 9,
                  "line_end": 9,
                  "line_start": 9,
                  "name": "store",
                  "path": "app/main.py"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn locate_without_or_with_two_questions() {
    let workspace = workspace();
    check(
        &workspace,
        &["locate"],
        expect![[r#"
            --- stderr
            error: the following required arguments were not provided:
              <SYMBOL>...

            Usage: codecompass locate <SYMBOL>...

            For more information, try '--help'.
            --- exit code 2
        "#]],
    );
    check(
        &workspace,
        &["locate", "Store", "--at", "app/main.py:9:5"],
        expect![[r#"
            --- stderr
            error: the argument '[SYMBOL]...' cannot be used with '--at <PATH:LINE:COLUMN>'

            Usage: codecompass locate <SYMBOL>...

            For more information, try '--help'.
            --- exit code 2
        "#]],
    );
}

#[test]
fn ambiguous_uses() {
    let workspace = TestWorkspace::plain(
        "//- /a.py\nclass A:\n    def draw(self):\n        pass\n\
         //- /b.py\nclass B:\n    def draw(self):\n        pass\n\
         //- /c/use.py\ndef go(thing):\n    thing.draw()\n",
    );
    check(
        &workspace,
        &["refs", "A.draw"],
        expect![[r#"
            a.py:2-3  method  A.draw
                def draw(self)
            1 use in 1 file: 1 possible (call)
            of 3 occurrences of `draw` 1 is this one, 1 may be, 1 is not (1 B.draw)

            c/use.py
                 2:11  call     in go  thing.draw()  possible
        "#]],
    );
    check(
        &workspace,
        &["refs", "A.draw", "--confidence", "likely"],
        expect![[r#"
            a.py:2-3  method  A.draw
                def draw(self)
            no use that fits; 1 left out by --confidence
            of 3 occurrences of `draw` 1 is this one, 1 may be, 1 is not (1 B.draw)

            left out:

            c/use.py
                 2:11  call     in go  thing.draw()  possible
            --- exit code 1
        "#]],
    );
    check(
        &workspace,
        &["locate", "--at", "c/use.py:2:11"],
        expect![[r#"
        `draw` is ambiguous: one of 2, likeliest first, and nothing tells which:
        a.py:2-3  method  A.draw
            def draw(self)
        b.py:2-3  method  B.draw
            def draw(self)
    "#]],
    );
    check(
        &workspace,
        &["refs", "c/use.py:2:11"],
        expect![[r#"
        --- stderr
        error: `draw` may mean 2 definitions, and nothing tells which
        help: name one of them by its place: a.py:2, b.py:2
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["calls", "A.draw"],
        expect![[r#"
            a.py:2-3  method  A.draw
                def draw(self)
            of 3 occurrences of `draw` 1 is this one, 1 may be, 1 is not (1 B.draw)

            called by (1 call, none proven)
              c/use.py:2  in go  possible: one of 2 candidates

            it calls nothing that is defined here
        "#]],
    );
}

const CALLBACKS: &str = r#"
//- /app/agent.py
from app.store import save


class Agent:
    def request(self, deferred):
        print("request")
        len("request")
        deferred.add(
            self.ready,
        )

    def ready(self):
        save(str(1))
//- /app/store.py
def save(text):
    pass
//- /tests/test_store.py
from app.store import save


def test_save():
    save("x")
"#;

#[test]
fn code_that_passes_a_function_on() {
    let workspace = TestWorkspace::plain(CALLBACKS);
    check(
        &workspace,
        &["calls", "save", "--direction", "callers", "--depth", "2"],
        expect![[r#"
            app/store.py:1-2  function  save
                def save(text)

            called by (depth 1: 2 calls; depth 2: 1 use)
              app/agent.py:13  in Agent.ready
                app/agent.py:9  in Agent.request  likely: passes it on, enclosing type
              tests/test_store.py:5  in test_save  test
        "#]],
    );
    check(
        &workspace,
        &["calls", "Agent.request", "--to", "save"],
        expect![[r#"
        1 chain from Agent.request (app/agent.py:5) to save (app/store.py:1)

        1. 2 steps, likely
           app/agent.py:5  method  Agent.request
           > at app/agent.py:9  likely: passes it on, enclosing type
           app/agent.py:12  method  Agent.ready
           > at app/agent.py:13
           app/store.py:1  function  save
    "#]],
    );
    check(
        &workspace,
        &["calls", "Agent.request", "--direction", "callees"],
        expect![[r#"
        app/agent.py:5-10  method  Agent.request
            def request(self, deferred)

        it calls nothing that is defined here

        calls outside: 2 built in

        calls, unresolved: deferred.add 8
    "#]],
    );
    check(
        &workspace,
        &["refs", "Agent.ready"],
        expect![[r#"
            app/agent.py:12-13  method  Agent.ready
                def ready(self)
            1 of 1 use proven, in 1 file (read)

            app/agent.py
                 9:18  read     in Agent.request  8: deferred.add( … self.ready,
        "#]],
    );
}

#[test]
fn filters_tell_what_each_leaves_out() {
    let workspace = TestWorkspace::plain(CALLBACKS);
    let args = ["refs", "save", "--kind", "call", "--tests", "exclude", "--path", "app"];
    check(
        &workspace,
        &args,
        expect![[r#"
            app/store.py:1-2  function  save
                def save(text)
            1 of 1 use proven, in 1 file (call); 3 left out: 2 by --kind, 1 by --tests

            app/agent.py
                 13:9  call     in Agent.ready  save(str(1))

            left out:

            app/agent.py
                 1:23  import   at top level  from app.store import save

            tests/test_store.py
                 1:23  import   at top level  from app.store import save
                  5:5  call     in test_save  save("x")
        "#]],
    );
    check(
        &workspace,
        &["calls", "save", "--direction", "callers", "--tests", "exclude"],
        expect![[r#"
            app/store.py:1-2  function  save
                def save(text)

            called by (1 call)
              app/agent.py:13  in Agent.ready

            1 left out by --tests
              tests/test_store.py:5  test_save > save
        "#]],
    );
}
