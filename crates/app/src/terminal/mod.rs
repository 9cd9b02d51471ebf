//! The terminal: everything that is printed goes through [`output`], progress through [`progress`].

pub mod output;
pub mod progress;
