//! Turns the text of one file into what the store keeps of it.

pub(crate) mod document;
