//! Text of the answers about definitions.

pub(crate) mod attributes;
pub(crate) mod find;
pub(crate) mod locate;
pub(crate) mod outline;
mod outline_rows;
pub(crate) mod show;
