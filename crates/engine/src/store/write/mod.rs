//! The one writer: publishing, removal of versions, garbage collection.

pub(crate) mod checkpoint_schedule;
pub(crate) mod collect;
pub(crate) mod gc;
pub(crate) mod version_removal;
pub(crate) mod writer;
