//! Issues about a small shop, and the code that they are about.

use codecompass_testkit::TestWorkspace;

use crate::query::{self, Feature, GroupBy, Intent, SearchAnswer, SearchOptions};
use crate::{Config, Engine, NoProgress, SyncOptions, sync};

const FIXTURE: &str = r#"
//- /shop/cart.py
class Cart:
    """The things that a customer is about to buy."""

    def add(self, item, count):
        self.items.append((item, count))

    def total(self):
        if not self.items:
            raise ValueError("no prices to add")
        return sum(item.price * count for item, count in self.items)

    def clear(self):
        self.items = []
//- /shop/discount.py
class Discount:
    """Lowers the price of a cart."""

    def apply(self, cart):
        return cart.total() * (1 - self.share)
//- /shop/orders/checkout.py
from shop.cart import Cart


def checkout(request):
    """Makes an order of the cart of a request."""
    return pay(request.cart.total())


def pay(amount):
    return amount
//- /shop/report.py
def description(text):
    """The description of a report, with its title."""
    return "Description: " + text
//- /tests/test_cart.py
from shop.cart import Cart


def test_total_of_an_empty_cart():
    cart = Cart()
    assert cart.total() == 0


def test_discount_of_an_empty_cart_is_described():
    """A cart that is empty has no discount; the total of the cart is wrong when it is empty."""
    assert Discount().apply(Cart()) == 0
//- /docs/cart.md
# The cart

The total of an empty cart is wrong if the cart is empty: a cart that is empty has a total.
"#;

fn answer(query: &str, group: Option<GroupBy>) -> SearchAnswer {
    let workspace = TestWorkspace::in_memory(FIXTURE);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    let snapshot = sync(&engine, SyncOptions::default(), &NoProgress).unwrap().0;
    let source = Some(engine.source().clone());
    query::search(&snapshot, query, &SearchOptions { limit: 20, source, group, ..SearchOptions::default() }).unwrap()
}

fn names(answer: &SearchAnswer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.qualified_name.as_str()).collect()
}

const ISSUE: &str = "The total of an empty cart is wrong
Description

When a customer looks at the cart before anything was put into it, the page of the shop fails. \
I would expect a total of nothing. The test of this in our own shop fails as well, see the docs.

    total = Cart().total()
";

#[test]
fn source_comes_before_the_tests_and_docs_that_have_the_words() {
    let found = answer(ISSUE, None);
    assert_eq!(found.routed.intent, Intent::Issue);
    assert_eq!(found.hits[0].path, "shop/cart.py");
    let first_two = &names(&found)[..2];
    assert!(first_two.contains(&"Cart.total"), "{first_two:?}");
    // A line of the text that stands in the code by chance decides nothing.
    assert!(found.hits.iter().all(|hit| hit.path != "shop/report.py" || hit.score < found.hits[0].score / 2.0));
}

#[test]
fn frames_and_messages_lead_to_definitions() {
    let trace = "The order cannot be made at all, the page is blank and the server says this:
Traceback (most recent call last):
  File \"/srv/app/shop/orders/checkout.py\", line 6, in checkout
    return pay(request.cart.total())
  File \"/srv/app/shop/cart.py\", line 9, in total
    raise ValueError(\"no prices to add\")
ValueError: no prices to add";
    let found = answer(trace, None);
    assert_eq!(names(&found)[0], "Cart.total");
    let outer = found.hits.iter().position(|hit| hit.name == "checkout").unwrap();
    assert!(outer < 3, "{:?}", names(&found));
    assert!(found.hits[0].explanation.has(Feature::StackFrame) && found.hits[0].explanation.has(Feature::ExactText));
    assert!(
        found.hits[outer].explanation.has(Feature::StackFrame)
            && !found.hits[outer].explanation.has(Feature::ExactText)
    );
    let parts = found.parts.unwrap();
    assert_eq!(parts.places, ["shop/orders/checkout.py:6", "shop/cart.py:9"]);
    assert_eq!(parts.messages, ["ValueError: no prices to add"]);
}

#[test]
fn several_definitions_of_a_file_may_be_meant() {
    let files = |found: &SearchAnswer| found.hits.iter().map(|hit| hit.path.clone()).collect::<Vec<_>>();
    let by_symbol = files(&answer(ISSUE, None));
    assert!(by_symbol.iter().filter(|path| *path == "shop/cart.py").count() > 1, "{by_symbol:?}");
    assert_eq!(by_symbol, files(&answer(ISSUE, Some(GroupBy::Symbol))));
    let mut by_file = files(&answer(ISSUE, Some(GroupBy::File)));
    by_file.sort();
    let all = by_file.len();
    by_file.dedup();
    assert_eq!((by_file.len(), by_file.contains(&"shop/cart.py".to_string())), (all, true));
}

#[test]
fn the_module_of_a_qualified_name_counts() {
    let text = "Prices of everything are too low for some customers
I use shop.discount.Discount in the view of our shop and think that what it takes away is too much.
Is there any way to see in which order things happen here, and is that written down somewhere?";
    let found = answer(text, None);
    assert_eq!(found.hits[0].path, "shop/discount.py");
    assert!(found.hits[0].explanation.has(Feature::PathMatch));
}

#[test]
fn the_same_text_gives_the_same_answer() {
    assert_eq!(answer(ISSUE, None), answer(ISSUE, None));
}
