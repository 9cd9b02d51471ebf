//! OpenAI's embeddings, and those of servers that speak its protocol, local ones among them.

use serde::Serialize;

use super::RemoteSettings;
use super::embeddings::{Embeddings, Facts};
use crate::{Document, EmbedError, Embedder};

const FACTS: Facts = Facts {
    default_url: "https://api.openai.com/v1",
    models: &[("text-embedding-3-small", 1536), ("text-embedding-3-large", 3072), ("text-embedding-ada-002", 1536)],
    // Most models behind compatible servers have one size, and some servers refuse the very
    // question.
    sizes_unknown_models: false,
};

/// A model behind `/v1/embeddings`. It makes no difference between documents and queries.
pub(super) struct OpenAi(Embeddings);

#[derive(Serialize)]
struct OpenAiRequest<'a> {
    model: &'a str,
    input: Vec<String>,
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

impl OpenAi {
    pub(super) fn new(settings: &RemoteSettings) -> Result<OpenAi, EmbedError> {
        Embeddings::new(settings, &FACTS).map(OpenAi)
    }

    fn request(&self, input: Vec<String>) -> OpenAiRequest<'_> {
        let dimensions = self.0.asked_dimensions;
        OpenAiRequest { model: &self.0.model, input, encoding_format: "float", dimensions }
    }
}

impl Embedder for OpenAi {
    fn id(&self) -> &str {
        &self.0.id
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.documents(documents, |input| self.request(input))
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.query(query, |input| self.request(input))
    }
}
