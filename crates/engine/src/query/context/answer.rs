//! Options and answer of `context`.

use crate::config::SearchConfig;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::search::intent::Routed;
use crate::query::search::semantic::Semantic;

/// Options of `context`.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// Restrictions on the search.
    pub filter: Filter,
    /// The maximum number of search hits to consider.
    pub limit: usize,
    /// The cost that all results together may have.
    pub budget: usize,
    /// The way to spend the budget.
    pub strategy: Strategy,
    /// The most that is shown of a result.
    pub detail: ContextDetail,
    /// Semantic search; `None` to search by words alone.
    pub semantic: Option<Semantic>,
    /// Weights that users may change.
    pub tuning: SearchConfig,
}

/// The results of a search, cut to a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextAnswer {
    /// The intent of the query.
    pub routed: Routed,
    /// Sorted by file, the file with the best hit first, then by line.
    pub excerpts: Vec<Excerpt>,
    /// Hits of the search.
    pub total: usize,
    /// Hits of the search that are neither listed nor part of code that is shown.
    pub remaining: usize,
    /// The most that was asked for of a result.
    pub detail: ContextDetail,
}

/// A result with as much of it as is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// The result itself.
    pub hit: Hit,
    /// The declaration of what holds it, where that is shown.
    pub container: Option<String>,
    /// The better result that calls it; it was not found by itself then.
    pub called_by: Option<String>,
    /// The part of it that is shown.
    pub shown: Shown,
}

/// Lines of a result, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Stretches with gaps between them.
    pub pieces: Vec<Piece>,
    /// Lines of the result, empty ones aside, that are shown neither here nor in another result.
    pub left_out: usize,
}

/// Lines that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Number of the first.
    pub first_line: u32,
    /// Without line ends.
    pub lines: Vec<String>,
}

/// The part of a result that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Its location alone.
    Location,
    /// Its location, and its declaration on one line.
    Signature,
    /// Its location, and lines of its code.
    Code(Code),
}

/// The most that is shown of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextDetail {
    /// Its location.
    Location,
    /// Its declaration on one line.
    Signature,
    /// Its code, as far as the budget goes.
    #[default]
    Code,
}

/// Ways to spend the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Many files and symbols, and the code of the best.
    #[default]
    Breadth,
    /// The best symbols in full, with what they call.
    Depth,
}

impl Strategy {
    /// All values, the default first.
    pub const ALL: [Strategy; 2] = [Strategy::Breadth, Strategy::Depth];

    /// The word used in JSON and flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Strategy::Breadth => "breadth",
            Strategy::Depth => "depth",
        }
    }

    /// The value a word stands for.
    pub fn from_name(word: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.as_str() == word)
    }
}

impl Excerpt {
    /// Returns whether any of its lines are shown.
    pub fn has_code(&self) -> bool {
        matches!(self.shown, Shown::Code(_))
    }
}

impl ContextAnswer {
    /// Returns whether anything that was found is not shown in full.
    pub fn is_truncated(&self) -> bool {
        let is_whole = |excerpt: &Excerpt| matches!(&excerpt.shown, Shown::Code(code) if code.left_out == 0);
        self.remaining > 0 || self.detail == ContextDetail::Code && !self.excerpts.iter().all(is_whole)
    }
}
