//! Questions in words: search, and what is said about its ranking.

pub(crate) mod metadata;
pub(crate) mod search;
