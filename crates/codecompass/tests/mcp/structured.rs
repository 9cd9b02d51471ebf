//! Answers as objects instead of texts: the same ones, once, in both kinds of protocol and over
//! both transports.

use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::http::client::{HttpClient, HttpServer};
use crate::shop;
use crate::sizes::{tokens, wide};

const STRUCTURED: [&str; 4] = ["--tools", "all", "--answers", "structured"];

/// Questions of every kind: a list, a source, an error, arguments that are refused, an answer that
/// is cut.
fn questions() -> Vec<(&'static str, Value)> {
    vec![
        ("locate_symbol", json!({"symbol": "Order", "freshness": "strict"})),
        ("get_symbol", json!({"symbol": "price_of", "freshness": "strict"})),
        ("search_code", json!({"query": "what does an order cost", "freshness": "strict"})),
        ("find_references", json!({"symbol": "checkout", "max_tokens": 100, "freshness": "strict"})),
        ("get_code_context", json!({"query": "price", "max_tokens": 500, "freshness": "strict"})),
        ("get_symbol", json!({"symbol": "nonesuch_at_all", "freshness": "strict"})),
        ("search_code", json!({"query": 7})),
    ]
}

/// The object of a result that has it once, and nothing else.
#[track_caller]
fn object(result: &Value) -> &Value {
    assert_eq!(result["content"], json!([]), "{result}");
    assert!(result["structuredContent"].is_object(), "{result}");
    &result["structuredContent"]
}

#[track_caller]
fn same(as_text: &Value, as_object: &Value) {
    assert_eq!(as_text["isError"], as_object["isError"], "{as_text} {as_object}");
    assert_eq!(as_text.get("structuredContent"), None, "{as_text}");
    assert_eq!(serde_json::from_str::<Value>(text(as_text)).unwrap(), *object(as_object));
}

#[test]
fn over_pipes() {
    let workspace = shop();
    for era in [Era::Initialize, Era::Stateless] {
        let mut usual = Client::connect(&workspace, era, &["--tools", "all"]);
        let mut other = Client::connect(&workspace, era, &STRUCTURED);
        let listed = other.request("tools/list", json!({}))["result"]["tools"].clone();
        assert_eq!(listed, usual.request("tools/list", json!({}))["result"]["tools"], "the list costs no more");
        assert!(listed.as_array().unwrap().iter().all(|tool| tool.get("outputSchema").is_none()));
        let errors = questions().into_iter().filter(|(tool, arguments)| {
            let as_object = other.call(tool, arguments.clone());
            same(&usual.call(tool, arguments.clone()), &as_object);
            as_object["isError"] == true
        });
        assert_eq!(errors.count(), 2, "in {era:?}");
        // A tool that there is not is an error of the protocol either way.
        let refused = other.request("tools/call", json!({"name": "nonesuch", "arguments": {}}));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(other.close().success());
    }
}

#[test]
fn over_http() {
    let workspace = shop();
    let usual = HttpServer::start(&workspace, &["--tools", "all"], &[]);
    // By the setting; a flag wins over it.
    let structured = [("CODECOMPASS_SERVER_ANSWERS", "structured")];
    let other = HttpServer::start(&workspace, &["--tools", "all"], &structured);
    let again = HttpServer::start(&workspace, &["--answers", "json"], &structured);
    for era in [Era::Initialize, Era::Stateless] {
        let clients = [&usual, &other, &again].map(|server| HttpClient::connect(server, era, None));
        for (tool, arguments) in questions() {
            same(&clients[0].call(tool, arguments.clone()), &clients[1].call(tool, arguments));
        }
        let found = clients[2].answer("locate_symbol", json!({"symbol": "Order"}));
        assert_eq!(found["results"][0]["path"], "shop/orders.py");
    }
}

#[test]
fn limits_hold() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &STRUCTURED);
    for most in [100, 400, 2000] {
        let question = json!({"symbol": "popular", "limit": 1000, "max_tokens": most});
        let result = client.call("find_references", question);
        let answer = object(&result);
        assert_eq!(answer["metadata"]["result_completeness"], "truncated", "{answer}");
        let cost = tokens(&answer.to_string());
        assert!(cost <= most, "{cost} of {most} tokens");
    }
}
