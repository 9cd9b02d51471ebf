//! What readers see: snapshots, the live set they are restricted to, and their cache.

pub(crate) mod snapshot;
pub(crate) mod snapshot_cache;
