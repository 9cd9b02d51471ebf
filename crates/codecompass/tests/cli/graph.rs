//! `calls`, `trace` and `impact`: who reaches whom.

mod flows;
mod followed;
mod renames;

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::navigation::workspace;
use crate::{PROGRAM, check, check_json};

#[test]
fn calls_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["calls", "write"],
        expect![[r#"
            app/store.py:18-20  function  write
                def write(path, order)

            called by (1 call)
              app/store.py:11  in Store.save

            it calls nothing that is defined here

            calls outside: 1 built in

            calls, unresolved: file.write 20
        "#]],
    );
    check(
        &workspace,
        &["calls", "write", "--direction", "callers", "--depth", "5"],
        expect![[r#"
            app/store.py:18-20  function  write
                def write(path, order)

            called by (depth 1: 1 call; depth 2: 3 calls, 1 of them possible; depth 3: 1 call; depth 4: 1 call)
              app/store.py:11  in Store.save
                app/main.py:10  in submit
                  app/main.py:6  in main  entry point
                    app/main.py:14  at top level
                tests/test_store.py:5  in test_save  test
                app/main.py:11  in submit  possible: one of 2 candidates  (see above)
        "#]],
    );
    check(
        &workspace,
        &["calls", "Store.save", "-d", "callers", "--limit", "1"],
        expect![[r#"
            app/store.py:10-11  method  Store.save
                def save(self, order)
            of 5 occurrences of `save` 3 are this one, 1 may be, 1 is not (1 Base.save)

            called by (3 calls, 1 shown; --limit shows more)
              app/main.py:10  in submit
        "#]],
    );
    check(
        &workspace,
        &["calls", "Store.__init__"],
        expect![[r#"
            app/store.py:7-8  constructor  Store.__init__
                def __init__(self, path)

            called by (2 calls)
              app/main.py:5  in main  entry point
              tests/test_store.py:5  in test_save  test

            calls (1 call)
              app/store.py:14  clean  called on line 8
        "#]],
    );
    check(
        &workspace,
        &["calls", "app/main.py:4", "-d", "callees", "--depth", "3"],
        expect![[r#"
            app/main.py:4-6  function  main
                def main()

            calls (depth 1: 2 calls; depth 2: 5 calls, 2 of them possible; depth 3: 1 call)
              app/store.py:6  Store  called on line 5
                app/store.py:14  clean  called on line 8
              app/main.py:9  submit  called on line 6
                app/store.py:10  Store.save  called on line 10
                  app/store.py:18  write  called on line 11
                app/store.py:14  clean  called on line 10
                app/store.py:2  Base.save  called on line 11  possible: one of 2 candidates
                app/store.py:10  Store.save  called on line 11  possible: one of 2 candidates  (see above)
        "#]],
    );
}

#[test]
fn calls_as_json() {
    let workspace = workspace();
    check_json(
        &workspace,
        &["calls", "submit", "-d", "callers"],
        expect![[r#"
            {
              "edges": [
                {
                  "caller": "main",
                  "column": 5,
                  "confidence": "static",
                  "depth": 1,
                  "direction": "callers",
                  "evidence": "scope",
                  "from": "function main, app/main.py:4",
                  "kind": "call",
                  "line": 6,
                  "path": "app/main.py",
                  "to": "function submit, app/main.py:9"
                }
              ],
              "levels": [
                {
                  "depth": 1,
                  "direction": "callers",
                  "returned": 1,
                  "total": 1
                }
              ],
              "metadata": {
                "accounting": {
                  "definitions": 1,
                  "likely": 0,
                  "name": "submit",
                  "occurrences": 2,
                  "other": 0,
                  "possible": 0,
                  "static": 1,
                  "text": 0
                },
                "codecompass_protocol_version": "1.0",
                "other_uses": 0,
                "possible_calls": 0,
                "ref": "main",
                "returned": 1,
                "total_candidates": 1
              },
              "others": [],
              "symbol": "function submit, app/main.py:9"
            }
        "#]],
    );
}

#[test]
fn depths_of_calls_that_make_no_sense() {
    let workspace = workspace();
    check(
        &workspace,
        &["calls", "write", "--depth", "0"],
        expect![[r#"
        --- stderr
        error: invalid value '0' for '--depth <DEPTH>': 0 is not in 1..=10

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["calls", "write", "--depth", "11"],
        expect![[r#"
        --- stderr
        error: invalid value '11' for '--depth <DEPTH>': 11 is not in 1..=10

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
}

#[test]
fn trace_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["trace", "write"],
        expect![[r#"
        1 chain to write (app/store.py:18)

        1. 3 calls
           app/main.py:4  function  main  entry point
           > at app/main.py:6
           app/main.py:9  function  submit
           > at app/main.py:10
           app/store.py:10  method  Store.save
           > at app/store.py:11
           app/store.py:18  function  write
    "#]],
    );
    check(
        &workspace,
        &["trace", "--from", "main", "app/store.py:14"],
        expect![[r#"
        2 chains to clean (app/store.py:14)

        1. 2 calls
           app/main.py:4  function  main  entry point
           > at app/main.py:6
           app/main.py:9  function  submit
           > at app/main.py:10
           app/store.py:14  function  clean

        2. 2 calls
           app/main.py:4  function  main  entry point
           > at app/main.py:5
           app/store.py:7  constructor  Store.__init__
           > at app/store.py:8
           app/store.py:14  function  clean
    "#]],
    );
    check(
        &workspace,
        &["trace", "--from", "write", "main"],
        expect![[r#"
            no chain of at most 10 calls from write (app/store.py:18) to main (app/main.py:4) was found
            reached: 0 functions from write, all there are; 1 on the way to main, all there are
            no caller was found of: top level of app/main.py
            --- exit code 1
        "#]],
    );
}

#[test]
fn trace_as_json() {
    let workspace = workspace();
    check_json(
        &workspace,
        &["trace", "--from", "main", "submit"],
        expect![[r#"
            {
              "from": "function main, app/main.py:4",
              "from_others": [],
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "expanded_symbols": 1,
                "ref": "main",
                "returned": 1
              },
              "paths": [
                {
                  "confidence": "static",
                  "edges": [
                    {
                      "column": 5,
                      "confidence": "static",
                      "evidence": "scope",
                      "from": "function main, app/main.py:4",
                      "kind": "call",
                      "line": 6,
                      "path": "app/main.py",
                      "to": "function submit, app/main.py:9"
                    }
                  ],
                  "length": 1,
                  "start": {
                    "kind": "function",
                    "line": 4,
                    "name": "main",
                    "path": "app/main.py",
                    "qualified_name": "main",
                    "role": "entry_point"
                  }
                }
              ],
              "to": "function submit, app/main.py:9",
              "to_others": []
            }
        "#]],
    );
}

#[test]
fn impact_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["impact", "write"],
        expect![[r#"
            app/store.py:18-20  function  write
                def write(path, order)
            may affect 3 symbols and 1 test in 3 files: 1 at depth 1, 2 at depth 2, 1 at depth 3

            entry points (with their depth)
              3  app/main.py:4  function  main  entry point  uses submit on line 6

            code (with their depth)
              1  app/store.py:10  method  Store.save  uses write on line 11
              2  app/main.py:9  function  submit  uses Store.save on line 10

            tests (with their depth)
              2  tests/test_store.py:4  function  test_save  test  uses Store.save on line 5

            files
              app/main.py  2
              app/store.py  1
              tests/test_store.py  1
        "#]],
    );
    check(
        &workspace,
        &["impact", "app/other.py:1"],
        expect![[r#"
            app/other.py:1-2  function  clean
                def clean(text)
            nothing that uses it was found
            of 5 occurrences of `clean` 1 is this one, 4 are not
            --- exit code 1
        "#]],
    );
}

#[test]
fn impact_as_json() {
    let workspace = workspace();
    check_json(
        &workspace,
        &["impact", "write", "--depth", "1"],
        expect![[r#"
            {
              "affected_entry_points": [],
              "affected_files": [
                {
                  "affected": 1,
                  "path": "app/store.py"
                }
              ],
              "affected_symbols": [
                {
                  "confidence": "static",
                  "depth": 1,
                  "evidence": "scope",
                  "kind": "method",
                  "line": 10,
                  "name": "save",
                  "path": "app/store.py",
                  "qualified_name": "Store.save",
                  "use_kind": "call",
                  "use_line": 11,
                  "uses": {
                    "line": 18,
                    "path": "app/store.py",
                    "qualified_name": "write"
                  }
                }
              ],
              "affected_tests": [],
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
                "affected_entry_points": 0,
                "affected_symbols": 1,
                "affected_tests": 0,
                "codecompass_protocol_version": "1.0",
                "per_depth": [
                  1
                ],
                "ref": "main",
                "returned": 1,
                "total_candidates": 1
              },
              "others": [],
              "symbol": "function write, app/store.py:18"
            }
        "#]],
    );
}

#[test]
fn impact_of_nothing_or_of_two_things() {
    let workspace = workspace();
    check(
        &workspace,
        &["impact"],
        expect![[r#"
        --- stderr
        error: the following required arguments were not provided:
          <SYMBOL|--diff [<BASE>]>

        Usage: codecompass impact <SYMBOL|--diff [<BASE>]>

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["impact", "write", "--diff", "main"],
        expect![[r#"
            --- stderr
            error: the argument '[SYMBOL]...' cannot be used with '--diff [<BASE>]'

            Usage: codecompass impact <SYMBOL|--diff [<BASE>]>

            For more information, try '--help'.
            --- exit code 2
        "#]],
    );
}

#[test]
fn impact_of_a_diff() {
    let workspace = workspace();
    workspace.commit("one");
    let text = std::fs::read_to_string(workspace.root().join("app/store.py")).unwrap();
    let text = text.replace("def write(path, order):\n", "def write(path, order, mode=None):\n");
    let text = text.replace("def clean(path):\n    return path.strip()\n\n\n", "");
    workspace.write("app/store.py", &text);
    check(
        &workspace,
        &["impact", "--diff"],
        expect![[r#"
            2 changed symbols since main (e0120d1c60)
              app/store.py:14  clean
              app/store.py:14  write
            may affect 5 symbols and 1 test in 3 files: 3 at depth 1, 2 at depth 2, 1 at depth 3

            entry points (with their depth)
              2  app/main.py:4  function  main  entry point  uses submit on line 6

            code (with their depth)
              1  app/main.py:9  function  submit  used clean, which is gone
              1  app/store.py:7  constructor  Store.__init__  used clean, which is gone
              1  app/store.py:10  method  Store.save  uses write on line 11
              3  app/main.py:1  file  top level  uses main on line 14

            tests (with their depth)
              2  tests/test_store.py:4  function  test_save  test  uses Store.__init__ on line 5

            files
              app/main.py  3
              app/store.py  2
              tests/test_store.py  1
        "#]],
    );
    check(
        &workspace,
        &["diff", "--impact"],
        expect![[r#"
        main since main (e0120d1c60)
        1 file; symbols: 0 added, 1 modified, 1 deleted, 0 moved or renamed

        app/store.py  modified
            14 - function  clean
            14 ~ function  write
                 - def write(path, order)
                 + def write(path, order, mode=None)

        affected callers (3)
          1  app/main.py:9  function  submit  used clean, which is gone
          1  app/store.py:7  constructor  Store.__init__  used clean, which is gone
          1  app/store.py:10  method  Store.save  uses write on line 11

        affected tests (1)
          2  tests/test_store.py:4  function  test_save  test  uses Store.__init__ on line 5
    "#]],
    );
    let json = workspace.run(PROGRAM, &["diff", "--impact", "--json"]).found();
    let value: Value = serde_json::from_str(&json).unwrap();
    let names = |key: &str| -> Vec<String> {
        let list = value[key].as_array().unwrap().iter();
        list.map(|item| item["qualified_name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names("affected_callers"), ["submit", "Store.__init__", "Store.save"]);
    assert_eq!(names("affected_tests"), ["test_save"]);
    let plain: Value = serde_json::from_str(&workspace.run(PROGRAM, &["diff", "--json"]).found()).unwrap();
    assert_eq!(plain.get("affected_callers"), None, "only when asked for");
}

#[test]
fn calls_at_another_ref() {
    let workspace = workspace();
    workspace.commit("one");
    workspace.write("app/main.py", "print(1)\n");
    check(
        &workspace,
        &["calls", "Store.save", "-d", "callers"],
        expect![[r#"
            app/store.py:10-11  method  Store.save
                def save(self, order)

            called by (1 call)
              tests/test_store.py:5  in test_save  test
        "#]],
    );
    check(
        &workspace,
        &["calls", "Store.save", "-d", "callers", "--ref", "HEAD~0"],
        expect![[r#"
            app/store.py:10-11  method  Store.save
                def save(self, order)
            of 5 occurrences of `save` 3 are this one, 1 may be, 1 is not (1 Base.save)

            called by (3 calls, 1 of them possible)
              app/main.py:10  in submit
              tests/test_store.py:5  in test_save  test
              app/main.py:11  in submit  possible: one of 2 candidates
        "#]],
    );
}

#[test]
fn hubs_are_named_and_further_calls_are_counted() {
    let users: String = (0..101).map(|number| format!("def use_{number}():\n    hub()\n\n\n")).collect();
    let workspace = TestWorkspace::plain(&format!(
        "//- /a.py\ndef target():\n    pass\n\n\ndef hub():\n    target()\n    target()\n\n\n{users}"
    ));
    check(
        &workspace,
        &["calls", "target", "--direction", "callers", "--depth", "3"],
        expect![[r#"
            a.py:1-2  function  target
                def target()

            called by (2 calls)
              a.py:6,7  in hub

            not followed, each with more than 100 calls; `codecompass calls` of a.py:5 lists those of the first:
              a.py:5  function  hub
        "#]],
    );
    check(
        &workspace,
        &["trace", "--from", "hub", "target"],
        expect![[r#"
            1 chain to target (a.py:1)

            1. 1 call
               a.py:5  function  hub
               > at a.py:6  +1 more
               a.py:1  function  target
        "#]],
    );
}
