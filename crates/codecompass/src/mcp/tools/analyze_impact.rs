//! `analyze_impact`: what a change may affect.

use super::{Tool, asks};
use crate::api::navigate::impact::ImpactRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<ImpactRequest>(
        "analyze_impact",
        "Code, entry points and tests that a change of a symbol, or of the whole branch, may affect.",
    )
};
