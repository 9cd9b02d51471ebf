//! Both ways to begin, and what comes before that.

use codecompass_testkit::until;
use serde_json::{Value, json};

use crate::PROGRAM;
use crate::client::{Client, Era};
use crate::shop;

#[test]
fn with_initialize() {
    let workspace = shop();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(&workspace, &[]);
        let answer = client.initialize(version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "codecompass");
        let about = result["serverInfo"]["description"].as_str().unwrap();
        assert!(["indexing", "warming", "ready"].iter().any(|status| about.ends_with(status)), "{about}");
        assert!(result["capabilities"]["tools"].is_object());
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.lines().count() <= 10, "{instructions}");
        for example in [
            "get_call_graph {\"symbol\": \"checkout\", \"to\": \"price_of\"}",
            "analyze_impact {\"symbol\": \"Order.total\", \"rename\": \"sum\"}",
            "analyze_impact {\"symbol\": \"price_of\"}",
            "get_architecture",
        ] {
            assert!(instructions.contains(example), "{instructions}");
        }
        let answer = client.request("ping", json!({}));
        assert_eq!(answer["result"], json!({}));
        assert!(client.close().success());
    }
    // The examples are calls that have answers.
    let mut client = Client::start(&workspace, &[]);
    let instructions = client.initialize("2025-11-25")["result"]["instructions"].as_str().unwrap().to_string();
    let mut asked = Vec::new();
    for (at, _) in instructions.match_indices(" {\"") {
        let tool = instructions[..at].rsplit(' ').next().unwrap();
        let mut arguments = serde_json::Deserializer::from_str(&instructions[at..]).into_iter::<Value>();
        // Those of the calls in one are asked with it.
        if let ("ask_many" | "get_call_graph" | "find_references" | "analyze_impact", Some(Ok(arguments))) =
            (tool, arguments.next())
        {
            client.answer(tool, arguments);
            asked.push(tool);
        }
    }
    assert_eq!(asked, ["get_call_graph", "analyze_impact", "analyze_impact", "ask_many"], "{instructions}");
    // What is not listed is not explained.
    let mut client = Client::start(&workspace, &["--tools", "grep_code"]);
    let answer = client.initialize("2025-11-25");
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("grep_code") && !instructions.contains("ask_many"), "{instructions}");
    assert!(!instructions.contains("get_architecture") && !instructions.contains("analyze_impact"), "{instructions}");
    // A version that is not known is answered with one that is.
    let mut client = Client::start(&workspace, &[]);
    assert_eq!(client.initialize("1999-01-01")["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn without_initialize() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    let answer = client.request("server/discover", json!({}));
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{answer}");
    let tools = client.request("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 14);
    let answer = client.answer("search_code", json!({"query": "price_of"}));
    assert_eq!(answer["results"][0]["path"], "shop/prices.py");
    assert!(client.close().success());
}

#[test]
fn a_call_may_be_the_first_message() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    assert_eq!(client.answer("locate_symbol", json!({"symbol": "Order"}))["results"][0]["line_start"], 6);
}

#[test]
fn nothing_waits_for_the_index() {
    let workspace = shop();
    workspace.run(PROGRAM, &["index"]).found();
    workspace.write("lib/new.py", "def brand_new():\n    return 1\n");
    // As long as another process writes, the index cannot become what is on disk.
    let store = std::fs::read_dir(workspace.home().join("stores")).unwrap().next().unwrap().unwrap().path();
    let lock = std::fs::File::open(store.join("writer.lock")).unwrap();
    lock.lock().unwrap();
    let mut client = Client::start(&workspace, &[]);
    assert_eq!(client.initialize("2025-11-25")["result"]["serverInfo"]["name"], "codecompass");
    assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
    let asked = json!({"symbol": "brand_new", "freshness": "best_effort"});
    let answer = client.answer("locate_symbol", asked.clone());
    assert_eq!(answer["results"], json!([]));
    let status = answer["metadata"]["freshness_status"].as_str();
    assert!(status.is_some_and(|status| ["stale", "syncing"].contains(&status)), "{answer}");
    drop(lock);
    until("the new file", || client.answer("locate_symbol", asked.clone())["results"][0]["path"] == "lib/new.py");
}

#[test]
fn what_comes_too_early_is_no_end() {
    let workspace = shop();
    let mut client = Client::start(&workspace, &[]);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    let answer = client.request("tools/list", json!({}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    client.initialize("2025-11-25");
    assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
    assert!(client.close().success());
}
