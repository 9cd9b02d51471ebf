//! `--freshness`: whether a question waits until the index is what is on disk, and what the answer
//! says about it.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check, workspace};

/// Returns whether `brand_new` is found, and the freshness that the answer reports.
#[track_caller]
fn asked(workspace: &TestWorkspace, policy: &[&str]) -> (bool, Value) {
    let answer = workspace.run(PROGRAM, &[&["locate", "brand_new", "--json"], policy].concat());
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let is_found = answer["results"].as_array().unwrap().iter().any(|hit| hit["name"] == "brand_new");
    (is_found, answer["metadata"]["freshness_status"].clone())
}

#[test]
fn who_does_not_wait_is_told() {
    let workspace = workspace();
    let (best_effort, strict) = (&["--freshness", "best_effort"], &["--freshness", "strict"]);
    workspace.write("later.py", "def brand_new():\n    return 1\n");
    assert_eq!(asked(&workspace, best_effort), (true, Value::Null), "without an index it is made");
    workspace.write("later.py", "def another():\n    return 1\n");
    assert_eq!(asked(&workspace, best_effort), (true, "stale".into()));
    assert_eq!(asked(&workspace, best_effort), (true, "stale".into()), "asking changes nothing");
    let text = workspace.run(PROGRAM, &["locate", "brand_new", "--freshness", "best_effort"]);
    expect![[r#"
        later.py:1-2  function  brand_new
            def brand_new()
        --- stderr
        codecompass: the answer is of the last index run; files have changed since
    "#]]
    .assert_eq(&text.shown(&workspace));
    assert_eq!(asked(&workspace, strict), (false, Value::Null));
    assert_eq!(asked(&workspace, best_effort), (false, Value::Null));
    workspace.write("later.py", "def brand_new():\n    return 1\n");
    assert_eq!(asked(&workspace, &[]), (true, Value::Null), "balanced");
    // What is on disk again, removed, and added.
    workspace.write("later.py", "def brand_new():\n    return 1\n");
    assert_eq!(asked(&workspace, best_effort), (true, Value::Null), "a file that was only touched is no change");
    workspace.remove("later.py");
    assert_eq!(asked(&workspace, best_effort), (true, "stale".into()));
    assert_eq!(asked(&workspace, strict), (false, Value::Null));
    workspace.write("later.py", "def brand_new():\n    return 1\n");
    assert_eq!(asked(&workspace, best_effort), (false, "stale".into()));
    // A commit is what it is.
    let of_commit = [&best_effort[..], &["--ref", "HEAD~0"]].concat();
    assert_eq!(asked(&workspace, &of_commit), (false, Value::Null));
    let full = [&best_effort[..], &["--metadata", "full"]].concat();
    assert_eq!(asked(&workspace, &full), (false, "stale".into()));
    let full = [&strict[..], &["--metadata", "full"]].concat();
    assert_eq!(asked(&workspace, &full), (true, "fresh".into()));
}

#[test]
fn the_policy_is_a_setting() {
    let workspace = workspace();
    workspace.write(".codecompass/config.toml", "[freshness]\npolicy = \"best_effort\"\n");
    assert_eq!(asked(&workspace, &[]), (false, Value::Null));
    workspace.write("later.py", "def brand_new():\n    return 1\n");
    assert_eq!(asked(&workspace, &[]), (false, "stale".into()));
    assert_eq!(asked(&workspace, &["--freshness", "balanced"]), (true, Value::Null), "a flag comes last");
    workspace.write(".codecompass/config.toml", "[freshness]\npolicy = \"sometimes\"\n");
    workspace.run(PROGRAM, &["locate", "brand_new"]).ended_with(2);
}

#[test]
fn what_must_be_read_is_read_as_it_is() {
    let workspace = workspace();
    workspace.write("later.py", "def brand_new():\n    return 1\n");
    workspace.run(PROGRAM, &["sync"]).found();
    workspace.write("later.py", "X = 1\n\n\ndef brand_new():\n    return 2\n");
    // Lines of the last state would be those of another text.
    check(
        &workspace,
        &["show", "brand_new", "--freshness", "best_effort"],
        expect![[r#"
        later.py:4-5  function  brand_new
             4 | def brand_new():
             5 |     return 2
    "#]],
    );
}
