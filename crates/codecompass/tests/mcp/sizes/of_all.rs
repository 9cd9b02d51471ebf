//! All tools in one table: each takes the arguments that say how large an answer may be, and keeps
//! to them.

use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::sizes::{tokens, wide};

/// Every tool with a question whose answer is as long as it gets, and whether it takes a level of
/// detail.
fn questions() -> Vec<(&'static str, Value, bool)> {
    vec![
        ("get_architecture", json!({}), false),
        ("search_code", json!({"query": "user", "limit": 100}), true),
        ("grep_code", json!({"pattern": "return", "limit": 1000, "context": 1}), false),
        ("locate_symbol", json!({"symbol": "user_1", "limit": 100}), true),
        ("get_symbol", json!({"symbol": "endless"}), true),
        ("get_file_outline", json!({"path": "many.py"}), true),
        ("read_file", json!({"path": "long.py:1-,many.py"}), false),
        ("get_code_context", json!({"query": "which user is popular"}), true),
        ("find_references", json!({"symbol": "popular", "limit": 1000}), true),
        ("get_call_graph", json!({"symbol": "popular", "limit": 1000, "depth": 2}), true),
        ("get_symbol_hierarchy", json!({"symbol": "Big", "limit": 1000}), true),
        ("analyze_impact", json!({"symbol": "popular", "limit": 1000}), true),
        ("diff_context", json!({"base": "HEAD~0", "impact": true}), true),
        ("ask_many", json!({"calls": several()}), false),
        ("index_status", json!({}), false),
        ("find_symbols", json!({"limit": 1000, "attributes": true}), true),
        ("trace_path", json!({"to": "popular", "max_paths": 100}), true),
        ("list_endpoints", json!({}), true),
        ("list_services", json!({}), true),
        ("list_directory", json!({"depth": 9}), false),
        ("get_dependencies", json!({"path": "lib.py", "reverse": true, "limit": 1000}), true),
        ("list_projects", json!({}), false),
        ("find_related_symbols", json!({"symbol": "popular", "limit": 100}), true),
        ("search_similar_symbol", json!({"symbol": "user_1_1", "limit": 100}), true),
        ("compare_symbol_between_commits", json!({"symbol": "endless", "base": "HEAD~0"}), true),
        ("search_history", json!({"regex": ".", "lines": 1000, "limit": 1000}), false),
        ("get_symbol_history", json!({"symbol": "endless", "lines": 1000}), false),
        ("get_symbol_history", json!({"symbol": "endless", "blame": true}), false),
        ("explain_ranking", json!({"query": "which user is popular", "limit": 100}), true),
        ("suggest_followup_queries", json!({"query": "popular"}), true),
        ("list_refs", json!({"all": true, "limit": 1000}), true),
        ("health_check", json!({}), false),
        ("sync_repo", json!({}), false),
        ("index_repo", json!({}), false),
        ("switch_ref", json!({}), false),
    ]
}

fn several() -> Value {
    json!([
        {"tool": "find_references", "arguments": {"symbol": "popular", "limit": 1000}},
        {"tool": "read_file", "arguments": {"path": "long.py"}},
        {"tool": "locate_symbol", "arguments": {"symbol": "user_1_1"}},
    ])
}

#[test]
fn every_tool_keeps_to_its_size() {
    let workspace = wide();
    (0..300).for_each(|number| drop(workspace.run_git(&["tag", &format!("release-{number}")])));
    for number in 0..200 {
        workspace.write(&format!("new/file{number}.py"), &format!("def fresh_{number}(first):\n    return first\n"));
    }
    workspace.write("lib.py", "def popular(x, y=1):\n    return x\n");
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut asked: Vec<&str> = questions().iter().map(|(tool, ..)| *tool).collect();
    asked.dedup();
    assert_eq!(names, asked, "every tool is asked here");
    let mut cut = Vec::new();
    for (tool, question, is_list) in questions() {
        let shapes = [
            (100, json!({})),
            (700, json!({"metadata": "full", "compact": true, "detail_level": "location"})),
            (20_000, json!({"metadata": "full", "compact": false, "detail_level": "signature"})),
        ];
        for (most, mut more) in shapes {
            if let Some(fields) = more.as_object_mut().filter(|_| !is_list) {
                fields.retain(|name, _| name == "metadata");
            }
            let mut arguments = question.clone();
            arguments["max_tokens"] = json!(most);
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let result = client.call(tool, arguments.clone());
            // The budget of these holds their frame, or they say that it does not.
            let has_frame = ["get_code_context", "ask_many"].contains(&tool);
            if has_frame && most == 100 && result["isError"] == true {
                assert!(text(&result).contains("invalid_max_tokens"), "{result}");
                continue;
            }
            assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
            let answer: Value = serde_json::from_str(text(&result)).unwrap();
            let cost = tokens(text(&result));
            assert!(cost <= most, "{tool} {arguments}: {cost} tokens");
            let metadata = &answer["metadata"];
            let is_truncated = metadata["result_completeness"] == "truncated";
            if metadata.get("left_out").is_some() || metadata.get("next_offset").is_some() {
                // A search has always more to offer than was asked for.
                assert!(is_truncated || tool == "search_code", "{tool} {arguments}: {metadata}");
            }
            if is_truncated {
                cut.push(tool);
            } else if most == 20_000 {
                assert_eq!(metadata.get("left_out"), None, "{tool} {arguments}: {metadata}");
            }
            if metadata.get("codecompass_protocol_version").is_some() && more["metadata"] == "full" {
                assert!(metadata["generation"].is_u64(), "{tool}: {metadata}");
            }
        }
    }
    let expected = ["grep_code", "find_references", "get_symbol", "diff_context", "list_refs", "get_file_outline"];
    for tool in expected.into_iter().chain(["trace_path", "read_file", "list_directory"]) {
        assert!(cut.contains(&tool), "{tool} was never cut: the question is too small");
    }
}
