//! Questions about commits.

pub mod commits;
pub mod hot_spots;
pub mod symbol;
