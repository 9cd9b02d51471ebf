//! `index_repo`: indexes the workspace, anew if asked.

use super::{Tool, asks};
use crate::api::index::build::IndexRequest;

pub(super) const TOOL: Tool = Tool {
    reads_only: false,
    ..asks::<IndexRequest>(
        "index_repo",
        "Index the workspace now, with all vectors. Rarely needed: questions keep the index up to date.",
    )
};
