//! Text of the answers that follow names.

pub(crate) mod refs;
