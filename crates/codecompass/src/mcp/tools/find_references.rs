//! `find_references`: the uses of a symbol.

use super::{Tool, asks};
use crate::api::navigate::refs::RefsRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<RefsRequest>(
        "find_references",
        "Every use of a symbol, resolved, with confidence and enclosing definition. Use instead of grep.",
    )
};
