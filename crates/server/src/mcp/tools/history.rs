//! Tools for commits.

use codecompass_app::api::history::commits::HistoryRequest;
use codecompass_app::api::history::symbol::SymbolHistoryRequest;

use super::{Tool, asks};

pub(super) const SEARCH_HISTORY: Tool = Tool {
    needs_index: false,
    ..asks::<HistoryRequest>(
        "search_history",
        "Commits by words, by text that they added or removed, by author, date and path. Use instead of git log.",
    )
};

pub(super) const GET_SYMBOL_HISTORY: Tool = asks::<SymbolHistoryRequest>(
    "get_symbol_history",
    "Commits that changed a definition, through renames and moves: when it came, who changed it and why.",
);
