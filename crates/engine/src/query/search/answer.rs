//! Options and answer of a search.

use crate::config::SearchConfig;
use crate::query::filter::Filter;
use crate::query::filter::role_filter::RoleFilter;
use crate::query::hit::Hit;
use crate::query::search::confidence::{AnswerConfidence, NextStep};
use crate::query::search::intent::{QueryClass, Routed};
use crate::query::search::rerank::Reranked;
use crate::query::search::semantic::{Semantic, SemanticReport};
use crate::scan::Source;

/// Options of `search`.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// Restrictions on the results.
    pub filter: Filter,
    /// Roles one of which results must have.
    pub roles: RoleFilter,
    /// At most this many results.
    pub limit: usize,
    /// Semantic search; `None` to search by words alone.
    pub semantic: Option<Semantic>,
    /// The confidence below which an answer suggests another step; the usual one when `None`.
    pub confidence_threshold: Option<f64>,
    /// Weights that users may change.
    pub tuning: SearchConfig,
    /// The way results of one file are put together; the usual one when `None`.
    pub group: Option<GroupBy>,
    /// The source of texts, to find the text of a query as it is written; `None` to search by words
    /// alone.
    pub source: Option<Source>,
}

impl SearchOptions {
    /// Returns whether a result is of a kind and role that is wanted.
    pub(super) fn accepts(&self, hit: &Hit) -> bool {
        self.filter.accepts_kind(hit.kind) && self.roles.accepts_hit(hit)
    }
}

/// Ways to put the results of one file together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The best result of each file.
    File,
    /// Every definition counts for itself.
    Symbol,
}

/// The parts of a long text that a search used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryParts {
    /// The first line.
    pub title: String,
    /// Names that definitions have.
    pub names: Vec<String>,
    /// Frames and paths that the view has.
    pub places: Vec<String>,
    /// Messages that were looked for as they are written.
    pub messages: Vec<String>,
    /// The search terms that tell most, best first.
    pub terms: Vec<String>,
}

/// The results of a search, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchAnswer {
    /// The intent of the query.
    pub routed: Routed,
    /// At most the limit.
    pub hits: Vec<Hit>,
    /// Hits before the limit.
    pub total: usize,
    /// Hits left out because their code is the same as a better one's.
    pub suppressed_duplicates: usize,
    /// The confidence in the answer.
    pub confidence: AnswerConfidence,
    /// The confidence below which the answer suggests another step.
    pub confidence_threshold: f64,
    /// A step to try when the confidence is below the threshold.
    pub suggested_action: Option<NextStep>,
    /// The effect of semantic search on the answer.
    pub semantic: SemanticReport,
    /// The effect of the reranker on the order, if one was called.
    pub reranked: Option<Reranked>,
    /// Bytes at the end of the query that were too many to be searched for.
    pub ignored_query_bytes: usize,
    /// The class of the query.
    pub class: QueryClass,
    /// The parts that were used of a long text.
    pub parts: Option<QueryParts>,
    /// The number of lines that have the text of the query, where it was looked for as it is.
    pub exact_lines: usize,
    /// True if there is no file to search.
    pub nothing_to_search: bool,
}

/// A candidate that is left out because its code is the same as a better one's.
#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// The candidate that is left out.
    pub hit: Hit,
    /// Path and first line of the better one.
    pub of: (String, u32),
}
