//! Questions that follow names from use to definition and back.

pub(crate) mod calls;
pub(crate) mod graph;
pub(crate) mod refs;
pub(crate) mod trace;
