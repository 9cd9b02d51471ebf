//! `search_code`: any question, best answers first.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::api::arguments::MeaningArgs;
use crate::choices::{Detail, Explain};
use crate::cli::SearchArgs;
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
    /// Largest share of meaning.
    semantic_ratio: Option<crate::api::arguments::Share>,
    confidence_threshold: Option<crate::api::arguments::Share>,
}

fn limit() -> u32 {
    10
}

pub(super) const TOOL: Tool = Tool {
    name: "search_code",
    about: "Find code by name, path, error message or a question in words; ranked.",
    is_core: true,
    pages: &[("results", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = SearchArgs {
            query: vec![params.query],
            limit: params.limit,
            page: call.page,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
            detail: params.detail_level.unwrap_or_default(),
            compact: params.compact,
            explain: params.ranking_explain_level.unwrap_or_default(),
            meaning: MeaningArgs {
                mode: None,
                semantic_ratio: params.semantic_ratio,
                confidence_threshold: params.confidence_threshold,
            },
        };
        search::answer(&call.context, &args)
    },
    ..QUESTION
};
