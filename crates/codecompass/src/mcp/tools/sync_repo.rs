//! `sync_repo`: bring the index up to date and say what changed.

use super::{Nothing, QUESTION, Tool};
use crate::cli::SyncArgs;
use crate::commands::sync;
use crate::mcp::schema;

pub(super) const TOOL: Tool = Tool {
    name: "sync_repo",
    about: "Bring the index up to date now and say what changed. Questions do so by themselves.",
    reads_only: false,
    schema: schema::of::<Nothing>,
    run: |call, _| sync::answer(&call.context, &SyncArgs { at: call.at.clone() }),
    ..QUESTION
};
