//! `overview`.

use std::fmt::Write as _;

use codecompass_engine::query::estimate_tokens;
use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use super::shop;
use crate::{PROGRAM, check, check_json};

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
    shop.run(PROGRAM, &["history", "--author", "unknown"]);
    let text = shop.run(PROGRAM, &["overview"]).stdout;
    assert!(text.contains("most changed (1 commit since 2025-01-01, new ones count more; Test 100%)"), "{text}");
    assert!(text.contains("      1  packages/core/src/orders.js  Test 100%\n"), "{text}");
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
                "files": 1,
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
                "authors": [
                  {
                    "author": "Test <test@example.com>",
                    "commits": 1,
                    "share": 1.0
                  }
                ],
                "commits": 1,
                "files": null,
                "since": "2025-01-01T00:00:00Z"
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
              "services": {
                "graphql_fields": 0,
                "grpc": 0,
                "rpcs": 0
              },
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
