//! Projects and the overview as short texts, and the argument `project`, which the schemas of most
//! tools do not list.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::json;

use super::{TEXTS, check};
use crate::client::{Client, Era, text};

const FIXTURE: &str = r#"
//- /Cargo.toml
[workspace]
members = ["core", "cli"]
//- /core/Cargo.toml
[package]
name = "shop-core"
//- /core/src/lib.rs
pub fn load_order() {}
//- /cli/Cargo.toml
[package]
name = "shop-cli"
[dependencies]
shop-core = { path = "../core" }
//- /cli/src/main.rs
use shop_core::load_order;
fn main() { load_order(); }
"#;

#[test]
fn projects_and_questions_about_one() {
    let workspace = TestWorkspace::git(FIXTURE);
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "list_projects",
        &json!({"freshness": "strict"}),
        expect![[r#"
        2 projects (cargo 2), 1 dependency on another
        shop-cli   cargo  cli/Cargo.toml:2  2 files, 6 symbols
            depends on shop-core :4
        shop-core  cargo  core/Cargo.toml:2  2 files, 3 symbols
    "#]],
    );
    check(
        &mut client,
        "get_architecture",
        &json!({}),
        expect![[r#"
        workspace: 5 files, 11 lines, 11 symbols
        languages (files): Rust 2
        projects (2)
          shop-core  cargo  core  used by 1
          shop-cli  cargo  cli  depends on shop-core
        entry points (1)
          cli/src/main.rs:2  main
        most changed files are known once `search_history` has read the commits
    "#]],
    );
    check(
        &mut client,
        "find_references",
        &json!({"symbol": "load_order", "project": "shop-cli"}),
        expect![[r#"
            core/src/lib.rs:1  function  load_order
                pub fn load_order()
            2 of 2 uses proven, in 1 file (1 call, 1 import)
            cli/src/main.rs
              1  import  use shop_core::load_order;
              2  main  fn main() { load_order(); }
        "#]],
    );
    check(
        &mut client,
        "grep_code",
        &json!({"pattern": "load_order", "project": ["core"]}),
        expect![[r#"
        1 match in 1 of 2 files, case ignored
        core/src/lib.rs
          1  load_order  pub fn load_order() {}
    "#]],
    );
    check(
        &mut client,
        "get_dependencies",
        &json!({"projects": true}),
        expect![[r#"
        1 edge between projects
        shop-cli
          -> shop-core  imported by 1 file, first cli/src/main.rs:1  declared cli/Cargo.toml:4
    "#]],
    );
    let refused = client.call("search_code", json!({"query": "order", "project": "shop-cil"}));
    assert_eq!(refused["isError"], true);
    expect![[r#"
        error invalid_input: no project `shop-cil`
        did you mean `shop-cli`? `list_projects` lists all
    "#]]
    .assert_eq(text(&refused));
}
