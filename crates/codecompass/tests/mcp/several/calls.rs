//! Several calls in one: each has the answer that it would have for itself, in its place, and all
//! of them keep to one token limit.

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::shop;
use crate::sizes::{tokens, wide};

const TEXTS: [&str; 2] = ["--answers", "text"];

fn call(tool: &str, arguments: Value) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

/// Asks, and asks again: the answer is the same. Gives the text and whether it is an error.
#[track_caller]
fn ask(client: &mut Client, arguments: &Value) -> (String, bool) {
    let result = client.call("ask_many", arguments.clone());
    assert_eq!(result["isError"], client.call("ask_many", arguments.clone())["isError"]);
    assert_eq!(text(&result), text(&client.call("ask_many", arguments.clone())));
    (text(&result).to_string(), result["isError"] == true)
}

/// The parts of an answer by their headings.
fn parts(answer: &str) -> Vec<&str> {
    answer.split("## ").filter(|part| !part.is_empty()).collect()
}

#[test]
fn each_call_has_its_answer_in_its_place() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let calls = json!([
        call("locate_symbol", json!({"symbol": "Order"})),
        call("get_symbol", json!({"symbol": "nonesuch_at_all"})),
        call("read_file", json!({"path": "orders.py:22-, RushOrder, main.py:0"})),
        call("find_references", json!({"symbol": "checkout", "limt": 3})),
        call("grep_code", json!({"pattern": "tea\"", "path": "shop"})),
    ]);
    let (answer, is_error) = ask(&mut client, &json!({"calls": calls, "freshness": "strict"}));
    assert!(!is_error);
    expect![[r###"
        ## 1 of 5: locate_symbol {"symbol":"Order"}
        shop/orders.py:6-14  class  Order
            class Order
            What a customer wants.

        ## 2 of 5: get_symbol {"symbol":"nonesuch_at_all"}
        error symbol_not_found: no symbol `nonesuch_at_all`
        check the spelling, or describe it in words with `search_code`

        ## 3 of 5: read_file {"path":"orders.py:22-, RushOrder, main.py:0"}
        shop/orders.py 22-24 of 24 lines
        22 def checkout(lines):
        23     order = Order(lines)
        24     return order.total()
        shop/orders.py 17-19 of 24 lines, RushOrder
        17 class RushOrder(Order):
        18     def total(self):
        19         return super().total() + 10
        main.py: `0` is no range of lines

        ## 4 of 5: find_references {"limt":3,"symbol":"checkout"}
        error invalid_input: unknown argument "limt"
        did you mean `limit`? known arguments are compact, confidence, detail_level, exclude, exclude_regex, freshness, kind, language, limit, max_tokens, metadata, offset, path, path_regex, project, ref, symbol, tests, workspace, workspaces

        ## 5 of 5: grep_code {"path":"shop","pattern":"tea\""}
        1 match in 1 of 2 files, case ignored
        shop/prices.py
          1  PRICES  PRICES = {"tea": 4}
    "###]].assert_eq(&answer);
    // The parts are what the calls answer for themselves.
    for (part, one) in parts(&answer).iter().zip(calls.as_array().unwrap()) {
        let (_, part) = part.split_once('\n').unwrap();
        let alone = client.call(one["tool"].as_str().unwrap(), one["arguments"].clone());
        assert_eq!(part.trim_end(), text(&alone).trim_end());
    }
}

#[test]
fn what_cannot_be_asked_fails_alone() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let wrong = [
        (call("serch_code", json!({})), "unknown tool `serch_code`", "known tools are"),
        (call("switch_ref", json!({"ref": "main"})), "unknown tool `switch_ref`", "--tools all"),
        (call("ask_many", json!({"calls": []})), "`ask_many` cannot be asked in itself", "into `calls`"),
        (json!({"tool": "grep_code", "pattern": "x"}), "unknown field `pattern` of a call", "stands in `arguments`"),
        (json!({"arguments": {}}), "the call names no tool", "a call is"),
        (json!({"tool": 3}), "the call names no tool", "a call is"),
        (json!("grep_code"), "the call is no object", "a call is"),
        (json!({"tool": "grep_code", "arguments": "x"}), "`arguments` is no object", "a call is"),
        (json!({"tool": "grep_code"}), "`pattern` is missing", "give `pattern`"),
    ];
    let mut calls: Vec<Value> = wrong.iter().map(|(call, ..)| call.clone()).collect();
    calls.push(call("get_symbol", json!({"symbol": "price_of"})));
    let (answer, is_error) = ask(&mut client, &json!({"calls": calls}));
    assert!(!is_error, "one has an answer");
    let answers = parts(&answer);
    assert_eq!(answers.len(), 10, "{answer}");
    for (number, (part, (_, message, remedy))) in answers.iter().zip(&wrong).enumerate() {
        assert!(part.starts_with(&format!("{} of 10", number + 1)), "{part}");
        let error = part.lines().nth(1).unwrap();
        assert!(error.starts_with("error invalid_input: ") && error.contains(message), "{part}");
        assert!(part.lines().nth(2).unwrap().contains(remedy), "{part}");
    }
    assert!(answers[9].contains("4 def price_of(name, count=1):"), "{}", answers[9]);
    let status = client.call("ask_many", json!({"calls": [call("index_status", json!({}))]}));
    assert!(text(&status).contains("5 files"), "what is not listed may be asked: {status}");

    let mut all = Client::connect(&workspace, Era::Initialize, &["--tools", "all", "--answers", "text"]);
    let changes = ["sync_repo", "index_repo", "switch_ref"].map(|tool| call(tool, json!({})));
    let (answer, is_error) = ask(&mut all, &json!({"calls": changes}));
    assert!(is_error, "none has an answer");
    assert_eq!(answer.matches("changes something\ncall it for itself").count(), 3, "{answer}");
}

