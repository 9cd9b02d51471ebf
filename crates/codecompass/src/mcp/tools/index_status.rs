//! `index_status`: what the index holds, and how far it is.

use serde_json::json;

use super::{Nothing, QUESTION, Tool};
use crate::cli::StatusArgs;
use crate::commands::status;
use crate::mcp::schema;
use crate::mcp::workspace::prewarm::Figures;

pub(super) const TOOL: Tool = Tool {
    name: "index_status",
    about: "What the index holds, whether it is fresh, and how far indexing is.",
    is_core: true,
    needs_index: false,
    schema: schema::of::<Nothing>,
    run: |call, _| {
        let mut answer = status::answer(&call.context, &StatusArgs { at: call.at.clone() })?;
        if let Some(Figures { done, total, .. }) = call.indexing {
            answer["indexing_status"] = json!("indexing");
            answer["progress"] = json!({"done": done, "total": total});
        }
        Ok(answer)
    },
    ..QUESTION
};
