//! Calls that do not wait for much to be indexed, and those that do.

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::shop;

fn write_many(workspace: &TestWorkspace, count: usize) {
    for number in 0..count {
        workspace.write(&format!("many/file{number}.py"), &format!("def added_{number}():\n    return {number}\n"));
    }
}

/// Returns whether a symbol is found, and the freshness that the answer reports.
fn asked(client: &mut Client, symbol: &str, freshness: &str) -> (bool, Value) {
    let answer = client.answer("locate_symbol", json!({"symbol": symbol, "freshness": freshness}));
    let is_found = answer["results"].as_array().unwrap().iter().any(|hit| hit["name"] == symbol);
    (is_found, answer["metadata"]["freshness_status"].clone())
}

#[test]
fn much_is_left_to_the_background() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--no-watch"]);
    assert_eq!(asked(&mut client, "checkout", "strict"), (true, Value::Null));
    write_many(&workspace, 20);
    assert_eq!(asked(&mut client, "added_1", "balanced"), (true, Value::Null), "little is indexed at once");
    write_many(&workspace, 400);
    let (is_found, status) = asked(&mut client, "added_399", "balanced");
    assert_eq!((is_found, status), (false, "stale".into()));
    // Until the background is done, answers are of before and say so; then they are not, and do
    // not.
    loop {
        match asked(&mut client, "added_399", "balanced") {
            (true, Value::Null) => break,
            // What is published is found before the last vectors are made.
            (_, status) => assert!(status == "syncing" || status == "stale", "{status}"),
        }
    }
}

#[test]
fn who_must_have_the_newest_waits() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--no-watch"]);
    assert_eq!(asked(&mut client, "checkout", "strict"), (true, Value::Null));
    write_many(&workspace, 300);
    assert_eq!(asked(&mut client, "added_299", "strict"), (true, Value::Null));
    workspace.remove("many/file7.py");
    let (is_found, status) = asked(&mut client, "added_7", "best_effort");
    assert!(is_found && status == "stale", "{status}");
    assert_eq!(asked(&mut client, "added_7", "strict"), (false, Value::Null));
    let error = client.error("locate_symbol", json!({"symbol": "x", "freshness": "sometimes"}));
    assert_eq!(error["code"], "invalid_input");
}

#[test]
fn a_branch_that_was_indexed_before_is_not_much() {
    let workspace = shop();
    workspace.commit("extra");
    workspace.run_git(&["checkout", "--quiet", "-b", "large"]);
    write_many(&workspace, 400);
    workspace.commit("many");
    let mut client = Client::connect(&workspace, Era::Initialize, &["--no-watch"]);
    assert_eq!(asked(&mut client, "added_399", "strict"), (true, Value::Null));
    for _ in 0..2 {
        workspace.run_git(&["checkout", "--quiet", "feature"]);
        assert_eq!(asked(&mut client, "added_399", "balanced"), (false, Value::Null), "removing is cheap");
        workspace.run_git(&["checkout", "--quiet", "large"]);
        assert_eq!(asked(&mut client, "added_399", "balanced"), (true, Value::Null), "nothing has to be parsed");
    }
}
