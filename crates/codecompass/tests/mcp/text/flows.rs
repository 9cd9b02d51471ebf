//! Flows in one call: functions as numbered steps with their code.

use expect_test::expect;
use serde_json::json;

use super::{TEXTS, ask, check};
use crate::client::{Client, Era};
use crate::shop;
use crate::sizes::tokens;

#[test]
fn the_code_of_calls_and_chains() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "checkout", "source": "bodies"}),
        expect![[r#"
        shop/orders.py:22-24  function  checkout
            def checkout(lines)

        calls (depth 1: 2 calls; depth 2: 1 call)

        1. checkout  shop/orders.py:22-24
        22 def checkout(lines):
        23     order = Order(lines)  → step 2
        24     return order.total()  → step 3

        2. Order  shop/orders.py:6-14  called by step 1 at 23
        6 class Order:
        7     """What a customer wants."""
        9     def __init__(self, lines):
        10         self.lines = lines
        12     def total(self):
        13         """Adds up the prices of all lines."""
        14         return sum(price_of(line) for line in self.lines)

        3. Order.total  shop/orders.py:12-14  called by step 1 at 24
        12 def total(self):
        13     """Adds up the prices of all lines."""
        14     return sum(price_of(line) for line in self.lines)  → step 4

        4. price_of  shop/prices.py:4-5  called by step 3 at 14
        4 def price_of(name, count=1):
        5     return PRICES[name] * count
    "#]],
    );
    check(
        &mut client,
        "get_call_graph",
        &json!({"symbol": "checkout", "source": "lines", "direction": "callees"}),
        expect![[r#"
            shop/orders.py:22-24  function  checkout
                def checkout(lines)

            calls (2 calls)
            shop/orders.py
              6  Order  at 23: order = Order(lines)
              12  Order.total  at 24: return order.total()
        "#]],
    );
    check(
        &mut client,
        "trace_path",
        &json!({"to": "price_of", "from": "checkout", "source": "bodies"}),
        expect![[r#"
            1 chain to price_of (shop/prices.py:4); 1 similar chain left out: a single function differs (more `max_paths` shows all)
            chain 1, 2 calls: steps 1 → 2 → 3

            1. checkout  shop/orders.py:22-24
            22 def checkout(lines):
            23     order = Order(lines)
            24     return order.total()  → step 2

            2. Order.total  shop/orders.py:12-14  called by step 1 at 24
            12 def total(self):
            13     """Adds up the prices of all lines."""
            14     return sum(price_of(line) for line in self.lines)  → step 3

            3. price_of  shop/prices.py:4-5  called by step 2 at 14
            4 def price_of(name, count=1):
            5     return PRICES[name] * count
        "#]],
    );
}

#[test]
fn impact_with_source() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "analyze_impact",
        &json!({"symbol": "price_of", "depth": 2, "source": "lines"}),
        expect![[r#"
        shop/prices.py:4-5  function  price_of
            def price_of(name, count=1)
        may affect 3 symbols and 1 test in 2 files: 1 at depth 1, 3 at depth 2

        code, depth 1: use it
        shop/orders.py:12  Order.total  at 14: return sum(price_of(line) for line in self.lines)

        code, depth 2: use those
        shop/orders.py
          18  RushOrder.total  at 19: Order.total: return super().total() + 10
          22  checkout  at 24: Order.total: return order.total()

        tests, depth 2: use those
        tests/test_orders.py:8  test_total  at 9: Order.total: assert Order([]).total() == 0
    "#]],
    );
    check(
        &mut client,
        "analyze_impact",
        &json!({"symbol": "price_of", "depth": 2, "source": "bodies"}),
        expect![[r#"
        shop/prices.py:4-5  function  price_of
            def price_of(name, count=1)
        may affect 3 symbols and 1 test in 2 files: 1 at depth 1, 3 at depth 2

        1. price_of  shop/prices.py:4-5
        4 def price_of(name, count=1):
        5     return PRICES[name] * count

        2. Order.total  shop/orders.py:12-14  calls step 1 at 14
        12 def total(self):
        13     """Adds up the prices of all lines."""
        14     return sum(price_of(line) for line in self.lines)  → step 1

        3. RushOrder.total  shop/orders.py:18-19  calls step 2 at 19
        18 def total(self):
        19     return super().total() + 10  → step 2

        4. checkout  shop/orders.py:22-24  calls step 2 at 24
        22 def checkout(lines):
        23     order = Order(lines)
        24     return order.total()  → step 2

        5. test_total  tests/test_orders.py:8-9  test  calls step 2 at 9
        8 def test_total():
        9     assert Order([]).total() == 0  → step 2
    "#]],
    );
}

#[test]
fn a_flow_keeps_to_its_tokens() {
    let workspace = shop();
    let body: String = (0..25).map(|line| format!("    value{line} = {line} * factor\n")).collect();
    let functions = (0..9).map(|at| format!("def part{at}(factor):\n{body}    return part{}(factor)\n\n\n", at + 1));
    workspace.write("shop/parts.py", &functions.collect::<String>());
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    for most in [300, 600, 1200, 5000] {
        let arguments = json!({"symbol": "part0", "source": "bodies", "depth": 10, "max_tokens": most});
        let text = ask(&mut client, "get_call_graph", &arguments);
        assert!(tokens(&text) <= most, "{most}: {text}");
        assert!(text.contains("\n1. part0  shop/parts.py:1-27\n1 def part0(factor):\n"), "{most}: {text}");
        assert_eq!(text.contains("no room for"), most < 1200, "{most}: {text}");
        assert_eq!(text.contains("…"), most < 5000, "{most}: {text}");
        assert!(!text.contains("cut to"), "{most}: {text}");
    }
}
