//! Text of the answers that follow names.

pub mod account;
pub mod calls;
pub mod compare;
pub mod diff;
pub mod endpoints;
mod followed;
mod graph;
pub mod impact;
pub mod refs;
mod rename;
pub mod services;
pub mod steps;
pub mod trace;
