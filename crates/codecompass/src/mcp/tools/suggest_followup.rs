//! `suggest_followup_queries`: what to ask next.

use super::{Tool, asks};
use crate::api::find::suggest::SuggestRequest;

pub(super) const TOOL: Tool = asks::<SuggestRequest>(
    "suggest_followup_queries",
    "The next calls worth making after a query or about a symbol, each with the fact that speaks for it.",
);
