//! The end of the server, its work while the index is built, progress and cancellation.

#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};

use codecompass_testkit::{TestWorkspace, until};
use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::shop;

/// Enough to index for some seconds in a debug build.
fn large() -> TestWorkspace {
    let mut fixture = String::new();
    for number in 0..300 {
        fixture.push_str(&format!("//- /src/file{number}.py\n"));
        (0..40).for_each(|at| {
            fixture.push_str(&format!("def steady_{number}_{at}(x):\n    return helper_{at}(x + {at})\n\n\n"))
        });
    }
    TestWorkspace::git(&fixture)
}

#[test]
fn the_end_of_stdin_is_the_end() {
    let workspace = shop();
    // At once, after the handshake, after a call, and while the index is built.
    assert!(Client::start(&workspace, &[]).close().success());
    assert!(Client::connect(&workspace, Era::Initialize, &[]).close().success());
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    client.answer("index_status", json!({}));
    assert!(client.close().success());
    let workspace = large();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.request("tools/list", json!({}));
    assert!(client.close().success());
}

#[test]
fn a_call_that_is_under_way_is_answered_before_the_end() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    client.answer("index_status", json!({}));
    let id = client.begin("tools/call", json!({"name": "locate_symbol", "arguments": {"symbol": "Order"}}));
    client.close_stdin();
    assert!(text(&client.finish(id)["result"]).contains("shop/orders.py"));
    assert!(client.wait().success());
}

/// Before that, a signal is the end that the system makes of it.
#[cfg(unix)]
fn until_it_listens(pid: u32) {
    const TERM: u32 = 15;
    if !cfg!(target_os = "linux") {
        return std::thread::sleep(Duration::from_millis(500));
    }
    until("a handler of signals", || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << (TERM - 1)) != 0
    });
}

#[cfg(unix)]
#[test]
fn signals_end_it() {
    let workspace = shop();
    for (signal, asks_first) in [("TERM", true), ("INT", true), ("TERM", false)] {
        let mut client = Client::start(&workspace, &[]);
        if asks_first {
            client.initialize("2025-11-25");
            client.answer("index_status", json!({}));
        } else {
            until_it_listens(client.pid());
        }
        let sent = Command::new("kill").args([&format!("-{signal}"), &client.pid().to_string()]).status().unwrap();
        assert!(sent.success());
        assert!(client.wait().success(), "{signal}");
        assert_eq!(client.stderr(), "");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_does_not_wait_for_a_long_call() {
    let workspace = large();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "60", "--quiet"]);
    client.begin("tools/call", json!({"name": "search_code", "arguments": {"query": "steady"}}));
    client.request("tools/list", json!({}));
    let sent = Command::new("kill").args(["-TERM", &client.pid().to_string()]).status().unwrap();
    assert!(sent.success());
    assert!(client.wait().success());
    // What was half done does no harm.
    assert_eq!(workspace.run(crate::PROGRAM, &["locate", "steady_1_1"]).code, Some(0));
}

#[test]
fn while_the_index_is_built() {
    let workspace = large();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "0"]);
    let status = client.answer("index_status", json!({}));
    // A fast machine may be done already; then there is nothing to see.
    if status["indexing_status"] == "indexing" {
        assert!(status["progress"]["total"].is_u64(), "{status}");
        let error = client.call("search_code", json!({"query": "steady_1_1", "freshness": "balanced"}));
        if error["isError"] == true {
            let error: Value = serde_json::from_str(text(&error)).unwrap();
            assert_eq!(error["error"]["code"], "index_in_progress", "{error}");
            assert!(error["error"]["data"]["remediation"].as_str().unwrap().contains("index_status"));
        }
        // What is not there yet is not said to be nowhere.
        for number in [1, 20, 40] {
            let question = json!({"symbol": format!("steady_{number}_1"), "freshness": "balanced"});
            let result = client.call("find_references", question);
            if result["isError"] == true {
                let error: Value = serde_json::from_str(text(&result)).unwrap();
                assert_eq!(error["error"]["code"], "index_in_progress", "{error}");
            }
        }
    }
    // Who waits is told how far it is, in growing numbers, and gets the answer.
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "60"]);
    let params = json!({
        "name": "locate_symbol",
        "arguments": {"symbol": "steady_1_1"},
        "_meta": {"progressToken": "token-1"},
    });
    let answer = client.request("tools/call", params);
    assert!(text(&answer["result"]).contains("src/file1.py"), "{answer}");
    check_progress(&client.notifications, &json!("token-1"));
}

