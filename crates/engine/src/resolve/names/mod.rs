//! What a bare or imported name means.

pub(super) mod global_names;
pub(super) mod modules;
pub(super) mod scope;
