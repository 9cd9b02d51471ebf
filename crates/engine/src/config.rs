//! Settings of the engine, resolved: every field has its final value. Reading files, variables and flags is the
//! caller's business.

/// Everything the engine can be told.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// What is indexed and with which resources.
    pub index: IndexConfig,
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
    /// Bytes of source that may be in flight between readers and the writer, and of text held before a flush.
    pub memory_budget_bytes: usize,
    /// Longest time one file's parse may take, in milliseconds.
    pub parse_timeout_ms: u64,
    /// Views that were not used for this many days are dropped.
    pub keep_views_days: u64,
}

impl Default for IndexConfig {
    fn default() -> Self {
        IndexConfig {
            max_file_bytes: 4 << 20,
            max_line_bytes: 20_000,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            memory_budget_bytes: 256 << 20,
            parse_timeout_ms: 10_000,
            keep_views_days: 14,
        }
    }
}
