//! Advice in words of the server: errors are worded for the command line, and an agent may have nothing but the tools.

use crate::error::AppError;

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

/// The same error with advice that names tools and arguments instead of commands and flags, where there are such.
pub(crate) fn of_tools(mut error: AppError) -> AppError {
    let mut advice = std::mem::take(&mut error.remediation);
    if advice == "see `codecompass help`" {
        advice = "see the tool's schema".into();
    }
    for (command, tool) in TOOLS_OF {
        advice = advice.replace(&format!("`codecompass {command}`"), &format!("`{tool}`"));
    }
    for (written, meant) in [
        ("`codecompass locate --at`", "`locate_symbol` with `at`"),
        ("`codecompass diff BASE`", "`diff_context` with `base`"),
        ("`codecompass index --force`", "`index_repo` with `force`"),
        ("`codecompass switch --reset`", "`switch_ref` with `reset`"),
        ("with --max-tokens", "as `max_tokens`"),
        ("with --strategy", "as `strategy`"),
        ("with --exact", "with `exact`"),
        (", or another --workspace", ""),
    ] {
        advice = advice.replace(written, meant);
    }
    AppError { remediation: advice, ..error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn commands_become_tools() {
        let advice = |text: &str| of_tools(AppError::new(Code::InvalidInput, "m", text)).remediation;
        assert_eq!(advice("`codecompass branches` lists what there is"), "`list_refs` lists what there is");
        assert_eq!(advice("describe it with `codecompass search`"), "describe it with `search_code`");
        assert_eq!(advice("see `codecompass help`"), "see the tool's schema");
        assert_eq!(advice("run `codecompass index --force`"), "run `index_repo` with `force`");
        // What only a person can do stays as it is.
        assert_eq!(advice("run `codecompass gc --now`"), "run `codecompass gc --now`");
    }

    #[test]
    fn every_tool_is_there() {
        for (_, tool) in TOOLS_OF {
            assert!(super::super::tools::TOOLS.iter().any(|known| known.name == *tool), "{tool}");
        }
    }
}
