//! Settings of the engine, resolved: every field has its final value. Reading files, variables and
//! flags is the caller's business.

use std::sync::Arc;
use std::time::Duration;

use crate::model::Role;
use crate::parallel;
use crate::weights::{self, Tunable};
use serde::{Deserialize, Serialize};

/// The name of our own ignore files.
pub(crate) const OWN_IGNORE: &str = ".codecompassignore";

/// The name of git's ignore files.
pub(crate) const GIT_IGNORE: &str = ".gitignore";

/// Everything the engine can be told.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The files to index, and limits on resources.
    pub index: IndexConfig,
    /// The part of embeddings in a search.
    pub semantic: SemanticConfig,
    /// Weights of a search that users may change.
    pub search: SearchConfig,
    /// Delays of a watcher.
    pub watch: WatchConfig,
    /// Limits of questions about commits.
    pub history: HistoryConfig,
}

/// Limits of questions about commits.
#[derive(Clone, Debug)]
pub struct HistoryConfig {
    /// The most commits that are kept, the newest ones.
    pub max_commits: usize,
    /// Servers and watchers read the history in the background.
    pub background: bool,
    /// The most threads that read it; as many as there are cores if not given.
    pub threads: Option<usize>,
}

impl Default for HistoryConfig {
    fn default() -> Self {
        HistoryConfig { max_commits: 200_000, background: true, threads: None }
    }
}

/// Delays of a watcher.
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
    /// The interval at which a long run makes durable what it has stored so far, so that it can
    /// resume from there if it is killed.
    pub save_every: Duration,
    /// Longest time one file's parse may take, in milliseconds.
    pub parse_timeout_ms: u64,
    /// Views that were not used for this many days are dropped.
    pub keep_views_days: u64,
    /// Clones and forks of one repository share one store.
    pub share_clones: bool,
    /// Files that a program wrote, beside those that their names or headers tell.
    pub generated: PathSet,
    /// `gc --all` removes the least recently used stores while all together have more bytes than
    /// this.
    pub max_total_bytes: Option<u64>,
    /// Trees of so many files get filters for text searches; smaller ones are read as quickly.
    pub trigrams_from_files: usize,
}

impl Default for IndexConfig {
    fn default() -> Self {
        IndexConfig {
            max_file_bytes: 4 << 20,
            max_line_bytes: 20_000,
            threads: parallel::cores(),
            memory_budget_bytes: 256 << 20,
            save_every: Duration::from_secs(5),
            parse_timeout_ms: 10_000,
            keep_views_days: 14,
            share_clones: true,
            generated: PathSet::default(),
            max_total_bytes: None,
            trigrams_from_files: 10_000,
        }
    }
}

/// Folders, files and globs in which `*` stays within a folder and `**` does not.
#[derive(Clone, Debug, Default)]
pub struct PathSet {
    globs: Arc<globset::GlobSet>,
    patterns: Arc<[String]>,
}

impl PathSet {
    /// Reads patterns; the error says which is wrong.
    pub fn new(patterns: &[String]) -> Result<PathSet, String> {
        let invalid = |error: globset::Error| error.to_string();
        let mut globs = globset::GlobSetBuilder::new();
        for pattern in patterns {
            let plain = pattern.trim_start_matches("./").trim_end_matches('/');
            for form in [plain.to_string(), format!("{plain}/**")] {
                globs.add(globset::GlobBuilder::new(&form).literal_separator(true).build().map_err(invalid)?);
            }
        }
        Ok(PathSet { globs: Arc::new(globs.build().map_err(invalid)?), patterns: patterns.into() })
    }

    /// Returns the patterns as they were given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Returns whether a pattern names the path or a folder above it.
    pub fn matches(&self, path: &str) -> bool {
        !self.globs.is_empty() && self.globs.is_match(path)
    }
}

/// The use of embeddings in a search, beside words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SemanticMode {
    /// Words only; no vectors are made.
    Off,
    /// Results found by words are ranked by embeddings, too.
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

/// The part of embeddings in a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SemanticConfig {
    /// The use of embeddings.
    pub mode: SemanticMode,
    /// The largest share that meaning may have in the evidence for an answer.
    pub ratio: f64,
    /// The largest share by kind of question; the smaller one of the two counts.
    pub overrides: IntentRatios,
    /// Embeddings are skipped if the confidence of the best answer found by words reaches this.
    pub lexical_short_circuit_threshold: f64,
    /// An answer that is less sure than this says so.
    pub confidence_threshold: f64,
    /// The least similarity to the query of what only meaning finds, from 0 to 1.
    pub min_similarity: f64,
}

impl Default for SemanticConfig {
    fn default() -> Self {
        SemanticConfig {
            mode: SemanticMode::default(),
            ratio: 0.5,
            overrides: IntentRatios::default(),
            lexical_short_circuit_threshold: 0.85,
            confidence_threshold: 0.5,
            min_similarity: 0.0,
        }
    }
}

/// The largest share of meaning for each kind of question; 0 where it is not asked at all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

