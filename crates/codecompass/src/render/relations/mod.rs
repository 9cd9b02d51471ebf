//! Text of the answers about how symbols and files relate.
