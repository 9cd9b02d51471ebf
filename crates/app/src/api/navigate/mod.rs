//! Questions that follow names from use to definition and back.

pub mod accounting;
pub mod calls;
pub mod compare;
pub mod comparison;
pub mod diff;
pub mod endpoints;
pub mod followed;
pub mod graph;
pub mod impact;
pub mod refs;
pub mod rename;
pub mod services;
pub mod steps;
pub mod trace;
