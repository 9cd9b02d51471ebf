//! Questions about how symbols and files stand to each other.

pub mod deps;
pub mod folder_map;
pub mod hierarchy;
pub mod overview;
pub mod projects;
pub mod related;
pub mod similar;
