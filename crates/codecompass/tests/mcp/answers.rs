//! Every tool once: its answer is what the command line prints with `--json` for the same question.

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::{PROGRAM, shop};

#[track_caller]
fn printed(workspace: &TestWorkspace, args: &[&str]) -> Value {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    assert!(answer.code == Some(0) || answer.code == Some(1), "{args:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn tools_answer_like_commands() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let questions: &[(&str, Value, &[&str])] = &[
        ("search_code", json!({"query": "price_of"}), &["search", "price_of"]),
        (
            "search_code",
            json!({"query": "adds up prices", "detail_level": "context", "limit": 3, "path": "shop"}),
            &["search", "adds up prices", "--detail", "context", "--limit", "3", "--path", "shop"],
        ),
        (
            "search_code",
            json!({"query": "Order", "kind": "class", "language": "python", "ranking_explain_level": "full"}),
            &["search", "Order", "--kind", "class", "--lang", "python", "--explain=full"],
        ),
        ("grep_code", json!({"pattern": "price_of"}), &["grep", "price_of", "--limit", "200"]),
        (
            "grep_code",
            json!({"pattern": "return .*\\(", "case_sensitive": true, "context": 1, "tests": "exclude", "limit": 2}),
            &["grep", "return .*\\(", "-s", "-C1", "--tests", "exclude", "--limit", "2"],
        ),
        (
            "grep_code",
            json!({"pattern": "PRICES[", "fixed_strings": true, "count": true, "ref": "main"}),
            &["grep", "PRICES[", "-F", "-c", "--ref", "main", "--limit", "200"],
        ),
        ("locate_symbol", json!({"symbol": "Order.total"}), &["locate", "Order.total"]),
        ("locate_symbol", json!({"at": "main.py:5:11"}), &["locate", "--at", "main.py:5:11"]),
        ("get_symbol", json!({"symbol": "checkout"}), &["show", "checkout"]),
        ("get_symbol", json!({"symbol": "price_of", "ref": "main"}), &["show", "price_of", "--ref", "main"]),
        ("get_file_outline", json!({"path": "orders.py"}), &["outline", "orders.py"]),
        ("get_file_outline", json!({"path": "orders.py", "depth": "top"}), &["outline", "orders.py", "--depth", "top"]),
        ("get_file_outline", json!({"path": "orders.py", "imports": true}), &["outline", "orders.py", "--imports"]),
        ("get_file_outline", json!({"path": "shop"}), &["outline", "shop"]),
        ("get_file_outline", json!({"path": ["orders.py", "main.py"]}), &["outline", "orders.py", "main.py"]),
        ("read_file", json!({"path": "orders.py:6-9,22-,main.py"}), &["read", "orders.py:6-9,22-", "main.py"]),
        ("read_file", json!({"path": "prices.py", "ref": "main"}), &["read", "prices.py", "--ref", "main"]),
        ("list_directory", json!({"depth": 2}), &["ls", "--depth", "2"]),
        ("list_directory", json!({"path": "shop", "ref": "main"}), &["ls", "shop", "--ref", "main"]),
        (
            "get_code_context",
            json!({"query": "how is the total made", "max_tokens": 700, "strategy": "depth"}),
            &["context", "how is the total made", "--max-tokens", "700", "--strategy", "depth"],
        ),
        ("find_references", json!({"symbol": "checkout"}), &["refs", "checkout", "--limit", "100"]),
        (
            "find_references",
            json!({"symbol": "checkout", "tests": "exclude", "kind": "call", "confidence": "static"}),
            &["refs", "checkout", "--limit", "100", "--tests", "exclude", "--kind", "call", "--confidence", "static"],
        ),
        (
            "get_call_graph",
            json!({"symbol": "checkout", "direction": "callers", "depth": 2}),
            &["calls", "checkout", "--direction", "callers", "--depth", "2", "--limit", "50"],
        ),
        ("analyze_impact", json!({"symbol": "price_of"}), &["impact", "price_of", "--limit", "50"]),
        ("analyze_impact", json!({"base": "main"}), &["impact", "--diff", "main", "--limit", "50"]),
        ("analyze_impact", json!({}), &["impact", "--diff", "--limit", "50"]),
        ("diff_context", json!({}), &["diff"]),
        (
            "diff_context",
            json!({"base": "main", "ref": "feature", "impact": true}),
            &["diff", "main", "feature", "--impact"],
        ),
        ("diff_context", json!({"base": "main", "scope": "files"}), &["diff", "main", "--scope", "files"]),
        ("index_status", json!({}), &["status"]),
        ("trace_path", json!({"to": "price_of", "from": "main"}), &["trace", "price_of", "--from", "main"]),
        ("trace_path", json!({"value": "PRICES"}), &["trace", "--value", "PRICES"]),
        ("trace_path", json!({"raises": "EmptyOrder"}), &["trace", "--raises", "EmptyOrder"]),
        ("list_endpoints", json!({}), &["endpoints"]),
        ("list_services", json!({}), &["services"]),
        ("get_symbol_hierarchy", json!({"symbol": "Order"}), &["hierarchy", "Order"]),
        ("get_dependencies", json!({"path": "shop/orders.py"}), &["deps", "shop/orders.py"]),
        (
            "get_dependencies",
            json!({"path": "shop/orders.py", "reverse": true}),
            &["deps", "shop/orders.py", "--reverse"],
        ),
        ("get_dependencies", json!({}), &["deps"]),
        ("get_dependencies", json!({"projects": true}), &["deps", "--projects"]),
        ("get_architecture", json!({}), &["overview"]),
        ("list_projects", json!({}), &["projects"]),
        ("find_related_symbols", json!({"symbol": "checkout"}), &["related", "checkout"]),
        (
            "find_related_symbols",
            json!({"symbol": "checkout", "only": "test"}),
            &["related", "checkout", "--only", "test"],
        ),
        ("search_similar_symbol", json!({"symbol": "price_of"}), &["similar", "price_of"]),
        (
            "find_symbols",
            json!({"kind": ["class", "method"], "doc": "absent", "parameters": "0..1", "exclude": "tests"}),
            &["symbols", "--kind", "class,method", "--doc", "absent", "--parameters", "0..1", "--exclude", "tests"],
        ),
        (
            "find_symbols",
            json!({"name": "price*", "counts": true, "sort": "callers", "parameters": 2}),
            &["symbols", "price*", "--counts", "--sort", "callers", "--parameters", "2"],
        ),
        ("find_symbols", json!({"count": true}), &["symbols", "--count"]),
        ("get_symbol", json!({"symbol": "price_of", "counts": true}), &["show", "price_of", "--counts"]),
        (
            "compare_symbol_between_commits",
            json!({"symbol": "price_of", "base": "main"}),
            &["compare", "price_of", "main"],
        ),
        ("explain_ranking", json!({"query": "adds up prices"}), &["explain", "adds up prices"]),
        (
            "explain_ranking",
            json!({"query": "adds up prices", "result": "1", "other": "checkout", "path": "shop"}),
            &["explain", "adds up prices", "1", "checkout", "--path", "shop"],
        ),
        ("explain_ranking", json!({"query": "Order", "result": "nothing"}), &["explain", "Order", "nothing"]),
        ("suggest_followup_queries", json!({"query": "checkout"}), &["suggest", "checkout"]),
        ("suggest_followup_queries", json!({"symbol": "Order"}), &["suggest", "--symbol", "Order"]),
        ("search_history", json!({"query": "first"}), &["history", "first"]),
        (
            "search_history",
            json!({"changes": "Order", "kind": "added"}),
            &["history", "--changes", "Order", "--kind", "added"],
        ),
        (
            "search_history",
            json!({"query": "prices", "symbol": "price_of"}),
            &["history", "prices", "--symbol", "price_of"],
        ),
        ("search_history", json!({"count": "def ", "by": "author"}), &["history", "--count", "def ", "--by", "author"]),
        ("get_symbol_history", json!({"symbol": "checkout"}), &["history", "--symbol", "checkout"]),
        ("get_symbol_history", json!({"symbol": "price_of", "blame": true}), &["blame", "price_of"]),
        (
            "find_related_symbols",
            json!({"symbol": "price_of", "only": "changes_with"}),
            &["related", "price_of", "--only", "changes-with"],
        ),
        ("list_refs", json!({}), &["branches"]),
        ("sync_repo", json!({}), &["sync"]),
        ("index_repo", json!({}), &["index"]),
        ("switch_ref", json!({}), &["switch"]),
        ("search_code", json!({"query": "Order", "metadata": "full"}), &["search", "Order", "--metadata", "full"]),
    ];
    for (tool, arguments, args) in questions {
        let (mut answered, mut printed) = (client.answer(tool, arguments.clone()), printed(&workspace, args));
        // The server knows of calls that it has not written down yet.
        for answer in [&mut answered, &mut printed] {
            answer.as_object_mut().unwrap().remove("savings");
        }
        assert_eq!(answered, printed, "{tool} {arguments}");
        assert!(*tool == "index_status" || answered["metadata"]["ref"].is_string(), "{tool} says for what it speaks");
    }
    let mut health = client.answer("health_check", json!({}));
    assert_eq!(health["status"], "ready");
    assert!(health["uptime_seconds"].is_u64());
    assert_eq!(health["projects"][0]["repo_root"], workspace.root().to_str().unwrap());
    // The first call may have come before the first sync was over; later ones found everything
    // ready.
    let warm_set = &health["warm_set"];
    assert_eq!((&warm_set["has_workspace"], &warm_set["workspaces"]), (&json!(true), &json!(1)), "{warm_set}");
    assert!(warm_set["hits"].as_u64() > Some(0), "{warm_set}");
    assert_eq!((&health["warmth"]["state"], &health["warmth"]["owner"]), (&json!("warm"), &json!("server")));
    for own in ["status", "uptime_seconds", "projects", "warm_set"] {
        health.as_object_mut().unwrap().remove(own);
    }
    assert_eq!(health, printed(&workspace, &["doctor"]));
    assert!(client.close().success());
}

