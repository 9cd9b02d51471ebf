//! Questions about files and folders themselves.

pub(crate) mod list;
pub(crate) mod paths;
mod ranges;
pub(crate) mod read;