#[test]
fn lists_of_calls_that_make_no_sense() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let many = |count: usize| vec![call("locate_symbol", json!({"symbol": "Order"})); count];
    let list = "give `calls` as a list of 1 to 10 calls; a call is {\"tool\": ";
    for (arguments, message, remedy) in [
        (json!({"calls": []}), "`calls` is empty", list),
        (json!({"calls": many(11)}), "11 calls are too many for one", list),
        (json!({"calls": "locate_symbol"}), "`calls` is no list", list),
        (json!({"calls": {"tool": "locate_symbol"}}), "`calls` is no list", list),
        (json!({}), "`calls` is missing", "give `calls`"),
        (json!({"calls": many(1), "call": 1}), "unknown argument \"call\"", "known arguments are calls"),
        (json!({"calls": many(1), "max_tokens": 99}), "`max_tokens` cannot be 99", "from 100 to 20000"),
        (json!({"calls": many(10), "max_tokens": 100}), "100 tokens have no room for an answer", "raise `max_tokens`"),
    ] {
        let error = client.error("ask_many", arguments);
        assert_eq!(error["message"], message, "{error}");
        assert!(error["data"]["remediation"].as_str().unwrap().contains(remedy), "{error}");
    }
    let answer = client.answer("ask_many", json!({"calls": many(10)}));
    assert_eq!(answer["answers"].as_array().unwrap().len(), 10);
}

#[test]
fn objects_are_an_array() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Stateless, &[]);
    let calls = [
        call("locate_symbol", json!({"symbol": "Order"})),
        call("locate_symbol", json!({"symbol": "Order", "ref": "nowhere"})),
        call("get_symbol", json!({"symbol": "price_of"})),
        call("get_symbol", json!({"symbol": "price_of", "ref": "feature"})),
    ];
    // Arguments beside the calls are for those that have none of their own.
    let arguments = json!({"calls": calls, "ref": "main", "metadata": "full", "workspace": "shop"});
    let answer = client.answer("ask_many", arguments);
    let answers = answer["answers"].as_array().unwrap();
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    assert_eq!((&answers[0]["call"], &answers[0]["tool"]), (&json!(1), &json!("locate_symbol")));
    assert_eq!(answers[0]["answer"]["results"][0]["path"], "shop/orders.py");
    assert_eq!(answers[0]["answer"]["metadata"]["ref"], "main");
    assert!(answers[0]["answer"]["metadata"]["generation"].is_u64(), "{}", answers[0]);
    assert_eq!(answers[1]["error"]["code"], "ref_not_indexed");
    assert_eq!(answers[1].get("answer"), None);
    assert_eq!(answers[2]["answer"]["symbol"]["signature"], "def price_of(name)");
    assert_eq!(answers[3]["answer"]["symbol"]["signature"], "def price_of(name, count=1)");
    let outside = client.call("ask_many", json!({"calls": &calls[..1], "workspace": "../.."}));
    assert_eq!(outside["isError"], true, "{outside}");
    let outside: Value = serde_json::from_str(text(&outside)).unwrap();
    assert_eq!(outside["answers"][0]["error"]["code"], "workspace_not_allowed", "{outside}");
}

