//! Questions about files and folders themselves.

pub mod list;
pub mod paths;
mod ranges;
pub mod read;
