//! The terminal: everything that is printed goes through [`output`], progress through [`progress`].

pub(crate) mod output;
pub(crate) mod progress;
