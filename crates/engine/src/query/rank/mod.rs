//! Ranking of results; `crate::weights` has the numbers.

pub(super) mod features;
pub(super) mod profile;
pub(super) mod score;
