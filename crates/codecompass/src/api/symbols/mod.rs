//! Questions about definitions: where they are, what a file holds, their source.

pub(crate) mod attributes;
pub(crate) mod find;
pub(crate) mod locate;
pub(crate) mod outline;
pub(crate) mod show;
