//! `--project`, counts by project, and `deps --projects`.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use super::shop;
use crate::{PROGRAM, check, check_json};

#[test]
fn questions_about_one_project() {
    let shop = shop();
    check(
        &shop,
        &["refs", "loadOrder", "--project", "@shop/jobs"],
        expect![[r#"
            packages/core/src/orders.js:2  function  loadOrder
                export function loadOrder(id)
            2 of 2 uses proven, in 1 file (1 call, 1 import); 4 left out by --project

            packages/jobs/src/nightly.js
                 1:10  import   at top level  import { loadOrder } from '../../core/src/orders.js';
                 2:26  call     in main  export function main() { loadOrder(2); }

            left out:

            packages/core/test/orders.test.js
                 1:10  import   at top level  import { loadOrder } from '../src/orders.js';
                 2:23  call     at top level  test('loads', () => { loadOrder(1); });

            packages/web/src/server.js
                 2:10  import   at top level  import { loadOrder, Order } from '../../core/src/orders.js';
                 6:50  call     in show  export function show(request, response) { return loadOrder(request.id); }
        "#]],
    );
    check(
        &shop,
        &["calls", "loadOrder", "--direction", "callers", "--project", "web"],
        expect![[r#"
            packages/core/src/orders.js:2  function  loadOrder
                export function loadOrder(id)

            called by (1 call)
              packages/web/src/server.js:6  in show

            2 left out by --project
              packages/core/test/orders.test.js:2  packages/core/test/orders.test.js > loadOrder
              packages/jobs/src/nightly.js:2  main > loadOrder
        "#]],
    );
    check(
        &shop,
        &["impact", "loadOrder", "--project", "packages/jobs"],
        expect![[r#"
            packages/core/src/orders.js:2  function  loadOrder
                export function loadOrder(id)
            may affect 2 symbols and 0 tests in 1 file: 1 at depth 1, 1 at depth 2
            3 left out by --project
              1  packages/core/test/orders.test.js:1  file  top level  in tests  uses loadOrder on line 2
              1  packages/web/src/server.js:6  function  show  handler  uses loadOrder on line 6
              2  packages/web/src/server.js:1  file  top level  uses show on line 4

            entry points (with their depth)
              1  packages/jobs/src/nightly.js:2  function  main  entry point  uses loadOrder on line 2

            code (with their depth)
              2  packages/jobs/src/nightly.js:1  file  top level  uses main on line 3
        "#]],
    );
    check(
        &shop,
        &["hierarchy", "Order", "--project", "@shop/core"],
        expect![[r#"
            packages/core/src/orders.js:1  class  Order
                export class Order

            1 left out by --project
            nothing that fits
            --- exit code 1
        "#]],
    );
    check(
        &shop,
        &["search", "loadOrder", "--project", "@shop/core", "--detail", "location"],
        expect![[r#"
        packages/core/src/orders.js:2  function  loadOrder
        packages/core/test/orders.test.js:1-2  text
        packages/core/src/orders.js:1  class  Order
    "#]],
    );
    check(
        &shop,
        &["grep", "loadOrder", "--project", "web", "--project", "jobs", "-l"],
        expect![[r#"
            4 matches in 2 of 4 files

            packages/jobs/src/nightly.js
            packages/web/src/server.js
        "#]],
    );
    check(
        &shop,
        &["symbols", "--project", "shop"],
        expect![[r#"
        no definition fits
        --- exit code 1
    "#]],
    );
    check(
        &shop,
        &["locate", "show", "--project", "@shop/core"],
        expect![[r#"
        no symbol like `show`; `codecompass search show` finds code by what it does, `codecompass grep -F show` by its text
        --- exit code 1
    "#]],
    );
    check(
        &shop,
        &["endpoints", "--project", "web"],
        expect![[r#"
        1 endpoint (Express 1)
        packages/web/src/server.js
             4  GET  /orders/{id}  show :6
    "#]],
    );
    check(
        &shop,
        &["endpoints", "--project", "core"],
        expect![[r#"
        0 of 1 endpoint (Express 1)
        --- exit code 1
    "#]],
    );
    check(
        &shop,
        &["deps", "--project", "@shop/core", "--reverse"],
        expect![[r#"
        packages/core/
        imported by 2 files
          packages/jobs/src/nightly.js:1  -> packages/core/src/orders.js  loadOrder
          packages/web/src/server.js:2  -> packages/core/src/orders.js  loadOrder, Order
        1 import within the folder not listed
    "#]],
    );
    check(
        &shop,
        &["history", "--project", "@shop/core"],
        expect![[r#"
        1 commit found in 1 commit of main

        a010a2cc8c 2026-01-01 Test  first
          A packages/core/package.json  A packages/core/src/orders.js  A packages/core/test/orders.test.js
    "#]],
    );
    check(
        &shop,
        &["history", "--project", "shop"],
        expect![[r#"
        1 commit found in 1 commit of main

        a010a2cc8c 2026-01-01 Test  first
          A examples/demo/package.json  A package.json  A packages/broken/package.json
    "#]],
    );
    check(
        &shop,
        &["trace", "loadOrder", "--project", "jobs"],
        expect![[r#"
        1 chain to loadOrder (packages/core/src/orders.js:2)

        1. 1 call
           packages/jobs/src/nightly.js:2  function  main  entry point
           > at packages/jobs/src/nightly.js:2
           packages/core/src/orders.js:2  function  loadOrder
    "#]],
    );
    check(
        &shop,
        &["trace", "loadOrder", "--project", "jobs", "--from", "main"],
        expect![[r#"
        --- stderr
        error: a start and a project to start in exclude each other
        help: give one of them
        --- exit code 2
    "#]],
    );
}

#[test]
fn unknown_projects_are_named_with_others() {
    let shop = shop();
    check(
        &shop,
        &["refs", "loadOrder", "--project", "@shop/jbos"],
        expect![[r#"
        --- stderr
        error: no project `@shop/jbos`
        help: did you mean `@shop/jobs`, `shop`? `codecompass projects` lists all
        --- exit code 2
    "#]],
    );
    check(
        &shop,
        &["search", "order", "--project", "payments"],
        expect![[r#"
            --- stderr
            error: no project `payments`
            help: there are `shop`, `@shop/web`, `@shop/core`, `@shop/jobs`; `codecompass projects` lists all
            --- exit code 2
        "#]],
    );
    check(
        &TestWorkspace::git("//- /a.py\nx = 1\n"),
        &["grep", "x", "--project", "core"],
        expect![[r#"
        --- stderr
        error: no project `core`
        help: no manifest of a project was found; `codecompass projects` says what was read, --path takes folders
        --- exit code 2
    "#]],
    );
    let twins = "//- /a/core/Cargo.toml\n[package]\nname = \"one:core\"\n//- /b/core/Cargo.toml\n[package]\nname = \"two:core\"\n";
    check(
        &TestWorkspace::git(twins),
        &["grep", "x", "--project", "core"],
        expect![[r#"
        --- stderr
        error: 2 projects have a name that ends with `core`
        help: give the whole name or the folder of one: `one:core`, `two:core`; `codecompass projects` lists all
        --- exit code 2
    "#]],
    );
}

#[test]
fn results_in_several_projects_are_counted() {
    let shop = shop();
    check(
        &shop,
        &["refs", "loadOrder"],
        expect![[r#"
            packages/core/src/orders.js:2  function  loadOrder
                export function loadOrder(id)
            6 of 6 uses proven, in 3 files of 3 projects (@shop/core 2, @shop/jobs 2, @shop/web 2) (3 call, 3 import)

            packages/jobs/src/nightly.js
                 1:10  import   at top level  import { loadOrder } from '../../core/src/orders.js';
                 2:26  call     in main  export function main() { loadOrder(2); }

            packages/web/src/server.js
                 2:10  import   at top level  import { loadOrder, Order } from '../../core/src/orders.js';
                 6:50  call     in show  export function show(request, response) { return loadOrder(request.id); }

            packages/core/test/orders.test.js
                 1:10  import   at top level  import { loadOrder } from '../src/orders.js';
                 2:23  call     at top level  test('loads', () => { loadOrder(1); });
        "#]],
    );
    check(
        &shop,
        &["impact", "loadOrder"],
        expect![[r#"
            packages/core/src/orders.js:2  function  loadOrder
                export function loadOrder(id)
            may affect 4 symbols and 1 test in 3 files of 3 projects (@shop/jobs 2, @shop/web 2, @shop/core 1): 3 at depth 1, 2 at depth 2
            answers 1 endpoint: GET /orders/{id}

            entry points (with their depth)
              1  packages/jobs/src/nightly.js:2  function  main  entry point  uses loadOrder on line 2
              1  packages/web/src/server.js:6  function  show  handler  uses loadOrder on line 6

            code (with their depth)
              2  packages/jobs/src/nightly.js:1  file  top level  uses main on line 3
              2  packages/web/src/server.js:1  file  top level  uses show on line 4

            tests (with their depth)
              1  packages/core/test/orders.test.js:1  file  top level  in tests  uses loadOrder on line 2

            files
              packages/jobs/src/nightly.js  2
              packages/web/src/server.js  2
              packages/core/test/orders.test.js  1
        "#]],
    );
    check(
        &shop,
        &["calls", "loadOrder", "--direction", "callers"],
        expect![[r#"
            packages/core/src/orders.js:2  function  loadOrder
                export function loadOrder(id)
            listed calls are in 3 projects (@shop/core 1, @shop/jobs 1, @shop/web 1)

            called by (3 calls)
              packages/jobs/src/nightly.js:2  in main  entry point
              packages/web/src/server.js:6  in show
              packages/core/test/orders.test.js:2  at top level  in tests
        "#]],
    );
    let found = shop.run(PROGRAM, &["search", "loadOrder", "--json"]).found();
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["metadata"]["by_project"][0]["project"], "@shop/core", "{found}");
}

#[test]
fn imports_between_projects() {
    let shop = shop();
    check(
        &shop,
        &["deps", "--projects"],
        expect![[r#"
        2 edges between projects; 1 that no manifest declares
        @shop/jobs
          -> @shop/core  imported by 1 file, first packages/jobs/src/nightly.js:1  not declared
        @shop/web
          -> @shop/core  imported by 1 file, first packages/web/src/server.js:2  declared packages/web/package.json:4
    "#]],
    );
    check(
        &shop,
        &["deps", "--projects", "--project", "core"],
        expect![[r#"
        no project imports another or declares that it depends on it
        --- exit code 1
    "#]],
    );
    check_json(
        &shop,
        &["deps", "--projects", "--project", "@shop/core", "--reverse", "--limit", "1"],
        expect![[r#"
        {
          "cycles": [],
          "direction": "importers",
          "edges": [],
          "is_folder": false,
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "next_offset": 1,
            "ref": "main",
            "remaining_candidates": 1,
            "result_completeness": "truncated",
            "returned": 1,
            "suggestion": "go on with offset 1, raise the limit, or narrow the question",
            "total_candidates": 2
          },
          "others": [],
          "package": null,
          "path": null,
          "project_edges": [
            {
              "declared": null,
              "files": 1,
              "first": {
                "line": 1,
                "path": "packages/jobs/src/nightly.js"
              },
              "from": "@shop/jobs",
              "to": "@shop/core"
            }
          ],
          "totals": {
            "cycles": 0,
            "edges": 2,
            "external": 0,
            "files": 0,
            "inside": 0,
            "knots": [],
            "unresolved": 0
          }
        }
    "#]],
    );
    check(
        &shop,
        &["deps", "--reverse"],
        expect![[r#"
        --- stderr
        error: importers and imports of imports are those of something
        help: give a file, a folder, a module or a project
        --- exit code 2
    "#]],
    );
    check(
        &shop,
        &["deps", "packages/core", "--project", "web"],
        expect![[r#"
        --- stderr
        error: a path and projects exclude each other
        help: give one of them
        --- exit code 2
    "#]],
    );
}
