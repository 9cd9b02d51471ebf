//! `diff_context`: what changed on a branch, in symbols.

use super::{Tool, asks};
use crate::api::navigate::diff::DiffRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<DiffRequest>(
        "diff_context",
        "Symbols added, modified, deleted, moved or renamed on ref (default: files on disk) since base.",
    )
};
