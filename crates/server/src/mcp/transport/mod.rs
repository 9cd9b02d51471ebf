//! The ways that messages come and go.

pub(super) mod http;
pub(super) mod stdio;

/// No message is longer.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
