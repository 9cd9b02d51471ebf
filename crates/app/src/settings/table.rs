//! All settings: one row each.

use codecompass_engine::config::{PathFactor, SemanticMode};
use codecompass_engine::embed::remote::{EmbeddingProvider, RerankProvider};
use codecompass_engine::weights;
use serde_json::Value;

use super::Settings;
use super::cluster;
use super::providers::Profile;
use super::server::ServerSettings;
use super::value::Kind;
use crate::choices::{Answers, Freshness};

/// One setting.
pub(super) struct Setting {
    /// With dots where sections are nested.
    pub section: &'static str,
    pub key: &'static str,
    pub kind: Kind,
    pub policy: RepoPolicy,
    /// Returns the value in force; null if there is none.
    pub get: fn(&Settings) -> Value,
}

/// The limits of what a repository's own file may say. It comes from anywhere, so it may switch
/// things off, but nothing that is outside this machine on, nor say which or where that is; and it
/// has no say in what a server shows to whom.
pub(super) enum RepoPolicy {
    /// Anything.
    Anything,
    /// Values that switch off: `false`, or one of these words.
    Off(&'static [&'static str]),
    /// Nothing.
    Nothing,
}

impl Setting {
    const fn new(section: &'static str, key: &'static str, kind: Kind, get: fn(&Settings) -> Value) -> Setting {
        Setting { section, key, kind, policy: RepoPolicy::Anything, get }
    }

    const fn repo(self, policy: RepoPolicy) -> Setting {
        let Setting { section, key, kind, policy: _, get } = self;
        Setting { section, key, kind, policy, get }
    }

    /// The name in files and messages.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }

    /// The variable that sets it.
    pub(super) fn variable(&self) -> String {
        format!("CODECOMPASS_{}", self.name().replace('.', "_").to_uppercase())
    }
}

const INDEX: &str = "index";
const HISTORY: &str = "history";
const WATCH: &str = "watch";
const SEMANTIC: &str = "semantic";
const EMBEDDING: &str = "semantic.embedding";
const RERANK: &str = "semantic.rerank";
const CHAT: &str = "semantic.chat";
const SEARCH: &str = "search";
const ROLES: &str = "search.role_factors";
const SERVER: &str = "server";
const REMOTE: &str = "remote";
const CLUSTER: &str = "cluster";
const CLONE: &str = "clone";

