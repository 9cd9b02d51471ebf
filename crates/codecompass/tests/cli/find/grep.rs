//! `grep`: lines, context, pages, and patterns that are wrong.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check, check_json, workspace};

fn json(workspace: &TestWorkspace, args: &[&str]) -> Value {
    serde_json::from_str(&workspace.run(PROGRAM, &[args, &["--json"]].concat()).found()).unwrap()
}

#[test]
fn lines_with_the_definitions_around_them() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "orders"],
        expect![[r#"
        20 matches in 7 of 11 files, case ignored

        billing/invoice.py
              1  """Invoices for orders."""

        cmd/serve/main.go
              3  // Server answers questions about orders.

        src/store.rs
              1  //! Keeps orders by number.
              5  /// A store of orders.
              6  OrderStore  pub struct OrderStore {
              7  OrderStore::orders  orders: HashMap<u64, Order>,
             10  impl OrderStore {
             12  OrderStore::open  pub fn open(path: &str) -> OrderStore {
             13  OrderStore::open  let orders = load_orders(path);
             14  OrderStore::open  OrderStore { orders }
             18  OrderStore::find  self.orders.get(&number)
             22  load_orders  fn load_orders(path: &str) -> HashMap<u64, Order> {
             23  load_orders  panic!("cannot load orders from {path}")

        web/OrderList.tsx
              1  OrderList  export function OrderList(props: { orders: string[] }) {
              2  OrderList  return <ul>{props.orders.map((order) => <li>{order}</li>)}</ul>;

        web/client.ts
              7  OrderClient.fetchOrders  async fetchOrders(): Promise<Order[]> {
              8  OrderClient.fetchOrders  return (await fetch('/orders')).json();

        web/legacy.js
              3  loadOrders  export function loadOrders(path) {

        README.md
              1  Orders  # Orders
              3  Orders  How orders become invoices.
    "#]],
    );
    check(
        &workspace,
        &["grep", "Order", "-w"],
        expect![[r#"
        5 matches in 2 of 11 files

        src/store.rs
              7  OrderStore::orders  orders: HashMap<u64, Order>,
             17  OrderStore::find  fn find(&self, number: u64) -> Option<&Order> {
             22  load_orders  fn load_orders(path: &str) -> HashMap<u64, Order> {

        web/client.ts
              1  Order  export interface Order {
              7  OrderClient.fetchOrders  async fetchOrders(): Promise<Order[]> {
    "#]],
    );
    check_json(
        &workspace,
        &["grep", r"load_?orders\(path", "--tests", "exclude"],
        expect![[r#"
        {
          "matches": [
            {
              "column": 22,
              "enclosing": {
                "kind": "method",
                "line": 12,
                "name": "open",
                "qualified_name": "OrderStore::open"
              },
              "line": 13,
              "path": "src/store.rs",
              "text": "        let orders = load_orders(path);"
            },
            {
              "column": 4,
              "enclosing": {
                "kind": "function",
                "line": 22,
                "name": "load_orders",
                "qualified_name": "load_orders"
              },
              "line": 22,
              "path": "src/store.rs",
              "text": "fn load_orders(path: &str) -> HashMap<u64, Order> {"
            },
            {
              "column": 17,
              "enclosing": {
                "kind": "function",
                "line": 3,
                "name": "loadOrders",
                "qualified_name": "loadOrders"
              },
              "line": 3,
              "path": "web/legacy.js",
              "text": "export function loadOrders(path) {"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "files": 2,
            "ignored_case": true,
            "ref": "main",
            "returned": 3,
            "searched": 10,
            "total_candidates": 3
          },
          "total": 3
        }
    "#]],
    );
}

#[test]
fn context_lines() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "-F", "self.order", "-C1"],
        expect![[r#"
            3 matches in 2 of 11 files, case ignored

            billing/invoice.py
                  7-     def __init__(self, order):
                  8:         self.order = order  in Invoice.__init__
                  9- 
                 --
                 11-         """Adds up the prices of all lines."""
                 12:         return sum(line.price for line in self.order.lines)  in Invoice.total_price
                 13- 

            src/store.rs
                 17-     fn find(&self, number: u64) -> Option<&Order> {
                 18:         self.orders.get(&number)  in OrderStore::find
                 19-     }
        "#]],
    );
    check(
        &workspace,
        &["grep", "fn find", "-A", "2", "-B", "1"],
        expect![[r#"
        1 match in 1 of 11 files, case ignored

        src/store.rs
             16- 
             17:     fn find(&self, number: u64) -> Option<&Order> {  in OrderStore::find
             18-         self.orders.get(&number)
             19-     }
    "#]],
    );
    check_json(
        &workspace,
        &["grep", "retryLimit", "-C", "1"],
        expect![[r#"
        {
          "matches": [
            {
              "after": [
                {
                  "line": 2,
                  "text": ""
                }
              ],
              "column": 14,
              "enclosing": {
                "kind": "variable",
                "line": 1,
                "name": "retryLimit",
                "qualified_name": "retryLimit"
              },
              "line": 1,
              "path": "web/legacy.js",
              "text": "export const retryLimit = 3;"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "files": 1,
            "ignored_case": false,
            "ref": "main",
            "returned": 1,
            "searched": 11,
            "total_candidates": 1
          },
          "total": 1
        }
    "#]],
    );
}

#[test]
fn files_and_counts() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "invoice", "-l"],
        expect![[r#"
        6 matches in 3 of 11 files, case ignored

        billing/invoice.py
        README.md
        tests/test_invoice.py
    "#]],
    );
    check(
        &workspace,
        &["grep", "invoice", "-c"],
        expect![[r#"
        6 matches in 3 of 11 files, case ignored

        billing/invoice.py:3
        README.md:1
        tests/test_invoice.py:2
    "#]],
    );
    check(
        &workspace,
        &["grep", "invoice", "-s", "-c", "--limit", "1"],
        expect![[r#"
        2 matches in 2 of 11 files

        README.md:1

        1 more; --offset 1 goes on, --limit shows more at once, --path, --lang and --tests narrow
    "#]],
    );
    let files = json(&workspace, &["grep", "invoice", "-c"]);
    expect![[r#"
        [
          {
            "matches": 3,
            "path": "billing/invoice.py"
          },
          {
            "matches": 1,
            "path": "README.md"
          },
          {
            "matches": 2,
            "path": "tests/test_invoice.py"
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", files["files"]));
}

#[test]
fn pages() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "order", "--path", "web", "--limit", "2"],
        expect![[r#"
        7 matches in 3 of 3 files, case ignored

        web/OrderList.tsx
              1  OrderList  export function OrderList(props: { orders: string[] }) {
              2  OrderList  return <ul>{props.orders.map((order) => <li>{order}</li>)}</ul>;

        5 more; --offset 2 goes on, --limit shows more at once, --path, --lang and --tests narrow
    "#]],
    );
    check(
        &workspace,
        &["grep", "order", "--path", "web", "--limit", "2", "--offset", "2"],
        expect![[r#"
        7 matches in 3 of 3 files, case ignored

        web/client.ts
              1  Order  export interface Order {
              6  OrderClient  export class OrderClient {

        3 more; --offset 4 goes on, --limit shows more at once, --path, --lang and --tests narrow
    "#]],
    );
    check_json(
        &workspace,
        &["grep", "order", "--path", "web", "--limit", "1", "--offset", "1"],
        expect![[r#"
            {
              "matches": [
                {
                  "column": 21,
                  "enclosing": {
                    "kind": "component",
                    "line": 1,
                    "name": "OrderList",
                    "qualified_name": "OrderList"
                  },
                  "line": 2,
                  "path": "web/OrderList.tsx",
                  "text": "  return <ul>{props.orders.map((order) => <li>{order}</li>)}</ul>;"
                }
              ],
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "files": 3,
                "ignored_case": true,
                "next_offset": 2,
                "offset": 1,
                "ref": "main",
                "remaining_candidates": 5,
                "result_completeness": "truncated",
                "returned": 1,
                "searched": 3,
                "suggestion": "go on with offset 2, raise the limit, or narrow the question",
                "total_candidates": 7
              },
              "total": 7
            }
        "#]],
    );
    let all = json(&workspace, &["grep", "o"])["matches"].as_array().unwrap().clone();
    let mut paged = Vec::new();
    for offset in (0..all.len()).step_by(20) {
        let page = json(&workspace, &["grep", "o", "--limit", "20", "--offset", &offset.to_string()]);
        paged.extend(page["matches"].as_array().unwrap().iter().cloned());
    }
    assert!(all.len() > 40, "{}", all.len());
    assert_eq!(paged, all, "pages have every match once");
}

#[test]
fn nothing_and_everything() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "zzzqqqxxx"],
        expect![[r#"
        no match in 11 files, case ignored
        --- exit code 1
    "#]],
    );
    check_json(
        &workspace,
        &["grep", "zzzqqqxxx", "--lang", "rust"],
        expect![[r#"
        {
          "matches": [],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "files": 0,
            "ignored_case": true,
            "ref": "main",
            "returned": 0,
            "searched": 1,
            "total_candidates": 0
          },
          "total": 0
        }
        --- exit code 1
    "#]],
    );
    check(
        &workspace,
        &["grep", "", "--path", "billing", "--limit", "2"],
        expect![[r#"
        16 matches in 1 of 1 file

        billing/invoice.py
              1  """Invoices for orders."""
              2  

        14 more; --offset 2 goes on, --limit shows more at once, --path, --lang and --tests narrow
    "#]],
    );
    let many = TestWorkspace::plain("");
    many.write("many.txt", &"line\n".repeat(5000));
    let answer = many.run(PROGRAM, &["grep", ""]).found();
    assert_eq!(answer.lines().filter(|line| line.ends_with("  line")).count(), 200, "{answer}");
    assert!(answer.starts_with("5000 matches in 1 of 1 file\n"), "{answer}");
}

#[test]
fn patterns_that_are_wrong() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "größe("],
        expect![[r#"
        --- stderr
        error: the pattern is not valid at column 6: unclosed group
        help: correct it, or give -F to search for it as it is
        --- exit code 2
    "#]],
    );
    check_json(
        &workspace,
        &["grep", "a{2,1}"],
        expect![[r#"
        --- stderr
        {
          "error": {
            "code": "invalid_input",
            "data": {
              "remediation": "correct it, or give -F to search for it as it is"
            },
            "message": "the pattern is not valid at column 2: invalid repetition count range, the start must be <= the end"
          }
        }
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["grep", r"order\nx"],
        expect![[r#"
        --- stderr
        error: the pattern has a line end at column 6, and the search looks at single lines
        help: give -U to search across lines
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["grep", "-i", "-s", "order"],
        expect![[r#"
        --- stderr
        error: the argument '--ignore-case' cannot be used with '--case-sensitive'

        Usage: codecompass grep --ignore-case <PATTERN>

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
}

#[test]
fn matches_over_several_lines() {
    let workspace = workspace();
    check(
        &workspace,
        &["grep", "-U", r"__init__\(self, order\):\n.*order"],
        expect![[r#"
        1 match in 1 of 11 files, case ignored

        billing/invoice.py
              7  Invoice.__init__  def __init__(self, order):
              8  self.order = order
    "#]],
    );
    check_json(
        &workspace,
        &["grep", "-U", "--multiline-dotall", r"class OrderClient.*?fetchOrders"],
        expect![[r#"
        {
          "matches": [
            {
              "column": 8,
              "enclosing": {
                "kind": "class",
                "line": 6,
                "name": "OrderClient",
                "qualified_name": "OrderClient"
              },
              "line": 6,
              "line_end": 7,
              "path": "web/client.ts",
              "text": "export class OrderClient {\n  async fetchOrders(): Promise<Order[]> {"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "files": 1,
            "ignored_case": false,
            "ref": "main",
            "returned": 1,
            "searched": 11,
            "total_candidates": 1
          },
          "total": 1
        }
    "#]],
    );
    check(
        &workspace,
        &["grep", "-U", r"^class \w+:$"],
        expect![[r#"
        1 match in 1 of 11 files, case ignored

        billing/invoice.py
              4  Invoice  class Invoice:
    "#]],
    );
}

#[test]
fn another_ref() {
    let workspace = workspace();
    workspace.run_git(&["branch", "before"]);
    workspace.write("src/store.rs", "// nothing of it is left\n");
    check(
        &workspace,
        &["grep", "load_orders", "-w"],
        expect![[r#"
        no match in 11 files, case ignored
        --- exit code 1
    "#]],
    );
    check(
        &workspace,
        &["grep", "load_orders", "-w", "--ref", "before"],
        expect![[r#"
            2 matches in 1 of 10 files, case ignored

            src/store.rs
                 13  OrderStore::open  let orders = load_orders(path);
                 22  load_orders  fn load_orders(path: &str) -> HashMap<u64, Order> {
        "#]],
    );
}
