//! `explain` and `suggest`: why an answer is as it is, and what to ask next.

use codecompass_testkit::TestWorkspace;
use expect_test::expect;
use serde_json::{Value, json};

use crate::{PROGRAM, check, workspace};

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
    assert!(text.contains("number 1 against number"), "{text}");
}

#[test]
fn what_is_missing_is_told_why() {
    let workspace = workspace();
    let query = "how are orders loaded";
    let status = |args: &[&str]| {
        let answer = asked(&workspace, &[&["explain", query], args].concat());
        assert_eq!(answer["results"], json!([]), "{args:?}");
        let missing = &answer["not_ranked"][0];
        (missing["status"].as_str().unwrap().to_string(), missing["explanation"].as_str().unwrap().to_string())
    };
    let (word, why) = status(&["no_such_thing"]);
    assert_eq!((word.as_str(), why.as_str()), ("unknown", "nothing in the index is called that"));
    for (path, reason) in [
        ("scratch.tmp", "gitignore"),
        ("secret/plan.md", "secret/"),
        ("node_modules/left/index.js", "node_modules/"),
        ("data/blob.py", "binary"),
    ] {
        let (word, why) = status(&[path]);
        assert_eq!(word, "not_indexed", "{path}: {why}");
        assert!(why.contains(reason), "{path}: {why}");
    }
    let (word, why) = status(&["load_orders", "--lang", "python"]);
    assert_eq!(word, "filtered");
    assert!(why.contains("by language"), "{why}");
    let (word, why) = status(&["load_orders", "--path", "web", "--kind", "class"]);
    assert!(word == "filtered" && why.contains("by kind and path"), "{why}");
    let answer = asked(&workspace, &["explain", "zebra crossing", "main.go"]);
    assert_eq!(answer["not_ranked"][0]["status"], "not_considered");
    assert_eq!(answer["not_ranked"][0]["terms_held"], json!([]));
    check(
        &workspace,
        &["explain", "zebra crossing", "Server"],
        expect![[r#"
            asked as natural language; 0 candidates; confidence 0

            Server is no result: it has none of the words of the query, and nothing else speaks for it

            not sure: use broader terms, or see with status whether the code is indexed
        "#]],
    );
    workspace.run(PROGRAM, &["explain", query, "1000"]).ended_with(2);
    workspace.run(PROGRAM, &["explain", "zebra crossing"]).ended_with(1);
}

#[test]
fn copies_are_told_apart() {
    let body = "def settle(order):\n    rate = order.rate\n    total = order.total * rate\n    return round(total)\n";
    let workspace = TestWorkspace::git(&format!("//- /a/settle.py\n{body}//- /b/settle.py\n{body}"));
    let missing = asked(&workspace, &["explain", "settle", "b/settle.py:1"])["not_ranked"][0].clone();
    assert_eq!(missing["status"], "duplicate");
    assert!(missing["explanation"].as_str().unwrap().contains("a/settle.py:1"), "{missing}");
    assert!(workspace.run(PROGRAM, &["explain", "settle"]).found().contains("b/settle.py:1 like a/settle.py:1"));
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

#[test]
fn suggestions_have_answers() {
    let workspace = TestWorkspace::git(SHOP);
    let cases: &[&[&str]] = &[
        &["suggest", "price_of"],
        &["suggest", "how is the price made"],
        &["suggest", "zebra pryce_of"],
        &["suggest", "zebra run crossing"],
        &["suggest", "order.py"],
        &["suggest", "--symbol", "price_of"],
        &["suggest", "--symbol", "shop/order.py:1"],
        &["suggest", "--symbol", "RushOrder"],
        &["suggest"],
    ];
    let all_suggestions = |workspace: &TestWorkspace| {
        let mut commands = Vec::new();
        for args in cases {
            let answer = asked(workspace, args);
            let suggestions = answer["suggestions"].as_array().unwrap().clone();
            assert!((2..=6).contains(&suggestions.len()), "{args:?}: {answer}");
            assert_eq!(asked(workspace, args), answer, "the same every time");
            for suggestion in suggestions {
                let command = suggestion["command"].as_str().unwrap().to_string();
                assert!(!suggestion["reason"].as_str().unwrap().contains('\n'));
                let words: Vec<String> = command.split_whitespace().skip(1).map(str::to_string).collect();
                // Only questions in words are quoted here.
                let words: Vec<&str> = match command.split_once('\'') {
                    Some((_, quoted)) => vec![words[0].as_str(), quoted.trim_end_matches('\'')],
                    None => words.iter().map(String::as_str).collect(),
                };
                let answer = workspace.run(PROGRAM, &words);
                // What a change may affect can be nothing; that is an answer.
                assert!(answer.code == Some(0) || words[..] == ["impact", "--diff"], "{command}: {answer:?}");
                commands.push(command);
            }
        }
        commands
    };
    let commands = all_suggestions(&workspace);
    for expected in [
        "codecompass calls price_of --direction callers",
        "codecompass related price_of --only test",
        "codecompass locate Order --path web",
        "codecompass hierarchy RushOrder",
        "codecompass outline shop/order.py",
        "codecompass context 'how is the price made'",
        "codecompass status",
    ] {
        assert!(commands.iter().any(|command| command == expected), "{expected} is not in {commands:#?}");
    }
    assert!(!commands.iter().any(|command| command.contains("diff")), "nothing has changed: {commands:#?}");
    workspace.run_git(&["checkout", "--quiet", "-b", "feature"]);
    workspace.write("main.py", "from shop.order import price_of\n\n\ndef run():\n    return price_of([])\n");
    let commands = all_suggestions(&workspace);
    assert!(commands.iter().any(|command| command == "codecompass diff"), "{commands:#?}");
    workspace.commit("one price");
    let answer = asked(&workspace, &["suggest", "run", "--ref", "feature~0"]);
    let commands: Vec<&str> =
        answer["suggestions"].as_array().unwrap().iter().map(|step| step["command"].as_str().unwrap()).collect();
    assert!(commands.contains(&"codecompass diff main 'feature~0'"), "{commands:?}");
    assert!(commands[0].ends_with("--ref 'feature~0'"), "{commands:?}");
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
