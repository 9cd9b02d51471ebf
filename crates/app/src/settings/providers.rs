//! Settings about models and providers, as they are written: which are asked for, and whether they
//! are allowed.

use codecompass_engine::config::{IntentRatios, SemanticMode};
use codecompass_engine::embed::Secret;
use codecompass_engine::embed::remote::{EmbeddingProvider, RerankProvider};

use super::Settings;

/// Everything about models and providers.
#[derive(Clone, Debug)]
pub struct ProviderSettings {
    /// One of the two switches without which nothing leaves the machine.
    pub external_provider_enabled: bool,
    /// The other one.
    pub allow_code_payload_to_external: bool,
    /// True if secrets are removed from what leaves the machine.
    pub redact_secrets: bool,
    /// True if `doctor` gives advice about profiles.
    pub gives_advice: bool,
    pub embedding: EmbeddingSettings,
    pub rerank: RerankSettings,
    pub chat: ChatSettings,
    /// Variables of other tools that speak of a provider. They are only told, never followed.
    pub detected: Vec<Detected>,
}

/// A variable of other tools that speaks of a provider of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// The name of the variable.
    pub variable: &'static str,
    /// The settings that make use of the provider.
    settings: &'static str,
}

impl Detected {
    /// All that are looked for.
    pub const ALL: [Detected; 3] = [
        Detected {
            variable: "OLLAMA_HOST",
            settings: "provider = \"openai\", base_url = \"http://localhost:11434/v1\" or its other address, `model` and \
                       `dimensions`",
        },
        Detected { variable: "OPENAI_API_KEY", settings: "provider = \"openai\"" },
        Detected { variable: "NOMIC_API_KEY", settings: "provider = \"nomic\"" },
    ];

    /// Says how to use the provider.
    pub fn advice(self) -> String {
        let Detected { variable, settings } = self;
        format!(
            "{variable} is set; to use it: profile = \"external\", {settings} in [semantic.embedding], and both \
             switches of [semantic] that let code leave this machine"
        )
    }
}

/// The settings of the model that makes vectors.
#[derive(Clone, Debug)]
pub struct EmbeddingSettings {
    pub profile: Profile,
    /// `None` for a local model.
    pub provider: Option<EmbeddingProvider>,
    /// A name at the provider, or the folder of a local model.
    pub model: Option<String>,
    pub model_version: Option<String>,
    pub dimensions: Option<usize>,
    pub batch_size: usize,
    /// Requests at a time.
    pub concurrency: usize,
    /// The longest text of a request; longer documents are split.
    pub max_text_bytes: Option<usize>,
    pub base_url: Option<String>,
    pub timeout_ms: u64,
    pub key: Option<Secret>,
}

/// The settings of the provider that has the last word on the order of answers.
#[derive(Clone, Debug)]
pub struct RerankSettings {
    pub provider: Option<RerankProvider>,
    pub model: Option<String>,
    /// The project that Vertex AI bills.
    pub project: Option<String>,
    pub base_url: Option<String>,
    pub timeout_ms: u64,
    pub key: Option<Secret>,
}

/// The settings of the model that writes analyses.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    /// True if a provider with OpenAI's protocol is asked for.
    pub is_asked_for: bool,
    pub model: Option<String>,
    pub base_url: Option<String>,
    pub timeout_ms: u64,
    /// Tokens of code and facts that the model is given.
    pub context_tokens: usize,
    /// Tokens of its text.
    pub max_tokens: usize,
    pub key: Option<Secret>,
}

/// The kind of model that makes vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The one inside the program.
    #[default]
    FastLocal,
    /// One in a folder of this machine.
    CodeQuality,
    /// The same, which reads more of each text.
    HighQuality,
    /// One at a provider.
    External,
}

impl Profile {
    /// The profile that settings call by this name.
    pub fn from_name(name: &str) -> Option<Profile> {
        let all = [Profile::FastLocal, Profile::CodeQuality, Profile::HighQuality, Profile::External];
        all.into_iter().find(|profile| profile.name() == name)
    }

    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Profile::FastLocal => "fast_local",
            Profile::CodeQuality => "code_quality",
            Profile::HighQuality => "high_quality",
            Profile::External => "external",
        }
    }
}

impl Default for ProviderSettings {
    fn default() -> Self {
        ProviderSettings {
            external_provider_enabled: false,
            allow_code_payload_to_external: false,
            redact_secrets: true,
            gives_advice: false,
            embedding: EmbeddingSettings::default(),
            rerank: RerankSettings::default(),
            chat: ChatSettings::default(),
            detected: Vec::new(),
        }
    }
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        EmbeddingSettings {
            profile: Profile::default(),
            provider: None,
            model: None,
            model_version: None,
            dimensions: None,
            batch_size: 32,
            concurrency: 8,
            max_text_bytes: None,
            base_url: None,
            timeout_ms: 60_000,
            key: None,
        }
    }
}

impl Default for RerankSettings {
    fn default() -> Self {
        RerankSettings { provider: None, model: None, project: None, base_url: None, timeout_ms: 5_000, key: None }
    }
}

impl Default for ChatSettings {
    fn default() -> Self {
        ChatSettings {
            is_asked_for: false,
            model: None,
            base_url: None,
            timeout_ms: 120_000,
            context_tokens: 6_000,
            max_tokens: 2_000,
            key: None,
        }
    }
}

impl ProviderSettings {
    /// Returns whether code may leave the machine.
    pub fn may_leave(&self) -> bool {
        self.external_provider_enabled && self.allow_code_payload_to_external
    }

    /// The switches that are off.
    pub fn switched_off(&self) -> Vec<&'static str> {
        let switches = [
            ("semantic.external_provider_enabled", self.external_provider_enabled),
            ("semantic.allow_code_payload_to_external", self.allow_code_payload_to_external),
        ];
        switches.into_iter().filter(|(_, is_on)| !is_on).map(|(name, _)| name).collect()
    }

    /// The providers that are asked for, allowed or not.
    pub fn asked_for(&self) -> Vec<String> {
        let embedding = (self.embedding.profile == Profile::External).then(|| {
            let name = self.embedding.provider.map_or("none", EmbeddingProvider::name);
            format!("{name} for vectors")
        });
        let rerank = self.rerank.provider.map(|provider| format!("{} for scores", provider.name()));
        let chat = self.chat.is_asked_for.then(|| "openai for analyses".to_string());
        embedding.into_iter().chain(rerank).chain(chat).collect()
    }
}

impl Settings {
    /// Returns which work makes something leave the machine: having vectors made, each kind of
    /// question, having answers scored, having analyses written.
    pub(super) fn reach(&self) -> [bool; 7] {
        let semantic = &self.engine.semantic;
        let is_on = semantic.mode != SemanticMode::Off && self.providers.may_leave();
        let has_vectors = is_on && self.providers.embedding.profile == Profile::External;
        let is_asked =
            |own: f64| has_vectors && semantic.ratio.min(own) > 0.0 && semantic.lexical_short_circuit_threshold > 0.0;
        let IntentRatios { symbol, path, error, natural_language } = semantic.overrides;
        let [symbol, path, error, words] = [symbol, path, error, natural_language].map(is_asked);
        let is_scored = is_on && self.providers.rerank.provider.is_some();
        let is_analysed = self.providers.may_leave() && self.providers.chat.is_asked_for;
        [has_vectors, symbol, path, error, words, is_scored, is_analysed]
    }
}
