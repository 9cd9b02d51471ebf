//! Questions about files and folders themselves: read them, list them, colour them, find them by a
//! part of their path.

pub(super) mod citations;
pub(super) mod current_text;
pub(super) mod list;
pub(super) mod paths;
pub(super) mod read;
