//! Text of the answers about definitions.

pub(crate) mod outline;
