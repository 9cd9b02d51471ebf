//! `find_references`: the uses of a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::api::arguments::{CertaintyArg, CertaintyArgs};
use crate::cli::{RefsArgs, TestsArg, UseKind};
use crate::commands::refs;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: String,
    /// How it is used.
    kind: Option<UseKind>,
    tests: Option<TestsArg>,
    /// static: only proven uses.
    confidence: Option<CertaintyArg>,
    language: Option<String>,
    path: Option<String>,
    /// List uses that may mean another symbol, too.
    #[serde(default)]
    ambiguous: bool,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn limit() -> u32 {
    100
}

pub(super) const TOOL: Tool = Tool {
    name: "find_references",
    about: "Every use of a symbol, resolved, with confidence and enclosing definition. Use instead of grep.",
    is_core: true,
    takes_detail: true,
    pages: &[("references", &[]), ("ambiguous", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = RefsArgs {
            symbol: params.symbol,
            limit: Some(params.limit),
            page: call.page,
            kind: params.kind.into_iter().collect(),
            certainty: CertaintyArgs { confidence: params.confidence.unwrap_or(CertaintyArg::All) },
            lang: params.language.into_iter().collect(),
            path: params.path.into_iter().collect(),
            tests: params.tests.unwrap_or(TestsArg::Include),
            ambiguous: params.ambiguous,
            at: call.at.clone(),
        };
        refs::answer(&call.context, &args)
    },
    ..QUESTION
};
