//! `compare_symbol_between_commits`: one symbol at two refs.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::CompareArgs;
use crate::commands::compare;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name or path:line.
    symbol: String,
    /// The earlier ref; `ref` is the later one, default: files on disk.
    base: String,
}

pub(super) const TOOL: Tool = Tool {
    name: "compare_symbol_between_commits",
    about: "One symbol at two refs: both sources and their diff.",
    takes_detail: true,
    pages: &[("diff", &[]), ("before.source", &[]), ("after.source", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let after = call.at.reference.clone();
        let args = CompareArgs { symbol: params.symbol, before: params.base, after, page: call.page };
        compare::answer(&call.context, &args)
    },
    ..QUESTION
};
