//! The numbers by which a reader sees whether its state is still the newest.

use crate::error::Result;
use crate::model::ViewId;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::meta;
use crate::store::sqlite::view::ViewRow;

/// Numbers that change whenever a writer changes something that readers of a view can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateFingerprint {
    view: ViewId,
    generation: i64,
    /// The number of times that views were dropped.
    view_epoch: i64,
    /// The number of times that gc has removed versions. Numbers of versions are not used again,
    /// but a collection takes facts away.
    pub(super) gc_epoch: i64,
    vector_file: i64,
    vector_rows: i64,
}

impl StateFingerprint {
    /// Reads the fingerprint of a view, whose row was read in the same transaction.
    pub(super) fn read(db: &Db, view: &ViewRow) -> Result<StateFingerprint> {
        Ok(StateFingerprint {
            view: view.id,
            generation: view.generation,
            view_epoch: meta::get(db, meta::VIEW_EPOCH)?,
            gc_epoch: meta::get(db, meta::GC_EPOCH)?,
            vector_file: meta::get(db, meta::VECTOR_FILE)?,
            vector_rows: meta::get(db, meta::VECTOR_ROWS)?,
        })
    }
}
