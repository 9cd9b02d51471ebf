//! `analyze_impact`: what a change may affect.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::api::arguments::{CertaintyArg, CertaintyArgs};
use crate::cli::ImpactArgs;
use crate::commands::impact;
use crate::error::AppError;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What would change. Without it: what changed since base.
    symbol: Option<String>,
    /// Branch or commit; default: the default branch.
    base: Option<String>,
    #[serde(default = "depth")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
    confidence: Option<CertaintyArg>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn depth() -> u32 {
    3
}

fn limit() -> u32 {
    50
}

pub(super) const TOOL: Tool = Tool {
    name: "analyze_impact",
    about: "Code, entry points and tests that a change of a symbol, or of the whole branch, may affect.",
    is_core: true,
    takes_detail: true,
    pages: &[("affected_symbols", &[]), ("affected_entry_points", &[]), ("affected_tests", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        if params.symbol.is_some() && params.base.is_some() {
            return Err(AppError::invalid("`symbol` and `base` exclude each other", "give one of them, or neither"));
        }
        let diff = match &params.symbol {
            Some(_) => None,
            // The empty name means the default branch.
            None => Some(params.base.unwrap_or_default()),
        };
        let args = ImpactArgs {
            symbol: params.symbol,
            diff,
            depth: params.depth,
            limit: Some(params.limit),
            page: call.page,
            certainty: CertaintyArgs { confidence: params.confidence.unwrap_or(CertaintyArg::All) },
            at: call.at.clone(),
        };
        impact::answer(&call.context, &args)
    },
    ..QUESTION
};
