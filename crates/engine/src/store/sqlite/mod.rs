//! The part of the store that is in SQLite: views, manifests, symbols and the record of index runs.

pub(crate) mod connection;
pub(crate) mod connection_pool;
pub(crate) mod db;
pub(crate) mod jobs;
pub(crate) mod manifest;
pub(crate) mod manifest_copy;
pub(crate) mod meta;
pub(crate) mod symbols;
pub(crate) mod versions;
pub(crate) mod view;
