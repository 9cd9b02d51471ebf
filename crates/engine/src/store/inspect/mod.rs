//! Stores from outside: the list of all, their sizes, and the search for damage.

pub(crate) mod integrity;
pub(crate) mod registry;
pub(crate) mod stats;
