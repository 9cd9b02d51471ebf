//! Vectors from a provider: lists of texts go out, several at a time, and vectors come back.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::Value;

use super::RemoteSettings;
use super::client::{Call, Client, Options};
use super::outgoing::{Outgoing, Preparation};
use super::parallel::in_parallel;
use super::texts::{batches, in_order};
use crate::{Document, EmbedError, Embedded, Embedder, IsCancelled, normalise};

/// Texts of one request together: below every provider's limit of tokens, were each byte one.
const MAX_REQUEST_BYTES: usize = 120_000;
const MAX_BATCH: usize = 1000;
const MAX_CONCURRENCY: usize = 64;
const MAX_DIMENSIONS: usize = 16_384;
const TEXT_BYTES: std::ops::RangeInclusive<usize> = 500..=100_000;
/// A number, its comma and generous layout around it, in JSON.
const BYTES_PER_NUMBER: usize = 48;
/// Rounds of requests that one call is given, so that few wait for the slowest at its end.
const ROUNDS: usize = 4;
const MAX_AT_ONCE: usize = 4096;
/// Requests that may fail one after the other before the rest is given up.
const MAX_FAILURES: usize = 3;

/// The endpoint of a provider.
pub(super) struct Protocol {
    pub(super) default_url: &'static str,
    /// Follows the base URL.
    pub(super) path: &'static str,
    /// Models and the dimensions of their vectors, unless another size is asked for.
    pub(super) models: &'static [(&'static str, usize)],
    /// True if models that are not listed can be asked for a size.
    pub(super) sizes_unknown_models: bool,
    /// The longest text that every model takes.
    pub(super) max_text_bytes: usize,
    /// Makes the body of a request.
    pub(super) body: fn(&Ask<'_>) -> Value,
    /// True if vectors come with their numbers, under `data`; else they come in order, under
    /// `embeddings`.
    pub(super) is_numbered: bool,
}

/// The content of a request.
pub(super) struct Ask<'a> {
    pub(super) model: &'a str,
    pub(super) texts: &'a [Outgoing],
    /// True if the text is a question.
    pub(super) is_query: bool,
    /// The size to ask for, where it is not the model's own.
    pub(super) dimensions: Option<usize>,
}

/// One model at one provider.
pub(super) struct RemoteEmbedder {
    client: Client,
    protocol: &'static Protocol,
    preparation: Preparation,
    id: String,
    model: String,
    dimensions: usize,
    asked_dimensions: Option<usize>,
    batch_size: usize,
    concurrency: usize,
}

#[derive(Deserialize)]
struct NumberedVectors {
    data: Vec<IndexedEmbedding>,
}

#[derive(Deserialize)]
struct IndexedEmbedding {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OrderedVectors {
    embeddings: Vec<Vec<f32>>,
}

impl RemoteEmbedder {
    pub(super) fn new(settings: &RemoteSettings, protocol: &'static Protocol) -> Result<RemoteEmbedder, EmbedError> {
        let refuse = |reason: &str| Err(EmbedError::Settings(reason.into()));
        let RemoteSettings { provider, model, model_version, batch_size, concurrency, .. } = settings;
        if model.trim().is_empty() || model_version.trim().is_empty() {
            return refuse("its model and model version must not be empty");
        }
        if !(1..=MAX_BATCH).contains(batch_size) {
            return refuse("its batch size must be 1 to 1000");
        }
        if !(1..=MAX_CONCURRENCY).contains(concurrency) {
            return refuse("its concurrency must be 1 to 64");
        }
        let max_bytes = settings.max_text_bytes.unwrap_or(protocol.max_text_bytes);
        if !TEXT_BYTES.contains(&max_bytes) {
            return refuse("its longest text must have 500 to 100000 bytes");
        }
        let own = protocol.models.iter().find(|(name, _)| name == model).map(|(_, dimensions)| *dimensions);
        let Some(dimensions) = settings.dimensions.or(own) else {
            return refuse("the dimensions of its model are not known here and must be given");
        };
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return refuse("its dimensions must be 1 to 16384");
        }
        let is_asked = own.map_or(protocol.sizes_unknown_models, |own| own != dimensions);
        let client = Client::new(&Options {
            base_url: settings.base_url.as_deref(),
            default_url: protocol.default_url,
            key: settings.key.as_ref(),
            timeout: settings.timeout,
            retries: settings.retries,
            backoff: settings.backoff,
            concurrency: *concurrency,
            account: None,
        })?;
        // Vectors of one model in two sizes do not compare.
        let size = if is_asked { format!("/{dimensions}") } else { String::new() };
        Ok(RemoteEmbedder {
            client,
            protocol,
            preparation: Preparation { max_bytes, redacts: settings.redacts },
            id: format!("{}:{model}@{model_version}{size}", provider.name()),
            model: model.clone(),
            dimensions,
            asked_dimensions: is_asked.then_some(dimensions),
            batch_size: *batch_size,
            concurrency: *concurrency,
        })
    }

