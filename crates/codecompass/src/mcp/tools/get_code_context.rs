//! `get_code_context`: the best code for a question inside a token budget.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::cli::ContextArgs;
use crate::commands::context;
use crate::mcp::schema;
use crate::render::budget;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, path, error message, or question in words.
    query: String,
    /// breadth: many places; depth: the best in full, with what they call.
    strategy: Option<Strategy>,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Strategy {
    Breadth,
    Depth,
}

pub(super) const TOOL: Tool = Tool {
    name: "get_code_context",
    about: "The best code for a question, excerpts included, in one answer of max_tokens (default 4000).",
    is_core: true,
    usual_tokens: 4000,
    takes_detail: true,
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let strategy = match params.strategy {
            Some(Strategy::Depth) => "depth",
            Some(Strategy::Breadth) | None => "breadth",
        };
        let args = ContextArgs {
            query: vec![params.query],
            max_tokens: call.max_tokens.to_string(),
            strategy: strategy.into(),
            limit: budget::LIMIT,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
        };
        context::answer(&call.context, &args)
    },
    ..QUESTION
};
