//! `explain_ranking`: why a result stands where it stands.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::api::arguments::MeaningArgs;
use crate::cli::ExplainArgs;
use crate::commands::explain;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What was searched for.
    query: String,
    /// Rank, path:line, path, symbol_id or name; default: the first results.
    result: Option<String>,
    /// A second one, to compare.
    other: Option<String>,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn limit() -> u32 {
    5
}

pub(super) const TOOL: Tool = Tool {
    name: "explain_ranking",
    about: "Why a result of search_code stands where it does, or is missing: parts of its score, what it lacks.",
    takes_detail: true,
    pages: &[("results", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = ExplainArgs {
            query: params.query,
            results: params.result.into_iter().chain(params.other).collect(),
            limit: params.limit,
            page: call.page,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
            meaning: MeaningArgs::default(),
        };
        explain::answer(&call.context, &args)
    },
    ..QUESTION
};
