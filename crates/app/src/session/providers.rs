//! Builds the models and providers that settings ask for, as far as they are allowed. Building
//! connects to nothing.
//!
//! A provider that a switch blocks is as good as not configured: the model inside the program makes
//! vectors. A model that is allowed but cannot be used is another matter: the index may hold
//! vectors of it that were dear to make, so they are kept, none are made, and questions are
//! answered by words.

use std::sync::Arc;
use std::time::Duration;

use codecompass_engine::Engine;
use codecompass_engine::embed::remote::{self, ChatModel, RemoteSettings, Reranker};
use codecompass_engine::embed::{Document, EmbedError, Embedded, Embedder, IsCancelled};

use crate::settings::{EmbeddingSettings, Profile, ProviderSettings};

/// The user waits for the vector of a question, so there is less time than for those of documents.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(10);
const QUESTION_RETRIES: u32 = 1;

/// The models and providers that settings ask for, and why some cannot be used.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    /// The settings themselves.
    pub settings: ProviderSettings,
    /// The reason why the model for vectors cannot be used.
    pub embedding_problem: Option<String>,
    /// The reason why the provider of scores cannot be used.
    pub rerank_problem: Option<String>,
}

impl Providers {
    /// Returns whether a provider is asked for that a switch does not allow.
    pub fn is_blocked(&self) -> bool {
        !self.settings.may_leave() && !self.settings.asked_for().is_empty()
    }
}

/// Gives the engine the models that settings ask for. Without `wants_models` none is built, for
/// commands that need none; vectors that are there are left alone then.
pub fn equip(engine: Engine, settings: ProviderSettings, wants_models: bool) -> (Engine, Providers) {
    let mut providers = Providers { settings, ..Providers::default() };
    let settings = &providers.settings;
    let mut engine = match profile_in_use(settings) {
        Profile::FastLocal => engine,
        _ if !wants_models => engine.without_embedder(),
        profile => {
            let built = match profile {
                Profile::External => external_model(settings),
                _ => local_model(&settings.embedding),
            };
            match built {
                Ok(embedder) => engine.with_embedder(embedder),
                Err(error) => {
                    providers.embedding_problem = Some(problem(&error, settings));
                    engine.without_embedder()
                }
            }
        }
    };
    if wants_models && settings.may_leave() {
        match reranker(settings).transpose() {
            Ok(Some(reranker)) => engine = engine.with_reranker(reranker),
            Ok(None) => {}
            Err(error) => providers.rerank_problem = Some(error.to_string()),
        }
    }
    (engine, providers)
}

/// The profile that settings ask for, or the usual one where a switch blocks it.
pub fn profile_in_use(settings: &ProviderSettings) -> Profile {
    match settings.embedding.profile {
        Profile::External if !settings.may_leave() => Profile::FastLocal,
        profile => profile,
    }
}

/// The reason why a model cannot be used, and the variables that may help to one that can.
fn problem(error: &EmbedError, settings: &ProviderSettings) -> String {
    let is_external = settings.embedding.profile == Profile::External;
    let detected = settings.detected.iter().filter(|_| is_external && settings.embedding.key.is_none());
    std::iter::once(error.to_string()).chain(detected.map(|detected| detected.advice())).collect::<Vec<_>>().join("; ")
}

/// Tokens of a text that the profile for high quality reads, if the model can.
#[cfg(feature = "transformer")]
const HIGH_QUALITY_TOKENS: usize = 2048;

/// The transformer in the folder that `model` names.
#[cfg(feature = "transformer")]
fn local_model(settings: &EmbeddingSettings) -> Result<Arc<dyn Embedder>, EmbedError> {
    use codecompass_engine::embed::{TransformerModel, TransformerOptions};

    let missing = || EmbedError::Settings("semantic.embedding.model must be the folder of a model".into());
    let folder = settings.model.as_deref().ok_or_else(missing)?;
    let mut options = TransformerOptions { batch_size: settings.batch_size, ..TransformerOptions::default() };
    if settings.profile == Profile::HighQuality {
        options.max_tokens = HIGH_QUALITY_TOKENS;
    }
    Ok(Arc::new(TransformerModel::open(folder.as_ref(), options)?))
}

