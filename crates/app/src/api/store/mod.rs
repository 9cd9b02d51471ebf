//! Commands about the stores of this machine. No tool asks them, so their answers have no metadata
//! and are never cut.

pub mod config;
pub mod gc;
pub mod remote;
pub mod savings;
pub mod state;
pub mod workspaces;
