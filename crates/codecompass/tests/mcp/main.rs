//! The server from end to end, by a client that speaks JSON lines with the built binary.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and start processes")]

mod abuse;
mod advice;
mod answers;
mod auto_workspace;
mod bad_input;
mod client;
mod freshness;
mod handshake;
mod http;
mod lifecycle;
mod listing;
mod pages;
mod several;
mod sizes;
mod structured;
mod text;
mod watching;

use codecompass_testkit::TestWorkspace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

const FIXTURE: &str = r#"
//- /shop/orders.py
"""Orders and what they cost."""

from shop.prices import price_of


class Order:
    """What a customer wants."""

    def __init__(self, lines):
        self.lines = lines

    def total(self):
        """Adds up the prices of all lines."""
        return sum(price_of(line) for line in self.lines)


class RushOrder(Order):
    def total(self):
        return super().total() + 10


def checkout(lines):
    order = Order(lines)
    return order.total()
//- /shop/prices.py
"""Prices by name."""

PRICES = {"tea": 3}


def price_of(name):
    return PRICES[name]


def price_for(name):
    return PRICES[name]
//- /main.py
from shop.orders import checkout


def main():
    print(checkout(["tea"]))


if __name__ == "__main__":
    main()
//- /tests/test_orders.py
from shop.orders import Order, checkout


def test_checkout():
    assert checkout(["tea"]) == 3


def test_total():
    assert Order([]).total() == 0
"#;

/// A repository with two commits, the second on a branch, and an edit that is not committed.
fn shop() -> TestWorkspace {
    let workspace = TestWorkspace::git(FIXTURE);
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.write(
        "shop/prices.py",
        "PRICES = {\"tea\": 4}\n\n\ndef price_of(name, count=1):\n    return PRICES[name] * count\n",
    );
    workspace.commit("prices by count");
    workspace.write("extra.py", "def extra():\n    return 1\n");
    workspace
}
