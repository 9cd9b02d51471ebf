//! Tools for questions in words.

use codecompass_app::api::find::analyze::AnalyzeRequest;
use codecompass_app::api::find::context::{ContextRequest, DEFAULT_BUDGET};
use codecompass_app::api::find::explain::ExplainRequest;
use codecompass_app::api::find::grep::GrepRequest;
use codecompass_app::api::find::search::SearchRequest;
use codecompass_app::api::find::suggest::SuggestRequest;

use super::{Tool, asks};
use crate::mcp::schema::Listing;

pub(super) const SEARCH_CODE: Tool = Tool {
    is_core: true,
    listing: Listing { detail: true, workspaces: true, ..Listing::PLAIN },
    ..asks::<SearchRequest>("search_code", "Find code by name, path, error message or a question in words; ranked.")
};

pub(super) const GREP_CODE: Tool = Tool {
    is_core: true,
    ..asks::<GrepRequest>(
        "grep_code",
        "Every line that a regex or literal matches, as ripgrep finds it, with the definition around it. For exact \
         text; for uses of a symbol: find_references.",
    )
};

pub(super) const GET_CODE_CONTEXT: Tool = Tool {
    is_core: true,
    usual_tokens: DEFAULT_BUDGET,
    ..asks::<ContextRequest>(
        "get_code_context",
        "The best code for a question, excerpts included, in one answer of max_tokens (default 4000).",
    )
};

pub(super) const ANALYZE: Tool = Tool {
    needs_chat: true,
    ..asks::<AnalyzeRequest>(
        "analyze",
        "A chat model's explanation of how something works, every path:line checked. Slow: for broad questions; for \
         code use get_code_context.",
    )
};

pub(super) const EXPLAIN_RANKING: Tool = asks::<ExplainRequest>(
    "explain_ranking",
    "Why a result of search_code stands where it does, or is missing: parts of its score, what it lacks.",
);

pub(super) const SUGGEST_FOLLOWUP_QUERIES: Tool = asks::<SuggestRequest>(
    "suggest_followup_queries",
    "The next calls worth making after a query or about a symbol, each with the fact that speaks for it.",
);
