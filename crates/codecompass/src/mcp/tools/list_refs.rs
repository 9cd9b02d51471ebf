//! `list_refs`: branches, and what is indexed.

use super::{Tool, asks};
use crate::api::index::branches::BranchesRequest;

pub(super) const TOOL: Tool = Tool {
    needs_index: false,
    ..asks::<BranchesRequest>("list_refs", "Branches: where they are checked out, ahead and behind, whether indexed.")
};
