//! Long lists in pages: joined, they are the whole list, whether the limit or the token limit cut
//! them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::PROGRAM;
use crate::client::{Client, Era};
use crate::sizes::wide;

/// The lists of an answer; a text is a list of lines.
fn lists(answer: &Value, fields: &[&str]) -> BTreeMap<String, Vec<Value>> {
    let list = |value: &Value| match value {
        Value::String(text) => text.split_inclusive('\n').map(Value::from).collect(),
        value => value.as_array().cloned().unwrap_or_default(),
    };
    fields.iter().map(|field| (field.to_string(), list(&answer[*field]))).collect()
}

#[test]
fn pages_are_the_whole() {
    let workspace = wide();
    (0..12).for_each(|number| drop(workspace.run_git(&["branch", &format!("branch{number}")])));
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let affected = ["affected_symbols", "affected_entry_points", "affected_tests"];
    let questions: &[(&str, Value, &[&str], &[&str])] = &[
        ("search_code", json!({"query": "user", "limit": 30}), &["search", "user", "-n1000"], &["results"]),
        (
            "search_code",
            json!({"query": "which user calls", "limit": 70}),
            &["search", "which user calls", "-n1000"],
            &["results"],
        ),
        ("grep_code", json!({"pattern": "popular"}), &["grep", "popular", "-n100000"], &["matches"]),
        (
            "grep_code",
            json!({"pattern": "popular", "count": true, "limit": 7}),
            &["grep", "popular", "-c", "-n100000"],
            &["files"],
        ),
        ("locate_symbol", json!({"symbol": "user_1", "limit": 40}), &["locate", "user_1", "-n1000"], &["results"]),
        ("find_references", json!({"symbol": "popular"}), &["refs", "popular", "-n100000"], &["references"]),
        (
            "get_call_graph",
            json!({"symbol": "popular", "direction": "callers", "limit": 90}),
            &["calls", "popular", "--direction", "callers", "-n100000"],
            &["edges"],
        ),
        ("analyze_impact", json!({"symbol": "popular", "limit": 300}), &["impact", "popular", "-n100000"], &affected),
        ("get_file_outline", json!({"path": "many.py"}), &["outline", "many.py"], &["symbols"]),
        ("get_symbol", json!({"symbol": "endless", "max_tokens": 20000}), &["show", "endless"], &["source"]),
        (
            "get_dependencies",
            json!({"path": "lib.py", "reverse": true, "limit": 7}),
            &["deps", "lib.py", "--reverse", "-n1000"],
            &["edges", "cycles"],
        ),
        (
            "find_related_symbols",
            json!({"symbol": "user_1_1", "only": "beside", "limit": 5}),
            &["related", "user_1_1", "--only", "beside", "-n1000"],
            &["results"],
        ),
        ("search_similar_symbol", json!({"symbol": "user_1_1"}), &["similar", "user_1_1", "-n1000"], &["results"]),
        (
            "get_symbol_hierarchy",
            json!({"symbol": "Big", "limit": 20}),
            &["hierarchy", "Big", "-n1000"],
            &["children", "supertypes", "subtypes"],
        ),
        ("find_symbols", json!({"limit": 400}), &["symbols", "-n100000"], &["results"]),
        ("list_refs", json!({"limit": 5}), &["branches", "-n1000"], &["refs"]),
    ];
    for (tool, arguments, command, fields) in questions {
        let whole = workspace.run(PROGRAM, &[command, &["--json", "--quiet"][..]].concat()).found();
        let whole = lists(&serde_json::from_str(&whole).unwrap(), fields);
        assert!(whole.values().any(|list| list.len() > 10), "{tool}");
        for most in [2500] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(arguments["max_tokens"].as_u64().unwrap_or(0).max(most));
            let mut joined: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            let mut pages = 0;
            loop {
                let answer = client.answer(tool, arguments.clone());
                pages += 1;
                for (field, items) in lists(&answer, fields) {
                    joined.entry(field).or_default().extend(items);
                }
                let (next, before) = (&answer["metadata"]["next_offset"], arguments["offset"].as_u64().unwrap_or(0));
                let is_cut = answer["metadata"]["result_completeness"] == "truncated";
                let Some(next) = next.as_u64() else {
                    assert!(!is_cut, "{tool} {arguments}: {}", answer["metadata"]);
                    break;
                };
                assert!(next > before, "{tool}: {next} behind {before}");
                arguments["offset"] = json!(next);
            }
            assert!(pages > 1, "{tool} {arguments}");
            for (field, list) in &whole {
                assert_eq!(joined[field].len(), list.len(), "{tool} {arguments}: {field}");
                assert!(joined[field] == *list, "{tool} {arguments}: {field}");
            }
        }
    }
}

#[test]
fn beyond_the_end_there_is_nothing() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    for (tool, arguments, field) in [
        ("search_code", json!({"query": "user"}), "results"),
        ("find_references", json!({"symbol": "popular"}), "references"),
        ("get_file_outline", json!({"path": "many.py"}), "symbols"),
    ] {
        let mut arguments = arguments.clone();
        arguments["offset"] = json!(4_000_000_000_u32);
        let answer = client.answer(tool, arguments);
        assert_eq!(answer[field], json!([]), "{tool}");
        assert_eq!(answer["metadata"].get("next_offset"), None, "{tool}");
    }
    let error = client.error("search_code", json!({"query": "user", "offset": -1}));
    assert_eq!(error["code"], "invalid_input");
}
