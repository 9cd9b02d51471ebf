//! The ways that messages come and go.

pub(crate) mod http;
pub(crate) mod stdio;

/// No message is longer.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
