//! Tools for relations between symbols and files.

use super::{Tool, asks};
use crate::api::relations::deps::DepsRequest;
use crate::api::relations::hierarchy::HierarchyRequest;
use crate::api::relations::related::RelatedRequest;
use crate::api::relations::similar::SimilarRequest;

pub(super) const GET_SYMBOL_HIERARCHY: Tool = Tool {
    is_core: true,
    ..asks::<HierarchyRequest>(
        "get_symbol_hierarchy",
        "Subtypes and implementations of a type, direct and inherited, its supertypes and members; what overrides a \
         method.",
    )
};

pub(super) const GET_DEPENDENCIES: Tool =
    asks::<DepsRequest>("get_dependencies", "What a file or module imports, who imports it, and import cycles.");

pub(super) const FIND_RELATED_SYMBOLS: Tool = asks::<RelatedRequest>(
    "find_related_symbols",
    "Tests of a symbol, what it uses, what is used together with it, what stands beside it.",
);

pub(super) const SEARCH_SIMILAR_SYMBOL: Tool = asks::<SimilarRequest>(
    "search_similar_symbol",
    "Copies of a symbol and symbols with like names, signatures or bodies.",
);
