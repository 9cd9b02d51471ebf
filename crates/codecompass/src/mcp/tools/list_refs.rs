//! `list_refs`: branches, and what is indexed.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::BranchesArgs;
use crate::commands::branches;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Remote branches and tags, too.
    #[serde(default)]
    all: bool,
    /// Count ahead and behind of this.
    base: Option<String>,
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn limit() -> u32 {
    50
}

pub(super) const TOOL: Tool = Tool {
    name: "list_refs",
    about: "Branches: where they are checked out, ahead and behind, whether indexed.",
    needs_index: false,
    takes_ref: false,
    takes_detail: true,
    pages: &[("refs", &[])],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        branches::answer(
            &call.context,
            &BranchesArgs { all: params.all, base: params.base, limit: params.limit, page: call.page },
        )
    },
    ..QUESTION
};
