//! Commands about the stores of this machine. No tool asks them, so their answers have no metadata
//! and are never cut.

pub(crate) mod config;
pub(crate) mod gc;
pub(crate) mod remote;
pub(crate) mod savings;
pub(crate) mod state;
pub(crate) mod workspaces;
