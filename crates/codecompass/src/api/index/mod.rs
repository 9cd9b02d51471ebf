//! Questions about the index itself.
