//! `get_symbol`: source and facts of one symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::cli::ShowArgs;
use crate::commands::show;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: String,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
}

pub(super) const TOOL: Tool = Tool {
    name: "get_symbol",
    about: "Full source, signature and doc of one symbol.",
    is_core: true,
    takes_detail: true,
    pages: &[("source", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let filter = filter(params.language, params.kind, params.path);
        show::answer(&call.context, &ShowArgs { symbol: params.symbol, filter, at: call.at.clone(), page: call.page })
    },
    ..QUESTION
};
