//! Nomic's embeddings, which tell documents from queries.

use serde_json::{Value, json};

use super::embeddings::{Ask, Protocol};
use super::outgoing::USUAL_MAX_BYTES;

/// `/v1/embedding/text` of Nomic Atlas.
pub(super) const PROTOCOL: Protocol = Protocol {
    default_url: "https://api-atlas.nomic.ai/v1",
    path: "/embedding/text",
    models: &[("nomic-embed-text-v1.5", 768), ("nomic-embed-text-v1", 768)],
    sizes_unknown_models: true,
    max_text_bytes: USUAL_MAX_BYTES,
    body,
    is_numbered: false,
};

fn body(ask: &Ask<'_>) -> Value {
    let task_type = if ask.is_query { "search_query" } else { "search_document" };
    let mut body = json!({"model": ask.model, "texts": ask.texts, "task_type": task_type});
    if let Some(dimensions) = ask.dimensions {
        body["dimensionality"] = dimensions.into();
    }
    body
}
