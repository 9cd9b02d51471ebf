//! `suggest_followup_queries`: what to ask next.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::SuggestArgs;
use crate::commands::suggest;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// What was searched for last.
    query: Option<String>,
    /// The symbol looked at; default: the best result of query.
    symbol: Option<String>,
}

pub(super) const TOOL: Tool = Tool {
    name: "suggest_followup_queries",
    about: "The next calls worth making after a query or about a symbol, each with the fact that speaks for it.",
    takes_detail: true,
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args =
            SuggestArgs { query: params.query.into_iter().collect(), symbol: params.symbol, at: call.at.clone() };
        suggest::answer(&call.context, &args)
    },
    ..QUESTION
};
