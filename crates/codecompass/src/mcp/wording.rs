//! Advice in words of the server, for answers of questions that do not have a typed answer yet.

use serde_json::Value;

/// Commands and the tools that answer the same.
const TOOLS_OF: &[(&str, &str)] = &[
    ("search", "search_code"),
    ("context", "get_code_context"),
    ("locate", "locate_symbol"),
    ("outline", "get_file_outline"),
    ("show", "get_symbol"),
    ("refs", "find_references"),
    ("calls", "get_call_graph"),
    ("trace", "trace_path"),
    ("impact", "analyze_impact"),
    ("hierarchy", "get_symbol_hierarchy"),
    ("deps", "get_dependencies"),
    ("related", "find_related_symbols"),
    ("similar", "search_similar_symbol"),
    ("diff", "diff_context"),
    ("compare", "compare_symbol_between_commits"),
    ("explain", "explain_ranking"),
    ("suggest", "suggest_followup_queries"),
    ("branches", "list_refs"),
    ("status", "index_status"),
    ("doctor", "health_check"),
    ("sync", "sync_repo"),
    ("index", "index_repo"),
    ("switch", "switch_ref"),
];

/// Puts the advice of an answer in the words of tools, too.
pub(crate) fn advise(answer: &mut Value) {
    if let Some(Value::String(advice)) = answer.pointer_mut("/metadata/suggested_action") {
        *advice = in_words_of_tools(std::mem::take(advice));
    }
}

fn in_words_of_tools(mut advice: String) -> String {
    if advice == "see `codecompass help`" {
        advice = "see the tool's schema".into();
    }
    for (command, tool) in TOOLS_OF {
        advice = advice.replace(&format!("`codecompass {command}`"), &format!("`{tool}`"));
    }
    for (written, meant) in [
        ("`codecompass locate --at`", "`locate_symbol` with `at`"),
        ("`codecompass diff BASE`", "`diff_context` with `base`"),
        ("`codecompass impact --diff`", "`analyze_impact` with `base`"),
        ("`codecompass index --force`", "`index_repo` with `force`"),
        ("`codecompass switch --reset`", "`switch_ref` with `reset`"),
        (
            "`codecompass show PATH:LINE` has all lines, --max-tokens",
            "`get_symbol` of PATH:LINE has all lines, `max_tokens`",
        ),
        ("raise --max-paths", "raise max_paths"),
        ("start with --from", "start with `from`"),
        ("calls with --depth", "calls with `depth`"),
        ("with --max-tokens", "as `max_tokens`"),
        ("with --strategy", "as `strategy`"),
        ("with --exact", "with `exact`"),
        (", or another --workspace", ""),
    ] {
        advice = advice.replace(written, meant);
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_advise_in_words_of_tools() {
        let mut answer = serde_json::json!({"metadata": {
            "suggested_action": "`codecompass show PATH:LINE` has all lines, --max-tokens 800 more",
        }});
        advise(&mut answer);
        let advice = &answer["metadata"]["suggested_action"];
        assert_eq!(advice, "`get_symbol` of PATH:LINE has all lines, `max_tokens` 800 more");
    }

    #[test]
    fn every_tool_is_there() {
        for (_, tool) in TOOLS_OF {
            assert!(super::super::tools::TOOLS.iter().any(|known| known.name == *tool), "{tool}");
        }
    }
}
