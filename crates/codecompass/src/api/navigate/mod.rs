//! Questions that follow names from use to definition and back.

pub(crate) mod accounting;
pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod comparison;
pub(crate) mod diff;
pub(crate) mod endpoints;
pub(crate) mod graph;
pub(crate) mod impact;
pub(crate) mod refs;
pub(crate) mod services;
pub(crate) mod trace;
