//! Questions about commits.

pub(crate) mod commits;
