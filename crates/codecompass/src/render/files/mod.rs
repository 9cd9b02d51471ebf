//! Texts of questions about files and folders.

pub(crate) mod list;
pub(crate) mod read;
