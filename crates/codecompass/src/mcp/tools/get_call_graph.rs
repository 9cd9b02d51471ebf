//! `get_call_graph`: callers and callees of a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::api::arguments::{CertaintyArg, CertaintyArgs};
use crate::cli::{CallsArgs, DirectionArg};
use crate::commands::calls;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: String,
    direction: Option<DirectionArg>,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
    /// Also calls of what it overrides.
    #[serde(default)]
    overrides: bool,
    confidence: Option<CertaintyArg>,
    /// Per level.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn depth() -> u32 {
    1
}

fn limit() -> u32 {
    50
}

pub(super) const TOOL: Tool = Tool {
    name: "get_call_graph",
    about: "Who calls a function and what it calls, to a depth.",
    is_core: true,
    takes_detail: true,
    pages: &[("edges", &["direction", "depth"])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = CallsArgs {
            symbol: params.symbol,
            direction: params.direction.unwrap_or(DirectionArg::Both),
            depth: params.depth,
            limit: Some(params.limit),
            page: call.page,
            overrides: params.overrides,
            certainty: CertaintyArgs { confidence: params.confidence.unwrap_or(CertaintyArg::All) },
            at: call.at.clone(),
        };
        calls::answer(&call.context, &args)
    },
    ..QUESTION
};
