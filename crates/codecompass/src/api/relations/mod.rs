//! Questions about how symbols and files relate.
