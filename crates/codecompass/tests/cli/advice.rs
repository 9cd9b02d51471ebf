//! `explain` and `suggest`: why an answer is as it is, and what to ask next.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::{Value, json};

use crate::{PROGRAM, check, without_numbers, workspace};

#[track_caller]
fn asked(workspace: &TestWorkspace, args: &[&str]) -> Value {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    assert!(answer.code == Some(0) || answer.code == Some(1), "{args:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Compares to the four digits that parts of scores have.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.00005
}

fn sum(reasons: &Value) -> f64 {
    reasons.as_array().unwrap().iter().map(|part| part["value"].as_f64().unwrap()).sum()
}

#[test]
fn ranks_and_parts_are_those_of_the_search() {
    let workspace = workspace();
    for query in ["how are orders loaded", "OrderStore", "open", "client.ts", "panicked at src/store.rs:23"] {
        let found = asked(&workspace, &["search", query, "--limit", "100", "--explain=full"]);
        let explained = asked(&workspace, &["explain", query, "--limit", "100"]);
        let (found, results) = (found["results"].as_array().unwrap(), explained["results"].as_array().unwrap());
        assert_eq!(found.len(), results.len(), "{query}");
        assert!(!results.is_empty(), "{query}");
        for (at, (found, result)) in found.iter().zip(results).enumerate() {
            assert_eq!(result["rank"], at + 1);
            for same in ["path", "line_start", "score", "ranking_reasons"] {
                assert_eq!(found[same], result[same], "{query}: {same}");
            }
            assert!(is_near(sum(&result["ranking_reasons"]), result["score"].as_f64().unwrap()));
            assert!(!result["found_by"].as_array().unwrap().is_empty(), "{query}: {result}");
            for part in result["ranking_reasons"].as_array().unwrap() {
                let meaning = &explained["reasons"][part["reason"].as_str().unwrap()];
                assert!(meaning.is_string() && meaning != "part of the score", "{part} is not explained");
            }
        }
    }
}

#[test]
fn two_results_are_compared_part_by_part() {
    let workspace = workspace();
    let query = "how are orders loaded";
    let answer = asked(&workspace, &["explain", query, "1", "loadOrders"]);
    let (first, second) = (&answer["results"][0], &answer["results"][1]);
    assert_eq!((&first["rank"], &second["name"]), (&json!(1), &json!("loadOrders")));
    let gap = first["score"].as_f64().unwrap() - second["score"].as_f64().unwrap();
    assert!(is_near(answer["difference"]["score"].as_f64().unwrap(), gap));
    let parts = answer["difference"]["parts"].as_array().unwrap();
    let differences: f64 = parts.iter().map(|part| part["difference"].as_f64().unwrap()).sum();
    assert!(is_near(differences, gap), "{parts:?}");
    // The same thing by its place and by its id.
    let place = format!("{}:{}", second["path"].as_str().unwrap(), second["line_start"]);
    for other in [place.as_str(), second["symbol_id"].as_str().unwrap(), &second["rank"].to_string()] {
        assert_eq!(asked(&workspace, &["explain", query, other])["results"][0], *second, "{other}");
    }
    let text = workspace.run(PROGRAM, &["explain", query, "1", "loadOrders"]).found();
    expect![[r#"
        asked as natural language; N candidates; confidence N

        number N  src/store.rs:N-N  function  load_orders
            score N, found by names, words
             +N  text          its text has words of the query; the best text gets most
              +N  file          its whole file has words of the query
              +N  coverage      share of the query's words that it has
              +N  name          its name and the query say the same
              +N  kind          types and functions are meant more often than variables

        number N  web/legacy.js:N-N  function  loadOrders
            score N, found by names, words
             +N  text          its text has words of the query; the best text gets most
              +N  file          its whole file has words of the query
              +N  coverage      share of the query's words that it has
              +N  name          its name and the query say the same
              +N  kind          types and functions are meant more often than variables
              -N  old           its path says that it is old

        number N against number N: +N
              +N  old           N against -N
              +N  file          N against N
              +N  text          N against N
    "#]]
    .assert_eq(&without_numbers(&text));
}

/// Returns the reason that a thing is no result of a question: the word for it and the explanation.
#[track_caller]
fn missing(workspace: &TestWorkspace, args: &[&str]) -> String {
    let answer = asked(workspace, &[&["explain", "how are orders loaded"], args].concat());
    assert_eq!(answer["results"], json!([]), "{args:?}");
    let missing = &answer["not_ranked"][0];
    format!("{}: {}\n", missing["status"].as_str().unwrap(), missing["explanation"].as_str().unwrap())
}

#[test]
fn name_that_is_not_in_the_index() {
    let workspace = workspace();
    expect![[r#"
        unknown: nothing in the index is called that
    "#]]
    .assert_eq(&missing(&workspace, &["no_such_thing"]));
    workspace.run(PROGRAM, &["explain", "how are orders loaded", "1000"]).ended_with(2);
}

#[test]
fn file_that_is_not_in_the_index() {
    let workspace = workspace();
    let paths = ["scratch.tmp", "secret/plan.md", "node_modules/left/index.js", "data/blob.py"];
    expect![[r#"
        not_indexed: the file is left out of the index: .gitignore: *.tmp
        not_indexed: secret/ is left out of the index: .codecompassignore: secret/
        not_indexed: node_modules/ is left out of the index: built-in rule: dependencies
        not_indexed: the file is left out of the index: binary
    "#]]
    .assert_eq(&paths.map(|path| missing(&workspace, &[path])).concat());
}

#[test]
fn result_that_filters_leave_out() {
    let workspace = workspace();
    expect![[r#"
        filtered: the filter leaves it out by language; without it its rank would be 1
    "#]]
    .assert_eq(&missing(&workspace, &["load_orders", "--lang", "python"]));
    expect![[r#"
        filtered: the filter leaves it out by kind and path; without it its rank would be 1
    "#]]
    .assert_eq(&missing(&workspace, &["load_orders", "--path", "web", "--kind", "class"]));
}

#[test]
fn thing_that_has_no_word_of_the_question() {
    let workspace = workspace();
    let answer = asked(&workspace, &["explain", "zebra crossing", "main.go"]);
    assert_eq!(answer["not_ranked"][0]["status"], "not_considered");
    assert_eq!(answer["not_ranked"][0]["terms_held"], json!([]));
    check(
        &workspace,
        &["explain", "zebra crossing", "Server"],
        expect![[r#"
            asked as natural language; 0 candidates; confidence 0

            Server is no result: it has none of the words of the query, and nothing else speaks for it

            not sure: use broader terms, or see with `codecompass status` whether the code is indexed
        "#]],
    );
    workspace.run(PROGRAM, &["explain", "zebra crossing"]).ended_with(1);
}

#[test]
fn copies_are_told_apart() {
    let body = "def settle(order):\n    rate = order.rate\n    total = order.total * rate\n    return round(total)\n";
    let workspace = TestWorkspace::git(&format!("//- /a/settle.py\n{body}//- /b/settle.py\n{body}"));
    let missing = asked(&workspace, &["explain", "settle", "b/settle.py:1"])["not_ranked"][0].clone();
    assert_eq!(missing["status"], "duplicate");
    expect!["its code is the same as that of a/settle.py:1, which ranks higher"]
        .assert_eq(missing["explanation"].as_str().unwrap());
    expect![[r#"
        asked as symbol; N candidate; confidence N

        number N  a/settle.py:N-N  function  settle
            score N, found by names
            +N  name_match    its name is the one asked for: exactly, by its start, its parts, or a typo away
              +N  kind          types and functions are meant more often than variables
              +N  visibility    others may use it
              +N  has_body      it is more than one line
              -N  path_depth    it lies deep in the tree

        N left out because a better one has the same code:
            b/settle.py:N like a/settle.py:N
    "#]]
    .assert_eq(&without_numbers(&workspace.run(PROGRAM, &["explain", "settle"]).found()));
}

const SHOP: &str = r#"
//- /shop/order.py
class Order:
    def total(self):
        return price_of(self.lines)


class RushOrder(Order):
    pass


def price_of(lines):
    return len(lines)
//- /web/order.py
class Order:
    pass
//- /main.py
from shop.order import price_of


def run():
    return price_of([]) + price_of([1])
//- /tests/test_order.py
from shop.order import price_of


def test_price_of():
    assert price_of([]) == 0
"#;

/// The commands that are suggested, each of which must have an answer.
#[track_caller]
fn suggested(workspace: &TestWorkspace, args: &[&str]) -> String {
    let answer = asked(workspace, &[&["suggest"], args].concat());
    let suggestions = answer["suggestions"].as_array().unwrap();
    assert!((2..=6).contains(&suggestions.len()), "{args:?}: {answer}");
    let mut commands = String::new();
    for suggestion in suggestions {
        let command = suggestion["command"].as_str().unwrap();
        assert_eq!(suggestion["reason"].as_str().unwrap().lines().count(), 1);
        let words = words_of(command);
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let answer = workspace.run(PROGRAM, &words);
        // What a change may affect can be nothing; that is an answer.
        assert!(answer.code == Some(0) || words[..] == ["impact", "--diff"], "{command}: {answer:?}");
        commands += &format!("{command}\n");
    }
    commands
}

/// The words of a command line as a shell reads them; single quotes are the only ones there.
fn words_of(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_string)),
            _ => words.push(part.to_string()),
        }
    }
    words
}

#[test]
fn suggestions_for_a_question_have_answers() {
    let workspace = TestWorkspace::git(SHOP);
    expect![[r#"
        codecompass show price_of
        codecompass calls price_of --direction callers
        codecompass refs price_of
        codecompass related price_of --only test
        codecompass impact price_of
        codecompass outline shop/order.py
    "#]]
    .assert_eq(&suggested(&workspace, &["price_of"]));
    expect![[r#"
        codecompass show price_of
        codecompass calls price_of --direction callers
        codecompass refs price_of
        codecompass related price_of --only test
        codecompass impact price_of
        codecompass outline shop/order.py
    "#]]
    .assert_eq(&suggested(&workspace, &["how is the price made"]));
    expect![[r#"
        codecompass outline shop/order.py
        codecompass status
        codecompass branches
    "#]]
    .assert_eq(&suggested(&workspace, &["order.py"]));
}

#[test]
fn suggestions_for_a_question_without_results_have_answers() {
    let workspace = TestWorkspace::git(SHOP);
    expect![[r#"
        codecompass locate price_of
        codecompass show price_of
        codecompass calls price_of --direction callers
        codecompass refs price_of
        codecompass related price_of --only test
        codecompass impact price_of
    "#]]
    .assert_eq(&suggested(&workspace, &["zebra pryce_of"]));
    expect![[r#"
        codecompass show run
        codecompass calls run --direction callees
    "#]]
    .assert_eq(&suggested(&workspace, &["zebra run crossing"]));
}

#[test]
fn suggestions_for_a_symbol_have_answers() {
    let workspace = TestWorkspace::git(SHOP);
    expect![[r#"
        codecompass show price_of
        codecompass calls price_of --direction callers
        codecompass refs price_of
        codecompass related price_of --only test
        codecompass impact price_of
        codecompass outline shop/order.py
    "#]]
    .assert_eq(&suggested(&workspace, &["--symbol", "price_of"]));
    expect![[r#"
        codecompass show shop/order.py:1
        codecompass locate Order --path web
        codecompass refs shop/order.py:1
        codecompass hierarchy shop/order.py:1
        codecompass impact shop/order.py:1
        codecompass outline shop/order.py
    "#]]
    .assert_eq(&suggested(&workspace, &["--symbol", "shop/order.py:1"]));
    expect![[r#"
        codecompass show RushOrder
        codecompass hierarchy RushOrder
        codecompass outline shop/order.py
    "#]]
    .assert_eq(&suggested(&workspace, &["--symbol", "RushOrder"]));
}

#[test]
fn suggestions_for_nothing_in_particular_depend_on_what_has_changed() {
    let workspace = TestWorkspace::git(SHOP);
    let unchanged = suggested(&workspace, &[]);
    expect![[r#"
        codecompass status
        codecompass branches
    "#]]
    .assert_eq(&unchanged);
    assert_eq!(suggested(&workspace, &[]), unchanged, "the same every time");
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.write("main.py", "from shop.order import price_of\n\n\ndef run():\n    return price_of([])\n");
    expect![[r#"
        codecompass diff
        codecompass impact --diff
        codecompass status
        codecompass branches
    "#]]
    .assert_eq(&suggested(&workspace, &[]));
    workspace.commit("one price");
    expect![[r#"
        codecompass show run --ref 'feature~0'
        codecompass calls run --direction callees --ref 'feature~0'
        codecompass diff main 'feature~0'
    "#]]
    .assert_eq(&suggested(&workspace, &["run", "--ref", "feature~0"]));
}

#[test]
fn doubts_come_first() {
    let workspace = TestWorkspace::git(SHOP);
    let first =
        |query: &str| asked(&workspace, &["suggest", query])["suggestions"][0]["command"].as_str().unwrap().to_string();
    assert_eq!(first("how does price_of work"), "codecompass show price_of");
    assert_eq!(first("zebra run crossing"), "codecompass show run");
    // Nothing is ever that sure.
    workspace.write(".codecompass/config.toml", "[semantic]\nconfidence_threshold = 1.0\nmode = \"off\"\n");
    assert_eq!(first("how does price_of work"), "codecompass locate price_of");
    assert_eq!(first("how does zebra_crossing price_off work"), "codecompass locate price_of", "a typo");
    assert_eq!(first("zebra_crossing"), "codecompass diff", "nothing has any of its words");
}

#[test]
fn suggestions_as_text() {
    let workspace = TestWorkspace::git(SHOP);
    check(
        &workspace,
        &["suggest", "price_of"],
        expect![[r#"
        codecompass show price_of
            the source of the function price_of
        codecompass calls price_of --direction callers
            it is called 4 times
        codecompass refs price_of
            6 uses in 3 files
        codecompass related price_of --only test
            1 test of it
        codecompass impact price_of
            before changing it: what depends on it, directly or not
        codecompass outline shop/order.py
            what else is defined in shop/order.py
    "#]],
    );
}
