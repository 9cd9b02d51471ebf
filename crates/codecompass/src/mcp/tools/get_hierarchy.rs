//! `get_symbol_hierarchy`: what stands above and below a symbol.

use super::{Tool, asks};
use crate::api::relations::hierarchy::HierarchyRequest;

pub(super) const TOOL: Tool = asks::<HierarchyRequest>(
    "get_symbol_hierarchy",
    "Containers and members, supertypes and subtypes, overrides and implementations.",
);
