//! Scores of documents for a question, from models that read both together: Cohere's and Voyage
//! AI's.

use serde::{Deserialize, Serialize};

use super::client::{Call, Client, Options};
use super::outgoing::{Outgoing, Preparation, USUAL_MAX_BYTES};
use super::texts::{batches, in_order};
use super::{RerankProvider, RerankSettings, voyage};
use crate::EmbedError;

const MAX_QUERY_BYTES: usize = 2000;
/// Both providers' limit.
const MAX_DOCUMENTS: usize = 1000;
/// Documents of one request, each with the question, together: below Voyage's 600,000 tokens, were
/// each byte one.
const MAX_REQUEST_BYTES: usize = 600_000;
/// An index and a score, in JSON, with generous layout.
const BYTES_PER_SCORE: usize = 1024;

/// Something that says how well documents answer a question.
pub trait Reranker: Send + Sync {
    /// Names who scores, and the model.
    fn id(&self) -> &str;

    /// A relevance from 0 to 1 for each document, in order. Nothing is sent for empty documents,
    /// which have 0, nor for an empty question.
    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError>;
}

/// A scoring model at a provider.
pub(super) struct RemoteReranker {
    client: Client,
    id: String,
    provider: RerankProvider,
    model: String,
}

#[derive(Serialize)]
struct RerankRequest<'a> {
    model: &'a str,
    query: &'a Outgoing,
    documents: &'a [Outgoing],
    /// Voyage returns the documents otherwise, should its default ever change; Cohere has no such
    /// field.
    #[serde(skip_serializing_if = "Option::is_none")]
    return_documents: Option<bool>,
}

#[derive(Deserialize)]
struct RerankResponse {
    /// Cohere says `results`, Voyage `data`.
    #[serde(alias = "data")]
    results: Vec<RankedDocument>,
}

#[derive(Deserialize)]
struct RankedDocument {
    index: usize,
    relevance_score: f32,
}

impl RemoteReranker {
    pub(super) fn new(settings: &RerankSettings) -> Result<RemoteReranker, EmbedError> {
        let provider = settings.provider;
        let (default_url, default_model) = match provider {
            RerankProvider::Cohere => ("https://api.cohere.com/v2", "rerank-v3.5"),
            RerankProvider::Voyage => (voyage::URL, "rerank-2.5"),
        };
        let model = settings.model.as_deref().unwrap_or(default_model);
        if model.trim().is_empty() {
            return Err(EmbedError::Settings("its model must not be empty".into()));
        }
        let client = Client::new(&Options {
            base_url: settings.base_url.as_deref(),
            default_url,
            key: settings.key.as_ref(),
            timeout: settings.timeout,
            retries: settings.retries,
            backoff: settings.backoff,
            concurrency: 1,
        })?;
        Ok(RemoteReranker { client, id: format!("{}:{model}", provider.name()), provider, model: model.to_string() })
    }
}

impl Reranker for RemoteReranker {
    fn id(&self) -> &str {
        &self.id
    }

    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let query = &Preparation { max_bytes: MAX_QUERY_BYTES }.text(query);
        let mut scores = vec![0.0; documents.len()];
        if query.is_empty() {
            return Ok(scores);
        }
        let sent: Vec<usize> = (0..documents.len()).filter(|at| !documents[*at].trim().is_empty()).collect();
        let preparation = Preparation { max_bytes: USUAL_MAX_BYTES };
        let texts: Vec<Outgoing> = sent.iter().map(|at| preparation.text(documents[*at])).collect();
        let sizes: Vec<usize> = texts.iter().map(|text| text.len() + query.len()).collect();
        let deadline = self.client.deadline();
        // Each document is scored on its own, so scores of several requests compare.
        for batch in batches(&sizes, MAX_DOCUMENTS, MAX_REQUEST_BYTES) {
            let documents = &texts[batch.clone()];
            let return_documents = (self.provider == RerankProvider::Voyage).then_some(false);
            let body = RerankRequest { model: &self.model, query, documents, return_documents };
            let limit = (1 << 20) + documents.len() * BYTES_PER_SCORE;
            let call = Call { path: "/rerank", limit, deadline, is_cancelled: &|| false };
            let answer: RerankResponse = self.client.post(&call, &body)?;
            let found = answer.results.into_iter().map(|item| (item.index, item.relevance_score));
            for (at, score) in sent[batch].iter().zip(in_order(documents.len(), found)?) {
                if !score.is_finite() {
                    return Err(EmbedError::Malformed("a score is not a number".into()));
                }
                scores[*at] = score.clamp(0.0, 1.0);
            }
        }
        Ok(scores)
    }
}
