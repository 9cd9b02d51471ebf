//! `locate`, `outline` and `show`: where things are and what they look like.

use expect_test::expect;
use serde_json::Value;

use crate::files::{check_whole_json, odd_files};
use crate::{PROGRAM, check, check_every_field, check_json, workspace};

#[test]
fn several_symbols_in_one_command() {
    let workspace = workspace();
    check(
        &workspace,
        &["locate", "OrderStore", "loadOrders"],
        expect![[r#"
        src/store.rs:6-8  struct  OrderStore
            pub struct OrderStore
            A store of orders.

        web/legacy.js:3-5  function  loadOrders
            export function loadOrders(path)
    "#]],
    );
    check(
        &workspace,
        &["refs", "load_orders", "nothing_like_it"],
        expect![[r#"
            src/store.rs:22-24  function  load_orders
                fn load_orders(path: &str) -> HashMap<u64, Order>
            1 of 1 use proven, in 1 file (call)

            src/store.rs
                13:22  call     in OrderStore::open  let orders = load_orders(path);

            --- stderr
            error: no symbol `nothing_like_it`
            help: check the spelling, or describe it in words with `codecompass search`
            --- exit code 2
        "#]],
    );
    check(
        &workspace,
        &["refs", "nor_this", "nothing_like_it"],
        expect![[r#"
        --- stderr
        error: no symbol `nor_this`
        help: check the spelling, or describe it in words with `codecompass search`
        --- exit code 2
    "#]],
    );
    let run = workspace.run(PROGRAM, &["locate", "OrderStore", "loadOrders", "--json"]).found();
    let answer: Value = serde_json::from_str(&run).unwrap();
    let names: Vec<&Value> =
        answer["answers"].as_array().unwrap().iter().map(|one| &one["results"][0]["name"]).collect();
    assert_eq!(names, ["OrderStore", "loadOrders"]);
}

#[test]
fn locate_with_more_or_less_detail() {
    let workspace = workspace();
    check(
        &workspace,
        &["locate", "OrderStore", "--detail", "location"],
        expect![[r#"
        src/store.rs:6-8  struct  OrderStore
    "#]],
    );
    check(
        &workspace,
        &["locate", "OrderStore", "--detail", "context"],
        expect![[r#"
        src/store.rs:6-8  struct  OrderStore
              6 | pub struct OrderStore {
              7 |     orders: HashMap<u64, Order>,
              8 | }
            near: orders
            1 caller in 1 file
    "#]],
    );
}

#[test]
fn locate_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["locate", "OrderStore"],
        expect![[r#"
                src/store.rs:6-8  struct  OrderStore
                    pub struct OrderStore
                    A store of orders.
            "#]],
    );
    check(
        &workspace,
        &["locate", "orderstore"],
        expect![[r#"
                no exact match for `orderstore`; by case-insensitive:
                src/store.rs:6-8  struct  OrderStore
                    pub struct OrderStore
                    A store of orders.
            "#]],
    );
    check(
        &workspace,
        &["locate", "load"],
        expect![[r#"
                no exact match for `load`; by prefix:
                web/legacy.js:3-5  function  loadOrders
                    export function loadOrders(path)
                src/store.rs:22-24  function  load_orders
                    fn load_orders(path: &str) -> HashMap<u64, Order>
            "#]],
    );
    check(
        &workspace,
        &["locate", "price"],
        expect![[r#"
                no exact match for `price`; by sub-word:
                billing/invoice.py:10-12  method  Invoice.total_price
                    def total_price(self)
                    Adds up the prices of all lines.
                tests/test_invoice.py:4-5  function  test_total_price
                    def test_total_price()
            "#]],
    );
    check(
        &workspace,
        &["locate", "OrderStroe"],
        expect![[r#"
                no exact match for `OrderStroe`; by fuzzy:
                src/store.rs:6-8  struct  OrderStore
                    pub struct OrderStore
                    A store of orders.
            "#]],
    );
    check(
        &workspace,
        &["locate", "no_such_thing_anywhere"],
        expect![[r#"
            no symbol like `no_such_thing_anywhere`; `codecompass search no_such_thing_anywhere` finds code by what it does, `codecompass grep -F no_such_thing_anywhere` by its text
            --- exit code 1
        "#]],
    );
    check(
        &workspace,
        &["locate", "src/store.rs:3"],
        expect![[r#"
                --- stderr
                error: no definition stands at src/store.rs:3
                help: `codecompass outline` lists what a file defines, `codecompass locate --at` says what a name means; path:line without a column means the definition around it
                --- exit code 2
            "#]],
    );
}

#[test]
fn locate_as_json() {
    let workspace = workspace();
    check_json(
        &workspace,
        &["locate", "open", "--limit", "1", "--explain=full"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "match": "exact",
                "next_offset": 1,
                "ref": "main",
                "remaining_candidates": 1,
                "result_completeness": "truncated",
                "returned": 1,
                "suggestion": "go on with offset 1, raise the limit, or narrow the question",
                "total_candidates": 2
              },
              "results": [
                {
                  "kind": "function",
                  "language": "python",
                  "line_end": 16,
                  "line_start": 15,
                  "name": "open",
                  "path": "billing/invoice.py",
                  "qualified_name": "open",
                  "ranking_reasons": [
                    {
                      "reason": "name_match",
                      "value": 100.0
                    },
                    {
                      "reason": "kind",
                      "value": 3.5
                    },
                    {
                      "reason": "visibility",
                      "value": 1.0
                    },
                    {
                      "reason": "has_body",
                      "value": 1.0
                    },
                    {
                      "reason": "path_depth",
                      "value": -0.1
                    }
                  ],
                  "score": 105.4,
                  "signature": "def open(path)",
                  "symbol_id": "61803fe46a7c.4",
                  "symbol_stable_id": "66286da1963bc951",
                  "visibility": "public"
                }
              ]
            }
        "#]],
    );
    check_json(
        &workspace,
        &["locate", "no_such_thing_anywhere"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "match": null,
                "ref": "main",
                "returned": 0,
                "suggested_action": "`codecompass search no_such_thing_anywhere` finds code by what it does, `codecompass grep -F no_such_thing_anywhere` by its text",
                "total_candidates": 0
              },
              "results": []
            }
            --- exit code 1
        "#]],
    );
}

#[test]
fn symbol_ids_lead_back() {
    let workspace = workspace();
    let by_name = workspace.run(PROGRAM, &["locate", "--json", "Invoice.total_price"]).found();
    let by_name: Value = serde_json::from_str(&by_name).unwrap();
    let id = by_name["results"][0]["symbol_id"].as_str().unwrap();
    for command in ["locate", "show"] {
        let by_id = workspace.run(PROGRAM, &[command, id]).found();
        assert_eq!(by_id, workspace.run(PROGRAM, &[command, "Invoice.total_price"]).found());
    }
    // The id is for this very content; the stable id is for the symbol.
    workspace.write("billing/invoice.py", "\n\nclass Invoice:\n    def total_price(self):\n        return 0\n");
    check(
        &workspace,
        &["show", id],
        expect![[r#"
        --- stderr
        error: no symbol `61803fe46a7c.3`
        help: check the spelling, or describe it in words with `codecompass search`
        --- exit code 2
    "#]],
    );
    let moved = workspace.run(PROGRAM, &["locate", "--json", "Invoice.total_price"]).found();
    let moved: Value = serde_json::from_str(&moved).unwrap();
    assert_eq!(moved["results"][0]["symbol_stable_id"], by_name["results"][0]["symbol_stable_id"]);
    assert_ne!(moved["results"][0]["symbol_id"], by_name["results"][0]["symbol_id"]);
}

#[test]
fn outline_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["outline", "src/store.rs"],
        expect![[r#"
            src/store.rs rust, 24 lines
                 6  pub struct OrderStore
                 7    orders: HashMap<u64, Order>
                10  impl OrderStore
                12    pub fn open(path: &str) -> OrderStore
                17    fn find(&self, number: u64) -> Option<&Order>
                22  fn load_orders(path: &str) -> HashMap<u64, Order>
        "#]],
    );
    check(
        &workspace,
        &["outline", "src/store.rs", "--depth", "top"],
        expect![[r#"
            src/store.rs rust, 24 lines
                 6  pub struct OrderStore
                10  impl OrderStore
                22  fn load_orders(path: &str) -> HashMap<u64, Order>
        "#]],
    );
    check(
        &workspace,
        &["outline", "invoice.py", "--depth=all"],
        expect![[r#"
            billing/invoice.py python, 16 lines
                 4  class Invoice
                 7    def __init__(self, order)
                 8    self.order = order
                10    def total_price(self)
                15  def open(path)
        "#]],
    );
    check(
        &workspace,
        &["outline", "README.md"],
        expect![[r#"
            README.md markdown, 7 lines
                 1  # Orders
                 5    ## Retries
        "#]],
    );
}

#[test]
fn outlines_of_several_files() {
    let workspace = workspace();
    check(
        &workspace,
        &["outline", "billing", "store.rs"],
        expect![[r#"
        2 files, 11 definitions

        billing/invoice.py python, 16 lines
             4  class Invoice
             7    def __init__(self, order)
             8    self.order = order
            10    def total_price(self)
            15  def open(path)

        src/store.rs rust, 24 lines
             6  pub struct OrderStore
             7    orders: HashMap<u64, Order>
            10  impl OrderStore
            12    pub fn open(path: &str) -> OrderStore
            17    fn find(&self, number: u64) -> Option<&Order>
            22  fn load_orders(path: &str) -> HashMap<u64, Order>
    "#]],
    );
    check(
        &workspace,
        &["outline", "web", "--depth", "top", "nothing.ts"],
        expect![[r#"
        3 files, 7 definitions

        web/OrderList.tsx tsx, 3 lines
             1  export function OrderList(props: { orders: string[] })

        web/client.ts typescript, 10 lines
             1  export interface Order
             6  export class OrderClient

        web/legacy.js javascript, 5 lines
             1  export const retryLimit = 3
             3  export function loadOrders(path)
        nothing.ts: no indexed file nothing.ts
    "#]],
    );
    check(
        &workspace,
        &["outline", ".", "--max-tokens", "200"],
        expect![[r#"
            10 files, 25 definitions
            .codecompassignore 1 line
            .gitignore 1 line
            README.md 7 lines: Orders
            billing/invoice.py 16 lines: Invoice, open
            cmd/serve/main.go 13 lines: Server, Listen, main
            src/store.rs 24 lines: OrderStore, load_orders
            tests/test_invoice.py 5 lines: test_total_price
            web/OrderList.tsx 3 lines: OrderList
            web/client.ts 10 lines: Order, OrderClient
            web/legacy.js 5 lines: retryLimit, loadOrders
            top-level names only; `codecompass outline` of one of them shows all
        "#]],
    );
    check_whole_json(
        &workspace,
        &["outline", "billing", "src", "--depth", "top"],
        expect![[r#"
            {
              "files": [
                {
                  "language": "python",
                  "line_count": 16,
                  "path": "billing/invoice.py",
                  "problems": [],
                  "symbols": [
                    {
                      "children": [],
                      "kind": "class",
                      "line_end": 12,
                      "line_start": 4,
                      "name": "Invoice",
                      "signature": "class Invoice",
                      "visibility": "public"
                    },
                    {
                      "children": [],
                      "kind": "function",
                      "line_end": 16,
                      "line_start": 15,
                      "name": "open",
                      "signature": "def open(path)",
                      "visibility": "public"
                    }
                  ]
                },
                {
                  "language": "rust",
                  "line_count": 24,
                  "path": "src/store.rs",
                  "problems": [],
                  "symbols": [
                    {
                      "children": [],
                      "kind": "struct",
                      "line_end": 8,
                      "line_start": 6,
                      "name": "OrderStore",
                      "signature": "pub struct OrderStore",
                      "visibility": "public"
                    },
                    {
                      "children": [],
                      "kind": "impl",
                      "line_end": 20,
                      "line_start": 10,
                      "name": "OrderStore",
                      "signature": "impl OrderStore",
                      "visibility": "private"
                    },
                    {
                      "children": [],
                      "kind": "function",
                      "line_end": 24,
                      "line_start": 22,
                      "name": "load_orders",
                      "signature": "fn load_orders(path: &str) -> HashMap<u64, Order>",
                      "visibility": "private"
                    }
                  ]
                }
              ],
              "level": "top",
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main",
                "returned": 2,
                "total_candidates": 2
              }
            }
        "#]],
    );
    let odd = odd_files();
    check(
        &odd,
        &["outline", "src/app.py", "--imports"],
        expect![[r#"
        src/app.py python, 10 lines
        imports
             1    os
             2    shop: cart, order as bill
             5  def first(x)
             9  def second()
    "#]],
    );
    check(
        &odd,
        &["outline", "src"],
        expect![[r#"
            5 files, 7 definitions

            src/app.py python, 10 lines
                 5  def first(x)
                 9  def second()

            src/crlf.py python, 3 lines
               1-3  a, b, c

            src/deep/er/leaf.py python, 1 line
                 1  class Leaf

            src/empty.py python, 0 lines

            src/latin.py python, 1 line
                 1  name = 'caf�'
        "#]],
    );
}

#[test]
fn outline_as_json() {
    let workspace = workspace();
    check_json(
        &workspace,
        &["outline", "cmd/serve/main.go"],
        expect![[r#"
        {
          "language": "go",
          "line_count": 13,
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "ref": "main"
          },
          "path": "cmd/serve/main.go",
          "problems": [],
          "symbols": [
            {
              "children": [
                {
                  "children": [],
                  "kind": "field",
                  "line_end": 5,
                  "line_start": 5,
                  "name": "port",
                  "signature": "port int",
                  "visibility": "private"
                }
              ],
              "kind": "struct",
              "line_end": 6,
              "line_start": 4,
              "name": "Server",
              "signature": "type Server struct",
              "visibility": "public"
            },
            {
              "children": [],
              "kind": "method",
              "line_end": 11,
              "line_start": 9,
              "name": "Listen",
              "signature": "func (s *Server) Listen() error",
              "visibility": "public"
            },
            {
              "children": [],
              "kind": "function",
              "line_end": 13,
              "line_start": 13,
              "name": "main",
              "signature": "func main()",
              "visibility": "private"
            }
          ]
        }
    "#]],
    );
    check_json(
        &workspace,
        &["outline", "web/client.ts", "--depth", "top"],
        expect![[r#"
        {
          "language": "typescript",
          "line_count": 10,
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "ref": "main"
          },
          "path": "web/client.ts",
          "problems": [],
          "symbols": [
            {
              "children": [],
              "kind": "interface",
              "line_end": 3,
              "line_start": 1,
              "name": "Order",
              "signature": "export interface Order",
              "visibility": "public"
            },
            {
              "children": [],
              "kind": "class",
              "line_end": 10,
              "line_start": 6,
              "name": "OrderClient",
              "signature": "export class OrderClient",
              "visibility": "public"
            }
          ]
        }
    "#]],
    );
}

#[test]
fn show_as_text() {
    let workspace = workspace();
    check(
        &workspace,
        &["show", "OrderStore::open"],
        expect![[r#"
            src/store.rs:12-15  method  OrderStore::open
                11 |     /// Opens the store that a file holds.
                12 |     pub fn open(path: &str) -> OrderStore {
                13 |         let orders = load_orders(path);
                14 |         OrderStore { orders }
                15 |     }
        "#]],
    );
    check(
        &workspace,
        &["show", "open"],
        expect![[r#"
            billing/invoice.py:15-16  function  open
                `open` could also mean OrderStore::open (src/store.rs:12); give path:line or a container to ask for it
                15 | def open(path):
                16 |     return Invoice(path)
        "#]],
    );
    check(
        &workspace,
        &["show", "OrderStroe"],
        expect![[r#"
            --- stderr
            error: no symbol `OrderStroe`
            help: did you mean `OrderStore`?
            --- exit code 2
        "#]],
    );
}

#[test]
fn show_as_json() {
    let workspace = workspace();
    check_every_field(
        &workspace,
        &["show", "Listen"],
        expect![[r#"
            {
              "metadata": {
                "codecompass_protocol_version": "1.0",
                "ref": "main"
              },
              "others": [],
              "source": "// Listen waits for requests.\nfunc (s *Server) Listen() error {\n\treturn nil\n}\n",
              "source_line": 8,
              "symbol": {
                "decorators": [],
                "doc": "Listen waits for requests.",
                "has_doc": true,
                "is_abstract": false,
                "is_async": false,
                "is_deprecated": false,
                "is_override": false,
                "is_public_api": true,
                "is_static": false,
                "kind": "method",
                "language": "go",
                "line_end": 11,
                "line_start": 9,
                "modifiers": [],
                "name": "Listen",
                "parameter_count": 0,
                "parse_status": "complete",
                "path": "cmd/serve/main.go",
                "qualified_name": "main.Server.Listen",
                "return_type": "error",
                "score": 105.3,
                "signature": "func (s *Server) Listen() error",
                "symbol_id": "673d241e7c4c.2",
                "symbol_stable_id": "d0928dd44db35e59",
                "visibility": "public"
              }
            }
        "#]],
    );
}
