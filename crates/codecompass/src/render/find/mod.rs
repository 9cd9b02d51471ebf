//! Text of the answers to questions in words.

pub(crate) mod search;
