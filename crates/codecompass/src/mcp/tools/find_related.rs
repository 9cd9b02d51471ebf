//! `find_related_symbols`: what belongs together with a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::choices::Explain;
use crate::cli::{Only, RelatedArgs};
use crate::commands::related;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: String,
    only: Option<Only>,
    /// Of each.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
}

fn limit() -> u32 {
    8
}

pub(super) const TOOL: Tool = Tool {
    name: "find_related_symbols",
    about: "Tests of a symbol, what it uses, what is used together with it, what stands beside it.",
    takes_detail: true,
    pages: &[("results", &["relation"])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = RelatedArgs {
            symbol: params.symbol,
            only: params.only.into_iter().collect(),
            limit: params.limit,
            page: call.page,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
            explain: Explain::Off,
        };
        related::answer(&call.context, &args)
    },
    ..QUESTION
};