/// The rows.
pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(INDEX, "max_file_bytes", Kind::Number(1..=1 << 30, |s, v| s.engine.index.max_file_bytes = v), |s| {
        s.engine.index.max_file_bytes.into()
    }),
    Setting::new(
        INDEX,
        "max_line_bytes",
        Kind::Number(100..=1 << 30, |s, v| s.engine.index.max_line_bytes = v as usize),
        |s| s.engine.index.max_line_bytes.into(),
    ),
    Setting::new(INDEX, "threads", Kind::Number(1..=256, |s, v| s.engine.index.threads = v as usize), |s| {
        s.engine.index.threads.into()
    }),
    Setting::new(
        INDEX,
        "memory_budget_mb",
        Kind::Number(32..=65_536, |s, v| s.engine.index.memory_budget_bytes = (v as usize) << 20),
        |s| (s.engine.index.memory_budget_bytes >> 20).into(),
    ),
    Setting::new(
        INDEX,
        "save_every_ms",
        Kind::Number(0..=600_000, |s, v| s.engine.index.save_every = std::time::Duration::from_millis(v)),
        |s| (s.engine.index.save_every.as_millis() as u64).into(),
    ),
    Setting::new(
        INDEX,
        "parse_timeout_ms",
        Kind::Number(10..=600_000, |s, v| s.engine.index.parse_timeout_ms = v),
        |s| s.engine.index.parse_timeout_ms.into(),
    ),
    Setting::new(
        INDEX,
        "max_total_mb",
        Kind::Number(0..=100_000_000, |s, v| s.engine.index.max_total_bytes = (v > 0).then_some(v << 20)),
        |s| s.engine.index.max_total_bytes.map_or(0, |bytes| bytes >> 20).into(),
    )
    .repo(RepoPolicy::Nothing),
    Setting::new(INDEX, "keep_views_days", Kind::Number(1..=3650, |s, v| s.engine.index.keep_views_days = v), |s| {
        s.engine.index.keep_views_days.into()
    }),
    Setting::new(INDEX, "share_clones", Kind::Switch(|s, v| s.engine.index.share_clones = v), |s| {
        s.engine.index.share_clones.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(INDEX, "generated", Kind::Paths(|s, v| s.engine.index.generated = v), |s| {
        s.engine.index.generated.patterns().into()
    }),
    Setting::new(
        HISTORY,
        "max_commits",
        Kind::Number(1..=100_000_000, |s, v| s.engine.history.max_commits = v as usize),
        |s| s.engine.history.max_commits.into(),
    )
    .repo(RepoPolicy::Nothing),
    Setting::new(HISTORY, "background", Kind::Switch(|s, v| s.engine.history.background = v), |s| {
        s.engine.history.background.into()
    })
    .repo(RepoPolicy::Off(&[])),
    Setting::new(WATCH, "debounce_ms", Kind::Number(1..=10_000, |s, v| s.engine.watch.debounce_ms = v), |s| {
        s.engine.watch.debounce_ms.into()
    }),
    Setting::new(
        WATCH,
        "reconcile_seconds",
        Kind::Number(5..=86_400, |s, v| s.engine.watch.reconcile_seconds = v),
        |s| s.engine.watch.reconcile_seconds.into(),
    ),
    Setting::new(
        "freshness",
        "policy",
        Kind::Word(&["strict", "balanced", "best_effort"], |s, v| {
            s.freshness = Freshness::from_name(v).unwrap_or_default()
        }),
        |s| s.freshness.name().into(),
    ),
    Setting::new(
        SEMANTIC,
        "mode",
        Kind::Word(&["off", "rerank_only", "hybrid"], |s, v| {
            s.engine.semantic.mode = SemanticMode::from_name(v).unwrap_or_default()
        }),
        |s| s.engine.semantic.mode.as_str().into(),
    ),
    Setting::new(SEMANTIC, "ratio", Kind::Share(|s, v| s.engine.semantic.ratio = v), |s| {
        s.engine.semantic.ratio.into()
    }),
    Setting::new(
        SEMANTIC,
        "lexical_short_circuit_threshold",
        Kind::Share(|s, v| s.engine.semantic.lexical_short_circuit_threshold = v),
        |s| s.engine.semantic.lexical_short_circuit_threshold.into(),
    ),
    Setting::new(
        SEMANTIC,
        "confidence_threshold",
        Kind::Share(|s, v| s.engine.semantic.confidence_threshold = v),
        |s| s.engine.semantic.confidence_threshold.into(),
    ),
    Setting::new(
        SEMANTIC,
        "profile_advisor_mode",
        Kind::Word(&["off", "suggest"], |s, v| s.providers.gives_advice = v == "suggest"),
        |s| (if s.providers.gives_advice { "suggest" } else { "off" }).into(),
    ),
    Setting::new(
        SEMANTIC,
        "external_provider_enabled",
        Kind::Switch(|s, v| s.providers.external_provider_enabled = v),
        |s| s.providers.external_provider_enabled.into(),
    )
    .repo(RepoPolicy::Off(&[])),
    Setting::new(
        SEMANTIC,
        "allow_code_payload_to_external",
        Kind::Switch(|s, v| s.providers.allow_code_payload_to_external = v),
        |s| s.providers.allow_code_payload_to_external.into(),
    )
    .repo(RepoPolicy::Off(&[])),
    Setting::new(SEMANTIC, "redact_secrets", Kind::Switch(|s, v| s.providers.redact_secrets = v), |s| {
        s.providers.redact_secrets.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(
        EMBEDDING,
        "profile",
        Kind::Word(&["fast_local", "code_quality", "high_quality", "external"], |s, v| {
            s.providers.embedding.profile = Profile::from_name(v).unwrap_or_default()
        }),
        |s| s.providers.embedding.profile.name().into(),
    )
    .repo(RepoPolicy::Off(&["fast_local"])),
    Setting::new(
        EMBEDDING,
        "provider",
        Kind::Word(&["local", "voyage", "openai", "nomic"], |s, v| {
            s.providers.embedding.provider = EmbeddingProvider::from_name(v)
        }),
        |s| s.providers.embedding.provider.map_or("local", EmbeddingProvider::name).into(),
    )
    .repo(RepoPolicy::Off(&["local"])),
    Setting::new(EMBEDDING, "model", Kind::Text(|s, v| s.providers.embedding.model = v), |s| {
        s.providers.embedding.model.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(EMBEDDING, "model_version", Kind::Text(|s, v| s.providers.embedding.model_version = v), |s| {
        s.providers.embedding.model_version.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(
        EMBEDDING,
        "dimensions",
        Kind::Number(1..=16_384, |s, v| s.providers.embedding.dimensions = Some(v as usize)),
        |s| s.providers.embedding.dimensions.into(),
    )
    .repo(RepoPolicy::Nothing),
    Setting::new(
        EMBEDDING,
        "batch_size",
        Kind::Number(1..=1000, |s, v| s.providers.embedding.batch_size = v as usize),
        |s| s.providers.embedding.batch_size.into(),
    ),
    Setting::new(
        EMBEDDING,
        "concurrency",
        Kind::Number(1..=64, |s, v| s.providers.embedding.concurrency = v as usize),
        |s| s.providers.embedding.concurrency.into(),
    ),
    Setting::new(
        EMBEDDING,
        "max_text_bytes",
        Kind::Number(500..=100_000, |s, v| s.providers.embedding.max_text_bytes = Some(v as usize)),
        |s| s.providers.embedding.max_text_bytes.into(),
    )
    .repo(RepoPolicy::Nothing),
    Setting::new(EMBEDDING, "base_url", Kind::Text(|s, v| s.providers.embedding.base_url = v), |s| {
        s.providers.embedding.base_url.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(
        EMBEDDING,
        "timeout_ms",
        Kind::Number(1..=600_000, |s, v| s.providers.embedding.timeout_ms = v),
        |s| s.providers.embedding.timeout_ms.into(),
    ),
    Setting::new(
        RERANK,
        "provider",
        Kind::Word(&["none", "cohere", "voyage", "vertex"], |s, v| {
            s.providers.rerank.provider = RerankProvider::from_name(v)
        }),
        |s| s.providers.rerank.provider.map_or("none", RerankProvider::name).into(),
    )
    .repo(RepoPolicy::Off(&["none"])),
    Setting::new(RERANK, "model", Kind::Text(|s, v| s.providers.rerank.model = v), |s| {
        s.providers.rerank.model.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(RERANK, "project", Kind::Text(|s, v| s.providers.rerank.project = v), |s| {
        s.providers.rerank.project.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(RERANK, "base_url", Kind::Text(|s, v| s.providers.rerank.base_url = v), |s| {
        s.providers.rerank.base_url.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(RERANK, "timeout_ms", Kind::Number(1..=600_000, |s, v| s.providers.rerank.timeout_ms = v), |s| {
        s.providers.rerank.timeout_ms.into()
    }),
    Setting::new(
        CHAT,
        "provider",
        Kind::Word(&["none", "openai"], |s, v| s.providers.chat.is_asked_for = v != "none"),
        |s| if s.providers.chat.is_asked_for { "openai" } else { "none" }.into(),
    )
    .repo(RepoPolicy::Off(&["none"])),
    Setting::new(CHAT, "model", Kind::Text(|s, v| s.providers.chat.model = v), |s| {
        s.providers.chat.model.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CHAT, "base_url", Kind::Text(|s, v| s.providers.chat.base_url = v), |s| {
        s.providers.chat.base_url.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CHAT, "timeout_ms", Kind::Number(1..=600_000, |s, v| s.providers.chat.timeout_ms = v), |s| {
        s.providers.chat.timeout_ms.into()
    }),
    Setting::new(
        CHAT,
        "context_tokens",
        Kind::Number(500..=100_000, |s, v| s.providers.chat.context_tokens = v as usize),
        |s| s.providers.chat.context_tokens.into(),
    ),
    Setting::new(CHAT, "max_tokens", Kind::Number(100..=2_000, |s, v| s.providers.chat.max_tokens = v as usize), |s| {
        s.providers.chat.max_tokens.into()
    }),
    Setting::new(
        "semantic.overrides.symbol",
        "ratio",
        Kind::Share(|s, v| s.engine.semantic.overrides.symbol = v),
        |s| s.engine.semantic.overrides.symbol.into(),
    ),
    Setting::new("semantic.overrides.path", "ratio", Kind::Share(|s, v| s.engine.semantic.overrides.path = v), |s| {
        s.engine.semantic.overrides.path.into()
    }),
    Setting::new("semantic.overrides.error", "ratio", Kind::Share(|s, v| s.engine.semantic.overrides.error = v), |s| {
        s.engine.semantic.overrides.error.into()
    }),
    Setting::new(
        "semantic.overrides.natural_language",
        "ratio",
        Kind::Share(|s, v| s.engine.semantic.overrides.natural_language = v),
        |s| s.engine.semantic.overrides.natural_language.into(),
    ),
    Setting::new(
        SEARCH,
        "local_rerank_token_overlap_weight",
        Kind::Weight(&weights::LOCAL_RERANK_TOKEN_OVERLAP_WEIGHT, |s, v| {
            s.engine.search.local_rerank_token_overlap_weight = v
        }),
        |s| s.engine.search.local_rerank_token_overlap_weight.into(),
    ),
    Setting::new(
        SEARCH,
        "local_rerank_phrase_boost",
        Kind::Weight(&weights::LOCAL_RERANK_PHRASE_BOOST, |s, v| s.engine.search.local_rerank_phrase_boost = v),
        |s| s.engine.search.local_rerank_phrase_boost.into(),
    ),
    Setting::new(
        SEARCH,
        "confidence_top_score_weight",
        Kind::Weight(&weights::CONFIDENCE_TOP_SCORE_WEIGHT, |s, v| s.engine.search.confidence_top_score_weight = v),
        |s| s.engine.search.confidence_top_score_weight.into(),
    ),
    Setting::new(
        SEARCH,
        "confidence_score_margin_weight",
        Kind::Weight(&weights::CONFIDENCE_SCORE_MARGIN_WEIGHT, |s, v| {
            s.engine.search.confidence_score_margin_weight = v
        }),
        |s| s.engine.search.confidence_score_margin_weight.into(),
    ),
    Setting::new(
        SEARCH,
        "confidence_channel_agreement_weight",
        Kind::Weight(&weights::CONFIDENCE_CHANNEL_AGREEMENT_WEIGHT, |s, v| {
            s.engine.search.confidence_channel_agreement_weight = v
        }),
        |s| s.engine.search.confidence_channel_agreement_weight.into(),
    ),
    Setting::new(
        SEARCH,
        "lexical_fanout_multiplier",
        Kind::Weight(&weights::LEXICAL_FANOUT_MULTIPLIER, |s, v| s.engine.search.lexical_fanout_multiplier = v),
        |s| s.engine.search.lexical_fanout_multiplier.into(),
    ),
    Setting::new(
        SEARCH,
        "semantic_limit_multiplier",
        Kind::Weight(&weights::SEMANTIC_LIMIT_MULTIPLIER, |s, v| s.engine.search.semantic_limit_multiplier = v),
        |s| s.engine.search.semantic_limit_multiplier.into(),
    ),
    Setting::new(
        SEARCH,
        "semantic_fanout_multiplier",
        Kind::Weight(&weights::SEMANTIC_FANOUT_MULTIPLIER, |s, v| s.engine.search.semantic_fanout_multiplier = v),
        |s| s.engine.search.semantic_fanout_multiplier.into(),
    ),
    Setting::new(
        SEARCH,
        "path_factors",
        Kind::Factors(&weights::PATH_FACTOR, |s, v| s.engine.search.path_factors = v),
        |s| by_path(&s.engine.search.path_factors),
    ),
    Setting::new(
        ROLES,
        "source",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.source = v),
        |s| s.engine.search.role_factors.source.into(),
    ),
    Setting::new(
        ROLES,
        "test",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.test = v),
        |s| s.engine.search.role_factors.test.into(),
    ),
    Setting::new(
        ROLES,
        "generated",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.generated = v),
        |s| s.engine.search.role_factors.generated.into(),
    ),
    Setting::new(
        ROLES,
        "vendored",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.vendored = v),
        |s| s.engine.search.role_factors.vendored.into(),
    ),
    Setting::new(
        ROLES,
        "docs",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.docs = v),
        |s| s.engine.search.role_factors.docs.into(),
    ),
    Setting::new(
        ROLES,
        "config",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.config = v),
        |s| s.engine.search.role_factors.config.into(),
    ),
    Setting::new(
        ROLES,
        "example",
        Kind::Weight(&weights::ROLE_FACTOR, |s, v| s.engine.search.role_factors.example = v),
        |s| s.engine.search.role_factors.example.into(),
    ),
    Setting::new(SERVER, "tools", Kind::List(|s, v| s.server.tools = v), |s| s.server.tools.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(
        SERVER,
        "answers",
        Kind::Word(&["text", "json", "structured"], |s, v| {
            s.server.answers = Answers::from_name(v).unwrap_or_default()
        }),
        |s| s.server.answers.name().into(),
    )
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "call_timeout_seconds", Kind::Number(1..=3600, |s, v| s.server.call_timeout = v), |s| {
        s.server.call_timeout.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "index_wait_seconds", Kind::Number(0..=600, |s, v| s.server.index_wait = v), |s| {
        s.server.index_wait.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(
        SERVER,
        "bind",
        Kind::Text(|s, v| s.server.bind = v.unwrap_or_else(|| ServerSettings::default().bind)),
        |s| s.server.bind.clone().into(),
    )
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "allowed_hosts", Kind::List(|s, v| s.server.allowed_hosts = v), |s| {
        s.server.allowed_hosts.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "allowed_origins", Kind::List(|s, v| s.server.allowed_origins = v), |s| {
        s.server.allowed_origins.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "token_file", Kind::Text(|s, v| s.server.token_file = v), |s| {
        s.server.token_file.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "session_idle_seconds", Kind::Number(1..=86_400, |s, v| s.server.session_idle = v), |s| {
        s.server.session_idle.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "slow_client_seconds", Kind::Number(1..=3600, |s, v| s.server.slow_client = v), |s| {
        s.server.slow_client.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "auto_workspace", Kind::Switch(|s, v| s.server.auto_workspace = v), |s| {
        s.server.auto_workspace.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "allowed_roots", Kind::List(|s, v| s.server.allowed_roots = v), |s| {
        s.server.allowed_roots.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "max_workspaces", Kind::Number(1..=1000, |s, v| s.server.max_workspaces = v as usize), |s| {
        s.server.max_workspaces.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "evict_after_seconds", Kind::Number(0..=86_400, |s, v| s.server.evict_after = v), |s| {
        s.server.evict_after.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "watch", Kind::Switch(|s, v| s.server.watch = v), |s| s.server.watch.into())
        .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "audit_log", Kind::Text(|s, v| s.server.audit_log = v), |s| s.server.audit_log.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(SERVER, "ui", Kind::Switch(|s, v| s.server.ui = v), |s| s.server.ui.into()).repo(RepoPolicy::Nothing),
    Setting::new("savings", "enabled", Kind::Switch(|s, v| s.server.savings = v), |s| s.server.savings.into())
        .repo(RepoPolicy::Nothing),
    Setting::new("workspaces", "groups", Kind::List(|s, v| s.groups = v), |s| s.groups.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLONE, "schemes", Kind::List(|s, v| s.clones.schemes = v), |s| s.clones.schemes.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLONE, "hosts", Kind::List(|s, v| s.clones.hosts = v), |s| s.clones.hosts.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLONE, "allow_private_addresses", Kind::Switch(|s, v| s.clones.allow_private_addresses = v), |s| {
        s.clones.allow_private_addresses.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLONE, "max_mb", Kind::Number(1..=1 << 20, |s, v| s.clones.max_bytes = v << 20), |s| {
        (s.clones.max_bytes >> 20).into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLONE, "max_seconds", Kind::Number(1..=86_400, |s, v| s.clones.max_seconds = v), |s| {
        s.clones.max_seconds.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "url", Kind::Text(|s, v| s.remote.url = v), |s| s.remote.url.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "endpoint", Kind::Text(|s, v| s.remote.endpoint = v), |s| s.remote.endpoint.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "region", Kind::Text(|s, v| s.remote.region = v), |s| s.remote.region.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "path_style", Kind::Switch(|s, v| s.remote.path_style = Some(v)), |s| {
        s.remote.path_style.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "public_key", Kind::Text(|s, v| s.remote.public_key = v), |s| {
        s.remote.public_key.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "auto_pull", Kind::Switch(|s, v| s.remote.auto_pull = v), |s| s.remote.auto_pull.into())
        .repo(RepoPolicy::Off(&[])),
    Setting::new(REMOTE, "auto_pull_seconds", Kind::Number(1..=600, |s, v| s.remote.auto_pull_seconds = v), |s| {
        s.remote.auto_pull_seconds.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(REMOTE, "concurrency", Kind::Number(1..=64, |s, v| s.remote.concurrency = v as usize), |s| {
        s.remote.concurrency.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "database", Kind::Text(|s, v| s.cluster.database = v), |s| {
        s.cluster.database.as_deref().map(cluster::shown).into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "authorities", Kind::Text(|s, v| s.cluster.authorities = v), |s| {
        s.cluster.authorities.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "objects", Kind::Text(|s, v| s.cluster.objects = v), |s| s.cluster.objects.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "endpoint", Kind::Text(|s, v| s.cluster.endpoint = v), |s| s.cluster.endpoint.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "region", Kind::Text(|s, v| s.cluster.region = v), |s| s.cluster.region.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "path_style", Kind::Switch(|s, v| s.cluster.path_style = Some(v)), |s| {
        s.cluster.path_style.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "cache", Kind::Text(|s, v| s.cluster.cache = v), |s| s.cluster.cache.clone().into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "cache_mib", Kind::Number(16..=1 << 30, |s, v| s.cluster.cache_mib = v), |s| {
        s.cluster.cache_mib.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "lease_seconds", Kind::Number(2..=3600, |s, v| s.cluster.lease_seconds = v), |s| {
        s.cluster.lease_seconds.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "alive_seconds", Kind::Number(2..=3600, |s, v| s.cluster.alive_seconds = v), |s| {
        s.cluster.alive_seconds.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "poll_seconds", Kind::Number(1..=604_800, |s, v| s.cluster.poll_seconds = v), |s| {
        s.cluster.poll_seconds.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "jobs", Kind::Number(1..=64, |s, v| s.cluster.jobs = v as usize), |s| s.cluster.jobs.into())
        .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "git_schemes", Kind::List(|s, v| s.cluster.git_schemes = v), |s| {
        s.cluster.git_schemes.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "git_hosts", Kind::List(|s, v| s.cluster.git_hosts = v), |s| {
        s.cluster.git_hosts.clone().into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "git_private", Kind::Switch(|s, v| s.cluster.git_private = v), |s| {
        s.cluster.git_private.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "git_mib", Kind::Number(1..=1 << 20, |s, v| s.cluster.git_mib = v), |s| {
        s.cluster.git_mib.into()
    })
    .repo(RepoPolicy::Nothing),
    Setting::new(CLUSTER, "git_seconds", Kind::Number(1..=86400, |s, v| s.cluster.git_seconds = v), |s| {
        s.cluster.git_seconds.into()
    })
    .repo(RepoPolicy::Nothing),
];

/// The setting of this name in this section.
pub(super) fn setting(section: &str, key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.section == section && setting.key == key)
}

/// Returns whether settings stand in or below a section of this name.
pub(super) fn is_section(name: &str) -> bool {
    SETTINGS
        .iter()
        .any(|setting| setting.section.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

fn by_path(factors: &[PathFactor]) -> Value {
    factors.iter().map(|entry| (entry.path.clone(), Value::from(entry.factor))).collect()
}
