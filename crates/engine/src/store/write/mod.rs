//! The one writer: publishing, removal of versions, garbage collection.

pub(crate) mod checkpoint_schedule;
pub(crate) mod collect;
pub(crate) mod document_writer;
pub(crate) mod gc;
pub(crate) mod new_version;
mod path_table;
pub(crate) mod publish;
mod transaction;
mod vector_appender;
pub(crate) mod version_removal;
pub(crate) mod writer;