/// Weights of a search that users may change; `weights` has their defaults and ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchConfig {
    /// Points for the share of the question's terms that a result contains.
    pub local_rerank_token_overlap_weight: f64,
    /// Share of a name's similarity that depends on the question spelling it out.
    pub local_rerank_phrase_boost: f64,
    /// Weight of the best score in the confidence of an answer.
    pub confidence_top_score_weight: f64,
    /// Weight of the lead over the next file.
    pub confidence_score_margin_weight: f64,
    /// Weight of the agreement of words and meaning.
    pub confidence_channel_agreement_weight: f64,
    /// Multiplies the number of search documents that words bring.
    pub lexical_fanout_multiplier: f64,
    /// Multiplies the number of search documents that meaning alone may add.
    pub semantic_limit_multiplier: f64,
    /// Multiplies the number of vectors that are compared for each of them in large views.
    pub semantic_fanout_multiplier: f64,
    /// Factors of scores by the role of the file.
    pub role_factors: RoleFactors,
    /// Factors of scores by the path of the file, in the order given.
    pub path_factors: Vec<PathFactor>,
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            local_rerank_token_overlap_weight: weights::LOCAL_RERANK_TOKEN_OVERLAP_WEIGHT.default,
            local_rerank_phrase_boost: weights::LOCAL_RERANK_PHRASE_BOOST.default,
            confidence_top_score_weight: weights::CONFIDENCE_TOP_SCORE_WEIGHT.default,
            confidence_score_margin_weight: weights::CONFIDENCE_SCORE_MARGIN_WEIGHT.default,
            confidence_channel_agreement_weight: weights::CONFIDENCE_CHANNEL_AGREEMENT_WEIGHT.default,
            lexical_fanout_multiplier: weights::LEXICAL_FANOUT_MULTIPLIER.default,
            semantic_limit_multiplier: weights::SEMANTIC_LIMIT_MULTIPLIER.default,
            semantic_fanout_multiplier: weights::SEMANTIC_FANOUT_MULTIPLIER.default,
            role_factors: RoleFactors::default(),
            path_factors: Vec::new(),
        }
    }
}

impl SearchConfig {
    /// Returns the single values with their rows in the table of weights.
    pub(crate) fn values(&self) -> [(&'static Tunable, f64); 8] {
        [
            (&weights::LOCAL_RERANK_TOKEN_OVERLAP_WEIGHT, self.local_rerank_token_overlap_weight),
            (&weights::LOCAL_RERANK_PHRASE_BOOST, self.local_rerank_phrase_boost),
            (&weights::CONFIDENCE_TOP_SCORE_WEIGHT, self.confidence_top_score_weight),
            (&weights::CONFIDENCE_SCORE_MARGIN_WEIGHT, self.confidence_score_margin_weight),
            (&weights::CONFIDENCE_CHANNEL_AGREEMENT_WEIGHT, self.confidence_channel_agreement_weight),
            (&weights::LEXICAL_FANOUT_MULTIPLIER, self.lexical_fanout_multiplier),
            (&weights::SEMANTIC_LIMIT_MULTIPLIER, self.semantic_limit_multiplier),
            (&weights::SEMANTIC_FANOUT_MULTIPLIER, self.semantic_fanout_multiplier),
        ]
    }
}

/// Factors of scores by the role of the file; 1 changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleFactors {
    /// Code that the project itself runs.
    pub source: f64,
    /// Tests, fixtures and test helpers.
    pub test: f64,
    /// Code written by a program.
    pub generated: f64,
    /// Code of others, kept in the tree.
    pub vendored: f64,
    /// Prose.
    pub docs: f64,
    /// Settings, manifests, build files.
    pub config: f64,
    /// Samples, demos, benchmarks.
    pub example: f64,
}

impl Default for RoleFactors {
    fn default() -> Self {
        let factor = weights::ROLE_FACTOR.default;
        RoleFactors {
            source: factor,
            test: factor,
            generated: factor,
            vendored: factor,
            docs: factor,
            config: factor,
            example: factor,
        }
    }
}

impl RoleFactors {
    /// Returns the factor of a role.
    pub fn of(&self, role: Role) -> f64 {
        match role {
            Role::Source => self.source,
            Role::Test => self.test,
            Role::Generated => self.generated,
            Role::Vendored => self.vendored,
            Role::Docs => self.docs,
            Role::Config => self.config,
            Role::Example => self.example,
        }
    }
}

/// The factor of scores below a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathFactor {
    /// A folder or file: the name of one at any depth, or a path from the root if it has a `/`.
    pub path: String,
    /// 1 changes nothing.
    pub factor: f64,
}

impl PathFactor {
    /// Returns how many names at the start of `path` lead to what is meant, if it is above `path`.
    pub(crate) fn depth(&self, path: &str) -> Option<usize> {
        let wanted = self.path.trim_end_matches('/');
        if !wanted.contains('/') {
            return path.split('/').zip(1..).filter(|(name, _)| *name == wanted).last().map(|(_, depth)| depth);
        }
        let wanted = wanted.trim_start_matches("./").trim_start_matches('/');
        let rest = path.strip_prefix(wanted)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| wanted.split('/').count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_anywhere_and_a_path_from_the_root() {
        let depth = |wanted: &str, path: &str| PathFactor { path: wanted.into(), factor: 2.0 }.depth(path);
        assert_eq!(depth("src", "crates/engine/src/lib.rs"), Some(3));
        assert_eq!(depth("src/", "src/a/src/lib.rs"), Some(3));
        assert_eq!(depth("lib.rs", "src/lib.rs"), Some(2));
        assert_eq!(depth("src", "srcs/lib.rs"), None);
        assert_eq!(depth("/src", "src/lib.rs"), Some(1));
        assert_eq!(depth("/src", "a/src/lib.rs"), None);
        assert_eq!(depth("./src", "a/src/lib.rs"), None);
        assert_eq!(depth("./crates/engine", "crates/engine/src/lib.rs"), Some(2));
        assert_eq!(depth("crates/engine", "crates/engines/lib.rs"), None);
        assert_eq!(depth("engine/src", "crates/engine/src/lib.rs"), None);
    }
}
