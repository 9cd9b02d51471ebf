//! How results are ranked.

pub(super) mod features;
pub(super) mod score;
