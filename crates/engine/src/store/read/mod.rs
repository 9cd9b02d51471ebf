//! The reading side of the store: snapshots, the live set they are restricted to, and their cache.

pub(crate) mod content_cache;
pub(crate) mod file_info;
pub(crate) mod file_sizes;
pub(crate) mod fingerprint;
pub(crate) mod lookup;
pub(crate) mod open;
pub(crate) mod snapshot;
pub(crate) mod snapshot_cache;
pub(crate) mod stats;
pub(crate) mod view_caches;
