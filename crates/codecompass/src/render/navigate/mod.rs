//! Text of the answers that follow names.

pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod endpoints;
mod graph;
pub(crate) mod impact;
pub(crate) mod refs;
pub(crate) mod services;
pub(crate) mod trace;
