//! `index_status`: what the index holds, and how far it is.

use super::{Tool, asks};
use crate::api::index::status::StatusRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    needs_index: false,
    ..asks::<StatusRequest>("index_status", "What the index holds, whether it is fresh, and how far indexing is.")
};
