//! The common part of the embedding endpoints: a list of texts goes out, numbered vectors come
//! back.

use serde::{Deserialize, Serialize};

use super::RemoteSettings;
use super::client::{Client, Options};
use super::texts::{MAX_TEXT_BYTES, batches, cut, document_text, in_order};
use crate::{Document, EmbedError, normalise};

/// Texts of one request together: below every provider's limit of tokens, were each byte one.
const MAX_REQUEST_BYTES: usize = 120_000;
const MAX_BATCH: usize = 1000;
const MAX_DIMENSIONS: usize = 16_384;
/// A number, its comma and generous layout around it, in JSON.
const BYTES_PER_NUMBER: usize = 48;

/// The address and models of a provider.
pub(super) struct Facts {
    pub(super) default_url: &'static str,
    /// Models and the dimensions of their vectors, unless another size is asked for.
    pub(super) models: &'static [(&'static str, usize)],
    /// True if models that are not listed can be asked for a size.
    pub(super) sizes_unknown_models: bool,
}

/// One model at one provider.
pub(super) struct Embeddings {
    client: Client,
    pub(super) id: String,
    pub(super) model: String,
    pub(super) dimensions: usize,
    /// The size to ask for, where it is not the model's own.
    pub(super) asked_dimensions: Option<usize>,
    batch_size: usize,
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<IndexedEmbedding>,
}

#[derive(Deserialize)]
struct IndexedEmbedding {
    index: usize,
    embedding: Vec<f32>,
}

impl Embeddings {
    pub(super) fn new(settings: &RemoteSettings, facts: &Facts) -> Result<Embeddings, EmbedError> {
        let refuse = |reason: &str| Err(EmbedError::Settings(reason.into()));
        let RemoteSettings { provider, model, model_version, batch_size, .. } = settings;
        if model.trim().is_empty() || model_version.trim().is_empty() {
            return refuse("its model and model version must not be empty");
        }
        if !(1..=MAX_BATCH).contains(batch_size) {
            return refuse("its batch size must be 1 to 1000");
        }
        let own = facts.models.iter().find(|(name, _)| name == model).map(|(_, dimensions)| *dimensions);
        let Some(dimensions) = settings.dimensions.or(own) else {
            return refuse("the dimensions of its model are not known here and must be given");
        };
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return refuse("its dimensions must be 1 to 16384");
        }
        let is_asked = own.map_or(facts.sizes_unknown_models, |own| own != dimensions);
        let client = Client::new(&Options {
            base_url: settings.base_url.as_deref(),
            default_url: facts.default_url,
            key: settings.key.as_ref(),
            timeout: settings.timeout,
            retries: settings.retries,
            backoff: settings.backoff,
        })?;
        // Vectors of one model in two sizes do not compare.
        let size = if is_asked { format!("/{dimensions}") } else { String::new() };
        Ok(Embeddings {
            client,
            id: format!("{}:{model}@{model_version}{size}", provider.name()),
            model: model.clone(),
            dimensions,
            asked_dimensions: is_asked.then_some(dimensions),
            batch_size: *batch_size,
        })
    }

    /// One vector for each document, asked for in batches; the first that fails ends it.
    pub(super) fn documents<R: Serialize>(
        &self,
        documents: &[Document<'_>],
        request: impl Fn(Vec<String>) -> R,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.vectors(documents.iter().map(document_text).collect(), request)
    }

    /// The vector of a question.
    pub(super) fn query<R: Serialize>(
        &self,
        query: &str,
        request: impl Fn(Vec<String>) -> R,
    ) -> Result<Vec<f32>, EmbedError> {
        let vectors = self.vectors(vec![cut(query.trim(), MAX_TEXT_BYTES).to_string()], request)?;
        vectors.into_iter().next().ok_or_else(|| EmbedError::Malformed("it has no vector".into()))
    }

    /// Empty texts are not sent, as providers refuse them; theirs are zeros.
    fn vectors<R: Serialize>(
        &self,
        mut texts: Vec<String>,
        request: impl Fn(Vec<String>) -> R,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = vec![Vec::new(); texts.len()];
        let sent: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].is_empty()).collect();
        let sizes: Vec<usize> = sent.iter().map(|at| texts[*at].len()).collect();
        for batch in batches(&sizes, self.batch_size, MAX_REQUEST_BYTES) {
            let batch = &sent[batch];
            let body = request(batch.iter().map(|at| std::mem::take(&mut texts[*at])).collect());
            for (at, vector) in batch.iter().zip(self.ask(&body, batch.len())?) {
                vectors[*at] = vector;
            }
        }
        for vector in vectors.iter_mut().filter(|vector| vector.is_empty()) {
            vector.resize(self.dimensions, 0.0);
        }
        Ok(vectors)
    }

    fn ask(&self, body: &impl Serialize, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let limit = (1 << 20) + count * self.dimensions * BYTES_PER_NUMBER;
        let answer: EmbeddingsResponse = self.client.post("/embeddings", body, limit, self.client.deadline())?;
        let mut vectors = in_order(count, answer.data.into_iter().map(|item| (item.index, item.embedding)))?;
        for vector in &mut vectors {
            if vector.len() != self.dimensions {
                let (got, wanted) = (vector.len(), self.dimensions);
                return Err(EmbedError::Malformed(format!("a vector has {got} numbers and not {wanted}")));
            }
            if !vector.iter().map(|x| x * x).sum::<f32>().is_finite() {
                return Err(EmbedError::Malformed("a vector has numbers that are none, or far too large".into()));
            }
            normalise(vector);
        }
        Ok(vectors)
    }
}
