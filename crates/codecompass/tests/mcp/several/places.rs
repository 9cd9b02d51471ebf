//! Several places of several files in one call: files, ranges of lines and definitions.

use expect_test::expect;
use serde_json::{Value, json};

use crate::client::{Client, Era, text};
use crate::shop;
use crate::sizes::{tokens, wide};

const TEXTS: [&str; 2] = ["--answers", "text"];

#[test]
fn definitions_are_read_by_name() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let path =
        json!(["RushOrder", "main.py:4-5", "orders.py::Order.total", "total", "nonesuch_at_all", "shop/none.py"]);
    let answer = client.call("read_file", json!({"path": path, "freshness": "strict"}));
    expect![[r#"
        shop/orders.py 17-19 of 24 lines, RushOrder
        17 class RushOrder(Order):
        18     def total(self):
        19         return super().total() + 10
        main.py 4-5 of 9 lines
        4 def main():
        5     print(checkout(["tea"]))
        shop/orders.py 12-14 of 24 lines, orders.py::Order.total
        12     def total(self):
        13         """Adds up the prices of all lines."""
        14         return sum(price_of(line) for line in self.lines)
        shop/orders.py 12-14 of 24 lines, total; 1 more may be meant
        12     def total(self):
        13         """Adds up the prices of all lines."""
        14         return sum(price_of(line) for line in self.lines)
        nonesuch_at_all: no symbol `nonesuch_at_all`
        shop/none.py: no indexed file shop/none.py
    "#]]
    .assert_eq(text(&answer));
    let listed = "RushOrder, main.py:4-5, orders.py::Order.total, total, nonesuch_at_all, shop/none.py";
    assert_eq!(text(&answer), text(&client.call("read_file", json!({"path": listed}))));
    let at_main = client.call("read_file", json!({"path": "price_of", "ref": "main"}));
    assert!(text(&at_main).starts_with("at main\nshop/prices.py 6-7 of 11 lines, price_of\n6 def price_of(name):\n"));

    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let answer = client.answer("read_file", json!({"path": path}));
    let symbols: Vec<&Value> = answer["files"].as_array().unwrap().iter().map(|file| &file["symbol"]).collect();
    assert_eq!(symbols[0], &json!({"name": "RushOrder"}));
    assert_eq!((symbols[1], symbols[2]), (&Value::Null, &json!({"name": "orders.py::Order.total"})));
    assert_eq!((&symbols[3]["name"], &symbols[3]["others"]), (&json!("total"), &json!(1)), "{answer}");
    assert_eq!(answer["refused"][0]["path"], "nonesuch_at_all");
    let missing = client.error("read_file", json!({"path": "price_fo"}));
    assert_eq!((&missing["code"], &missing["message"]), (&json!("symbol_not_found"), &json!("no symbol `price_fo`")));
    let missing = client.error("read_file", json!({"path": "pricse.py"}));
    assert_eq!(missing["code"], "file_not_found", "{missing}");
}

#[test]
fn a_place_that_fails_stays_in_place() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let places = ["main.py:1", "../secret.py", "prices.py:9-2", "shop", "prices.py:1", "orders.py:90", "extra.py:1"];
    let answer = client.call("read_file", json!({"path": places, "freshness": "strict"}));
    expect![[r#"
        main.py line 1 of 9
        1 from shop.orders import checkout
        ../secret.py: ../secret.py is outside the workspace
        prices.py: `9-2` is no range of lines
        shop: `shop` is a folder
        shop/prices.py line 1 of 5
        1 PRICES = {"tea": 4}
        orders.py: `shop/orders.py` has 24 lines, line 90 is not there
        extra.py line 1 of 2
        1 def extra():
    "#]]
    .assert_eq(text(&answer));
    assert_eq!(answer["isError"], false);
    let symbols = "main.py:4, nonesuch_at_all, orders.py:6-9, price_of";
    let answer = client.call("get_symbol", json!({"symbol": symbols}));
    expect![[r#"
        main.py:4-5  function  main
            entry point
        4 def main():
        5     print(checkout(["tea"]))

        nonesuch_at_all: no symbol `nonesuch_at_all`; check the spelling, or describe it in words with `search_code`

        orders.py:6-9: `orders.py:6-9` is a range of lines, not a symbol; `read_file` with `path` orders.py:6-9 shows them; path:line means the definition around a line

        shop/prices.py:4-5  function  price_of
        4 def price_of(name, count=1):
        5     return PRICES[name] * count
    "#]].assert_eq(text(&answer));
    let refused = client.call("get_symbol", json!({"symbol": "orders.py:6-"}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("`read_file` with `path` orders.py:6- shows them"), "{refused}");
    let refused = client.call("read_file", json!({"path": ["../secret.py", "/etc/passwd"]}));
    assert_eq!(refused["isError"], true, "none can be shown: {refused}");
}

/// The number of lines that are shown of each place.
fn counts(answer: &Value) -> Vec<usize> {
    let lines = |file: &Value| file["text"].as_str().unwrap().lines().count();
    answer["files"].as_array().unwrap().iter().map(lines).collect()
}

#[test]
fn places_share_the_limit() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &[]);
    let arguments = |path: Value, most: usize| json!({"path": path, "max_tokens": most, "freshness": "strict"});
    let places = json!(["long.py:1-2000", "lib.py", "many.py"]);
    let answer = client.answer("read_file", arguments(places.clone(), 2000));
    let shown = counts(&answer);
    assert_eq!((shown.len(), shown[1]), (3, 2), "{shown:?}");
    assert!(shown[0] > 30 && shown[2] > 30, "{shown:?}");
    let next = answer["next_path"].as_str().unwrap();
    let expected = format!("long.py:{}-2000,many.py:{}-", shown[0] + 1, shown[2] + 1);
    assert_eq!(next, expected);
    // The calls that go on show all of it.
    let (mut path, mut lines) = (places, 0);
    loop {
        let answer = client.answer("read_file", arguments(path, 20_000));
        lines += counts(&answer).iter().sum::<usize>();
        match answer.get("next_path") {
            Some(next) => path = next.clone(),
            None => break,
        }
    }
    let many = std::fs::read_to_string(workspace.root().join("many.py")).unwrap().lines().count();
    assert_eq!(lines, 2000 + 2 + many);
    // Where the limit is small, the first ones come first.
    let small = client.answer("read_file", arguments(json!("long.py,many.py"), 300));
    assert!(counts(&small)[0] >= 1 && small["next_path"].as_str().unwrap().starts_with("long.py:"), "{small}");

    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    let arguments = json!({"symbol": "endless, popular, Big, user_1_1", "max_tokens": 900});
    let result = client.call("get_symbol", arguments);
    let answer = text(&result);
    assert!(tokens(answer) <= 900 && tokens(answer) > 450, "{answer}");
    let parts: Vec<&str> = answer.split("\n\n").collect();
    assert_eq!(parts.len(), 4, "{answer}");
    for cut in [0, 2] {
        assert!(parts[cut].contains("not shown: ") && parts[cut].contains("`offset`"), "{}", parts[cut]);
    }
    assert!(parts[1].ends_with("2     return x") && parts[3].contains("return popular(1)"), "{answer}");
}
