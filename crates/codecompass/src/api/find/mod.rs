//! Questions in words: search, code inside a token budget, what is said about the ranking, and what
//! to ask next.

pub(crate) mod analyze;
pub(crate) mod context;
pub(crate) mod explain;
pub(crate) mod grep;
pub(crate) mod metadata;
pub(crate) mod score_parts;
pub(crate) mod search;
pub(crate) mod suggest;
