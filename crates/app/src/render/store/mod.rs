//! Text of the answers about the stores of this machine.

pub mod config;
pub mod gc;
pub mod remote;
pub mod savings;
pub mod state;
pub mod workspaces;
