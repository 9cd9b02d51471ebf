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
    check(&mut client, "list_projects", &json!({"freshness": "strict"}), expect![[""]]);
    check(&mut client, "get_architecture", &json!({}), expect![[""]]);
    check(&mut client, "find_references", &json!({"symbol": "load_order", "project": "shop-cli"}), expect![[""]]);
    check(&mut client, "grep_code", &json!({"pattern": "load_order", "project": ["core"]}), expect![[""]]);
    check(&mut client, "get_dependencies", &json!({"projects": true}), expect![[""]]);
    let refused = client.call("search_code", json!({"query": "order", "project": "shop-cil"}));
    assert_eq!(refused["isError"], true);
    expect![[""]].assert_eq(text(&refused));
}
