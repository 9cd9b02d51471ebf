//! Texts of answers about commits.

pub(crate) mod commits;
