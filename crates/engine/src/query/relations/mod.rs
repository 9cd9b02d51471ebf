//! Relations between definitions and files: type hierarchy, imports, tests, similar code.

pub(super) mod cycles;
pub(super) mod deps;
pub(super) mod file_edge;
pub(super) mod folder_map;
pub(super) mod hierarchy;
pub(super) mod imports;
mod props;
pub(super) mod related;
pub(super) mod related_tests;
pub(super) mod similar;
pub(super) mod type_relations;