#[test]
fn less_is_said_when_less_is_asked_for() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let usual = client.answer("find_references", json!({"symbol": "checkout"}));
    let places = client.answer("find_references", json!({"symbol": "checkout", "detail_level": "location"}));
    assert_eq!(usual["metadata"], places["metadata"]);
    assert_eq!(
        places["symbol"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["kind", "line", "line_end", "line_start", "name", "path"]
    );
    let lines = |answer: &Value| {
        answer["references"].as_array().unwrap().iter().map(|site| site["line"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&usual), lines(&places));
    let size = |answer: &Value| answer["symbol"].to_string().len() + answer["references"].to_string().len();
    assert!(size(&places) * 4 < size(&usual) * 3);
    let compact = client.answer("get_symbol", json!({"symbol": "checkout", "compact": true}));
    assert_eq!((compact.get("source"), &compact["symbol"]["signature"]), (None, &json!("def checkout(lines)")));
    let compact =
        client.answer("search_code", json!({"query": "checkout", "detail_level": "context", "compact": true}));
    assert_eq!(compact["results"][0].get("body_preview"), None);
}

#[test]
fn what_is_edited_between_calls_is_seen() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    assert_eq!(
        client.answer("locate_symbol", json!({"symbol": "brand_new", "freshness": "strict"}))["metadata"]["match"],
        Value::Null
    );
    workspace.write("later.py", "def brand_new():\n    return 2\n");
    let found = client.answer("locate_symbol", json!({"symbol": "brand_new", "freshness": "strict"}));
    assert_eq!(found["results"][0]["path"], "later.py");
    workspace.remove("later.py");
    assert_eq!(
        client.answer("locate_symbol", json!({"symbol": "brand_new", "freshness": "strict"}))["results"],
        json!([])
    );
    workspace.run_git(&["checkout", "--quiet", "main"]);
    let answer = client.answer("get_symbol", json!({"symbol": "price_of", "freshness": "strict"}));
    assert_eq!(answer["symbol"]["signature"], "def price_of(name)");
    assert_eq!(answer["metadata"]["ref"], "main");
}

