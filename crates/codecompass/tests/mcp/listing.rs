//! The list of tools: the same every time, and cheap.

use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::shop;
use crate::sizes::tokens;

fn list(args: &[&str]) -> Value {
    let mut client = Client::connect(&shop(), Era::Initialize, args);
    client.request("tools/list", json!({}))["result"]["tools"].clone()
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn the_same_and_within_its_limits() {
    let (core, again, all) = (list(&[]), list(&[]), list(&["--tools", "all"]));
    assert_eq!(core.to_string(), again.to_string());
    assert_eq!(names(&core), names(&all)[..14]);
    assert_eq!(names(&all).len(), 34);
    for (name, is_listed) in
        [("read_file", true), ("get_architecture", true), ("ask_many", true), ("index_status", false)]
    {
        assert_eq!(names(&core).contains(&name), is_listed, "{name}");
    }
    let many = core.as_array().unwrap().iter().find(|tool| tool["name"] == "ask_many").unwrap();
    let many = tokens(&many.to_string());
    let (core, all) = (tokens(&core.to_string()), tokens(&all.to_string()));
    println!("core {core} tokens, all {all} tokens, ask_many {many}");
    assert!(many <= 120, "ask_many costs {many} tokens");
    assert!(core <= 2400, "the core tools cost {core} tokens");
    assert!(all < 6000, "all tools cost {all} tokens");
}

#[test]
fn every_tool_describes_itself() {
    for tool in list(&["--tools", "all"]).as_array().unwrap() {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        assert_eq!(schema["additionalProperties"], false);
        assert!(schema["properties"]["max_tokens"].is_object(), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 20);
        let hints = &tool["annotations"];
        let changes = ["sync_repo", "index_repo", "switch_ref"].iter().any(|name| tool["name"] == *name);
        assert_eq!(hints["readOnlyHint"], !changes);
        assert!(!changes || hints["idempotentHint"] == true && hints["destructiveHint"] == false, "{hints}");
    }
}

#[test]
fn the_workspace_is_listed_where_there_are_several() {
    let workspace = shop();
    let root = workspace.root();
    let mut client =
        Client::connect(&workspace, Era::Initialize, &["--auto-workspace", "--allowed-root", root.to_str().unwrap()]);
    let several = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let one = list(&[]);
    for (tools, is_listed) in [(one, false), (several, true)] {
        for tool in tools.as_array().unwrap() {
            assert_eq!(tool["inputSchema"]["properties"]["workspace"].is_object(), is_listed, "{tool}");
        }
    }
}

#[test]
fn what_advice_names_may_be_called_without_being_listed() {
    let workspace = shop();
    for tools in ["core", "search_code"] {
        let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", tools]);
        client.answer("search_code", json!({"query": "checkout"}));
        let answer = client.answer("index_status", json!({}));
        assert_eq!((&answer["files"], &answer["ref"]), (&json!(5), &json!("feature")), "{answer}");
        assert_eq!(client.answer("health_check", json!({}))["ok"], true);
        let refused = client.request("tools/call", json!({"name": "sync_repo", "arguments": {}}));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[test]
fn a_list_of_names() {
    assert_eq!(names(&list(&["--tools", "trace_path,search_code"])), ["search_code", "trace_path"]);
    assert_eq!(names(&list(&["--tools", "core,health_check"])).len(), 15);
    let refused = shop().run(crate::PROGRAM, &["serve-mcp", "--tools", "serch_code", "--json"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("invalid_input"), "{}", refused.stderr);
}
