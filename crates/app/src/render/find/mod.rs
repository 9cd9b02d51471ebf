//! Text of the answers to questions in words.

pub mod analyze;
pub mod context;
pub mod explain;
pub mod grep;
pub mod search;
pub mod suggest;
