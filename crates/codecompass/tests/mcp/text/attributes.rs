//! Definitions by their attributes as short texts, and paths that any question may leave out.

use expect_test::expect;
use serde_json::json;

use super::{TEXTS, ask, check};
use crate::client::{Client, Era};
use crate::shop;

#[test]
fn definitions_by_their_attributes() {
    let workspace = shop();
    let mut client = Client::connect(&workspace, Era::Initialize, &TEXTS);
    check(
        &mut client,
        "find_symbols",
        &json!({"kind": ["function", "method"], "exclude": ["tests"], "freshness": "strict", "limit": 4}),
        expect![[r#"
            6 definitions in 4 files (4 function, 2 method)
            extra.py
              1  def extra()
            main.py
              4  def main()
            shop/orders.py
              12  Order  def total(self)
              18  RushOrder  def total(self)
            2 more; `kind` and `path` narrow
            next page: `offset` 4
        "#]],
    );
    check(
        &mut client,
        "find_symbols",
        &json!({"name": "price_of", "attributes": true, "counts": true}),
        expect![[r#"
            1 definition in 1 file
            shop/prices.py
              4  def price_of(name, count=1)  [public, no doc, public API]  1 caller in 1 file, 2 references
        "#]],
    );
    check(
        &mut client,
        "find_symbols",
        &json!({"name_regex": "^nothing$"}),
        expect![[r#"
        no definition fits
    "#]],
    );
    check(
        &mut client,
        "find_symbols",
        &json!({"count": true, "path": "shop"}),
        expect![[r#"
        9 definitions in 2 files (2 class, 2 function, 2 method, 1 constant, 1 constructor, 1 field)
    "#]],
    );
    check(
        &mut client,
        "get_symbol",
        &json!({"symbol": "price_of", "counts": true}),
        expect![[r#"
        shop/prices.py:4-5  function  price_of
            1 caller in 1 file, 0 callees, 0 tests, 2 references
        4 def price_of(name, count=1):
        5     return PRICES[name] * count
    "#]],
    );
    // Tools whose lists leave them out take these arguments, too.
    for tool in ["grep_code", "find_references", "search_code", "locate_symbol"] {
        let subject = match tool {
            "grep_code" => "pattern",
            "search_code" => "query",
            _ => "symbol",
        };
        let all = ask(&mut client, tool, &json!({subject: "price_of"}));
        let some = ask(&mut client, tool, &json!({subject: "price_of", "exclude": ["shop/orders.py"]}));
        let regex = ask(&mut client, tool, &json!({subject: "price_of", "exclude_regex": "^shop/orders"}));
        assert_eq!(some, regex, "{tool}");
        // The few that are left out are told apart.
        let listed = |answer: &str| answer.split("left out:\n").next().unwrap_or_default().to_string();
        let is_place = |answer: &str| listed(answer).lines().any(|line| line.starts_with("shop/orders.py"));
        assert!(!is_place(&some), "{tool}: {some}");
        assert!(is_place(&all) || tool == "locate_symbol", "{tool}: {all}");
    }
}