#[test]
fn one_limit_is_shared() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let calls = [
        call("find_references", json!({"symbol": "popular", "limit": 1000})),
        call("locate_symbol", json!({"symbol": "Big"})),
        call("read_file", json!({"path": "long.py, many.py:1-40, Big"})),
        call("get_symbol", json!({"symbol": "endless", "max_tokens": 150})),
        call("get_file_outline", json!({"path": "many.py"})),
    ];
    let arguments = |most: usize| json!({"calls": calls, "max_tokens": most, "freshness": "strict"});
    let mut sizes = Vec::new();
    for most in [1500, 3000, 20_000] {
        let (answer, _) = ask(&mut client, &arguments(most));
        let cost = tokens(&answer);
        assert!(cost <= most, "{cost} of {most}");
        sizes.push(cost);
        let parts = parts(&answer);
        assert_eq!(parts.len(), 5, "{answer}");
        let shown: Vec<usize> = parts.iter().map(|part| tokens(part)).collect();
        // What the short one leaves goes to the long ones, which get the same.
        assert!(parts[1].contains("class Big") && !parts[1].contains("cut"), "{}", parts[1]);
        assert!(shown[3] <= 150 + 40 && parts[3].contains("cut to 150 tokens"), "{}", parts[3]);
        if most < 20_000 {
            for long in [0, 2, 4] {
                assert!(shown[long] * 8 > most && shown[long] * 2 < most, "{most}: {shown:?}");
                assert!(parts[long].trim_end().lines().next_back().unwrap().contains("cut"), "{}", parts[long]);
            }
        }
    }
    assert!(sizes.is_sorted(), "{sizes:?}");
    // The last long ones give way, and are named.
    let (answer, is_error) = ask(&mut client, &arguments(450));
    assert!(!is_error && tokens(&answer) <= 450, "{answer}");
    assert!(answer.contains("## 2 of 5: locate_symbol") && !answer.contains("## 5 of 5"), "{answer}");
    let last = answer.lines().next_back().unwrap();
    assert!(
        last.starts_with("no room for ") && last.contains(" 5; ask for them apart, or raise `max_tokens`"),
        "{last}"
    );
}

#[test]
fn calls_are_recorded_one_by_one() {
    let workspace = wide();
    let log = workspace.root().join("../audit.log");
    let mut client = Client::connect(&workspace, Era::Initialize, &["--audit-log", log.to_str().unwrap()]);
    let calls = [
        call("find_references", json!({"symbol": "popular", "limit": 1000})),
        call("find_references", json!({"symbol": "nonesuch_at_all"})),
        call("get_file_outline", json!({"path": "many.py"})),
    ];
    let answer = client.answer("ask_many", json!({"calls": calls, "max_tokens": 1000}));
    assert_eq!(answer["answers"][2]["answer"]["metadata"]["result_completeness"], "truncated", "{answer}");
    let lines = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<(&str, &str)> =
        lines.iter().map(|line| (line["tool"].as_str().unwrap(), line["outcome"].as_str().unwrap())).collect();
    let outline = ("get_file_outline", "ok");
    assert_eq!(told, [("find_references", "ok"), ("find_references", "symbol_not_found"), outline]);
    assert!(lines[0]["answer_tokens"].as_u64() < Some(500), "of the answer that was sent: {}", lines[0]);
    assert_eq!(client.answer("index_status", json!({}))["savings"]["calls"], 3);
}

#[test]
fn progress_grows_over_all_calls() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--no-watch"]);
    client.answer("search_code", json!({"query": "checkout"}));
    for number in 0..30 {
        workspace.write(&format!("new{number}.py"), &format!("def new_{number}():\n    return 1\n"));
    }
    client.notifications.clear();
    let calls = ["new_1", "new_2", "new_3"].map(|name| call("locate_symbol", json!({"symbol": name})));
    let arguments = json!({"calls": calls, "freshness": "strict"});
    let params = json!({"name": "ask_many", "arguments": arguments, "_meta": {"progressToken": "many"}});
    let answer = client.request("tools/call", params);
    assert!(text(&answer["result"]).contains("new3.py"), "{answer}");
    let told: Vec<f64> =
        client.notifications.iter().map(|message| message["params"]["progress"].as_f64().unwrap()).collect();
    assert!(!told.is_empty() && told.is_sorted_by(|a, b| a < b), "{told:?}");
    assert!(client.notifications.iter().all(|message| message["params"]["progressToken"] == "many"));
}

#[test]
fn a_cancelled_request_gets_no_answer() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--index-wait", "60"]);
    let calls = vec![call("search_code", json!({"query": "which user is popular"})); 10];
    let id = client.begin("tools/call", json!({"name": "ask_many", "arguments": {"calls": calls}}));
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "test"}}),
    );
    let answer = client.answer("locate_symbol", json!({"symbol": "Big"}));
    assert_eq!(answer["results"][0]["path"], "big.py");
    assert!(client.notifications.iter().all(|message| message["id"] != id), "{:?}", client.notifications);
    assert!(client.close().success());
}
