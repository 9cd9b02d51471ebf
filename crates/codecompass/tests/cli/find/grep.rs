//! `grep`: lines that a pattern matches, their context, and patterns that are not valid.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;

use crate::{check, check_json};

fn shop() -> TestWorkspace {
    TestWorkspace::plain(
        r#"
//- /shop/orders.py
"""Orders of the shop."""


class Order:
    def pay(self, card) -> bool:
        """Pays the order."""
        if not card.is_valid():
            raise ValueError("card refused: expired")
        self.is_paid = True


def pay_all(orders, card):
    for order in orders:
        order.pay(card)
//- /shop/cart.ts
export const total = (lines: Line[]): number =>
  lines.reduce((sum, line) => sum + line.price, 0);
//- /tests/test_orders.py
def test_a_refused_card():
    assert "Card refused" in message()
//- /README.md
A card that is refused is never charged.
"#,
    )
}

#[test]
fn lines_with_the_definition_around_them() {
    let workspace = shop();
    check(
        &workspace,
        &["grep", "refused"],
        expect![[r#"
        4 matches in 3 of 4 files, case ignored

        shop/orders.py
              8  Order.pay  raise ValueError("card refused: expired")

        README.md
              1  A card that is refused is never charged.

        tests/test_orders.py
              1  test_a_refused_card  def test_a_refused_card():
              2  test_a_refused_card  assert "Card refused" in message()
    "#]],
    );
    check(
        &workspace,
        &["grep", "Card refused"],
        expect![[r#"
        1 match in 1 of 4 files

        tests/test_orders.py
              2  test_a_refused_card  assert "Card refused" in message()
    "#]],
    );
    check(
        &workspace,
        &["grep", "-w", "pay", "--lang", "python"],
        expect![[r#"
            2 matches in 1 of 2 files, case ignored

            shop/orders.py
                  5  Order.pay  def pay(self, card) -> bool:
                 14  pay_all  order.pay(card)
        "#]],
    );
    check(
        &workspace,
        &["grep", "-F", "sum + line.price", "--tests=exclude"],
        expect![[r#"
        1 match in 1 of 3 files, case ignored

        shop/cart.ts
              2  total  lines.reduce((sum, line) => sum + line.price, 0);
    "#]],
    );
    check(
        &workspace,
        &["grep", "nothing like this"],
        expect![[r#"
        no match in 4 files, case ignored
        --- exit code 1
    "#]],
    );
}

#[test]
fn flags_as_ripgrep_takes_them() {
    let workspace = shop();
    check(
        &workspace,
        &["grep", "-C1", "card"],
        expect![[r#"
            8 matches in 3 of 4 files, case ignored

            shop/orders.py
                  4- class Order:
                  5:     def pay(self, card) -> bool:  in Order.pay
                  6-         """Pays the order."""
                  7:         if not card.is_valid():  in Order.pay
                  8:             raise ValueError("card refused: expired")  in Order.pay
                  9-         self.is_paid = True
                 --
                 11- 
                 12: def pay_all(orders, card):  in pay_all
                 13-     for order in orders:
                 14:         order.pay(card)  in pay_all

            README.md
                  1: A card that is refused is never charged.

            tests/test_orders.py
                  1: def test_a_refused_card():  in test_a_refused_card
                  2:     assert "Card refused" in message()  in test_a_refused_card
        "#]],
    );
    check(
        &workspace,
        &["grep", "-A1", "-s", "def ", "--path=shop", "-n1"],
        expect![[r#"
            2 matches in 1 of 2 files

            shop/orders.py
                  5:     def pay(self, card) -> bool:  in Order.pay
                  6-         """Pays the order."""

            1 more; --offset 1 goes on, --limit shows more at once, --path, --lang and --tests narrow
        "#]],
    );
    check(
        &workspace,
        &["grep", "-U", r"valid\(\):\n\s+raise"],
        expect![[r#"
        1 match in 1 of 4 files, case ignored

        shop/orders.py
              7  Order.pay  if not card.is_valid():
              8  raise ValueError("card refused: expired")
    "#]],
    );
    check(
        &workspace,
        &["grep", "-l", "card"],
        expect![[r#"
        8 matches in 3 of 4 files, case ignored

        shop/orders.py
        README.md
        tests/test_orders.py
    "#]],
    );
    check(
        &workspace,
        &["grep", "-c", "card"],
        expect![[r#"
        8 matches in 3 of 4 files, case ignored

        shop/orders.py:5
        README.md:1
        tests/test_orders.py:2
    "#]],
    );
    check(
        &workspace,
        &["grep", "-F", "--", "-> bool"],
        expect![[r#"
            1 match in 1 of 4 files, case ignored

            shop/orders.py
                  5  Order.pay  def pay(self, card) -> bool:
        "#]],
    );
}

#[test]
fn answers_for_programs() {
    let workspace = shop();
    check_json(
        &workspace,
        &["grep", "refused", "-n1", "-B1"],
        expect![[r#"
        {
          "matches": [
            {
              "before": [
                {
                  "line": 7,
                  "text": "        if not card.is_valid():"
                }
              ],
              "column": 36,
              "enclosing": {
                "kind": "method",
                "line": 5,
                "name": "pay",
                "qualified_name": "Order.pay"
              },
              "line": 8,
              "path": "shop/orders.py",
              "text": "            raise ValueError(\"card refused: expired\")"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "files": 3,
            "ignored_case": true,
            "next_offset": 1,
            "ref": "live",
            "result_completeness": "truncated",
            "returned": 1,
            "searched": 4,
            "total_candidates": 4
          },
          "total": 4
        }
    "#]],
    );
    check(
        &workspace,
        &["grep", "refused", "-c", "--role=docs", "--json"],
        expect![[r#"
            {"files":[{"matches":1,"path":"README.md"}],"metadata":{"codecompass_protocol_version":"1.0","files":1,"ignored_case":true,"ref":"live","returned":1,"searched":1,"total_candidates":1},"total":1}
        "#]],
    );
}

#[test]
fn patterns_that_are_not_valid() {
    let workspace = shop();
    check(
        &workspace,
        &["grep", "is_valid("],
        expect![[r#"
        --- stderr
        error: the pattern is not valid at column 9: unclosed group
        help: correct it, or give -F to search for it as it is
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["grep", r"valid\n"],
        expect![[r#"
        --- stderr
        error: the pattern has a line end at column 6, and the search looks at single lines
        help: give -U to search across lines
        --- exit code 2
    "#]],
    );
    check(
        &workspace,
        &["grep", "->"],
        expect![[r#"
        --- stderr
        error: unexpected argument '->' found

          tip: to pass '->' as a value, use '-- ->'

        Usage: codecompass grep [OPTIONS] <PATTERN>

        For more information, try '--help'.
        --- exit code 2
    "#]],
    );
}
