//! Text of the answers to questions in words.

pub(crate) mod analyze;
pub(crate) mod context;
pub(crate) mod explain;
pub(crate) mod grep;
pub(crate) mod search;
pub(crate) mod suggest;
