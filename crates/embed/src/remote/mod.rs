//! External providers: servers that make vectors, score documents or write about code, and see code
//! and questions to do so.
//!
//! Nothing here runs by itself. The caller checks its privacy switches, reads the key and builds a
//! provider with [`embedder`], [`reranker`] or [`chat_model`]; building connects to nothing. What
//! is sent goes to the configured host and nowhere else: over `https`, or over `http` to this
//! machine, without proxies and redirects (`address.rs`, `client.rs`). An answer is believed only
//! as far as it fits the request (`texts.rs`, `embeddings.rs`). All texts that are sent are made in
//! `outgoing.rs`. On any error the caller falls back to what is local.

mod address;
mod chat;
mod client;
mod embeddings;
mod nomic;
mod openai;
mod outgoing;
mod parallel;
mod redact;
mod rerank;
mod secret;
mod texts;
mod vertex;
mod voyage;

use std::time::Duration;

pub use chat::{ChatAnswer, ChatCut, ChatModel};
pub use rerank::Reranker;
pub use secret::Secret;

use self::embeddings::RemoteEmbedder;
use crate::{EmbedError, Embedder};

/// A provider of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// OpenAI, or a server that speaks its protocol.
    OpenAi,
    /// Voyage AI.
    Voyage,
    /// Nomic.
    Nomic,
}

/// A provider of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RerankProvider {
    /// Cohere.
    Cohere,
    /// Voyage AI.
    Voyage,
    /// The ranking API of Google's Vertex AI.
    Vertex,
}

/// Settings for vectors from a provider. [`RemoteSettings::new`] fills in the usual values.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    /// The provider that makes the vectors.
    pub provider: EmbeddingProvider,
    /// As the provider names it.
    pub model: String,
    /// Part of the vectors' name; another one makes all vectors anew.
    pub model_version: String,
    /// The number of dimensions of a vector. Not needed for models whose size is known here;
    /// another size than theirs is asked of the provider.
    pub dimensions: Option<usize>,
    /// Up to `/v1`; the provider's own address when there is none.
    pub base_url: Option<String>,
    /// The number of texts in one request, 1 to 1000.
    pub batch_size: usize,
    /// The number of requests at a time, 1 to 64.
    pub concurrency: usize,
    /// The longest text that is sent, 500 to 100,000 bytes; a longer document is split. The
    /// provider's limit when there is none.
    pub max_text_bytes: Option<usize>,
    /// For one request with all its repeats, at most ten minutes.
    pub timeout: Duration,
    /// The number of times that a request is sent again.
    pub retries: u32,
    /// The wait before the first repeat, doubled for each further one; the server may ask for
    /// another.
    pub backoff: Duration,
    /// May be missing only where `base_url` is given.
    pub key: Option<Secret>,
    /// True if secrets are removed from texts before they are sent.
    pub redacts: bool,
}

/// Settings for scores from a provider. [`RerankSettings::new`] fills in the usual values.
#[derive(Clone, Debug)]
pub struct RerankSettings {
    /// The provider that scores the documents.
    pub provider: RerankProvider,
    /// As the provider names it; one that suits when there is none.
    pub model: Option<String>,
    /// The project that the provider bills; only Vertex AI needs it.
    pub project: Option<String>,
    /// Up to `/v1` or `/v2`; the provider's own address when there is none.
    pub base_url: Option<String>,
    /// For the whole call with all its repeats, at most ten minutes.
    pub timeout: Duration,
    /// The number of times that a request is sent again.
    pub retries: u32,
    /// The wait before the first repeat, doubled for each further one; the server may ask for
    /// another.
    pub backoff: Duration,
    /// May be missing only where `base_url` is given.
    pub key: Option<Secret>,
    /// True if secrets are removed from texts before they are sent.
    pub redacts: bool,
}

/// Settings for texts by a chat model, at OpenAI or a server with its protocol.
/// [`ChatSettings::new`] fills in the usual values.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    /// As the provider names it.
    pub model: String,
    /// Up to `/v1`; OpenAI's own address when there is none.
    pub base_url: Option<String>,
    /// The largest number of tokens of a text.
    pub max_tokens: usize,
    /// For the whole text, at most ten minutes.
    pub timeout: Duration,
    /// The number of times that a request is sent again.
    pub retries: u32,
    /// The wait before the first repeat, doubled for each further one; the server may ask for
    /// another.
    pub backoff: Duration,
    /// May be missing only where `base_url` is given.
    pub key: Option<Secret>,
    /// True if secrets are removed from texts before they are sent.
    pub redacts: bool,
}