#[test]
fn two_servers_share_a_store() {
    let workspace = shop();
    let mut clients: Vec<Client> = (0..2).map(|_| Client::connect(&workspace, Era::Stateless, &[])).collect();
    for round in 0..5 {
        workspace.write("round.py", &format!("def round_{round}():\n    return {round}\n"));
        let question =
            json!({"name": "locate_symbol", "arguments": {"symbol": format!("round_{round}"), "freshness": "strict"}});
        let ids: Vec<u64> = clients.iter_mut().map(|client| client.begin("tools/call", question.clone())).collect();
        for (client, id) in clients.iter_mut().zip(ids) {
            let answer = client.finish(id);
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            assert!(crate::client::text(&answer["result"]).contains("round.py"), "{answer}");
        }
    }
    for client in clients {
        assert!(client.close().success());
    }
    assert_eq!(workspace.run(PROGRAM, &["doctor", "--full"]).code, Some(0));
}

#[test]
fn many_calls_at_once() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let alone = client.answer("find_references", json!({"symbol": "checkout"}));
    let call = json!({"name": "find_references", "arguments": {"symbol": "checkout"}});
    let ids: Vec<u64> = (0..30).map(|_| client.begin("tools/call", call.clone())).collect();
    let mut answers: Vec<Value> = Vec::new();
    for _ in &ids {
        answers.push(client.next_within(std::time::Duration::from_secs(60)).unwrap());
    }
    answers.sort_by_key(|answer| answer["id"].as_u64());
    for (id, answer) in ids.iter().zip(&answers) {
        assert_eq!(answer["id"], *id);
        assert_eq!(crate::client::text(&answer["result"]), alone.to_string());
    }
}

