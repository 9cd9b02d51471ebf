//! `get_code_context`: the best code for a question inside a token budget.

use super::{Tool, asks};
use crate::api::find::context::{ContextRequest, DEFAULT_BUDGET};

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    usual_tokens: DEFAULT_BUDGET,
    ..asks::<ContextRequest>(
        "get_code_context",
        "The best code for a question, excerpts included, in one answer of max_tokens (default 4000).",
    )
};
