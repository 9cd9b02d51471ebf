//! `projects`, `--project`, `deps --projects` and `overview`.

use std::fmt::Write as _;

use codecompass_engine::query::estimate_tokens;
use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{PROGRAM, check, check_json};

const FIXTURE: &str = r#"
//- /package.json
{ "name": "shop", "private": true, "workspaces": ["packages/*", "gone"] }
//- /packages/core/package.json
{ "name": "@shop/core" }
//- /packages/core/src/orders.js
export class Order {}
export function loadOrder(id) { return new Order(); }
//- /packages/core/test/orders.test.js
import { loadOrder } from '../src/orders.js';
test('loads', () => { loadOrder(1); });
//- /packages/web/package.json
{
  "name": "@shop/web",
  "dependencies": {
    "@shop/core": "workspace:*",
    "express": "^4.0.0"
  }
}
//- /packages/web/src/server.js
import express from 'express';
import { loadOrder, Order } from '../../core/src/orders.js';
const app = express();
app.get('/orders/:id', show);
export class WebOrder extends Order {}
export function show(request, response) { return loadOrder(request.id); }
//- /packages/jobs/package.json
{ "name": "@shop/jobs" }
//- /packages/jobs/src/nightly.js
import { loadOrder } from '../../core/src/orders.js';
export function main() { loadOrder(2); }
main();
//- /packages/broken/package.json
{ "name": "@shop/broken",
//- /examples/demo/package.json
{ "name": "demo" }
"#;

fn shop() -> TestWorkspace {
    TestWorkspace::git(FIXTURE)
}

#[test]
fn projects_as_text_and_json() {
    let shop = shop();
    check(
        &shop,
        &["projects"],
        expect![[r#"
        4 projects (npm 4), 1 dependency on another
        shop        npm  package.json:1  3 files, 4 symbols
        @shop/core  npm  packages/core/package.json:1  3 files, 3 symbols
        @shop/jobs  npm  packages/jobs/package.json:1  2 files, 2 symbols
        @shop/web   npm  packages/web/package.json:2  2 files, 7 symbols
            depends on @shop/core :4

        2 problems
          package.json:1 names `gone`, where no npm project is
          packages/broken/package.json:2 is not valid JSON: it ends too early
        left out, since tests or examples hold them and no workspace does: 1 manifest (examples/demo/package.json)
    "#]],
    );
    check(
        &shop,
        &["projects", "web", "--kind", "npm"],
        expect![[r#"
            1 of 4 projects (npm 1), 1 dependency on another
            @shop/web  npm  packages/web/package.json:2  2 files, 7 symbols
                depends on @shop/core :4
            2 problems in manifests; the whole list names them
        "#]],
    );
    check(
        &shop,
        &["projects", "nothing"],
        expect![[r#"
            0 of 4 projects
            2 problems in manifests; the whole list names them
            --- exit code 1
        "#]],
    );
    check(
        &shop,
        &["projects", "--kind", "make"],
        expect![[r#"
        --- stderr
        error: `make` is no kind of project; kinds are cargo, npm, go-module, pyproject, maven, gradle, dotnet, composer, mix
        help: see `codecompass help`
        --- exit code 2
    "#]],
    );
    check(
        &shop,
        &["projects", "--limit", "1"],
        expect![[r#"
        4 projects (npm 1)
        shop  npm  package.json:1  3 files, 4 symbols
        3 more; --limit shows them

        2 problems
          package.json:1 names `gone`, where no npm project is
          packages/broken/package.json:2 is not valid JSON: it ends too early
        left out, since tests or examples hold them and no workspace does: 1 manifest (examples/demo/package.json)
    "#]],
    );
    check_json(
        &shop,
        &["projects", "web"],
        expect![[r#"
        {
          "left_out": [
            "examples/demo/package.json"
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "ref": "main",
            "returned": 1,
            "total_candidates": 1
          },
          "problems": [
            {
              "line": 1,
              "path": "package.json",
              "reason": "names `gone`, where no npm project is"
            },
            {
              "line": 2,
              "path": "packages/broken/package.json",
              "reason": "is not valid JSON: it ends too early"
            }
          ],
          "projects": [
            {
              "dependencies": [
                {
                  "declared": {
                    "line": 4,
                    "path": "packages/web/package.json"
                  },
                  "folder": "packages/core",
                  "name": "@shop/core"
                }
              ],
              "files": 2,
              "folder": "packages/web",
              "kind": "npm",
              "manifest": {
                "line": 2,
                "path": "packages/web/package.json"
              },
              "name": "@shop/web",
              "symbols": 7,
              "workspace": "package.json"
            }
          ],
          "totals": {
            "all": 4,
            "dependencies": 1,
            "found": 1,
            "left_out": 1,
            "problems": 2
          }
        }
    "#]],
    );
    check(
        &TestWorkspace::git("//- /a.py\nx = 1\n"),
        &["projects"],
        expect![[r#"
        no manifest of a project was found
        --- exit code 1
    "#]],
    );
}

#[test]
fn projects_of_another_ref() {
    let shop = shop();
    shop.run_git(&["checkout", "--quiet", "-b", "more"]);
    shop.write("packages/more/package.json", "{ \"name\": \"@shop/more\" }\n");
    shop.write("packages/more/index.js", "export function fresh() {}\n");
    shop.commit("Add a package");
    shop.run_git(&["checkout", "--quiet", "main"]);
    check(
        &shop,
        &["projects", "more"],
        expect![[r#"
            0 of 4 projects
            2 problems in manifests; the whole list names them
            --- exit code 1
        "#]],
    );
    check(
        &shop,
        &["projects", "more", "--ref", "more"],
        expect![[r#"
            1 of 5 projects (npm 1)
            @shop/more  npm  packages/more/package.json:1  2 files, 2 symbols
            2 problems in manifests; the whole list names them
        "#]],
    );
    check(
        &shop,
        &["symbols", "--project", "@shop/more", "--ref", "more"],
        expect![[r#"
        1 definition in 1 file

        packages/more/index.js
              1  export function fresh()
    "#]],
    );
    check(
        &shop,
        &["diff", "main", "more", "--project", "more"],
        expect![[r#"
        more since main (a010a2cc8c)
        2 files; symbols: 1 added, 0 modified, 0 deleted, 0 moved or renamed

        packages/more/index.js  added
             1 + function  fresh

        packages/more/package.json  added
    "#]],
    );
    // A project that is gone is that of the base.
    check(
        &shop,
        &["diff", "more", "main", "--exact", "--project", "@shop/more"],
        expect![[r#"
        main since more (61c04e9b10)
        2 files; symbols: 0 added, 0 modified, 1 deleted, 0 moved or renamed

        packages/more/index.js  deleted
             1 - function  fresh

        packages/more/package.json  deleted
    "#]],
    );
}

#[test]
fn questions_about_one_project() {
    let shop = shop();
    check(
        &shop,
        &["refs", "loadOrder", "--project", "@shop/jobs"],
        expect![[r#"
        packages/core/src/orders.js:2  function  loadOrder
            export function loadOrder(id)
        2 uses in 1 file: 2 static (1 call, 1 import); 4 left out by --project
        `loadOrder` occurs 7 times in files of its language: 1 definition, 6 static

        packages/jobs/src/nightly.js
             1:10  import   at top level  import { loadOrder } from '../../core/src/orders.js';
             2:26  call     in main  export function main() { loadOrder(2); }
    "#]],
    );
    check(
        &shop,
        &["calls", "loadOrder", "--direction", "callers", "--project", "web"],
        expect![[r#"
        packages/core/src/orders.js:2  function  loadOrder
            export function loadOrder(id)
        `loadOrder` occurs 7 times in files of its language: 1 definition, 6 static

        called by (1 call)
          packages/web/src/server.js:6  in show

        2 left out by --project
    "#]],
    );
    check(
        &shop,
        &["impact", "loadOrder", "--project", "packages/jobs"],
        expect![[r#"
        packages/core/src/orders.js:2  function  loadOrder
            export function loadOrder(id)
        may affect 2 symbols and 0 tests in 1 file: 1 at depth 1, 1 at depth 2
        `loadOrder` occurs 7 times in files of its language: 1 definition, 6 static
        3 left out by --project

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
        `Order` occurs 4 times in files of its language: 1 definition, 3 static

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
        6 uses in 3 files of 3 projects (@shop/core 2, @shop/jobs 2, @shop/web 2): 6 static (3 call, 3 import); `loadOrder` occurs nowhere else

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
        `loadOrder` occurs 7 times in files of its language: 1 definition, 6 static

        entry points (with their depth)
          1  packages/jobs/src/nightly.js:2  function  main  entry point  uses loadOrder on line 2

        code (with their depth)
          1  packages/web/src/server.js:6  function  show  uses loadOrder on line 6
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
        `loadOrder` occurs 7 times in files of its language: 1 definition, 6 static
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

#[test]
fn a_repository_on_one_page() {
    let shop = shop();
    check(
        &shop,
        &["overview"],
        expect![[r#"
            workspace: 10 files, 25 lines, 16 symbols
            languages (files): JavaScript 4
            projects (4)
              @shop/core  npm  packages/core  used by 1
              shop  npm  .
              @shop/jobs  npm  packages/jobs
              @shop/web  npm  packages/web  depends on @shop/core
            entry points (1)
              packages/jobs/src/nightly.js:2  main
            most imported (by so many source files)
                  2  packages/core/src/orders.js
            endpoints (1): Express 1  `codecompass endpoints`
            tests: 1 file: packages/core 1
            most changed files are known once `codecompass history` has read the commits
        "#]],
    );
    // The commit table exists once a question about commits was asked.
    shop.run(PROGRAM, &["history", "--author", "nobody"]);
    check_json(
        &shop,
        &["overview"],
        expect![[r#"
            {
              "central": [
                {
                  "importers": 2,
                  "is_folder": false,
                  "path": "packages/core/src/orders.js"
                }
              ],
              "endpoints": {
                "frameworks": [
                  {
                    "endpoints": 1,
                    "framework": "Express"
                  }
                ],
                "total": 1
              },
              "entry_points": [
                {
                  "line": 2,
                  "name": "main",
                  "path": "packages/jobs/src/nightly.js"
                }
              ],
              "entry_points_total": 1,
              "files": 10,
              "hot_spots": {
                "changed": [
                  {
                    "count": 1,
                    "path": "examples/demo/package.json"
                  },
                  {
                    "count": 1,
                    "path": "package.json"
                  },
                  {
                    "count": 1,
                    "path": "packages/broken/package.json"
                  },
                  {
                    "count": 1,
                    "path": "packages/core/package.json"
                  },
                  {
                    "count": 1,
                    "path": "packages/core/src/orders.js"
                  },
                  {
                    "count": 1,
                    "path": "packages/core/test/orders.test.js"
                  },
                  {
                    "count": 1,
                    "path": "packages/jobs/package.json"
                  },
                  {
                    "count": 1,
                    "path": "packages/jobs/src/nightly.js"
                  },
                  {
                    "count": 1,
                    "path": "packages/web/package.json"
                  },
                  {
                    "count": 1,
                    "path": "packages/web/src/server.js"
                  }
                ],
                "commits": 1
              },
              "languages": [
                {
                  "files": 4,
                  "is_code": true,
                  "language": "JavaScript",
                  "lines": 13,
                  "symbols": 6
                },
                {
                  "files": 6,
                  "is_code": false,
                  "language": "JSON",
                  "lines": 12,
                  "symbols": 10
                }
              ],
              "lines": 25,
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main"
              },
              "projects": [
                {
                  "dependencies": [],
                  "dependents": 1,
                  "folder": "packages/core",
                  "kind": "npm",
                  "name": "@shop/core"
                },
                {
                  "dependencies": [],
                  "dependents": 0,
                  "folder": "",
                  "kind": "npm",
                  "name": "shop"
                },
                {
                  "dependencies": [],
                  "dependents": 0,
                  "folder": "packages/jobs",
                  "kind": "npm",
                  "name": "@shop/jobs"
                },
                {
                  "dependencies": [
                    "@shop/core"
                  ],
                  "dependents": 0,
                  "folder": "packages/web",
                  "kind": "npm",
                  "name": "@shop/web"
                }
              ],
              "repository": "workspace",
              "symbols": 16,
              "tests": {
                "files": 1,
                "folders": [
                  {
                    "count": 1,
                    "path": "packages/core"
                  }
                ],
                "functions": 0
              }
            }
        "#]],
    );
    check(
        &TestWorkspace::git("//- /a.py\nx = 1\n"),
        &["overview"],
        expect![[r#"
            workspace: 1 file, 1 line, 1 symbol
            languages (files): Python 1
            most changed files are known once `codecompass history` has read the commits
        "#]],
    );
}

/// Asks for the overview and returns the tokens of its text.
fn overview_tokens(fixture: &str) -> usize {
    let workspace = TestWorkspace::plain(fixture);
    let text = workspace.run(PROGRAM, &["overview", "--quiet"]).found();
    assert_eq!(workspace.run(PROGRAM, &["overview"]).found(), text);
    estimate_tokens(&text)
}

#[test]
fn an_overview_has_at_most_a_thousand_tokens() {
    let mut huge = String::new();
    for number in 0..300 {
        let next = (number + 1) % 300;
        let _ = write!(
            huge,
            "//- /packages/p{number}/Cargo.toml\n[package]\nname = \"p{number}\"\n[dependencies]\np{next} = {{ path = \"../p{next}\" }}\n\
             //- /packages/p{number}/src/main.rs\nuse p{next}::start;\nfn main() {{ start(); }}\n\
             //- /packages/p{number}/src/lib.rs\nmod a;\npub fn start() {{}}\n\
             //- /packages/p{number}/src/a.rs\nuse crate::start;\nuse p{next}::start as other;\n\
             //- /packages/p{number}/tests/it.rs\n#[test]\nfn works() {{}}\n"
        );
    }
    let tokens = overview_tokens(&huge);
    assert!((300..=1_000).contains(&tokens), "{tokens}");
    let mut long = String::new();
    let name = "größe-".repeat(20);
    for number in 0..12 {
        let _ = write!(
            long,
            "//- /{name}{number}/{name}/package.json\n{{ \"name\": \"{name}{number}\" }}\n\
             //- /{name}{number}/{name}/main.go\npackage main\nfunc main() {{}}\n\
             //- /{name}{number}/{name}/a.py\nimport os\ndef test_it(): pass\n"
        );
    }
    let tokens = overview_tokens(&long);
    assert!((100..=1_000).contains(&tokens), "{tokens}");
}
