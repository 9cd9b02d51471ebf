//! `trace_path`: how the program gets to a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::api::arguments::{CertaintyArg, CertaintyArgs};
use crate::cli::TraceArgs;
use crate::commands::trace;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Where the chains end.
    to: String,
    /// Where they start; default: entry points.
    from: Option<String>,
    #[serde(default = "max_paths")]
    #[schemars(range(min = 1, max = 100))]
    max_paths: u32,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 20))]
    depth: u32,
    confidence: Option<CertaintyArg>,
}

fn max_paths() -> u32 {
    5
}

fn depth() -> u32 {
    10
}

pub(super) const TOOL: Tool = Tool {
    name: "trace_path",
    about: "Chains of calls that lead to a symbol, shortest first.",
    takes_detail: true,
    pages: &[("paths", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = TraceArgs {
            to: params.to,
            from: params.from,
            max_paths: params.max_paths,
            depth: params.depth,
            page: call.page,
            certainty: CertaintyArgs { confidence: params.confidence.unwrap_or(CertaintyArg::All) },
            at: call.at.clone(),
        };
        trace::answer(&call.context, &args)
    },
    ..QUESTION
};
