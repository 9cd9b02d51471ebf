//! `locate_symbol`: where is a symbol defined, and what does a name at a place mean.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, filter, read};
use crate::choices::Explain;
use crate::cli::LocateArgs;
use crate::commands::locate;
use crate::error::AppError;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Name, qualified name, symbol_id or path:line.
    symbol: Option<String>,
    /// path:line:column of a use; go to its definition.
    at: Option<String>,
    language: Option<String>,
    kind: Option<String>,
    path: Option<String>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: u32,
}

fn limit() -> u32 {
    20
}

pub(super) const TOOL: Tool = Tool {
    name: "locate_symbol",
    about: "Where a symbol is defined. Give symbol, or at to resolve the name at a place. Typos are forgiven.",
    is_core: true,
    takes_detail: true,
    pages: &[("results", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        if params.symbol.is_some() == params.at.is_some() {
            return Err(AppError::invalid("exactly one of `symbol` and `at` is needed", "give one of them"));
        }
        let args = LocateArgs {
            symbol: params.symbol,
            place: params.at,
            limit: params.limit,
            page: call.page,
            filter: filter(params.language, params.kind, params.path),
            at: call.at.clone(),
            explain: Explain::Off,
        };
        locate::answer(&call.context, &args)
    },
    ..QUESTION
};
