//! `search_code`: any question, best answers first.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::cli::{Detail, Explain, SearchArgs};
use crate::commands::search;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, path, error message, or question in words.
    query: String,
    language: Option<String>,
    /// function, class, method, file, ...
    kind: Option<String>,
    /// Folder or glob.
    path: Option<String>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
    /// location: places; context: with source.
    detail_level: Option<Detail>,
    /// Leave out source.
    #[serde(default)]
    compact: bool,
    ranking_explain_level: Option<Explain>,
}

fn limit() -> u32 {
    10
}

pub(super) const TOOL: Tool = Tool {
    name: "search_code",
    about: "Find code by name, path, error message or a question in words; ranked.",
    is_core: true,
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = SearchArgs {
            query: vec![params.query],
            limit: params.limit,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
            detail: params.detail_level.unwrap_or_default(),
            compact: params.compact,
            explain: params.ranking_explain_level.unwrap_or_default(),
        };
        search::answer(&call.global, &args)
    },
    ..QUESTION
};
