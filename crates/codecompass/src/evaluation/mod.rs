//! Measures the ranking: questions with known answers (`suite`), how well a ranking answers one
//! (`score`), and what all of them add up to, now and compared with an earlier run (`report`). See
//! docs/evaluation.md.

pub(crate) mod doubt;
pub(crate) mod latency;
pub(crate) mod localisation;
pub(crate) mod report;
pub(crate) mod score;
pub(crate) mod suite;
pub(crate) mod token_cost;
