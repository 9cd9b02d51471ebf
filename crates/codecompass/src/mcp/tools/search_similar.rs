//! `search_similar_symbol`: what is like a symbol.

use super::{Tool, asks};
use crate::api::relations::similar::SimilarRequest;

pub(super) const TOOL: Tool = asks::<SimilarRequest>(
    "search_similar_symbol",
    "Copies of a symbol and symbols with like names, signatures or bodies.",
);
