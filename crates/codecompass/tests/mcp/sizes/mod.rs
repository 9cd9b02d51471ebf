//! No answer costs more tokens than it may, and what is left out is said.

mod of_all;
mod outlines;
mod savings;

use codecompass_testkit::TestWorkspace;
use serde_json::{Value, json};

use crate::client::{Client, Era, text};

/// A function that is used very often, a file with very many definitions, and a very long function.
pub(crate) fn wide() -> TestWorkspace {
    let mut fixture = String::from("//- /lib.py\ndef popular(x):\n    return x\n");
    for number in 0..40 {
        fixture.push_str(&format!("//- /users/user{number}.py\nfrom lib import popular\n\n\n"));
        (0..25).for_each(|at| fixture.push_str(&format!("def user_{number}_{at}():\n    return popular({at})\n\n\n")));
    }
    fixture.push_str("//- /many.py\n");
    (0..1500).for_each(|at| fixture.push_str(&format!("def one_of_many_{at}(first, second):\n    return first\n\n\n")));
    fixture.push_str("//- /long.py\ndef endless():\n");
    (0..6000).for_each(|at| fixture.push_str(&format!("    value_{at} = compute({at}, \"some text\")\n")));
    fixture.push_str("//- /big.py\nclass Big:\n");
    (0..90).for_each(|at| fixture.push_str(&format!("    def method_{at}(self):\n        return {at}\n\n")));
    (0..30).for_each(|at| fixture.push_str(&format!("\n\nclass Small{at}(Big):\n    pass\n")));
    TestWorkspace::git(&fixture)
}

pub(crate) fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

#[test]
fn caps_hold() {
    let workspace = wide();
    let mut client = Client::connect(&workspace, Era::Initialize, &["--tools", "all"]);
    let questions = [
        ("find_references", json!({"symbol": "popular", "limit": 1000}), "references"),
        ("get_call_graph", json!({"symbol": "popular", "limit": 1000}), "edges"),
        ("analyze_impact", json!({"symbol": "popular", "limit": 1000}), "affected_symbols"),
        ("get_file_outline", json!({"path": "many.py"}), "symbols"),
        ("get_symbol", json!({"symbol": "endless"}), "source lines"),
        ("get_dependencies", json!({"path": "lib.py", "reverse": true, "limit": 1000}), "edges"),
        ("search_code", json!({"query": "user", "limit": 100, "detail_level": "context"}), "results"),
        ("search_similar_symbol", json!({"symbol": "user_1_1", "limit": 100}), "results"),
        ("find_symbols", json!({"limit": 1000}), "results"),
    ];
    for (tool, arguments, cut) in questions {
        let mut seen = Vec::new();
        for most in [Some(1000), Some(3000), None, Some(20_000)] {
            let mut arguments = arguments.clone();
            if let Some(most) = most {
                arguments["max_tokens"] = json!(most);
            }
            let result = client.call(tool, arguments.clone());
            assert_eq!(result["isError"], false, "{result}");
            let answer: Value = serde_json::from_str(text(&result)).unwrap();
            let cost = tokens(text(&result));
            assert!(cost <= most.unwrap_or(8000), "{tool} {arguments}: {cost} tokens");
            let metadata = &answer["metadata"];
            if most == Some(1000) {
                assert_eq!(metadata["result_completeness"], "truncated", "{tool}: {metadata}");
                assert!(metadata["left_out"][cut].as_u64().unwrap() > 0, "{tool}: {metadata}");
                assert!(metadata["suggested_action"].as_str().unwrap().contains("max_tokens"), "{tool}: {metadata}");
            }
            seen.push(text(&result).len());
        }
        assert!(seen.is_sorted_by_key(|size| *size) || seen[0] <= seen[1], "{tool}: more room gives more: {seen:?}");
        assert!(seen[0] > 400, "{tool}: room is used: {seen:?}");
    }
    let exact = client.answer("get_code_context", json!({"query": "popular users", "max_tokens": 500}));
    assert!(exact["metadata"]["estimated_tokens"].as_u64().unwrap() <= 500);
}
