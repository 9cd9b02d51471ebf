//! `diff_context`: what changed on a branch, in symbols.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::choices::Detail;
use crate::cli::{DiffArgs, DiffScope};
use crate::commands::diff;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Branch or commit; default: the default branch.
    base: Option<String>,
    scope: Option<DiffScope>,
    /// Compare with base itself, not where ref left it.
    #[serde(default)]
    exact: bool,
    /// Also affected callers and tests.
    #[serde(default)]
    impact: bool,
    detail_level: Option<Detail>,
    #[serde(default)]
    compact: bool,
    path: Option<String>,
}

pub(super) const TOOL: Tool = Tool {
    name: "diff_context",
    about: "Symbols added, modified, deleted, moved or renamed on ref (default: files on disk) since base.",
    is_core: true,
    pages: &[
        ("affected_files", &[]),
        ("summary.added_symbols", &[]),
        ("summary.modified_symbols", &[]),
        ("summary.deleted_symbols", &[]),
        ("summary.moved_symbols", &[]),
        ("affected_callers", &[]),
        ("affected_tests", &[]),
    ],
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let args = DiffArgs {
            base: params.base,
            reference: call.at.reference.clone(),
            exact: params.exact,
            scope: params.scope.unwrap_or(DiffScope::All),
            impact: params.impact,
            detail: match params.detail_level.unwrap_or_default() {
                // Sources are all that `context` adds.
                Detail::Context if params.compact => Detail::Signature,
                level => level,
            },
            path: params.path.into_iter().collect(),
            page: call.page,
        };
        diff::answer(&call.context, &args)
    },
    ..QUESTION
};
