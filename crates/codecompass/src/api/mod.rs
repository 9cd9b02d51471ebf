//! The questions that can be asked.

pub(crate) mod arguments;
mod bounded;