#[test]
fn several_workspaces() {
    let (one, two) = (shop(), TestWorkspace::git("//- /b.py\ndef only_here():\n    return 1\n"));
    let (first, second) = (one.root(), two.root());
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    let mut client = Client::connect(&one, Era::Initialize, &["--workspace", first, "--workspace", second]);
    let question = json!({"symbol": "only_here"});
    assert_eq!(client.answer("locate_symbol", question)["results"], json!([]));
    let answer = client.answer("locate_symbol", json!({"symbol": "only_here", "workspace": second}));
    assert_eq!(answer["results"][0]["path"], "b.py");
    let answer = client.answer("locate_symbol", json!({"symbol": "Order", "workspace": format!("{first}/shop")}));
    assert_eq!(answer["results"][0]["path"], "shop/orders.py");
}

#[test]
fn suggested_calls_have_answers() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    for question in [
        json!({}),
        json!({"query": "checkout"}),
        json!({"query": "how is the total made"}),
        json!({"query": "price_of", "ref": "main"}),
        json!({"symbol": "Order"}),
    ] {
        let answer = client.answer("suggest_followup_queries", question.clone());
        let suggestions = answer["suggestions"].as_array().unwrap();
        assert!((3..=6).contains(&suggestions.len()), "{question}: {answer}");
        for suggestion in suggestions {
            let answer = client.answer(suggestion["tool"].as_str().unwrap(), suggestion["arguments"].clone());
            let is_empty = |(name, value): (&String, &Value)| {
                name != "metadata" && name != "others" && value.as_array().is_some_and(Vec::is_empty)
            };
            let fields = answer.as_object().unwrap();
            let has_list = fields.values().any(|value| value.as_array().is_some_and(|list| !list.is_empty()));
            assert!(has_list || !fields.iter().any(is_empty), "{suggestion}: {answer}");
        }
    }
}

#[test]
fn the_index_is_built_anew_and_the_ref_is_switched() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let first = client.answer("index_repo", json!({}));
    let again = client.answer("index_repo", json!({"force": true}));
    assert!(again["parsed"].as_u64().unwrap() >= 5, "{again}");
    assert_eq!((&again["files"], &again["symbols"]), (&first["files"], &first["symbols"]));
    let of_main = client.answer("index_repo", json!({"ref": "main"}));
    assert_eq!(of_main["metadata"]["ref"], "main");
    let signature = |client: &mut Client| {
        let answer = client.answer("get_symbol", json!({"symbol": "price_of"}));
        (answer["symbol"]["signature"].clone(), answer["metadata"]["ref"].clone())
    };
    assert_eq!(signature(&mut client), (json!("def price_of(name, count=1)"), json!("feature")));
    assert_eq!(client.answer("switch_ref", json!({"ref": "main"}))["default_ref"], "main");
    assert_eq!(client.answer("switch_ref", json!({}))["default_ref"], "main");
    assert_eq!(signature(&mut client), (json!("def price_of(name)"), json!("main")));
    assert_eq!(client.error("switch_ref", json!({"ref": "nowhere"}))["code"], "ref_not_indexed");
    assert_eq!(client.error("switch_ref", json!({"ref": "main", "reset": true}))["code"], "invalid_input");
    assert_eq!(client.answer("switch_ref", json!({"reset": true}))["default_ref"], Value::Null);
    assert_eq!(signature(&mut client).1, "feature");
}
