//! Options and answer of `context`.

use crate::config::SearchConfig;
use crate::query::filter::Filter;
use crate::query::hit::Hit;
use crate::query::search::intent::Routed;
use crate::query::search::semantic::Semantic;

/// How much to give.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// What to leave out.
    pub filter: Filter,
    /// At most this many hits of the search are looked at.
    pub limit: usize,
    /// What all results together may cost.
    pub budget: usize,
    /// What to spend it on.
    pub strategy: Strategy,
    /// Looks at what code means, too.
    pub semantic: Option<Semantic>,
    /// Weights that users may change.
    pub tuning: SearchConfig,
}

/// What was found and chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextAnswer {
    /// How the query was understood.
    pub routed: Routed,
    /// By file, the file with the best hit first, and by line within a file.
    pub excerpts: Vec<Excerpt>,
    /// Hits of the search.
    pub total: usize,
    /// Hits of the search that are neither listed nor part of code that is shown.
    pub remaining: usize,
}

/// A result with as much of it as is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// What was found.
    pub hit: Hit,
    /// The declaration of what holds it, where that is shown.
    pub container: Option<String>,
    /// The better result that calls it; it was not found by itself then.
    pub called_by: Option<String>,
    /// How much of it is shown.
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

/// How much of a result is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Where it is.
    Location,
    /// And its declaration on one line.
    Signature,
    /// And its lines.
    Code(Code),
}

/// What to spend the budget on.
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
        self.remaining > 0 || !self.excerpts.iter().all(is_whole)
    }
}
