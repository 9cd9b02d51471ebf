//! Questions that follow names from use to definition and back.

pub(crate) mod refs;
