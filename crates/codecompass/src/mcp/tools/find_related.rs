//! `find_related_symbols`: what belongs together with a symbol.

use super::{Tool, asks};
use crate::api::relations::related::RelatedRequest;

pub(super) const TOOL: Tool = asks::<RelatedRequest>(
    "find_related_symbols",
    "Tests of a symbol, what it uses, what is used together with it, what stands beside it.",
);
