//! `get_dependencies`: imports, importers and import cycles.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::DepsArgs;
use crate::commands::deps;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// File, folder or module; without it: all import cycles.
    path: Option<String>,
    /// Who imports it.
    #[serde(default)]
    reverse: bool,
    #[serde(default)]
    transitive: bool,
    /// With transitive.
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 50))]
    depth: u32,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn depth() -> u32 {
    10
}

fn limit() -> u32 {
    100
}

pub(super) const TOOL: Tool = Tool {
    name: "get_dependencies",
    about: "What a file or module imports, who imports it, and import cycles.",
    takes_detail: true,
    pages: &[("edges", &[]), ("cycles", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = DepsArgs {
            path: params.path,
            reverse: params.reverse,
            transitive: params.transitive,
            depth: params.depth,
            limit: params.limit,
            page: call.page,
            at: call.at.clone(),
        };
        deps::answer(&call.context, &args)
    },
    ..QUESTION
};
