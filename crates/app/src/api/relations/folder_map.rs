//! The part of `deps` that maps a folder: what stands directly below it, and who imports whom.

use codecompass_engine::query::{FolderEdge, FolderMap, FolderNode};
use serde::Serialize;

use crate::api::part::parts;
use crate::api::relations::projects::ManifestPlace;

/// The entries directly below a folder, and their imports of each other.
#[derive(Clone, Debug, Serialize)]
pub struct FolderMapView {
    pub nodes: Vec<FolderNodeView>,
    pub edges: Vec<FolderEdgeView>,
    /// True if there are so many files that not all imports were looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}
parts!(FolderMapView { nodes, edges });

/// A folder or file.
#[derive(Clone, Debug, Serialize)]
pub struct FolderNodeView {
    pub path: String,
    pub is_folder: bool,
    pub files: usize,
}
parts!(FolderNodeView { path });

/// Imports of one of them by another.
#[derive(Clone, Debug, Serialize)]
pub struct FolderEdgeView {
    pub from: String,
    pub to: String,
    /// The number of files that import something of it.
    pub files: usize,
    /// The first import.
    pub first: ManifestPlace,
    /// True if imports lead back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_circular: bool,
}
parts!(FolderEdgeView { from, to, first });

impl From<FolderMap> for FolderMapView {
    fn from(map: FolderMap) -> FolderMapView {
        let node = |FolderNode { path, is_folder, files }| FolderNodeView { path, is_folder, files };
        let edge = |FolderEdge { from, to, files, first: (path, line), is_circular }| FolderEdgeView {
            from,
            to,
            files,
            first: ManifestPlace { path, line },
            is_circular,
        };
        FolderMapView {
            nodes: map.nodes.into_iter().map(node).collect(),
            edges: map.edges.into_iter().map(edge).collect(),
            is_cut: map.is_cut,
        }
    }
}
