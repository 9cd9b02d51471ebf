//! Text of the answers about the stores of this machine.

pub(crate) mod config;
pub(crate) mod gc;
pub(crate) mod remote;
pub(crate) mod savings;
pub(crate) mod state;
pub(crate) mod workspaces;
