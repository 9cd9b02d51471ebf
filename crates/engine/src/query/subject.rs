//! The symbol that an answer is about.

use crate::query::hit::Hit;

/// The symbol that a question is about, and what else its argument could mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The best meaning. Overloads that the argument means as well are among its other places.
    pub hit: Hit,
    /// Other definitions that the argument could mean and that the answer is not about, best first;
    /// at most 19.
    pub others: Vec<Hit>,
    /// The number of these definitions, listed or not.
    pub others_total: usize,
    /// All definitions that the answer is about, the best first, if there are several; or those to
    /// choose from.
    pub definitions: Vec<SubjectDefinition>,
    /// True if there are too many definitions to answer for: they are listed and nothing else.
    pub is_open: bool,
}

/// One of several definitions that a question is about.
#[derive(Clone, Debug, PartialEq)]
pub struct SubjectDefinition {
    /// The definition.
    pub hit: Hit,
    /// The number of uses that were resolved to it.
    pub uses: usize,
}

impl Subject {
    /// Returns the only meaning of an argument.
    pub(crate) fn only(hit: Hit) -> Subject {
        Subject { hit, others: Vec::new(), others_total: 0, definitions: Vec::new(), is_open: false }
    }
}
