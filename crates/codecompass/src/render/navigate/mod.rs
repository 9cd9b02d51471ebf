//! Text of the answers that follow names.

pub(crate) mod calls;
mod graph;
pub(crate) mod refs;
pub(crate) mod trace;