#[test]
fn who_asks_how_far_it_is_does_not_wait() {
    let workspace = large();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "60"]);
    let search = json!({"name": "search_code", "arguments": {"query": "steady_1_1"}});
    let ids: Vec<u64> = (0..8).map(|_| client.begin("tools/call", search.clone())).collect();
    let status = client.begin("tools/call", json!({"name": "index_status", "arguments": {}}));
    let first = client.next_within(Duration::from_secs(60)).unwrap();
    let told: Value = serde_json::from_str(text(&first["result"])).unwrap();
    if first["id"] == status {
        assert_eq!(told["indexing_status"], "indexing", "{told}");
    }
    for _ in ids {
        let answer = client.next_within(Duration::from_secs(120)).unwrap();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
}

#[test]
fn an_index_of_before_answers_meanwhile() {
    let workspace = large();
    let first = workspace.run(crate::PROGRAM, &["index"]);
    assert_eq!(first.code, Some(0));
    for number in 0..600 {
        workspace.write(&format!("src/more{number}.py"), &format!("def added_{number}():\n    return {number}\n"));
    }
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "0"]);
    let answer = client.answer("locate_symbol", json!({"symbol": "steady_1_1", "freshness": "balanced"}));
    assert_eq!(answer["results"][0]["path"], "src/file1.py");
    if answer["metadata"]["indexing_status"] == "indexing" {
        assert_eq!(answer["metadata"]["freshness_status"], "syncing");
    }
}

#[test]
fn the_store_may_vanish() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let before = client.answer("find_references", json!({"symbol": "checkout"}));
    // The server's watcher may write there meanwhile.
    until("a store that can be removed", || std::fs::remove_dir_all(workspace.home()).is_ok());
    std::fs::create_dir_all(workspace.home()).unwrap();
    assert_eq!(client.answer("find_references", json!({"symbol": "checkout"})), before);
}

#[test]
fn a_directory_that_is_no_repository_is_read_when_asked_about() {
    let workspace = TestWorkspace::plain(crate::FIXTURE);
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    assert_eq!(client.answer("index_status", json!({}))["indexing_status"], "not_indexed");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(client.answer("index_status", json!({}))["indexing_status"], "not_indexed");
    assert_eq!(client.answer("locate_symbol", json!({"symbol": "Order"}))["metadata"]["ref"], "live");
    assert_eq!(client.answer("index_status", json!({}))["indexing_status"], "ready");
}

#[test]
fn progress_goes_to_who_asks_for_it() {
    progress_in(Era::Initialize);
    progress_in(Era::Stateless);
}

fn progress_in(era: Era) {
    let workspace = shop();
    let mut client = Client::connect(&workspace, era, &["--tools", "all", "--no-watch"]);
    client.answer("sync_repo", json!({}));
    for (round, token) in [json!(7), json!("seven")].iter().enumerate() {
        for number in 0..30 {
            workspace.write(&format!("new{number}.py"), &format!("def new_{round}_{number}():\n    return 1\n"));
        }
        client.notifications.clear();
        client.request("tools/call", json!({"name": "sync_repo", "arguments": {}, "_meta": {"progressToken": token}}));
        assert!(check_progress(&client.notifications, token) > 0);
    }
    workspace.write("new.py", "def new():\n    return 1\n");
    client.notifications.clear();
    client.answer("sync_repo", json!({}));
    assert_eq!(client.notifications, Vec::<Value>::new());
}

/// Checks all progress notifications; gives how many there are.
fn check_progress(notifications: &[Value], token: &Value) -> usize {
    let mut last = -1.0;
    for notification in notifications {
        assert_eq!(notification["method"], "notifications/progress");
        let params = &notification["params"];
        assert_eq!(&params["progressToken"], token);
        let progress = params["progress"].as_f64().unwrap();
        assert!(progress > last && progress <= params["total"].as_f64().unwrap(), "{notification} after {last}");
        assert!(params["message"].is_string());
        last = progress;
    }
    notifications.len()
}

#[test]
fn a_cancelled_call_gets_no_answer() {
    cancelled_in(Era::Initialize);
    cancelled_in(Era::Stateless);
}

fn cancelled_in(era: Era) {
    let workspace = large();
    let mut client = Client::connect(&workspace, era, &["--index-wait", "60"]);
    let id = client.begin("tools/call", json!({"name": "search_code", "arguments": {"query": "steady"}}));
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "test"}}),
    );
    let answer = client.answer("search_code", json!({"query": "steady_3_3"}));
    assert_eq!(answer["results"][0]["path"], "src/file3.py");
    assert!(client.notifications.iter().all(|message| message["id"] != id), "{:?}", client.notifications);
    assert!(client.close().success());
}

#[test]
fn a_call_takes_only_so_long() {
    let workspace = large();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--call-timeout", "1", "--index-wait", "60"]);
    let start = Instant::now();
    let result = client.call("search_code", json!({"query": "steady"}));
    assert!(start.elapsed() < Duration::from_secs(50), "it waited for the index");
    if result["isError"] == true {
        let error: Value = serde_json::from_str(text(&result)).unwrap();
        assert_eq!(error["error"]["code"], "index_in_progress", "{error}");
    }
    assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
}
