//! Progress of long work and its cancellation: reported by the stages, heard by the caller.

/// A stage of long work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Another process, with this id, is writing.
    Waiting(u32),
    /// Reading and parsing files.
    Indexing,
    /// Making the new state visible.
    Publishing,
    /// Making vectors; `done` and `total` are search documents.
    Embedding,
    /// Reading commits and the paths that they changed; `done` and `total` are commits.
    History,
    /// Comparing the files that commits changed; `done` and `total` are commits.
    Changes,
    /// Packing or unpacking an archive; `done` and `total` are bytes.
    Copying,
}

/// Receives the progress of long work and may cancel it.
pub trait Progress: Sync {
    /// Reports that `done` of `total` files are stored, or bytes copied.
    fn report(&self, stage: Stage, done: usize, total: usize);

    /// Returns `true` to end the work with [`Error::Cancelled`](crate::error::Error::Cancelled),
    /// which leaves the published state as it was. Called often.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Ignores reports and never cancels.
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _: Stage, _: usize, _: usize) {}
}
