//! `explain_ranking`: why a result stands where it stands.

use super::{Tool, asks};
use crate::api::find::explain::ExplainRequest;

pub(super) const TOOL: Tool = asks::<ExplainRequest>(
    "explain_ranking",
    "Why a result of search_code stands where it does, or is missing: parts of its score, what it lacks.",
);
