//! `trace_path`: the chains of calls that lead to a symbol.

use super::{Tool, asks};
use crate::api::navigate::trace::TraceRequest;

pub(super) const TOOL: Tool =
    asks::<TraceRequest>("trace_path", "Chains of calls that lead to a symbol, shortest first.");
