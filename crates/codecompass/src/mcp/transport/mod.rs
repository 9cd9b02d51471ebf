//! The ways that messages come and go.

pub(crate) mod http;
pub(crate) mod stdio;
