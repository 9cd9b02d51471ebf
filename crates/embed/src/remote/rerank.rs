//! Scores of documents for a question, from models that read both together: Cohere's, Voyage AI's
//! and Google's.

use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Call, Client, Options};
use super::outgoing::{Outgoing, Preparation, USUAL_MAX_BYTES};
use super::texts::{batches, in_order};
use super::{RerankProvider, RerankSettings, vertex, voyage};
use crate::EmbedError;

const MAX_QUERY_BYTES: usize = 2000;
/// The limit of Cohere and Voyage.
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
    /// Follows the base URL.
    path: String,
    redacts: bool,
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
            RerankProvider::Vertex => (vertex::URL, vertex::MODEL),
        };
        let model = settings.model.as_deref().unwrap_or(default_model);
        if model.trim().is_empty() {
            return Err(EmbedError::Settings("its model must not be empty".into()));
        }
        let (path, account) = match provider {
            RerankProvider::Vertex => {
                let project = vertex::checked_project(settings.project.as_deref())?;
                (vertex::path(project), Some((vertex::ACCOUNT, project)))
            }
            _ => ("/rerank".to_string(), None),
        };
        let client = Client::new(&Options {
            base_url: settings.base_url.as_deref(),
            default_url,
            key: settings.key.as_ref(),
            timeout: settings.timeout,
            retries: settings.retries,
            backoff: settings.backoff,
            concurrency: 1,
            account,
        })?;
        let (id, model) = (format!("{}:{model}", provider.name()), model.to_string());
        Ok(RemoteReranker { client, id, provider, model, path, redacts: settings.redacts })
    }

    /// The scores of some documents, with their numbers.
    fn ask(
        &self,
        query: &Outgoing,
        documents: &[Outgoing],
        deadline: Instant,
    ) -> Result<Vec<(usize, f32)>, EmbedError> {
        let limit = (1 << 20) + documents.len() * BYTES_PER_SCORE;
        let call = Call { path: &self.path, limit, deadline, is_cancelled: &|| false };
        if self.provider == RerankProvider::Vertex {
            let answer: vertex::RankedRecords =
                self.client.post(&call, &vertex::body(&self.model, query, documents))?;
            return answer.numbered();
        }
        let mut body: Value = json!({"model": self.model, "query": query, "documents": documents});
        if self.provider == RerankProvider::Voyage {
            // It returns the documents otherwise, should its default ever change; Cohere has no
            // such field.
            body["return_documents"] = false.into();
        }
        let answer: RerankResponse = self.client.post(&call, &body)?;
        Ok(answer.results.into_iter().map(|item| (item.index, item.relevance_score)).collect())
    }
}

impl Reranker for RemoteReranker {
    fn id(&self) -> &str {
        &self.id
    }

    fn rerank(&self, query: &str, documents: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let redacts = self.redacts;
        let query = Preparation { max_bytes: MAX_QUERY_BYTES, redacts }.text(query);
        let mut scores = vec![0.0; documents.len()];
        if query.is_empty() {
            return Ok(scores);
        }
        let sent: Vec<usize> = (0..documents.len()).filter(|at| !documents[*at].trim().is_empty()).collect();
        let preparation = Preparation { max_bytes: USUAL_MAX_BYTES, redacts };
        let texts: Vec<Outgoing> = sent.iter().map(|at| preparation.text(documents[*at])).collect();
        let sizes: Vec<usize> = texts.iter().map(|text| text.len() + query.len()).collect();
        let deadline = self.client.deadline();
        let max_documents = match self.provider {
            RerankProvider::Vertex => vertex::MAX_RECORDS,
            _ => MAX_DOCUMENTS,
        };
        // Each document is scored on its own, so scores of several requests compare.
        for batch in batches(&sizes, max_documents, MAX_REQUEST_BYTES) {
            let documents = &texts[batch.clone()];
            let found = self.ask(&query, documents, deadline)?;
            for (at, score) in sent[batch].iter().zip(in_order(documents.len(), found.into_iter())?) {
                if !score.is_finite() {
                    return Err(EmbedError::Malformed("a score is not a number".into()));
                }
                scores[*at] = score.clamp(0.0, 1.0);
            }
        }
        Ok(scores)
    }
}
