//! Text of the answers about definitions.

pub mod attributes;
pub mod find;
pub mod locate;
pub mod outline;
mod outline_rows;
pub mod show;
