//! The part of the store that is in SQLite: the database, its views, manifests and versions.

pub(crate) mod connection;
pub(crate) mod connection_pool;
pub(crate) mod db;
pub(crate) mod manifest;
pub(crate) mod manifest_copy;
pub(crate) mod meta;
pub(crate) mod versions;
pub(crate) mod view;
