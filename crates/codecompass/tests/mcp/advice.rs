//! An answer that does not fit says how to get the rest; a client that follows it gets all of it.

use std::collections::BTreeMap;

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::PROGRAM;
use crate::client::{Client, Era, text};
use crate::sizes::tokens;

/// A branch that adds, changes, deletes and moves: a long function, and one with many callers.
fn changed() -> TestWorkspace {
    let long = |step: usize| -> String {
        let line = |at: usize| {
            if step > 0 && at % 10 == 3 {
                format!("    value_{at} = compute_again({at}, \"another text\")\n")
            } else {
                format!("    value_{at} = compute({at}, \"some text\")\n")
            }
        };
        format!("def endless(compute, compute_again):\n{}", (0..70).map(line).collect::<String>())
    };
    let mut fixture = String::from("//- /lib.py\ndef popular(x):\n    return x\n");
    for number in 0..4 {
        fixture.push_str(&format!("//- /users/user{number}.py\nfrom lib import popular\n\n\n"));
        (0..4).for_each(|at| fixture.push_str(&format!("def user_{number}_{at}():\n    return popular({at})\n\n\n")));
    }
    (0..5).for_each(|at| fixture.push_str(&format!("//- /old{at}.py\ndef old_{at}(x):\n    return x * {at}\n")));
    fixture.push_str("//- /tests/test_lib.py\nfrom lib import popular\n\n\n");
    (0..6).for_each(|at| fixture.push_str(&format!("def test_{at}():\n    assert popular({at}) == {at}\n\n\n")));
    fixture.push_str(&format!("//- /long.py\n{}", long(0)));
    let workspace = TestWorkspace::git(&fixture);
    workspace.write("lib.py", "def popular(x, y=1):\n    return x\n");
    workspace.write("long.py", &long(1));
    (0..4).for_each(|at| workspace.remove(&format!("old{at}.py")));
    workspace.run_git(&["mv", "old4.py", "moved4.py"]);
    for at in 0..14 {
        workspace.write(&format!("new/file{at}.py"), &format!("def fresh_{at}(first):\n    return first\n"));
    }
    workspace.commit("much at once");
    workspace
}

/// The list or the lines at a place such as `summary.added_symbols`.
fn list(answer: &Value, place: &str) -> Vec<Value> {
    match place.split('.').fold(answer, |inside, name| &inside[name]) {
        Value::String(text) => text.split_inclusive('\n').map(Value::from).collect(),
        Value::Array(items) => items.clone(),
        _ => Vec::new(),
    }
}

/// Returns the advice of an answer.
fn advice(answer: &Value) -> &str {
    let advice = answer["metadata"]["suggested_action"].as_str();
    advice.unwrap_or_else(|| panic!("cut, and no advice: {answer}"))
}

/// Asks until nothing is left, doing what each answer advises. Gives the lists joined, and how
/// often an offset was advised.
fn follow(
    client: &mut Client,
    tool: &str,
    mut arguments: Value,
    places: &[&str],
) -> (BTreeMap<String, Vec<Value>>, usize) {
    let mut joined: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut turned = 0;
    for _ in 0..500 {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        let most = arguments["max_tokens"].as_u64().unwrap();
        assert!(tokens(text(&result)) as u64 <= most, "{tool} {arguments}");
        let answer: Value = serde_json::from_str(text(&result)).unwrap();
        let is_cut = answer["metadata"]["result_completeness"] == "truncated";
        if is_cut && !advice(&answer).starts_with("call again with offset") {
            assert!(advice(&answer).contains(&format!("raise max_tokens (now {most}, at most 20000)")), "{answer}");
            assert!(most < 20_000, "{tool} {arguments}: {answer}");
            arguments["max_tokens"] = json!((most * 2).min(20_000));
            continue;
        }
        for place in places {
            joined.entry(place.to_string()).or_default().extend(list(&answer, place));
        }
        let next = answer["metadata"]["next_offset"].as_u64();
        if !is_cut && next.is_none() {
            return (joined, turned);
        }
        let next = next.unwrap_or_else(|| panic!("{tool} {arguments}: {answer}"));
        assert!(next > arguments["offset"].as_u64().unwrap_or(0), "{tool} {arguments}: {answer}");
        arguments["offset"] = json!(next);
        turned += 1;
    }
    panic!("{tool} {arguments} does not end");
}

