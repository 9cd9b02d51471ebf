//! `search`: all kinds of questions, filters and explanations.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check, check_json, check_unordered, workspace};

#[test]
fn nothing_to_search() {
    let empty = TestWorkspace::plain("");
    check(
        &empty,
        &["search", "order store"],
        expect![[r#"
        nothing to search: the workspace has no files
        --- exit code 1
    "#]],
    );
    let pictures = TestWorkspace::plain("");
    pictures.write_bytes("logo.png", b"\x89PNG\0\0");
    check(
        &pictures,
        &["search", "order store"],
        expect![[r#"
            nothing to search: all paths of the workspace are left out (1 image)
            --- exit code 1
        "#]],
    );
}

#[test]
fn search_by_symbol() {
    let workspace = workspace();
    check(
        &workspace,
        &["search", "OrderStore", "-n1"],
        expect![[r#"
            src/store.rs:6-8  struct  OrderStore
                pub struct OrderStore
                A store of orders.
                  7 | orders: HashMap<u64, Order>,

            15 more; --limit shows them
        "#]],
    );
    check_json(
        &workspace,
        &["search", "OrderStore", "--limit", "1"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "next_offset": 1,
                "query_intent": "symbol",
                "ref": "main",
                "remaining_candidates": 15,
                "result_completeness": "truncated",
                "returned": 1,
                "semantic_skipped_reason": "intent_not_nl",
                "suggestion": "go on with offset 1, raise the limit, or narrow the question",
                "total_candidates": 16
              },
              "results": [
                {
                  "kind": "struct",
                  "language": "rust",
                  "line_end": 8,
                  "line_start": 6,
                  "name": "OrderStore",
                  "path": "src/store.rs",
                  "qualified_name": "OrderStore",
                  "score": 106.4,
                  "signature": "pub struct OrderStore",
                  "symbol_id": "06f492048f02.0",
                  "symbol_stable_id": "befcaa604e6365ab",
                  "visibility": "public"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn search_by_path() {
    let workspace = workspace();
    check(
        &workspace,
        &["search", "web/client.ts"],
        expect![[r#"
        web/client.ts:1-10  file
              6 | export class OrderClient {
    "#]],
    );
    check_json(
        &workspace,
        &["search", "invoice.py", "--limit", "1"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "next_offset": 1,
                "query_intent": "path",
                "ref": "main",
                "remaining_candidates": 1,
                "result_completeness": "truncated",
                "returned": 1,
                "semantic_skipped_reason": "intent_not_nl",
                "suggestion": "go on with offset 1, raise the limit, or narrow the question",
                "total_candidates": 2
              },
              "results": [
                {
                  "kind": "file",
                  "language": "python",
                  "line_end": 16,
                  "line_start": 1,
                  "name": "invoice.py",
                  "path": "billing/invoice.py",
                  "qualified_name": "billing/invoice.py",
                  "score": 89.9
                }
              ]
            }
        "#]],
    );
}

#[test]
fn search_by_error() {
    let workspace = workspace();
    let message = "thread 'main' panicked at src/store.rs:23:5: cannot load orders from x";
    check(
        &workspace,
        &["search", message, "-n", "1"],
        expect![[r#"
        src/store.rs:22-24  function  load_orders
            fn load_orders(path: &str) -> HashMap<u64, Order>
             23 | panic!("cannot load orders from {path}")

        18 more; --limit shows them
    "#]],
    );
    check_json(
        &workspace,
        &["search", message, "-n", "1", "--detail", "location"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "next_offset": 1,
                "query_intent": "error",
                "ref": "main",
                "remaining_candidates": 18,
                "result_completeness": "truncated",
                "returned": 1,
                "semantic_skipped_reason": "intent_not_nl",
                "suggestion": "go on with offset 1, raise the limit, or narrow the question",
                "total_candidates": 19
              },
              "results": [
                {
                  "kind": "function",
                  "line_end": 24,
                  "line_start": 22,
                  "name": "load_orders",
                  "path": "src/store.rs"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn search_by_question() {
    let workspace = workspace();
    check(
        &workspace,
        &["search", "how are prices added up", "--limit", "1"],
        expect![[r#"
            billing/invoice.py:10-12  method  Invoice.total_price
                def total_price(self)
                Adds up the prices of all lines.
                 11 | """Adds up the prices of all lines."""

            1 more; --limit shows them
        "#]],
    );
    // Words need no quotes.
    check(
        &workspace,
        &["search", "waits", "for", "requests", "--limit=1", "--detail=location"],
        expect![[r#"
            cmd/serve/main.go:9-11  method  Server.Listen
        "#]],
    );
    check_json(
        &workspace,
        &["search", "add up prices", "--limit", "1", "--detail", "context"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "embedding_model_version": "static-code-256@1",
                "next_offset": 1,
                "query_intent": "natural_language",
                "ref": "main",
                "remaining_candidates": 1,
                "result_completeness": "truncated",
                "returned": 1,
                "suggestion": "go on with offset 1, raise the limit, or narrow the question",
                "total_candidates": 2
              },
              "results": [
                {
                  "body_preview": "    def total_price(self):\n        \"\"\"Adds up the prices of all lines.\"\"\"\n        return sum(line.price for line in self.order.lines)",
                  "caller_count": 1,
                  "calling_file_count": 1,
                  "is_public_api": true,
                  "kind": "method",
                  "language": "python",
                  "line_end": 12,
                  "line_start": 10,
                  "name": "total_price",
                  "parent": {
                    "kind": "class",
                    "line": 4,
                    "name": "Invoice",
                    "path": "billing/invoice.py"
                  },
                  "path": "billing/invoice.py",
                  "qualified_name": "Invoice.total_price",
                  "related_symbols": [
                    "order",
                    "__init__"
                  ],
                  "score": 39.0928,
                  "signature": "def total_price(self)",
                  "similarity": 0.496,
                  "symbol_id": "61803fe46a7c.3",
                  "symbol_stable_id": "2e6fd17cefd40626",
                  "visibility": "public"
                }
              ]
            }
        "#]],
    );
}

#[test]
fn search_explained() {
    let workspace = workspace();
    check(
        &workspace,
        &["search", "open orders", "--limit", "1", "--explain"],
        expect![[r#"
            src/store.rs:12-15  method  OrderStore::open
                pub fn open(path: &str) -> OrderStore
                Opens the store that a file holds.
                 13 | let orders = load_orders(path);
                score 43.6782 = text +14  file +8  meaning +6.8119  file_meaning +4.5413  coverage +2  name +7.425  kind +0.9; similarity 0.632

            16 more; --limit shows them
        "#]],
    );
    check(
        &workspace,
        &["search", "load_orders", "--limit", "1", "--explain=basic"],
        expect![[r#"
        src/store.rs:22-24  function  load_orders
            fn load_orders(path: &str) -> HashMap<u64, Order>
             23 | panic!("cannot load orders from {path}")
            score 104.4 = name_match +100  kind +3.5  has_body +1

        15 more; --limit shows them
    "#]],
    );
    for query in ["open orders", "OrderStore", "web/client.ts", "error: cannot load src/store.rs:23", "orders"] {
        let answer = workspace.run(PROGRAM, &["search", "--json", "--explain=full", "--limit", "50", query]).found();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        for hit in answer["results"].as_array().unwrap() {
            let parts = hit["ranking_reasons"].as_array().unwrap();
            let sum: f64 = parts.iter().map(|part| part["value"].as_f64().unwrap()).sum();
            assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{query}: {hit}");
        }
    }
}

#[test]
fn filters() {
    let workspace = workspace();
    let orders = |filter: &[&str], expected| {
        check_unordered(&workspace, &[&["search", "orders", "--detail=location"], filter].concat(), expected);
    };
    orders(
        &["--lang", "go"],
        expect![[r#"
            cmd/serve/main.go:4-6  struct  Server
        "#]],
    );
    orders(
        &["--lang", "RUST", "--lang", "tsx"],
        expect![[r#"
        src/store.rs:1-4  text
        src/store.rs:10-20  impl  OrderStore
        src/store.rs:12-15  method  OrderStore::open
        src/store.rs:17-19  method  OrderStore::find
        src/store.rs:22-24  function  load_orders
        src/store.rs:6-8  struct  OrderStore
        src/store.rs:7  field  OrderStore::orders
        web/OrderList.tsx:1-3  component  OrderList
    "#]],
    );
    orders(
        &["--kind", "class"],
        expect![[r#"
        billing/invoice.py:4-12  class  Invoice
        web/client.ts:6-10  class  OrderClient
    "#]],
    );
    orders(
        &["--kind", "class", "--kind=component", "--path", "web"],
        expect![[r#"
        web/OrderList.tsx:1-3  component  OrderList
        web/client.ts:6-10  class  OrderClient
    "#]],
    );
    orders(
        &["--path", "web/"],
        expect![[r#"
        web/OrderList.tsx:1-3  component  OrderList
        web/client.ts:1-3  interface  Order
        web/client.ts:6-10  class  OrderClient
        web/client.ts:7-9  method  OrderClient.fetchOrders
        web/legacy.js:3-5  function  loadOrders
    "#]],
    );
    orders(
        &["--path", "**/*.py"],
        expect![[r#"
        billing/invoice.py:1-3  text
        billing/invoice.py:10-12  method  Invoice.total_price
        billing/invoice.py:4-12  class  Invoice
        billing/invoice.py:8  field  Invoice.order
    "#]],
    );
    orders(
        &["--path", "web/*.ts", "--path", "cmd"],
        expect![[r#"
            cmd/serve/main.go:4-6  struct  Server
            web/client.ts:1-3  interface  Order
            web/client.ts:6-10  class  OrderClient
            web/client.ts:7-9  method  OrderClient.fetchOrders
        "#]],
    );
    orders(
        &["--kind=heading", "--lang=markdown"],
        expect![[r#"
            README.md:1-7  heading  Orders
        "#]],
    );
    orders(
        &["--kind", "enum"],
        expect![[r#"
            --- exit code 1
            nothing found for "orders" with these filters; try it without them
        "#]],
    );
    check(
        &workspace,
        &["locate", "open", "--lang", "python"],
        expect![[r#"
        billing/invoice.py:15-16  function  open
            def open(path)
    "#]],
    );
    check(
        &workspace,
        &["show", "open", "--path", "src/"],
        expect![[r#"
        src/store.rs:12-15  method  OrderStore::open
            11 |     /// Opens the store that a file holds.
            12 |     pub fn open(path: &str) -> OrderStore {
            13 |         let orders = load_orders(path);
            14 |         OrderStore { orders }
            15 |     }
    "#]],
    );
    for limit in 1..4 {
        let answer = workspace.run(PROGRAM, &["search", "orders", "--json", "--limit", &limit.to_string()]).found();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["results"].as_array().unwrap().len(), limit);
        assert_eq!(answer["metadata"]["returned"], limit);
    }
    let everywhere = workspace.run(PROGRAM, &["search", "orders"]).found();
    assert_eq!(workspace.run(PROGRAM, &["search", "orders", "--ref", "main"]).found(), everywhere);
}

#[test]
fn of_equal_names_the_newer_one() {
    let workspace = TestWorkspace::git(
        "//- /api/v1/users.py\nclass UserList:\n    pass\n//- /api/v2/users.py\nclass UserList:\n    size = 2\n\n\n\
         class UserLists:\n    pass\n",
    );
    let paths = |query: &str| -> Vec<String> {
        let answer = workspace.run(PROGRAM, &["search", query, "--kind", "class", "--json"]).found();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["results"].as_array().unwrap().iter().map(|hit| format!("{} {}", hit["path"], hit["name"])).collect()
    };
    let [old, new, other] = [("v1", "UserList"), ("v2", "UserList"), ("v2", "UserLists")]
        .map(|(version, name)| format!("\"api/{version}/users.py\" \"{name}\""));
    assert_eq!(paths("UserList"), [new.clone(), old.clone(), other], "a name that is only alike comes last");
    assert_eq!(paths("v1 UserList")[0], old);
    let explained = workspace.run(PROGRAM, &["search", "UserList", "--explain"]).found();
    assert!(explained.contains("old"), "{explained}");
}
