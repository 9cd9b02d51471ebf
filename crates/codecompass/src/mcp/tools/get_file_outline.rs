//! `get_file_outline`: a file's skeleton.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::{Depth, OutlineArgs};
use crate::commands::outline;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file; a unique end of its path will do.
    path: String,
    depth: Option<Depth>,
}

pub(super) const TOOL: Tool = Tool {
    name: "get_file_outline",
    about: "Definitions of a file with lines and signatures; cheaper than reading it.",
    is_core: true,
    takes_detail: true,
    pages: &[("symbols", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let depth = params.depth.unwrap_or(Depth::All);
        outline::answer(&call.context, &OutlineArgs { path: params.path, depth, at: call.at.clone(), page: call.page })
    },
    ..QUESTION
};
