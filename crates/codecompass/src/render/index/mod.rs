//! Text of the answers about the index itself.
