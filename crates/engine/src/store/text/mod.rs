//! The full-text index: Tantivy for postings, scores of our own.

pub(crate) mod bm25f;
pub(crate) mod durability;
pub(crate) mod index;
pub(crate) mod no_fsync_directory;
pub(crate) mod segment_append;
mod slots;
