//! Settings of the engine, resolved: every field has its final value. Reading files, variables and
//! flags is the caller's business.

use std::time::Duration;

/// The name of our own ignore files.
pub(crate) const OWN_IGNORE: &str = ".codecompassignore";

/// The name of git's ignore files.
pub(crate) const GIT_IGNORE: &str = ".gitignore";

/// Everything the engine can be told.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// What is indexed and with which resources.
    pub index: IndexConfig,
    /// What meaning counts for in a search.
    pub semantic: SemanticConfig,
    /// When a watcher syncs.
    pub watch: WatchConfig,
}

/// When a watcher syncs.
#[derive(Clone, Debug)]
pub struct WatchConfig {
    /// A sync begins when no file was written for this many milliseconds.
    pub debounce_ms: u64,
    /// A sync begins after this many seconds in any case.
    pub reconcile_seconds: u64,
}

impl Default for WatchConfig {
    fn default() -> Self {
        WatchConfig { debounce_ms: 50, reconcile_seconds: 300 }
    }
}

/// Limits of scanning and indexing.
#[derive(Clone, Debug)]
pub struct IndexConfig {
    /// Files above this size are skipped.
    pub max_file_bytes: u64,
    /// Files with a line above this length are skipped as minified or data.
    pub max_line_bytes: usize,
    /// Worker threads for reading and parsing.
    pub threads: usize,
    /// Bytes of source that may be in flight between readers and the writer, and of text held
    /// before a flush.
    pub memory_budget_bytes: usize,
    /// How often a long run makes durable what it has stored so far, so that it can go on from
    /// there if it is killed.
    pub save_every: Duration,
    /// Longest time one file's parse may take, in milliseconds.
    pub parse_timeout_ms: u64,
    /// Views that were not used for this many days are dropped.
    pub keep_views_days: u64,
    /// `gc --all` removes the least recently used stores while all together have more bytes than
    /// this.
    pub max_total_bytes: Option<u64>,
}

impl Default for IndexConfig {
    fn default() -> Self {
        IndexConfig {
            max_file_bytes: 4 << 20,
            max_line_bytes: 20_000,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            memory_budget_bytes: 256 << 20,
            save_every: Duration::from_secs(5),
            parse_timeout_ms: 10_000,
            keep_views_days: 14,
            max_total_bytes: None,
        }
    }
}

/// Whether the meaning of code is looked at, beside its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SemanticMode {
    /// Words only; no vectors are made.
    Off,
    /// What words find is put in order by meaning, too.
    RerankOnly,
    /// Meaning also finds what words do not.
    #[default]
    Hybrid,
}

impl SemanticMode {
    /// The mode that settings call by this name.
    pub fn from_name(name: &str) -> Option<SemanticMode> {
        SemanticMode::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// All of them.
    pub const ALL: [SemanticMode; 3] = [SemanticMode::Off, SemanticMode::RerankOnly, SemanticMode::Hybrid];

    /// The word used in settings and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SemanticMode::Off => "off",
            SemanticMode::RerankOnly => "rerank_only",
            SemanticMode::Hybrid => "hybrid",
        }
    }
}

/// What meaning counts for in a search.
#[derive(Clone, Debug)]
pub struct SemanticConfig {
    /// Whether it is looked at.
    pub mode: SemanticMode,
    /// The largest share that meaning may have in the evidence for an answer.
    pub ratio: f64,
    /// The largest share by kind of question; the smaller one of the two counts.
    pub overrides: IntentRatios,
    /// Where words are this sure of the best answer, meaning is not asked.
    pub lexical_short_circuit_threshold: f64,
    /// An answer that is less sure than this says so.
    pub confidence_threshold: f64,
}

impl Default for SemanticConfig {
    fn default() -> Self {
        SemanticConfig {
            mode: SemanticMode::default(),
            ratio: 0.5,
            overrides: IntentRatios::default(),
            lexical_short_circuit_threshold: 0.85,
            confidence_threshold: 0.5,
        }
    }
}

/// The largest share of meaning for each kind of question; 0 where it is not asked at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntentRatios {
    /// Names.
    pub symbol: f64,
    /// Paths.
    pub path: f64,
    /// Error messages.
    pub error: f64,
    /// Questions in words.
    pub natural_language: f64,
}

impl Default for IntentRatios {
    fn default() -> Self {
        IntentRatios { symbol: 0.0, path: 0.0, error: 0.0, natural_language: 1.0 }
    }
}
