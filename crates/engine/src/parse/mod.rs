//! Turns the text of one file into what the store keeps of it.

pub(crate) mod arity;
pub(crate) mod document;
pub(crate) mod signature;
