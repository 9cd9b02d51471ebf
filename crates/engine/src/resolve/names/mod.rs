//! Resolution of bare and imported names.

pub(super) mod constant_scope;
pub(super) mod decorated_names;
pub(super) mod exports;
pub(super) mod global_imports;
pub(super) mod global_names;
pub(super) mod macro_items;
pub(super) mod modules;
pub(super) mod qualified_names;
pub(super) mod scope;
