//! The store's files on disk: layout, registry, sizes, and the search for damage.

pub(crate) mod integrity;
pub(crate) mod layout;
pub(crate) mod registry;
pub(crate) mod sharing;
pub(crate) mod stats;
