//! Voyage AI's embeddings, which tell documents from queries.

use serde::Serialize;

use super::RemoteSettings;
use super::embeddings::{Embeddings, Facts};
use crate::{Document, EmbedError, Embedder};

/// The address of Voyage AI, for vectors and scores alike.
pub(super) const URL: &str = "https://api.voyageai.com/v1";

const FACTS: Facts = Facts {
    default_url: URL,
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
};

/// A model of Voyage AI.
pub(super) struct Voyage(Embeddings);

#[derive(Serialize)]
struct VoyageRequest<'a> {
    model: &'a str,
    input: Vec<String>,
    input_type: &'static str,
    truncation: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimension: Option<usize>,
}

impl Voyage {
    pub(super) fn new(settings: &RemoteSettings) -> Result<Voyage, EmbedError> {
        Embeddings::new(settings, &FACTS).map(Voyage)
    }

    fn request(&self, input_type: &'static str, input: Vec<String>) -> VoyageRequest<'_> {
        let output_dimension = self.0.asked_dimensions;
        VoyageRequest { model: &self.0.model, input, input_type, truncation: true, output_dimension }
    }
}

impl Embedder for Voyage {
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
        self.0.documents(documents, |input| self.request("document", input))
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.query(query, |input| self.request("query", input))
    }
}