#[test]
fn advice_leads_to_the_rest() {
    let workspace = changed();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let diff = [
        "affected_files",
        "summary.added_symbols",
        "summary.modified_symbols",
        "summary.deleted_symbols",
        "summary.moved_symbols",
        "affected_callers",
        "affected_tests",
    ];
    let sides = ["diff", "before.source", "after.source"];
    let questions: [(&str, Value, &[&str], &[&str]); 5] = [
        (
            "trace_path",
            json!({"to": "popular", "max_paths": 100}),
            &["trace", "popular", "--max-paths=100"],
            &["paths"],
        ),
        ("diff_context", json!({"base": "HEAD~1", "impact": true}), &["diff", "HEAD~1", "--impact"], &diff),
        ("diff_context", json!({"base": "HEAD~1", "scope": "files"}), &["diff", "HEAD~1", "--scope=files"], &diff[..1]),
        (
            "compare_symbol_between_commits",
            json!({"symbol": "endless", "base": "HEAD~1"}),
            &["compare", "endless", "HEAD~1"],
            &sides,
        ),
        (
            "explain_ranking",
            json!({"query": "which user is popular", "limit": 4}),
            &["explain", "which user is popular", "-n100"],
            &["results"],
        ),
    ];
    for (tool, arguments, command, places) in questions {
        let whole = workspace.run(PROGRAM, &[command, &["--json", "--quiet"][..]].concat()).found();
        let whole: Value = serde_json::from_str(&whole).unwrap();
        for most in [100, 200, 300] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(most);
            let (joined, turned) = follow(&mut client, tool, arguments.clone(), places);
            for place in places {
                let expected = list(&whole, place);
                assert!(!expected.is_empty(), "{tool} {place}");
                assert_eq!(joined[*place].len(), expected.len(), "{tool} {arguments}: {place}");
                assert_eq!(joined[*place], expected, "{tool} {arguments}: {place}");
            }
            assert!(turned > 0, "{tool} {arguments} was never cut");
        }
    }
}

#[test]
fn fewer_chains_than_there_are() {
    let workspace = changed();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let some = client.answer("trace_path", json!({"to": "popular", "max_paths": 3}));
    assert_eq!(list(&some, "paths").len(), 3, "{some}");
    assert_eq!(some["metadata"]["result_completeness"], "truncated", "{some}");
    assert_eq!(advice(&some), "raise max_paths (now 3, at most 100)");
    let all = client.answer("trace_path", json!({"to": "popular", "max_paths": 100}));
    assert_eq!(list(&all, "paths").len(), 16, "{all}");
    assert_eq!(all["metadata"].get("result_completeness"), None, "{all}");
    assert_eq!(list(&all, "paths")[..3], list(&some, "paths")[..]);
}

#[test]
fn pages_on_the_command_line() {
    let workspace = changed();
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&workspace.run(PROGRAM, &[arguments, &["--json", "--quiet"]].concat()).stdout).unwrap()
    };
    for (command, place) in [
        (&["trace", "popular", "--max-paths=100"][..], "paths"),
        (&["diff", "HEAD~1"], "summary.added_symbols"),
        (&["compare", "endless", "HEAD~1"], "after.source"),
        (&["explain", "which user is popular", "-n100"], "results"),
    ] {
        let (whole, rest) = (json(command), json(&[command, &["--offset=5"]].concat()));
        assert_eq!(list(&rest, place), list(&whole, place)[5..], "{command:?}");
        assert_eq!(rest["metadata"]["offset"], 5, "{command:?}");
        let nothing = json(&[command, &["--offset=100000"]].concat());
        assert_eq!(list(&nothing, place), Vec::<Value>::new(), "{command:?}");
    }
    let rest = json(&["compare", "endless", "HEAD~1", "--offset=5"]);
    assert_eq!(rest["after"]["source_line"], 6);
    // Texts have pages, too.
    let text = |arguments: &[&str]| workspace.run(PROGRAM, arguments).stdout;
    assert!(text(&["trace", "popular", "--max-paths=100", "--offset=15"]).contains("\n16. 1 call\n"));
    let (whole, rest) =
        (text(&["compare", "endless", "HEAD~1"]), text(&["compare", "endless", "HEAD~1", "--offset=5"]));
    assert_eq!(rest.lines().count(), whole.lines().count() - 5);
    assert!(
        text(&["diff", "HEAD~1"]).contains("lib.py") && !text(&["diff", "HEAD~1", "--offset=1"]).contains("lib.py")
    );
}
