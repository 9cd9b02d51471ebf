//! Questions about definitions: where they are, what a file holds, their source.

pub mod attributes;
pub mod find;
pub mod locate;
pub mod outline;
pub mod show;
