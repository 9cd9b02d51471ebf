//! `search_similar_symbol`: what is like a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::choices::Explain;
use crate::cli::SimilarArgs;
use crate::commands::similar;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: String,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
}

fn limit() -> u32 {
    10
}

pub(super) const TOOL: Tool = Tool {
    name: "search_similar_symbol",
    about: "Copies of a symbol and symbols with like names, signatures or bodies.",
    takes_detail: true,
    pages: &[("results", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = SimilarArgs {
            symbol: params.symbol,
            limit: params.limit,
            page: call.page,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
            explain: Explain::Off,
        };
        similar::answer(&call.context, &args)
    },
    ..QUESTION
};
