//! Texts of answers about commits.

pub(crate) mod commits;
pub(crate) mod symbol;
