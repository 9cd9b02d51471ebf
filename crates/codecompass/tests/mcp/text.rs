//! Answers as short texts, which is what a server sends if it is not told otherwise.

mod attributes;
mod flows;
mod projects;

use std::collections::BTreeSet;

use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::shop;
use crate::sizes::{tokens, wide};

const TEXTS: [&str; 4] = ["--tools", "all", "--answers", "text"];

/// Asks once more than is needed: the same question has the same answer.
#[track_caller]
fn ask(client: &mut Client, tool: &str, arguments: &Value) -> String {
    let result = client.call(tool, arguments.clone());
    assert_eq!(result["isError"], false, "{tool}: {result}");
    assert_eq!(result.get("structuredContent"), None, "one copy is enough");
    let answer = text(&result).to_string();
    assert_eq!(answer, text(&client.call(tool, arguments.clone())), "{tool}");
    answer
}

#[track_caller]
fn check(client: &mut Client, tool: &str, arguments: &Value, expected: Expect) {
    expected.assert_eq(&ask(client, tool, arguments));
}

#[test]
fn several_symbols_in_one_call() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "find_references",
        &json!({"symbol": "price_of, nothing_like_it, Order.total", "freshness": "strict", "kind": "call"}),
        expect![[r#"
            shop/prices.py:4-5  function  price_of
                def price_of(name, count=1)
            1 of 1 use proven, in 1 file (call); 1 left out by `kind`
            shop/orders.py:14  Order.total  return sum(price_of(line) for line in self.lines)

            left out:
            shop/orders.py:3  import  from shop.prices import price_of

            nothing_like_it: no symbol `nothing_like_it`; check the spelling, or describe it in words with `search_code`

            shop/orders.py:12-14  method  Order.total
                def total(self)
            3 of 3 uses proven, in 2 files (call)
            shop/orders.py
              19  RushOrder.total  return super().total() + 10
              24  checkout  return order.total()
            tests/test_orders.py:9  test_total  assert Order([]).total() == 0
        "#]],
    );
    let listed = ask(&mut client, "get_symbol", &json!({"symbol": ["price_of", "checkout"]}));
    assert_eq!(listed, ask(&mut client, "get_symbol", &json!({"symbol": "price_of,checkout"})));
    assert_eq!(listed, ask(&mut client, "get_symbol", &json!({"symbol": ["price_of", "checkout", "price_of"]})));
    check(
        &mut client,
        "locate_symbol",
        &json!({"symbol": "price_of, RushOrder"}),
        expect![[r#"
        shop/prices.py:4-5  function  price_of
            def price_of(name, count=1)

        shop/orders.py:17-19  class  RushOrder
            class RushOrder(Order)
    "#]],
    );
    check(
        &mut client,
        "get_symbol",
        &json!({"symbol": "Order, RushOrder, checkout, price_of", "max_tokens": 200}),
        expect![[r#"
            shop/orders.py:17-19  class  RushOrder
            17 class RushOrder(Order):
            18     def total(self):
            19         return super().total() + 10

            shop/orders.py:22-24  function  checkout
            22 def checkout(lines):
            23     order = Order(lines)
            24     return order.total()
            no room for Order, price_of; ask for them apart, or raise `max_tokens`
        "#]],
    );
    for (symbols, message) in [
        (json!(["nothing_like_it", "nor_this"]), "no symbol `nothing_like_it`"),
        (json!("nothing_like_it, nor_this"), "no symbol `nothing_like_it`"),
        (json!((0..21).map(|number| format!("name{number}")).collect::<Vec<_>>()), "21 symbols in one question"),
        (json!([1, 2]), "`symbol` cannot be [1,2]"),
        (json!([]), "`symbol` cannot be []"),
    ] {
        let result = client.call("find_references", json!({"symbol": symbols}));
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains(message), "{result}");
    }
}

#[test]
fn scopes_and_chains() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "Order.total", "tests": "exclude", "direction": "callers"}),
        expect![[r#"
            shop/orders.py:12-14  method  Order.total
                def total(self)

            called by (2 calls)
            shop/orders.py
              19  RushOrder.total  return super().total() + 10
              24  checkout  return order.total()

            1 left out by `tests`
              tests/test_orders.py:9  test_total > Order.total
        "#]],
    );
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "price_of", "path": "tests"}),
        expect![[r#"
            shop/prices.py:4-5  function  price_of
                def price_of(name, count=1)
            of 3 occurrences of `price_of` 3 are this one

            called by: nothing that fits

            calls: nothing that fits

            1 left out by `path`
              shop/orders.py:14  Order.total > price_of
        "#]],
    );
    check(
        &mut client,
        "analyze_impact",
        &json!({"symbol": "price_of", "tests": "only"}),
        expect![[r#"
            shop/prices.py:4-5  function  price_of
                def price_of(name, count=1)
            may affect 0 symbols and 2 tests in 1 file: 0 at depth 1, 1 at depth 2, 1 at depth 3
            4 left out by `tests`
              1  shop/orders.py:12  method  Order.total  uses price_of on line 14
              2  shop/orders.py:18  method  RushOrder.total  uses Order.total on line 19
              2  shop/orders.py:22  function  checkout  uses Order.total on line 24
              3  main.py:4  function  main  entry point  uses checkout on line 5

            tests, depth 2: use those
            tests/test_orders.py:8  test_total  at 9: Order.total

            tests, depth 3: use those
            tests/test_orders.py:4  test_checkout  at 5: checkout
        "#]],
    );
    check(
        &mut client,
        "get_symbol_hierarchy",
        &json!({"symbol": "Order", "only": "subtypes"}),
        expect![[r#"
            shop/orders.py:6-14  class  Order
                class Order
                What a customer wants.

            subtypes (1)
            shop/orders.py:17  RushOrder
        "#]],
    );
    check(
        &mut client,
        "get_symbol_hierarchy",
        &json!({"symbol": "Order", "only": "subtypes", "path": "tests"}),
        expect![[r#"
            shop/orders.py:6-14  class  Order
                class Order
                What a customer wants.

            1 left out by `path`
            nothing that fits
        "#]],
    );
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "checkout", "to": "price_of"}),
        expect![[r#"
            1 chain from checkout (shop/orders.py:22) to price_of (shop/prices.py:4); 1 similar chain left out: a single function differs (`trace_path` with more `max_paths` shows all)

            1. 2 calls
               checkout  shop/orders.py:22
                 at 24: return order.total()
               Order.total  line 12
                 at 14: return sum(price_of(line) for line in self.lines)
               price_of  shop/prices.py:4
        "#]],
    );
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "price_of", "to": "checkout"}),
        expect![[r#"
            no chain of calls from price_of (shop/prices.py:4) to checkout (shop/orders.py:22) was found
            reached: 0 functions from price_of, all there are; 3 on the way to checkout, all there are

            the other way

            1. 2 calls
               checkout  shop/orders.py:22
                 at 24: return order.total()
               Order.total  line 12
                 at 14: return sum(price_of(line) for line in self.lines)
               price_of  shop/prices.py:4
        "#]],
    );
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "price_of", "to": "RushOrder"}),
        expect![[r#"
            no chain of calls between price_of (shop/prices.py:4) and RushOrder (shop/orders.py:17) was found
            reached: 0 functions from price_of, all there are; 0 on the way to RushOrder, all there are
            no caller was found of: RushOrder (shop/orders.py:17)
            `find_references` {"symbol":"shop/orders.py:17"} lists all places that name the first
        "#]],
    );
}

#[test]
fn context_of_results() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "locate_symbol",
        &json!({"symbol": "Order.total", "detail_level": "context", "freshness": "strict"}),
        expect![[r#"
            shop/orders.py:12-14  method  Order.total
                 12 | def total(self):
                 13 |     """Adds up the prices of all lines."""
                 14 |     return sum(price_of(line) for line in self.lines)
                near: lines, __init__
                3 callers in 2 files
        "#]],
    );
    check(
        &mut client,
        "search_code",
        &json!({"query": "prices of all lines", "detail_level": "context", "limit": 1}),
        expect![[r#"
            shop/prices.py:4-5  function  price_of
                  4 | def price_of(name, count=1):
                  5 |     return PRICES[name] * count
                near: PRICES
                1 caller in 1 file
            5 more: `offset` 1
        "#]],
    );
}

#[test]
fn questions_about_code() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "find_references",
        &json!({"symbol": "price_of", "freshness": "strict"}),
        expect![[r#"
            shop/prices.py:4-5  function  price_of
                def price_of(name, count=1)
            2 of 2 uses proven, in 1 file (1 call, 1 import)
            shop/orders.py
              3  import  from shop.prices import price_of
              14  Order.total  return sum(price_of(line) for line in self.lines)
        "#]],
    );
    check(
        &mut client,
        "find_references",
        &json!({"symbol": "Order.total"}),
        expect![[r#"
            shop/orders.py:12-14  method  Order.total
                def total(self)
            3 of 3 uses proven, in 2 files (call)
            shop/orders.py
              19  RushOrder.total  return super().total() + 10
              24  checkout  return order.total()
            tests/test_orders.py:9  test_total  assert Order([]).total() == 0
        "#]],
    );
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "checkout"}),
        expect![[r#"
            shop/orders.py:22-24  function  checkout
                def checkout(lines)

            called by (2 calls)
            main.py:5  main  entry point  print(checkout(["tea"]))
            tests/test_orders.py:5  test_checkout  test  assert checkout(["tea"]) == 3

            calls (2 calls)
            shop/orders.py
              6  Order  at 23
              12  Order.total  at 24
        "#]],
    );
    check(
        &mut client,
        "get_file_outline",
        &json!({"path": "shop/orders.py"}),
        expect![[r#"
        shop/orders.py python, 24 lines
        6 class Order
         9 def __init__(self, lines)
         10 self.lines = lines
         12 def total(self)
        17 class RushOrder(Order)
         18 def total(self)
        22 def checkout(lines)
    "#]],
    );
    check(
        &mut client,
        "get_symbol",
        &json!({"symbol": "price_of"}),
        expect![[r#"
        shop/prices.py:4-5  function  price_of
        4 def price_of(name, count=1):
        5     return PRICES[name] * count
    "#]],
    );
    check(
        &mut client,
        "grep_code",
        &json!({"pattern": "PRICES\\["}),
        expect![[r#"
        1 match in 1 of 5 files
        shop/prices.py
          5  price_of  return PRICES[name] * count
    "#]],
    );
    check(
        &mut client,
        "locate_symbol",
        &json!({"symbol": "total", "ref": "HEAD"}),
        expect![[r#"
        at feature
        shop/orders.py:12-14  method  Order.total
            def total(self)
            Adds up the prices of all lines.
        shop/orders.py:18-19  method  RushOrder.total
            def total(self)
    "#]],
    );
    check(
        &mut client,
        "get_symbol_hierarchy",
        &json!({"symbol": "RushOrder"}),
        expect![[r#"
            shop/orders.py:17-19  class  RushOrder
                class RushOrder(Order)

            supertypes (1)
            shop/orders.py:6  Order

            members (1)
              18  method  def total(self)  overrides shop/orders.py:12
        "#]],
    );
    check(
        &mut client,
        "get_code_context",
        &json!({"query": "price of tea", "max_tokens": 300}),
        expect![[r#"
        shop/prices.py:1-3 text
        1 PRICES = {"tea": 4}
        shop/prices.py:4-5 function price_of
        4 def price_of(name, count=1):
        5     return PRICES[name] * count
        shop/orders.py:1-5 text
        1 """Orders and what they cost."""
        3 from shop.prices import price_of
        shop/orders.py:12-14 method Order.total
        12 def total(self):
        13     """Adds up the prices of all lines."""
        14     return sum(price_of(line) for line in self.lines)
        main.py:4-5 function main
        4 def main():
        5     print(checkout(["tea"]))
        tests/test_orders.py:4-5 function test_checkout
        4 def test_checkout():
        5     assert checkout(["tea"]) == 3
    "#]],
    );
}

#[test]
fn errors_say_what_to_do() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let result = client.call("get_symbol", json!({"symbol": "nonesuch_at_all", "freshness": "strict"}));
    assert_eq!(result["isError"], true, "{result}");
    let error = text(&result);
    assert!(error.starts_with("error symbol_not_found: ") && error.contains("search_code"), "{error}");
}

#[test]
fn questions_about_files() {
    let workspace = shop();
    workspace.write("Cargo.lock", "[[package]]\n");
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "get_file_outline",
        &json!({"path": "prices.py, main.py", "imports": true, "freshness": "strict"}),
        expect![[r#"
            2 files, 3 definitions
            shop/prices.py python, 5 lines
            1 PRICES = {"tea": 4}
            4 def price_of(name, count=1)
            main.py python, 9 lines
            imports
             1 shop.orders: checkout
            4 def main()
        "#]],
    );
    check(
        &mut client,
        "read_file",
        &json!({"path": "orders.py:6-7,17-,prices.py:1"}),
        expect![[r#"
        shop/orders.py 6-7 of 24 lines
        6 class Order:
        7     """What a customer wants."""
        shop/orders.py 17-24 of 24 lines
        17 class RushOrder(Order):
        18     def total(self):
        19         return super().total() + 10
        20
        21
        22 def checkout(lines):
        23     order = Order(lines)
        24     return order.total()
        shop/prices.py line 1 of 5
        1 PRICES = {"tea": 4}
    "#]],
    );
    check(
        &mut client,
        "read_file",
        &json!({"path": "orders.py", "max_tokens": 150}),
        expect![[r#"
        shop/orders.py 1-6 of 24 lines
        1 """Orders and what they cost."""
        2
        3 from shop.prices import price_of
        4
        5
        6 class Order:
        cut; `path` shop/orders.py:7- goes on
    "#]],
    );
    check(
        &mut client,
        "read_file",
        &json!({"path": ["Cargo.lock", "nothing.py"]}),
        expect![[r#"
        Cargo.lock 1 line
        1 [[package]]
        nothing.py: no indexed file nothing.py
    "#]],
    );
    check(
        &mut client,
        "read_file",
        &json!({"path": "prices.py", "ref": "main"}),
        expect![[r#"
        at main
        shop/prices.py 11 lines
        1 """Prices by name."""
        2
        3 PRICES = {"tea": 3}
        4
        5
        6 def price_of(name):
        7     return PRICES[name]
        8
        9
        10 def price_for(name):
        11     return PRICES[name]
    "#]],
    );
    check(
        &mut client,
        "list_directory",
        &json!({"depth": 2}),
        expect![[r#"
        . 5 files, 49 lines, 13 definitions; python 5
        shop/ 2 files, 29 lines, 9 definitions; python 2
         orders.py 24
         prices.py 5
        tests/ 1 file, 9 lines, 2 definitions; python 1
         test_orders.py 9
        Cargo.lock (lock file)
        extra.py 2
        main.py 9
    "#]],
    );
}

#[test]
fn all_tools_answer_with_plain_text() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let symbol = json!({"symbol": "checkout", "freshness": "strict"});
    let questions = [
        ("search_code", json!({"query": "what does an order cost", "freshness": "strict"})),
        ("grep_code", json!({"pattern": "price", "context": 1})),
        ("locate_symbol", symbol.clone()),
        ("get_symbol", symbol.clone()),
        ("get_file_outline", json!({"path": "main.py"})),
        ("get_code_context", json!({"query": "what does an order cost"})),
        ("find_references", symbol.clone()),
        ("get_call_graph", symbol.clone()),
        ("analyze_impact", symbol.clone()),
        ("diff_context", json!({"base": "HEAD"})),
        ("ask_many", json!({"calls": [{"tool": "get_symbol", "arguments": symbol.clone()}]})),
        ("index_status", json!({"metadata": "full"})),
        ("trace_path", json!({"to": "price_of"})),
        ("list_endpoints", json!({})),
        ("list_services", json!({})),
        ("get_symbol_hierarchy", json!({"symbol": "Order"})),
        ("read_file", json!({"path": "main.py"})),
        ("list_directory", json!({"depth": 3})),
        ("get_dependencies", json!({"path": "main.py"})),
        ("get_architecture", json!({})),
        ("list_projects", json!({})),
        ("find_related_symbols", symbol.clone()),
        ("search_similar_symbol", json!({"symbol": "price_of"})),
        ("find_symbols", json!({"kind": "method"})),
        ("compare_symbol_between_commits", json!({"symbol": "checkout", "base": "HEAD"})),
        ("explain_ranking", json!({"query": "order"})),
        ("suggest_followup_queries", json!({"query": "order"})),
        ("search_history", json!({})),
        ("search_history", json!({"count": "def "})),
        ("get_symbol_history", json!({"symbol": "checkout"})),
        ("get_symbol_history", json!({"symbol": "checkout", "blame": true})),
        ("list_refs", json!({})),
        ("health_check", json!({})),
        ("sync_repo", json!({})),
        ("index_repo", json!({})),
        ("switch_ref", json!({"reset": true})),
    ];
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let listed: BTreeSet<String> =
        listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_string()).collect();
    assert_eq!(listed, questions.iter().map(|(tool, _)| tool.to_string()).collect());
    for (tool, arguments) in questions {
        let result = client.call(tool, arguments);
        let answer = text(&result);
        assert_eq!(result["isError"], false, "{tool}: {answer}");
        assert!(serde_json::from_str::<Value>(answer).is_err() && !answer.trim().is_empty(), "{tool}: {answer}");
        assert!(answer.ends_with('\n') && !answer.contains('\u{1b}'), "{tool}: {answer}");
        // Advice names tools and arguments, not commands and flags; but no tool lists all that is
        // skipped.
        let answer = answer.replace("`codecompass index --show-ignored`", "");
        let is_flag = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').starts_with("--");
        let flags = answer.split_whitespace().filter(|word| is_flag(word) && word.contains(char::is_alphabetic));
        assert_eq!(flags.collect::<Vec<_>>(), [""; 0], "{tool}: {answer}");
        assert!(!answer.contains("`codecompass "), "{tool}: {answer}");
    }
}

#[test]
fn limits_hold_and_what_is_cut_is_said() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let questions = [
        ("find_references", json!({"symbol": "popular", "limit": 1000, "freshness": "strict"})),
        ("get_call_graph", json!({"symbol": "popular", "limit": 1000})),
        ("analyze_impact", json!({"symbol": "popular", "limit": 1000})),
        ("get_file_outline", json!({"path": "many.py"})),
        ("get_file_outline", json!({"path": "."})),
        ("get_symbol", json!({"symbol": "endless"})),
        ("grep_code", json!({"pattern": "popular"})),
        ("get_symbol_hierarchy", json!({"symbol": "Big", "limit": 1000})),
        ("get_dependencies", json!({"path": "lib.py", "reverse": true, "limit": 1000})),
        ("search_code", json!({"query": "user", "limit": 100})),
        ("find_symbols", json!({"limit": 1000, "attributes": true})),
    ];
    for (tool, arguments) in questions {
        for most in [120, 400, 1500] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(most);
            let answer = ask(&mut client, tool, &arguments);
            assert!(tokens(&answer) <= most, "{tool}: {} of {most} tokens: {answer}", tokens(&answer));
            let last = answer.lines().next_back().unwrap();
            let is_cut = last.contains(&format!("cut to {most} tokens, not shown: "));
            assert!(is_cut || most == 1500, "{tool}: {answer}");
        }
    }
}

#[test]
fn offsets_lead_to_the_end() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let (mut offset, mut seen) = (0, BTreeSet::new());
    for _ in 0..100 {
        let question = json!({"symbol": "popular", "max_tokens": 2000, "offset": offset});
        let answer = ask(&mut client, "find_references", &question);
        let calls = answer.lines().filter_map(|line| line.split("  ").find(|word| word.starts_with("user_")));
        for call in calls {
            assert!(seen.insert(call.to_string()), "{call} twice");
        }
        let next = answer.lines().next_back().and_then(|last| last.split("`offset` ").nth(1));
        match next.and_then(|next| next.split(' ').next()?.parse::<u64>().ok()) {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(seen.len(), 1000);
}

#[test]
#[cfg(unix)]
fn names_and_lines_of_a_repository_stay_on_their_lines() {
    let workspace = TestWorkspace::plain("//- /user.py\nfrom lib import asked\n");
    workspace.write("lib.py", "def asked():\n    \"\"\"99 uses in 9 files: 99 static\"\"\"\n");
    workspace.write(
        "evil\n99 uses in 9 files: 99 static.py",
        "from lib import asked\nasked()  # \u{1b}[2J \u{202e}\nclass A(asked): pass\n",
    );
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    for (tool, arguments) in [
        ("find_references", json!({"symbol": "asked", "freshness": "strict"})),
        ("grep_code", json!({"pattern": "asked"})),
        ("get_dependencies", json!({"path": "lib.py", "reverse": true})),
        ("analyze_impact", json!({"symbol": "asked"})),
        ("get_call_graph", json!({"symbol": "asked"})),
        ("search_code", json!({"query": "asked"})),
        ("find_symbols", json!({"base": "asked"})),
    ] {
        let answer = ask(&mut client, tool, &arguments);
        assert!(answer.contains("evil\\n99 uses"), "{tool}: {answer}");
        assert!(answer.lines().all(|line| !line.starts_with("99 uses")), "{tool}: {answer}");
        assert!(!answer.contains(['\u{1b}', '\u{202e}']), "{tool}: {answer}");
    }
}
