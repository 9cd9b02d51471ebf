//! `switch_ref`: the ref that questions are about when they do not name one.

use super::{Tool, asks};
use crate::api::index::switch::SwitchRequest;

pub(super) const TOOL: Tool = Tool {
    needs_index: false,
    reads_only: false,
    ..asks::<SwitchRequest>(
        "switch_ref",
        "Choose the ref that calls without ref are about, for everybody in this workspace; git's checkout stays.",
    )
};
