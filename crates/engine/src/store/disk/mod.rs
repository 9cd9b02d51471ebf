//! The files of a store: where they are, who may write them, and which clones share them.

pub(crate) mod layout;
pub(crate) mod sharing;
