//! `projects`, at any ref.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use super::shop;
use crate::{check, check_json};

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
        error: `make` is no kind of project; kinds are cargo, npm, go-module, pyproject, maven, gradle, dotnet, composer, mix, gem
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
