//! `get_call_graph`: callers and callees of a symbol.

use super::{Tool, asks};
use crate::api::navigate::calls::CallsRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<CallsRequest>("get_call_graph", "Who calls a function and what it calls, to a depth.")
};
