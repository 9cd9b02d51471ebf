//! OpenAI's embeddings, and those of servers that speak its protocol, local ones among them.

use serde_json::{Value, json};

use super::embeddings::{Ask, Protocol};
use super::outgoing::USUAL_MAX_BYTES;

/// `/v1/embeddings`. It makes no difference between documents and queries.
pub(super) const PROTOCOL: Protocol = Protocol {
    default_url: "https://api.openai.com/v1",
    path: "/embeddings",
    models: &[("text-embedding-3-small", 1536), ("text-embedding-3-large", 3072), ("text-embedding-ada-002", 1536)],
    // Most models behind compatible servers have one size, and some servers refuse the very
    // question.
    sizes_unknown_models: false,
    max_text_bytes: USUAL_MAX_BYTES,
    body,
    is_numbered: true,
};

fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({"model": ask.model, "input": ask.texts, "encoding_format": "float"});
    if let Some(dimensions) = ask.dimensions {
        body["dimensions"] = dimensions.into();
    }
    body
}
