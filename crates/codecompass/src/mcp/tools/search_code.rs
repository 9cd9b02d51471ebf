//! `search_code`: any question, best answers first.

use super::{Tool, asks};
use crate::api::find::search::SearchRequest;

pub(super) const TOOL: Tool = Tool {
    is_core: true,
    ..asks::<SearchRequest>("search_code", "Find code by name, path, error message or a question in words; ranked.")
};
