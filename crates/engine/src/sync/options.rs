//! Options and report of a sync.

use crate::store::sqlite::view::ViewRow;

/// Options of a sync.
#[derive(Clone, Copy, Debug, Default)]
pub struct SyncOptions {
    /// Build a new store from nothing and then replace the old one.
    pub rebuild: bool,
    /// Make vectors that are missing even if the model is slow; those of a fast one are always
    /// made.
    pub embed: bool,
    /// If more than this has changed, leave the published state as it is and say so in the report.
    /// Where nothing is published yet, this does not count.
    pub at_most: Option<SyncLimit>,
}

/// The most that may have changed for a sync to be worth waiting for. Parsing costs most by far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncLimit {
    /// Files whose content the store does not have.
    pub parsed: usize,
    /// Files whose content it has, as after a checkout of a branch that was indexed before, and
    /// files that are gone.
    pub recognised: usize,
}

impl SyncLimit {
    /// The published state is never changed.
    pub const NOTHING: SyncLimit = SyncLimit { parsed: 0, recognised: 0 };
}

/// The result of a sync.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// The view's generation.
    pub generation: i64,
    /// Files of the view that have facts.
    pub files: usize,
    /// Definitions in them.
    pub symbols: usize,
    /// Contents parsed because they were never seen before.
    pub parsed: usize,
    /// Contents recognised without parsing.
    pub reused: usize,
    /// Paths that are no longer there.
    pub removed: usize,
    /// Paths that are new, gone, or have another content than before.
    pub changed: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// True if a new generation was published.
    pub published: bool,
    /// Vectors made after the files were stored.
    pub embedded: usize,
    /// Vectors that could not be made then, and why.
    pub unembedded: Option<(usize, String)>,
    /// True if files have changed that the snapshot does not know, because they are more than were
    /// allowed.
    pub is_stale: bool,
}

impl SyncReport {
    /// Returns the totals of a view, with nothing done.
    pub(super) fn of(view: &ViewRow) -> SyncReport {
        SyncReport {
            generation: view.generation,
            files: view.totals.files.max(0) as usize,
            symbols: view.totals.symbols.max(0) as usize,
            ..SyncReport::default()
        }
    }
}
