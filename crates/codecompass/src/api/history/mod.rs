//! Questions about branches and commits.
