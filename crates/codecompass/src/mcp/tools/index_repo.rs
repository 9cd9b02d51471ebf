//! `index_repo`: index the workspace, anew if asked.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::IndexArgs;
use crate::commands::index;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Build it anew from nothing.
    #[serde(default)]
    force: bool,
}

pub(super) const TOOL: Tool = Tool {
    name: "index_repo",
    about: "Index the workspace now, with all vectors. Rarely needed: questions keep the index up to date.",
    reads_only: false,
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        index::answer(&call.context, &IndexArgs { force: params.force, show_ignored: false, at: call.at.clone() })
    },
    ..QUESTION
};
