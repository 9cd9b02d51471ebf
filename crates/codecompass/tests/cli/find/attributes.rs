//! `symbols`: definitions by their attributes, and the attributes that `show` has.

use expect_test::expect;

use crate::{check, check_json, workspace};

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
                  "parse_status": "complete",
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
