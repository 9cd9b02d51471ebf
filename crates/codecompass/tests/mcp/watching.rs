//! A server that watches its files, and one that has only begun to read them.

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::shop;

fn is_found(client: &mut Client, symbol: &str) -> bool {
    let answer = client.answer("locate_symbol", json!({"symbol": symbol, "freshness": "strict"}));
    let status = &answer["metadata"]["freshness_status"];
    assert!(status.is_null(), "{status}");
    answer["results"].as_array().unwrap().iter().any(|hit| hit["name"] == symbol)
}

#[test]
fn what_is_saved_is_in_the_next_answer() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    assert!(is_found(&mut client, "checkout"));
    for round in 0..40 {
        let (new, old) = (format!("saved_{round}"), format!("saved_{}", round - 1));
        let source = format!("def {new}():\n    return {round}\n");
        match round % 4 {
            // As editors save: beside it, then over it.
            0 => {
                workspace.write("lib/saved.py.tmp", &source);
                std::fs::rename(workspace.root().join("lib/saved.py.tmp"), workspace.root().join("lib/saved.py"))
                    .unwrap();
            }
            // In a folder that was not there.
            1 => {
                workspace.remove("lib/saved.py");
                workspace.write(&format!("deep/{round}/down/saved.py"), &source);
            }
            2 => {
                std::fs::remove_dir_all(workspace.root().join("deep")).unwrap();
                workspace.write("lib/saved.py", &source);
            }
            _ => workspace.write("lib/saved.py", &source),
        }
        assert!(is_found(&mut client, &new), "{new}");
        assert!(!is_found(&mut client, &old), "{old}");
    }
    // Who does not insist gets the same, or is told that it is of before.
    for round in 0..10 {
        let name = format!("more_{round}");
        workspace.write("lib/more.py", &format!("def {name}():\n    return {round}\n"));
        let answer = client.answer("locate_symbol", json!({"symbol": name, "freshness": "balanced"}));
        let is_found = answer["results"].as_array().unwrap().iter().any(|hit| hit["name"] == name.as_str());
        assert!(is_found || answer["metadata"]["freshness_status"] == "stale", "{answer}");
    }
    let branch = |client: &mut Client| client.answer("index_status", json!({}))["ref"].clone();
    let before = branch(&mut client);
    workspace.run_git(&["checkout", "--quiet", "-b", "another"]);
    assert_ne!(branch(&mut client), before);
    assert_eq!(
        client.answer("locate_symbol", json!({"symbol": "checkout", "freshness": "strict"}))["metadata"]["ref"],
        "another"
    );
}

/// Files that are indexed one by one, each saved before the next.
fn slow_to_index() -> TestWorkspace {
    let files: String =
        (0..150).map(|n| format!("//- /src/f{n}.py\ndef part_{n}():\n    return shared({n})\n")).collect();
    let settings = "//- /.codecompass/config.toml\n[index]\nsave_every_ms = 0\nthreads = 1\n";
    TestWorkspace::git(&format!("{settings}{files}"))
}

#[test]
fn what_is_not_indexed_yet_is_not_denied() {
    let workspace = slow_to_index();
    let args = ["--index-wait", "0", "--answers", "text"];
    let mut client = Client::connect(&workspace, Era::Initialize, &args);
    loop {
        let result = client.call("find_references", json!({"symbol": "part_1", "freshness": "balanced"}));
        if result["isError"] == true {
            assert!(text(&result).contains("index_in_progress"), "{result}");
            continue;
        }
        let is_whole = !text(&result).contains("not complete; more may be found");
        let denies = text(&result).contains("occurs nowhere else");
        assert_eq!(denies, is_whole, "{result}");
        if is_whole {
            break;
        }
        assert!(text(&result).contains("no use of it was found in what is indexed so far"), "{result}");
    }
}

#[test]
fn what_is_stored_so_far_answers_and_says_so() {
    let workspace = slow_to_index();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "0"]);
    // How much was found while the index was being built.
    let mut partial = 0;
    loop {
        let result = client.call("search_code", json!({"query": "shared", "limit": 5, "freshness": "balanced"}));
        let answer: Value = serde_json::from_str(text(&result)).unwrap();
        if result["isError"] == true {
            assert_eq!(answer["error"]["code"], "index_in_progress", "{answer}");
            assert_eq!(partial, 0, "{answer}");
            continue;
        }
        let (metadata, found) = (&answer["metadata"], answer["metadata"]["total_candidates"].as_u64().unwrap());
        if metadata["indexing_status"].is_null() {
            assert_eq!(found, 150);
            break;
        }
        assert_eq!(metadata["indexing_status"], "indexing");
        if metadata["result_completeness"] == "partial" {
            assert!(found >= partial, "what was found once stays");
            partial = found;
        }
    }
    assert!(partial > 0, "the whole index was there at once");
}

/// Waits until the server has read as much of the history.
fn wait_for_history(client: &mut Client, commits: usize, with_changes: usize) {
    let mut history = Value::Null;
    for _ in 0..600 {
        history = client.answer("index_status", json!({}))["history"].clone();
        if (&history["commits"], &history["with_changes"]) == (&commits.into(), &with_changes.into()) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{history}");
}

#[test]
fn the_history_is_read_in_the_background() {
    let workspace = shop();
    let mut client = Client::start_with(&workspace, &[], &[]);
    client.initialize("2025-11-25");
    wait_for_history(&mut client, 2, 2);
    // A new commit is found after the next sync.
    workspace.commit("extra");
    wait_for_history(&mut client, 3, 3);
    let status = workspace.run(crate::PROGRAM, &["status"]).stdout;
    assert!(status.contains("history: 3 commits, changed lines of 3\n"), "{status}");
}

#[test]
fn the_history_is_left_alone_if_settings_say_so() {
    let workspace = shop();
    workspace.write(".codecompass/config.toml", "[history]\nbackground = false\n");
    let mut client = Client::start_with(&workspace, &["--tools", "all"], &[]);
    client.initialize("2025-11-25");
    client.answer("search_code", json!({"query": "checkout", "freshness": "strict"}));
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(client.answer("index_status", json!({}))["history"], Value::Null);
    client.answer("search_history", json!({"changes": "def"}));
    assert_eq!(client.answer("index_status", json!({}))["history"]["commits"], 2);
}
