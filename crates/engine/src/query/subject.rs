//! The symbol that an answer is about.

use crate::query::hit::Hit;

/// The symbol that a question is about, and what else its argument could mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The best meaning. Overloads that the argument means as well are among its other places.
    pub hit: Hit,
    /// Other definitions that the argument could mean, best first; at most 19.
    pub others: Vec<Hit>,
    /// The number of these definitions, listed or not.
    pub others_total: usize,
}
