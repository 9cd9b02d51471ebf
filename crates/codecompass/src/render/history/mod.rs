//! Texts of answers about commits.

pub(crate) mod commits;
pub(crate) mod hot_spots;
pub(crate) mod symbol;