/// Builds without the feature have no transformers.
#[cfg(not(feature = "transformer"))]
fn local_model(settings: &EmbeddingSettings) -> Result<Arc<dyn Embedder>, EmbedError> {
    let profile = settings.profile.name();
    Err(EmbedError::Model(format!(
        "this program was built without the feature `transformer`, which {profile} needs; build it with `cargo build \
         --release --features transformer`, or set semantic.embedding.profile to fast_local"
    )))
}

/// A model at a provider.
fn external_model(providers: &ProviderSettings) -> Result<Arc<dyn Embedder>, EmbedError> {
    let settings = &providers.embedding;
    let refuse = |reason: &str| EmbedError::Settings(reason.into());
    let missing = "semantic.embedding.provider must be voyage, openai or nomic";
    let provider = settings.provider.ok_or_else(|| refuse(missing))?;
    // Who has another address has other models.
    let usual = settings.base_url.is_none().then(|| provider.usual_model());
    let model = settings.model.as_deref().or(usual).ok_or_else(|| refuse("semantic.embedding.model must be given"))?;
    let mut remote = RemoteSettings::new(provider, model);
    remote.model_version = settings.model_version.clone().unwrap_or(remote.model_version);
    remote.dimensions = settings.dimensions;
    remote.base_url = settings.base_url.clone();
    remote.batch_size = settings.batch_size;
    remote.concurrency = settings.concurrency;
    remote.max_text_bytes = settings.max_text_bytes;
    remote.timeout = Duration::from_millis(settings.timeout_ms);
    remote.key = settings.key.clone();
    remote.redacts = providers.redact_secrets;
    let documents = remote::embedder(&remote)?;
    let timeout = remote.timeout.min(QUESTION_TIMEOUT);
    let questions = remote::embedder(&RemoteSettings { timeout, retries: QUESTION_RETRIES, ..remote })?;
    Ok(Arc::new(TwoPaces { documents, questions }))
}

/// A provider of scores; `None` when there is none.
fn reranker(providers: &ProviderSettings) -> Option<Result<Arc<dyn Reranker>, EmbedError>> {
    let settings = &providers.rerank;
    let mut remote = remote::RerankSettings::new(settings.provider?);
    remote.model = settings.model.clone();
    remote.project = settings.project.clone();
    remote.base_url = settings.base_url.clone();
    remote.timeout = Duration::from_millis(settings.timeout_ms);
    remote.key = settings.key.clone();
    remote.redacts = providers.redact_secrets;
    Some(remote::reranker(&remote).map(Arc::from))
}

/// The model that writes analyses, or the reason why there is none.
pub enum ChatChoice {
    NotConfigured,
    /// A provider is asked for, but these switches are off.
    Blocked(Vec<&'static str>),
    /// The settings cannot work.
    Unusable(String),
    Model(Box<dyn ChatModel>),
}

/// Returns the model that writes analyses, as far as it is asked for and allowed.
pub fn chat_model(providers: &ProviderSettings) -> ChatChoice {
    let settings = &providers.chat;
    if !settings.is_asked_for {
        return ChatChoice::NotConfigured;
    }
    if !providers.may_leave() {
        return ChatChoice::Blocked(providers.switched_off());
    }
    let Some(model) = &settings.model else {
        return ChatChoice::Unusable("semantic.chat.model must be given".into());
    };
    let mut remote = remote::ChatSettings::new(model);
    remote.base_url = settings.base_url.clone();
    remote.timeout = Duration::from_millis(settings.timeout_ms);
    remote.max_tokens = settings.max_tokens;
    remote.key = settings.key.clone();
    remote.redacts = providers.redact_secrets;
    match remote::chat_model(&remote) {
        Ok(model) => ChatChoice::Model(model),
        Err(error) => ChatChoice::Unusable(error.to_string()),
    }
}

/// One model, with time for documents and little for questions.
struct TwoPaces {
    documents: Box<dyn Embedder>,
    questions: Box<dyn Embedder>,
}

impl Embedder for TwoPaces {
    fn id(&self) -> &str {
        self.documents.id()
    }

    fn dimensions(&self) -> usize {
        self.documents.dimensions()
    }

    fn is_fast(&self) -> bool {
        false
    }

    fn embed_documents(&self, documents: &[Document<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.documents.embed_documents(documents)
    }

    fn at_once(&self) -> usize {
        self.documents.at_once()
    }

    fn embed_possible(&self, documents: &[Document<'_>], is_cancelled: IsCancelled<'_>) -> Embedded {
        self.documents.embed_possible(documents, is_cancelled)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.questions.embed_query(query)
    }
}