    /// Asks for the vectors of texts in batches, several at a time. The vectors of batches that
    /// fail are missing, and so are those that were not asked for after the end; the error is that
    /// of the first batch that failed.
    fn vectors(&self, texts: &[Outgoing], is_query: bool, is_cancelled: IsCancelled<'_>) -> Embedded {
        let sizes: Vec<usize> = texts.iter().map(Outgoing::len).collect();
        let batches = batches(&sizes, self.batch_size, MAX_REQUEST_BYTES);
        let (is_over, in_a_row) = (AtomicBool::new(false), AtomicUsize::new(0));
        let ask = |at: usize| {
            let answer = self.ask(&texts[batches[at].clone()], is_query, is_cancelled);
            match &answer {
                Ok(_) => in_a_row.store(0, Ordering::Relaxed),
                Err(error) => {
                    let failures = in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
                    if failures >= MAX_FAILURES || concerns_all(error) {
                        is_over.store(true, Ordering::Relaxed);
                    }
                }
            }
            answer
        };
        let is_over = || is_over.load(Ordering::Relaxed) || is_cancelled();
        let answers = in_parallel(batches.len(), self.concurrency, &is_over, &ask);
        let mut embedded = Embedded { vectors: texts.iter().map(|_| None).collect(), problem: None };
        for (batch, answer) in batches.into_iter().zip(answers) {
            match answer {
                Some(Ok(vectors)) => {
                    let places = embedded.vectors[batch].iter_mut();
                    places.zip(vectors).for_each(|(place, vector)| *place = Some(vector));
                }
                Some(Err(error)) if embedded.problem.is_none() => embedded.problem = Some(error),
                _ => {}
            }
        }
        embedded
    }

    fn ask(
        &self,
        texts: &[Outgoing],
        is_query: bool,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (count, dimensions) = (texts.len(), self.asked_dimensions);
        let body = (self.protocol.body)(&Ask { model: &self.model, texts, is_query, dimensions });
        let limit = (1 << 20) + count * self.dimensions * BYTES_PER_NUMBER;
        let call = Call { path: self.protocol.path, limit, deadline: self.client.deadline(), is_cancelled };
        let numbered: Vec<(usize, Vec<f32>)> = if self.protocol.is_numbered {
            let answer: NumberedVectors = self.client.post(&call, &body)?;
            answer.data.into_iter().map(|item| (item.index, item.embedding)).collect()
        } else {
            let answer: OrderedVectors = self.client.post(&call, &body)?;
            answer.embeddings.into_iter().enumerate().collect()
        };
        let mut vectors = in_order(count, numbered.into_iter())?;
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

    /// One vector of the vectors of a document's pieces: their mean, weighted by length. Zeros for
    /// a document without pieces; none if a piece has none.
    fn joined(&self, pieces: &[Outgoing], vectors: &mut [Option<Vec<f32>>]) -> Option<Vec<f32>> {
        if let [only] = vectors {
            return only.take();
        }
        let mut sum = vec![0.0; self.dimensions];
        for (piece, vector) in pieces.iter().zip(vectors) {
            let vector = vector.take()?;
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x * piece.len() as f32);
        }
        normalise(&mut sum);
        Some(sum)
    }
}

impl Embedder for RemoteEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn at_once(&self) -> usize {
        (self.batch_size * self.concurrency * ROUNDS).min(MAX_AT_ONCE)
    }

    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let Embedded { vectors, problem } = self.embed_possible(documents, &|| false);
        let missing = || problem.unwrap_or_else(|| EmbedError::Malformed("it does not cover every text".into()));
        vectors.into_iter().collect::<Option<Vec<_>>>().ok_or_else(missing)
    }

    fn embed_possible(&self, documents: &[Document<'_>], is_cancelled: IsCancelled<'_>) -> Embedded {
        let (mut pieces, mut counts) = (Vec::new(), Vec::with_capacity(documents.len()));
        for document in documents {
            let texts = self.preparation.document(document);
            counts.push(texts.len());
            pieces.extend(texts);
        }
        let mut made = self.vectors(&pieces, false, is_cancelled);
        let mut first = 0;
        let join = |count: usize| {
            let range = first..first + count;
            first += count;
            self.joined(&pieces[range.clone()], &mut made.vectors[range])
        };
        Embedded { vectors: counts.into_iter().map(join).collect(), problem: made.problem }
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        let text = self.preparation.text(query);
        if text.is_empty() {
            return Ok(vec![0.0; self.dimensions]);
        }
        let mut vectors = self.ask(&[text], true, &|| false)?;
        vectors.pop().ok_or_else(|| EmbedError::Malformed("it has no vector".into()))
    }
}

/// Returns whether other requests would fail as well: it is about the connection, the key or the
/// address, not about the texts.
fn concerns_all(error: &EmbedError) -> bool {
    match error {
        EmbedError::Unreachable { .. } | EmbedError::TimedOut { .. } | EmbedError::RateLimited { .. } => true,
        EmbedError::Refused { status, .. } => matches!(status, 300..=399 | 401 | 403 | 404),
        _ => false,
    }
}
