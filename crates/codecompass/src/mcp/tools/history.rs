//! Tools for commits.

use super::{Tool, asks};
use crate::api::history::commits::HistoryRequest;

pub(super) const SEARCH_HISTORY: Tool = Tool {
    needs_index: false,
    ..asks::<HistoryRequest>(
        "search_history",
        "Commits by words, by text that they added or removed, by author, date and path. Use instead of git log.",
    )
};
