//! `context`: what fits a budget, and that the budget holds.

use std::path::Path;

use codecompass_testkit::{TestWorkspace, copy_tree};
use expect_test::expect;
use serde_json::Value;
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

use crate::{PROGRAM, check, check_json, workspace};

fn tokens(text: &str) -> usize {
    let counts = [o200k_base_singleton(), cl100k_base_singleton()].map(|known| known.encode_ordinary(text).len());
    counts[0].max(counts[1])
}

#[test]
fn code_for_a_question() {
    let workspace = workspace();
    check(
        &workspace,
        &["context", "how are prices added up", "--max-tokens", "300"],
        expect![[r#"
        billing/invoice.py:10-12 method Invoice.total_price
            def total_price(self):
                """Adds up the prices of all lines."""
                return sum(line.price for line in self.order.lines)

        tests/test_invoice.py:4-5 function test_total_price
        def test_total_price():
            assert Invoice(None).total_price() == 0

    "#]],
    );
    check(
        &workspace,
        &["context", "open orders", "--max-tokens", "150"],
        expect![[r#"
            src/store.rs:12-15 method OrderStore::open
                /// Opens the store that a file holds.
                pub fn open(path: &str) -> OrderStore {
                    let orders = load_orders(path);
                    OrderStore { orders }
                }

            billing/invoice.py:15-16 function open
            def open(path):
                return Invoice(path)

            web/OrderList.tsx:1-3 component OrderList
            3 results from 17 hits; --max-tokens 300 shows more; `codecompass show PATH:LINE` has all lines of one
        "#]],
    );
    check_json(
        &workspace,
        &["context", "load_orders", "--max-tokens", "260"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "estimated_tokens": 237,
                "query_intent": "symbol",
                "ref": "main",
                "result_completeness": "truncated",
                "returned": 2,
                "suggested_action": "--max-tokens 520 shows more; `codecompass show PATH:LINE` has all lines of one",
                "total_candidates": 16,
                "truncated": true
              },
              "results": [
                {
                  "code": "fn load_orders(path: &str) -> HashMap<u64, Order> {\n    panic!(\"cannot load orders from {path}\")\n}",
                  "kind": "function",
                  "line_end": 24,
                  "line_start": 22,
                  "name": "load_orders",
                  "path": "src/store.rs"
                },
                {
                  "code": "export function loadOrders(path) {\n  return fetch(path);\n}",
                  "kind": "function",
                  "line_end": 5,
                  "line_start": 3,
                  "name": "loadOrders",
                  "path": "web/legacy.js"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn in_depth() {
    let workspace = workspace();
    check(
        &workspace,
        &["context", "OrderStore::open", "--strategy", "depth", "--max-tokens", "260", "--path", "src"],
        expect![[r#"
            src/store.rs:6-8 struct OrderStore
            /// A store of orders.
            pub struct OrderStore {
                orders: HashMap<u64, Order>,
            }

            src/store.rs:10-20 impl OrderStore
            src/store.rs:12-15 method OrderStore::open in impl OrderStore
                /// Opens the store that a file holds.
                pub fn open(path: &str) -> OrderStore {
                    let orders = load_orders(path);
                    OrderStore { orders }
                }

            src/store.rs:17-19 method OrderStore::find
                fn find(&self, number: u64) -> Option<&Order> {
                    self.orders.get(&number)
                }

            src/store.rs:22-24 function load_orders
            fn load_orders(path: &str) -> HashMap<u64, Order> {
                panic!("cannot load orders from {path}")
            }

            5 results from 6 hits; --max-tokens 520 shows more; `codecompass show PATH:LINE` has all lines of one
        "#]],
    );
}

#[test]
fn nothing_to_show() {
    let workspace = workspace();
    check(
        &workspace,
        &["context", "zzzqqqxxx"],
        expect![[r#"
        nothing found; try other words, fewer filters, or `codecompass status`
        --- exit code 1
    "#]],
    );
    check_json(
        &workspace,
        &["context", "zzzqqqxxx"],
        expect![[r#"
        {
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "estimated_tokens": 63,
            "query_intent": "symbol",
            "ref": "main",
            "returned": 0,
            "total_candidates": 0,
            "truncated": false
          },
          "results": []
        }
        --- exit code 1
    "#]],
    );
}

#[test]
fn budgets_and_strategies_that_make_no_sense() {
    let workspace = workspace();
    for (code, args) in [
        ("invalid_max_tokens", ["--max-tokens", "0"]),
        ("invalid_max_tokens", ["--max-tokens", "99"]),
        ("invalid_max_tokens", ["--max-tokens", "-5"]),
        ("invalid_max_tokens", ["--max-tokens", "many"]),
        ("invalid_max_tokens", ["--max-tokens", "99999999999999999999999"]),
        ("invalid_strategy", ["--strategy", "length"]),
        ("invalid_input", ["--kind", "thing"]),
    ] {
        let answer = workspace.run(PROGRAM, &[&["context", "orders", "--json"], &args[..]].concat()).ended_with(2);
        let error: Value = serde_json::from_str(&answer.stderr).unwrap();
        assert_eq!(error["error"]["code"], code, "{args:?}");
        assert!(!error["error"]["data"]["remediation"].as_str().unwrap().is_empty());
    }
}

#[test]
fn any_ref_and_filter() {
    let workspace = workspace();
    workspace.write("src/store.rs", "pub fn nothing() {}\n");
    workspace.commit("second");
    check(
        &workspace,
        &["context", "load orders", "--ref", "HEAD~1", "--lang", "rust"],
        expect![[r#"
        src/store.rs:1-4 text
        //! Keeps orders by number.

        use std::collections::HashMap;


        src/store.rs:6-8 struct OrderStore
        /// A store of orders.
        pub struct OrderStore {
            orders: HashMap<u64, Order>,
        }

        src/store.rs:10-20 impl OrderStore
        impl OrderStore {
        ...
            fn find(&self, number: u64) -> Option<&Order> {
                self.orders.get(&number)
            }
        }

        src/store.rs:12-15 method OrderStore::open
            /// Opens the store that a file holds.
            pub fn open(path: &str) -> OrderStore {
                let orders = load_orders(path);
                OrderStore { orders }
            }

        src/store.rs:22-24 function load_orders
        fn load_orders(path: &str) -> HashMap<u64, Order> {
            panic!("cannot load orders from {path}")
        }

    "#]],
    );
}

/// Everything that is printed, counted by real tokenizers, for many questions, budgets and both
/// strategies.
#[test]
fn no_budget_is_exceeded() {
    let workspace = TestWorkspace::plain("");
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/languages");
    copy_tree(&languages, &workspace.root().join("languages"));
    workspace.run(PROGRAM, &["index", "--quiet"]).ended_with(0);
    for query in
        ["how are errors handled", "parse", "languages/rust", "Shape.area", "imports — größe 価格", "fixture text"]
    {
        let mut before = 0;
        for budget in [100, 150, 250, 500, 1000, 3000] {
            let max = budget.to_string();
            for (strategy, format) in [
                ("breadth", &["--quiet"][..]),
                ("depth", &["--quiet"]),
                ("breadth", &["--json"]),
                ("depth", &["--json"]),
            ] {
                let asked = ["context", query, "--max-tokens", max.as_str(), "--strategy", strategy];
                let text = workspace.run(PROGRAM, &[&asked, format].concat()).stdout;
                let real = tokens(&text);
                assert!(real <= budget, "{real} of {budget} tokens for {query:?}, {strategy} {format:?}:\n{text}");
                if format == ["--json"] {
                    let answer: Value = serde_json::from_str(&text).unwrap();
                    let metadata = &answer["metadata"];
                    let estimated = metadata["estimated_tokens"].as_u64().unwrap() as usize;
                    assert!((real..=budget).contains(&estimated), "{real} {estimated} {budget}");
                    assert_eq!(metadata["returned"], answer["results"].as_array().unwrap().len());
                } else if strategy == "breadth" {
                    assert!(real >= before, "a larger budget gives more: {real} after {before}");
                    before = real * 9 / 10;
                }
            }
        }
    }
}

/// No line of a file is put out twice, whatever is nested in what.
#[test]
fn no_code_twice() {
    let workspace = TestWorkspace::plain("");
    let methods: String = (0..30)
        .map(|number| {
            format!("    def price_{number}(self):\n        total = {number}  # price line\n        return total\n\n")
        })
        .collect();
    workspace.write("shop/price.py", &format!("class Price:\n    \"\"\"A price.\"\"\"\n\n{methods}"));
    for budget in ["200", "400", "800", "1600", "3000"] {
        for strategy in ["breadth", "depth"] {
            let asked = ["context", "price total line", "--max-tokens", budget, "--strategy", strategy];
            let text = workspace.run(PROGRAM, &asked).found();
            for number in 0..30 {
                let line = format!("        total = {number}  # price line\n");
                assert!(text.matches(&line).count() <= 1, "{text}");
            }
        }
    }
}
