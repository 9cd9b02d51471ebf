//! Code inside a budget: whatever results cost, their sum stays within it, and no line is given
//! twice.

use std::collections::HashSet;

use codecompass_engine::query::{
    self, ContextAnswer, ContextDetail, ContextOptions, Excerpt, Shown, Strategy, estimate_tokens,
};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;

const FIXTURE: &str = r#"
//- /shop/price.py
"""Prices of orders."""

class Price:
    """A price with its currency."""

    def __init__(self, amount, currency):
        self.amount = amount
        self.currency = currency

    def convert(self, rates):
        """Converts the price to another currency."""
        rate = find_rate(rates, self.currency)
        if rate is None:
            raise ValueError("no rate")

        return Price(self.amount * rate, "EUR")


def find_rate(rates, currency):
    for rate in rates:
        if rate.currency == currency:
            return rate.value
    return None
//- /shop/order.py
from shop.price import Price


def order_price(lines):
    total = 0
    for line in lines:
        total += line.price.amount
    return Price(total, "EUR")
//- /shop/empty.py
//- /README.md
# Shop

Prices are converted by rate.
"#;

fn ask(engine: &Engine, snapshot: &Snapshot, query: &str, budget: usize, strategy: Strategy) -> ContextAnswer {
    let options = ContextOptions { limit: 30, budget, strategy, ..ContextOptions::default() };
    query::context(snapshot, engine.source(), &engine.config().index, query, &options, &cost).unwrap()
}

fn lines(excerpt: &Excerpt) -> Vec<(u32, &str)> {
    let Shown::Code(code) = &excerpt.shown else { return Vec::new() };
    let lines = |piece: &'_ query::Piece| piece.first_line..;
    code.pieces.iter().flat_map(|piece| lines(piece).zip(piece.lines.iter().map(String::as_str))).collect()
}

fn cost(excerpt: &Excerpt) -> usize {
    let code: usize = lines(excerpt).iter().map(|(_, line)| estimate_tokens(line) + 1).sum();
    let signature = if excerpt.shown == Shown::Signature { estimate_tokens(&excerpt.hit.signature) } else { 0 };
    10 + estimate_tokens(&excerpt.hit.qualified_name) + code + signature
}

#[test]
fn every_budget_holds() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    for query in
        ["how is a price converted", "Price", "Price.convert", "shop/price.py", "shop/empty.py", "find_rate currency"]
    {
        for strategy in Strategy::ALL {
            for budget in (0..200).step_by(7).chain([300, 500, 1000, 100_000]) {
                let answer = ask(&engine, &snapshot, query, budget, strategy);
                let spent: usize = answer.excerpts.iter().map(cost).sum();
                assert!(spent <= budget, "{spent} of {budget} for {query:?}");
                let mut seen = HashSet::new();
                for excerpt in &answer.excerpts {
                    for (number, _) in lines(excerpt) {
                        assert!(seen.insert((excerpt.hit.path.clone(), number)), "{query:?} {budget}: {excerpt:?}");
                    }
                }
                assert_eq!(ask(&engine, &snapshot, query, budget, strategy), answer);
                if budget == 100_000 {
                    assert!(!answer.is_truncated(), "{query:?}: {answer:?}");
                }
            }
        }
    }
}

#[test]
fn without_code_more_is_listed() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let listed = |detail: ContextDetail, budget: usize| {
        let options = ContextOptions { limit: 30, budget, detail, ..ContextOptions::default() };
        let config = &engine.config().index;
        query::context(&snapshot, engine.source(), config, "price rate currency", &options, &cost).unwrap()
    };
    for (detail, shown) in [(ContextDetail::Location, Shown::Location), (ContextDetail::Signature, Shown::Signature)] {
        let answer = listed(detail, 10_000);
        assert!(answer.excerpts.len() > 3, "{answer:?}");
        assert!(answer.excerpts.iter().all(|excerpt| excerpt.shown == shown), "{answer:?}");
        assert!(!answer.is_truncated(), "{answer:?}");
        let few = listed(detail, 30);
        assert!(few.excerpts.len() < answer.excerpts.len() && few.is_truncated(), "{few:?}");
    }
}

#[test]
fn depth_shows_what_is_called() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let options = ContextOptions { limit: 1, budget: 400, strategy: Strategy::Depth, ..ContextOptions::default() };
    let config = &engine.config().index;
    let answer = query::context(&snapshot, engine.source(), config, "Price.convert", &options, &cost).unwrap();
    let shown: Vec<_> = answer.excerpts.iter().map(|e| (e.hit.name.as_str(), e.called_by.as_deref())).collect();
    assert!(shown.contains(&("convert", None)), "{shown:?}");
    assert!(shown.contains(&("find_rate", Some("Price.convert"))), "{shown:?}");
    let convert = answer.excerpts.iter().find(|excerpt| excerpt.hit.name == "convert").unwrap();
    assert_eq!(convert.container.as_deref(), Some("class Price"));
    assert_eq!(lines(convert).len(), 7);
}
