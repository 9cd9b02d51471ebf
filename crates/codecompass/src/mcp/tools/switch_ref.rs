//! `switch_ref`: which ref questions are about when they do not say.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{QUESTION, Tool, read};
use crate::cli::SwitchArgs;
use crate::commands::switch;
use crate::error::AppError;
use crate::mcp::schema;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Files on disk again.
    #[serde(default)]
    reset: bool,
}

pub(super) const TOOL: Tool = Tool {
    name: "switch_ref",
    about: "Choose the ref that calls without ref are about, for everybody in this workspace; git's checkout stays.",
    needs_index: false,
    reads_only: false,
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let reference = call.at.reference.clone();
        if reference.is_some() && params.reset {
            return Err(AppError::invalid("`ref` and `reset` exclude each other", "give one of them, or neither"));
        }
        switch::answer(&call.context, &SwitchArgs { reference, reset: params.reset })
    },
    ..QUESTION
};
