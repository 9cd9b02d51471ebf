//! Texts of questions about files and folders.

pub mod list;
pub mod read;
