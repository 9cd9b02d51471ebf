//! `compare_symbol_between_commits`: one symbol at two refs.

use super::{Tool, asks};
use crate::api::navigate::compare::CompareRequest;

pub(super) const TOOL: Tool =
    asks::<CompareRequest>("compare_symbol_between_commits", "One symbol at two refs: both sources and their diff.");
