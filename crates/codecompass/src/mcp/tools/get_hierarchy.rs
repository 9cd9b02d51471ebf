//! `get_symbol_hierarchy`: what stands above and below a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::cli::{Direction, HierarchyArgs};
use crate::commands::hierarchy;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: String,
    direction: Option<Direction>,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 50))]
    depth: u32,
    /// Of each.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
}

fn depth() -> u32 {
    10
}

fn limit() -> u32 {
    50
}

pub(super) const TOOL: Tool = Tool {
    name: "get_symbol_hierarchy",
    about: "Containers and members, supertypes and subtypes, overrides and implementations.",
    takes_detail: true,
    pages: &[("children", &[]), ("supertypes", &[]), ("subtypes", &[]), ("overrides", &[]), ("implementations", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = HierarchyArgs {
            symbol: params.symbol,
            direction: params.direction.unwrap_or(Direction::Both),
            depth: params.depth,
            limit: params.limit,
            page: call.page,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
        };
        hierarchy::answer(&call.context, &args)
    },
    ..QUESTION
};
