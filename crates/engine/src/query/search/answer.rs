//! Options and answer of a search.

use crate::config::SearchConfig;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::search::confidence::Confidence;
use crate::query::search::intent::Routed;
use crate::query::search::rerank::Reranked;
use crate::query::search::semantic::{Semantic, SemanticReport};

/// How to search.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// What to leave out.
    pub filter: Filter,
    /// At most this many results.
    pub limit: usize,
    /// Looks at what code means, too.
    pub semantic: Option<Semantic>,
    /// An answer that is less sure than this says so; the usual limit when there is none.
    pub confidence_threshold: Option<f64>,
    /// Weights that users may change.
    pub tuning: SearchConfig,
}

/// What was found, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchAnswer {
    /// How the query was understood.
    pub routed: Routed,
    /// At most the limit.
    pub hits: Vec<Hit>,
    /// Hits before the limit.
    pub total: usize,
    /// Hits left out because their code is the same as a better one's.
    pub suppressed_duplicates: usize,
    /// How sure it is.
    pub confidence: Confidence,
    /// How sure an answer must be.
    pub confidence_threshold: f64,
    /// What to try, when it is not that sure.
    pub suggested_action: Option<String>,
    /// What meaning had to do with it.
    pub semantic: SemanticReport,
    /// What another party had to do with the order, if it was asked.
    pub reranked: Option<Reranked>,
    /// Bytes at the end of the query that were too many to be searched for.
    pub ignored_query_bytes: usize,
}

/// A candidate that is left out because its code is the same as a better one's.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// What is left out.
    pub hit: Hit,
    /// Path and first line of the better one.
    pub of: (String, u32),
}
