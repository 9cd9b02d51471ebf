//! `get_file_outline`: a file's skeleton.

use super::{Tool, asks};
use crate::api::symbols::outline::OutlineRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<OutlineRequest>(
        "get_file_outline",
        "Definitions of a file with lines and signatures; cheaper than reading it.",
    )
};
