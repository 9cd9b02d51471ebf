//! `health_check`: is everything as it should be.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{QUESTION, Tool, read};
use crate::cli::DoctorArgs;
use crate::commands::doctor;
use crate::mcp::{health, schema};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Read the whole store and compare checksums.
    #[serde(default)]
    full: bool,
}

pub(super) const TOOL: Tool = Tool {
    name: health::TOOL,
    about: "Whether workspace, store and index are sound, and what to do if not.",
    needs_index: false,
    takes_ref: false,
    schema: schema::of::<Params>,
    run: |call, arguments| {
        let params: Params = read(arguments)?;
        let mut answer = doctor::answer(&call.context, &DoctorArgs { full: params.full, fix: false })?;
        let status = match (call.indexing, answer["ok"].as_bool()) {
            (Some(_), _) => "indexing",
            (None, Some(true)) => "ready",
            (None, _) => "error",
        };
        answer["status"] = json!(status);
        answer["uptime_seconds"] = json!(call.uptime.as_secs());
        Ok(answer)
    },
    ..QUESTION
};
