//! `sync_repo`: brings the index up to date and says what changed.

use super::{Tool, asks};
use crate::api::index::sync::SyncRequest;

pub(super) const TOOL: Tool = Tool {
    reads_only: false,
    ..asks::<SyncRequest>(
        "sync_repo",
        "Bring the index up to date now and say what changed. Questions do so by themselves.",
    )
};
