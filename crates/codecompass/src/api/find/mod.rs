//! Questions in words: search, code inside a token budget, what is said about the ranking, and what
//! to ask next.

pub(crate) mod context;
pub(crate) mod metadata;
pub(crate) mod search;
