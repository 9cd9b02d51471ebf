//! The tool that asks others.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Tool;
use crate::mcp::answer::fit_budget::DEFAULT_TOKENS;
use crate::mcp::schema::{self, Listing};

/// The most calls in one.
pub(in crate::mcp) const MAX_CALLS: usize = 10;

pub(super) const ASK_MANY: Tool = Tool {
    name: "ask_many",
    about: "Up to 10 calls of the other tools, answered in order within one max_tokens.",
    is_core: true,
    needs_chat: false,
    needs_index: false,
    reads_only: true,
    usual_tokens: DEFAULT_TOKENS,
    listing: Listing::PLAIN,
    schema: schema::of_call::<ManyArguments>,
    decode: None,
};

/// The arguments of a call of several.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::mcp) struct ManyArguments {
    /// Checked one by one, so that one that is wrong fails alone.
    #[schemars(with = "Vec<OneCall>", description = "")]
    pub calls: Value,
    /// For the calls that name none.
    #[serde(rename = "ref")]
    #[schemars(description = "")]
    pub reference: Option<String>,
}

/// The schema of one of several calls.
#[derive(JsonSchema)]
#[schemars(description = "")]
#[expect(dead_code, reason = "only the schema is made from this")]
struct OneCall {
    #[schemars(description = "")]
    tool: String,
    #[schemars(description = "")]
    arguments: JsonObject,
}
