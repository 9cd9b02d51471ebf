//! Edges of the import graph between files.

use crate::resolve::ImportTarget;

/// All that one file imports from one place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileEdge {
    pub to: ImportTarget,
    /// The module as written first.
    pub written: String,
    /// The first line that imports it.
    pub line: u32,
    /// The names that are imported, in the order of the source; empty when the module is imported
    /// as a whole.
    pub names: Vec<String>,
}
