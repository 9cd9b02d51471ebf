//! Voyage AI's embeddings, which tell documents from queries.

use serde_json::{Value, json};

use super::embeddings::{Ask, Protocol};

/// The address of Voyage AI, for vectors and scores alike.
pub(super) const URL: &str = "https://api.voyageai.com/v1";

/// The embeddings of Voyage AI.
pub(super) const PROTOCOL: Protocol = Protocol {
    default_url: URL,
    path: "/embeddings",
    models: &[
        ("voyage-code-3", 1024),
        ("voyage-3-large", 1024),
        ("voyage-3.5", 1024),
        ("voyage-3.5-lite", 1024),
        ("voyage-3", 1024),
        ("voyage-3-lite", 512),
        ("voyage-code-2", 1536),
    ],
    // Newer models come in several sizes, all of them.
    sizes_unknown_models: true,
    // The limit of the oldest of them is 16,000 tokens.
    max_text_bytes: 16_000,
    body,
    is_numbered: true,
};

fn body(ask: &Ask<'_>) -> Value {
    let input_type = if ask.is_query { "query" } else { "document" };
    let mut body = json!({"model": ask.model, "input": ask.texts, "input_type": input_type, "truncation": true});
    if let Some(dimensions) = ask.dimensions {
        body["output_dimension"] = dimensions.into();
    }
    body
}
