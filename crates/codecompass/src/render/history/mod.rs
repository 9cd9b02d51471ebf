//! Text of the answers about branches and commits.
