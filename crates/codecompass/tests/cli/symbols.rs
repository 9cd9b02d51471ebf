//! `locate`, `outline` and `show`: where things are and what they look like.

use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check, check_json, workspace};

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
                no symbol like `no_such_thing_anywhere`; `codecompass search` finds code by what it does
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
                "result_completeness": "truncated",
                "returned": 1,
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
                 6  struct  pub struct OrderStore
                 7    field  orders: HashMap<u64, Order>
                10  impl  impl OrderStore
                12    method  pub fn open(path: &str) -> OrderStore
                17    method  fn find(&self, number: u64) -> Option<&Order>
                22  function  fn load_orders(path: &str) -> HashMap<u64, Order>
        "#]],
    );
    check(
        &workspace,
        &["outline", "src/store.rs", "--depth", "top"],
        expect![[r#"
            src/store.rs rust, 24 lines
                 6  struct  pub struct OrderStore
                10  impl  impl OrderStore
                22  function  fn load_orders(path: &str) -> HashMap<u64, Order>
        "#]],
    );
    check(
        &workspace,
        &["outline", "invoice.py", "--depth=all"],
        expect![[r#"
            billing/invoice.py python, 16 lines
                 4  class  class Invoice
                 7    constructor  def __init__(self, order)
                 8    field  self.order = order
                10    method  def total_price(self)
                15  function  def open(path)
        "#]],
    );
    check(
        &workspace,
        &["outline", "README.md"],
        expect![[r#"
            README.md markdown, 7 lines
                 1  heading  # Orders
                 5    heading  ## Retries
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
    check_json(
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

#[test]
fn definitions_by_attributes_as_text() {
    let workspace = workspace();
    for (args, expected) in [
        (
            vec!["symbols", "--public-api", "--kind", "class,struct,interface"],
            expect![[r#"
            5 definitions in 4 files (2 class, 2 struct, 1 interface)

            billing/invoice.py
                  4  class Invoice

            cmd/serve/main.go
                  4  type Server struct

            src/store.rs
                  6  pub struct OrderStore

            web/client.ts
                  1  export interface Order
                  6  export class OrderClient
        "#]],
        ),
        (
            vec!["symbols", "--modifier", "async", "--attributes"],
            expect![[r#"
            1 definition in 1 file

            web/client.ts
                  7  OrderClient  async fetchOrders(): Promise<Order[]>  [public, async, no doc, public API]
        "#]],
        ),
        (
            vec!["symbols", "--returns", "error", "--counts"],
            expect![[r#"
            1 definition in 1 file

            cmd/serve/main.go
                  9  Server  func (s *Server) Listen() error  0 callers, 0 references
        "#]],
        ),
        (
            vec!["symbols", "*price*", "--exclude", "tests"],
            expect![[r#"
            1 definition in 1 file

            billing/invoice.py
                 10  Invoice  def total_price(self)
        "#]],
        ),
        (
            vec!["symbols", "--name-regex", "^open$", "--path-regex", "[.]py$"],
            expect![[r#"
            1 definition in 1 file

            billing/invoice.py
                 15  def open(path)
        "#]],
        ),
        (
            vec!["symbols", "--role", "entry_point,test"],
            expect![[r#"
            2 definitions in 2 files

            cmd/serve/main.go
                 13  func main()

            tests/test_invoice.py
                  4  def test_total_price()
        "#]],
        ),
        (
            vec!["symbols", "--count"],
            expect![[r#"
            22 definitions in 7 files (5 function, 5 method, 4 field, 2 class, 2 struct, 1 component, 1 constructor, 1 interface, 1 variable)
        "#]],
        ),
        (
            vec!["symbols", "--kind", "method", "-n", "1"],
            expect![[r#"
            5 definitions in 4 files

            billing/invoice.py
                 10  Invoice  def total_price(self)
            4 more; --offset 1 goes on, --limit shows more at once, --kind and --path narrow
        "#]],
        ),
        (
            vec!["symbols", "nothing_like_this"],
            expect![[r#"
            no definition fits
            --- exit code 1
        "#]],
        ),
        (
            vec!["symbols", "--kind", "thing"],
            expect![[r#"
            --- stderr
            error: unknown kind `thing`
            help: known kind words are module, class, struct, union, object, interface, trait, enum, variant, type, impl, function, method, constructor, component, macro, field, property, event, constant, variable, table, view, index, trigger, block, heading, key
            --- exit code 2
        "#]],
        ),
        (
            vec!["symbols", "--parameters", "5..2"],
            expect![[r#"
            --- stderr
            error: invalid value '5..2' for '--parameters <RANGE>': `5..2` is reversed; give 2..5

            For more information, try '--help'.
            --- exit code 2
        "#]],
        ),
        (
            vec!["symbols", "--exclude-regex", "a(b"],
            expect![[r#"
            --- stderr
            error: the regular expression for the path is not valid at column 2: unclosed group
            help: see `codecompass help`
            --- exit code 2
        "#]],
        ),
    ] {
        check(&workspace, &args, expected);
    }
}

#[test]
fn definitions_by_attributes_as_json() {
    check_json(
        &workspace(),
        &["symbols", "--modifier", "async", "--counts"],
        expect![[r#"
        {
          "metadata": {
            "by_kind": {
              "method": 1
            },
            "codecompass_protocol_version": "1.0",
            "files": 1,
            "ref": "main",
            "returned": 1,
            "total_candidates": 1
          },
          "results": [
            {
              "container": "OrderClient",
              "counts": {
                "callers": 0,
                "calling_files": 0,
                "references": 0
              },
              "decorators": [],
              "file_role": "source",
              "has_doc": false,
              "is_abstract": false,
              "is_async": true,
              "is_deprecated": false,
              "is_override": false,
              "is_public_api": true,
              "is_static": false,
              "kind": "method",
              "language": "typescript",
              "line": 7,
              "line_end": 9,
              "line_start": 7,
              "modifiers": [
                "async"
              ],
              "name": "fetchOrders",
              "parameter_count": 0,
              "path": "web/client.ts",
              "qualified_name": "OrderClient.fetchOrders",
              "return_type": "Promise<Order[]>",
              "signature": "async fetchOrders(): Promise<Order[]>",
              "symbol_id": "a9bff4893e25.3",
              "symbol_stable_id": "ce0030d87bdbd39e",
              "visibility": "public"
            }
          ],
          "total": 1
        }
    "#]],
    );
}

#[test]
fn attributes_and_counts_of_one_symbol() {
    let workspace = workspace();
    check(
        &workspace,
        &["show", "fetchOrders", "--counts"],
        expect![[r#"
        web/client.ts:7-9  method  OrderClient.fetchOrders
            async
            0 callers, 0 callees, 0 tests, 0 references
             7 |   async fetchOrders(): Promise<Order[]> {
             8 |     return (await fetch('/orders')).json();
             9 |   }
    "#]],
    );
    check(
        &workspace,
        &["show", "Invoice.total_price", "--counts"],
        expect![[r#"
        billing/invoice.py:10-12  method  Invoice.total_price
            1 caller in 1 file, 0 callees, 1 test, 1 reference
            10 |     def total_price(self):
            11 |         """Adds up the prices of all lines."""
            12 |         return sum(line.price for line in self.order.lines)
    "#]],
    );
}

#[test]
fn files_that_a_setting_says_are_generated() {
    let workspace = workspace();
    check(
        &workspace,
        &["symbols", "--role", "generated"],
        expect![[r#"
        no definition fits
        --- exit code 1
    "#]],
    );
    workspace.write(".codecompass/config.toml", "[index]\ngenerated = [\"web/*.ts\"]\n");
    check(
        &workspace,
        &["symbols", "--role", "generated", "--kind", "class"],
        expect![[r#"
        1 definition in 1 file

        web/client.ts
              6  export class OrderClient
    "#]],
    );
    check(
        &workspace,
        &["grep", "--role", "generated", "fetchOrders"],
        expect![[r#"
        1 match in 1 of 1 file

        web/client.ts
              7  OrderClient.fetchOrders  async fetchOrders(): Promise<Order[]> {
    "#]],
    );
    workspace.write(".codecompass/config.toml", "[index]\ngenerated = [\"web/[\"]\n");
    check(
        &workspace,
        &["symbols", "--role", "generated"],
        expect![[r#"
        --- stderr
        error: ROOT/.codecompass/config.toml: index.generated is not a list of folders and globs, such as ["api/**/*.ts"]
        help: correct the value
        --- exit code 2
    "#]],
    );
}
