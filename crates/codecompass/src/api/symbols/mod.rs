//! Questions about definitions: where they are, what a file holds, their source.

pub(crate) mod outline;
