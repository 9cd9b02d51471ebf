//! Questions about definitions: where they are, what a file holds, their source.

pub(crate) mod locate;
pub(crate) mod outline;
pub(crate) mod show;
