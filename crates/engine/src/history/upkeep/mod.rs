//! The stored history made ahead of questions, and freed from what no ref reaches.

pub(super) mod build;
pub(super) mod collect;
