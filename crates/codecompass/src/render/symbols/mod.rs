//! Text of the answers about definitions.

pub(crate) mod locate;
pub(crate) mod outline;
pub(crate) mod show;
