//! Questions about how symbols and files stand to each other.

pub(crate) mod deps;
pub(crate) mod folder_map;
pub(crate) mod hierarchy;
pub(crate) mod overview;
pub(crate) mod projects;
pub(crate) mod related;
pub(crate) mod similar;
