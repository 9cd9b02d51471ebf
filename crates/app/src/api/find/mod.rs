//! Questions in words: search, code inside a token budget, what is said about the ranking, and what
//! to ask next.

pub mod analyze;
pub mod context;
pub mod explain;
pub mod grep;
pub mod metadata;
pub mod score_parts;
pub mod search;
pub mod suggest;