impl EmbeddingProvider {
    /// The provider that settings call by this name.
    pub fn from_name(name: &str) -> Option<EmbeddingProvider> {
        let all = [EmbeddingProvider::OpenAi, EmbeddingProvider::Voyage, EmbeddingProvider::Nomic];
        all.into_iter().find(|provider| provider.name() == name)
    }

    /// The name in settings and ids.
    pub fn name(self) -> &'static str {
        match self {
            EmbeddingProvider::OpenAi => "openai",
            EmbeddingProvider::Voyage => "voyage",
            EmbeddingProvider::Nomic => "nomic",
        }
    }

    /// The variable in which the provider's own tools look for the key.
    pub fn key_variable(self) -> &'static str {
        match self {
            EmbeddingProvider::OpenAi => "OPENAI_API_KEY",
            EmbeddingProvider::Voyage => "VOYAGE_API_KEY",
            EmbeddingProvider::Nomic => "NOMIC_API_KEY",
        }
    }

    /// The model to use at the provider's own address unless another is chosen.
    pub fn usual_model(self) -> &'static str {
        match self {
            EmbeddingProvider::OpenAi => "text-embedding-3-small",
            EmbeddingProvider::Voyage => "voyage-code-3",
            EmbeddingProvider::Nomic => "nomic-embed-text-v1.5",
        }
    }
}

impl RerankProvider {
    /// The provider that settings call by this name.
    pub fn from_name(name: &str) -> Option<RerankProvider> {
        let all = [RerankProvider::Cohere, RerankProvider::Voyage, RerankProvider::Vertex];
        all.into_iter().find(|provider| provider.name() == name)
    }

    /// The name in settings and ids.
    pub fn name(self) -> &'static str {
        match self {
            RerankProvider::Cohere => "cohere",
            RerankProvider::Voyage => "voyage",
            RerankProvider::Vertex => "vertex",
        }
    }
}

impl RemoteSettings {
    /// The usual values, without a key.
    pub fn new(provider: EmbeddingProvider, model: &str) -> RemoteSettings {
        RemoteSettings {
            provider,
            model: model.to_string(),
            model_version: "1".to_string(),
            dimensions: None,
            base_url: None,
            batch_size: 32,
            concurrency: 8,
            max_text_bytes: None,
            timeout: Duration::from_secs(60),
            retries: 3,
            backoff: Duration::from_millis(500),
            key: None,
            redacts: true,
        }
    }
}

impl RerankSettings {
    /// Returns the usual values, without a key. A query waits for the scores, so there is less time
    /// than for vectors.
    pub fn new(provider: RerankProvider) -> RerankSettings {
        RerankSettings {
            provider,
            model: None,
            project: None,
            base_url: None,
            timeout: Duration::from_secs(5),
            retries: 1,
            backoff: Duration::from_millis(200),
            key: None,
            redacts: true,
        }
    }
}

impl ChatSettings {
    /// The usual values, without a key.
    pub fn new(model: &str) -> ChatSettings {
        ChatSettings {
            model: model.to_string(),
            base_url: None,
            max_tokens: 2000,
            timeout: Duration::from_secs(120),
            retries: 1,
            backoff: Duration::from_millis(500),
            key: None,
            redacts: true,
        }
    }
}

/// Something that makes vectors elsewhere. Settings that cannot work are refused here; nothing is
/// sent yet.
pub fn embedder(settings: &RemoteSettings) -> Result<Box<dyn Embedder>, EmbedError> {
    let protocol = match settings.provider {
        EmbeddingProvider::OpenAi => &openai::PROTOCOL,
        EmbeddingProvider::Voyage => &voyage::PROTOCOL,
        EmbeddingProvider::Nomic => &nomic::PROTOCOL,
    };
    Ok(Box::new(RemoteEmbedder::new(settings, protocol)?))
}

/// Something that scores documents elsewhere. Settings that cannot work are refused here; nothing
/// is sent yet.
pub fn reranker(settings: &RerankSettings) -> Result<Box<dyn Reranker>, EmbedError> {
    Ok(Box::new(rerank::RemoteReranker::new(settings)?))
}

/// Something that writes texts elsewhere. Settings that cannot work are refused here; nothing is
/// sent yet.
pub fn chat_model(settings: &ChatSettings) -> Result<Box<dyn ChatModel>, EmbedError> {
    Ok(Box::new(chat::RemoteChat::new(settings)?))
}
