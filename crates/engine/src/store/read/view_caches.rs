//! Facts and contents that stay in memory between the questions about a view. Versions of files
//! never change, and the next generation of a view has most of them, too.

use std::hash::Hash;
use std::sync::{Arc, Mutex};

use codecompass_syntax::facts::Import;
use codecompass_syntax::manifests::{ManifestFacts, ManifestProblem};
use codecompass_syntax::routes::{Framework, RouteFacts, TextConstant};

use crate::cache::{Recent, locked};
use crate::config::PathSet;
use crate::model::VersionId;
use crate::store::facts::definition_summary::DefinitionSummary;
use crate::store::facts::{Outline, Uses};
use crate::store::read::content_cache::ContentCache;
use crate::store::read::file_info::FileInfo;
use crate::store::trigrams::{LargeFileFilters, TrigramCache};

/// Outlines of so many bytes stay decoded, as many as some five thousand files have: with those of
/// all files, a tree as large as the Linux kernel would need gigabytes.
const OUTLINE_BYTES: usize = 128 << 20;
/// Names that files use, of so many bytes: of some three thousand files.
const USES_BYTES: usize = 128 << 20;
/// Summaries of so many bytes, of some five million definitions.
const SUMMARY_BYTES: usize = 64 << 20;
/// Imports of so many bytes, of some twenty thousand files.
const IMPORT_BYTES: usize = 32 << 20;
/// Routes of so many bytes, of some ten thousand files.
const ROUTE_BYTES: usize = 32 << 20;
/// Manifests that are remembered.
const MANIFESTS: usize = 20_000;
/// Files whose language and role are remembered.
const INFOS: usize = 100_000;

fn remembered<K: Copy + Eq + Hash, V: Clone>(most: usize) -> Arc<Mutex<Recent<K, V>>> {
    Arc::new(Mutex::new(Recent::new(most)))
}

/// A cache that snapshots of several generations share.
pub(super) type SharedCache<V> = Arc<Mutex<Recent<VersionId, V>>>;

/// The facts of a manifest, or the reason why it has none.
pub(crate) type VersionManifest = Result<ManifestFacts, ManifestProblem>;

/// Routes of a file version.
#[derive(Default)]
pub(crate) struct VersionRoutes {
    /// By framework that it may be written with.
    pub(crate) facts: Vec<(&'static Framework, RouteFacts)>,
    /// Constants that paths may be made of.
    pub(crate) constants: Vec<TextConstant>,
}

impl VersionRoutes {
    fn bytes(&self) -> usize {
        let facts = |facts: &RouteFacts| 64 * (facts.routers.len() + facts.passes.len()) + 256 * facts.routes.len();
        256 + self.facts.iter().map(|(_, one)| facts(one)).sum::<usize>() + 64 * self.constants.len()
    }
}

/// The caches of a view.
#[derive(Clone)]
pub(crate) struct ViewCaches {
    pub(super) outlines: SharedCache<Arc<Outline>>,
    pub(super) summaries: SharedCache<Arc<[DefinitionSummary]>>,
    pub(super) uses: SharedCache<Arc<Uses>>,
    pub(super) imports: SharedCache<Arc<[Import]>>,
    pub(super) infos: SharedCache<Arc<FileInfo>>,
    routes: SharedCache<Arc<VersionRoutes>>,
    manifests: SharedCache<Arc<VersionManifest>>,
    pub(super) contents: Arc<ContentCache>,
    pub(super) trigrams: Arc<TrigramCache>,
    pub(super) large_files: Arc<LargeFileFilters>,
    /// Files that count as generated, whatever was stored of them.
    pub(super) generated: PathSet,
}

impl ViewCaches {
    /// Empty caches; contents of files are kept only where a process answers many questions.
    pub(super) fn new(keeps_contents: bool, generated: PathSet) -> ViewCaches {
        ViewCaches {
            outlines: remembered(OUTLINE_BYTES),
            summaries: remembered(SUMMARY_BYTES),
            uses: remembered(USES_BYTES),
            imports: remembered(IMPORT_BYTES),
            infos: remembered(INFOS),
            routes: remembered(ROUTE_BYTES),
            manifests: remembered(MANIFESTS),
            contents: if keeps_contents { Arc::new(ContentCache::keeping()) } else { Arc::default() },
            trigrams: Arc::default(),
            large_files: if keeps_contents { Arc::new(LargeFileFilters::keeping()) } else { Arc::default() },
            generated,
        }
    }

    /// Returns the routes of a version, if they are known.
    pub(super) fn routes(&self, version: VersionId) -> Option<Arc<VersionRoutes>> {
        locked(&self.routes).get(&version)
    }

    /// Remembers the routes of a version.
    pub(super) fn keep_routes(&self, version: VersionId, routes: Arc<VersionRoutes>) {
        let bytes = routes.bytes();
        locked(&self.routes).insert(version, routes, bytes);
    }

    /// Returns what the manifest of a version says, if it is known.
    pub(super) fn manifest(&self, version: VersionId) -> Option<Arc<VersionManifest>> {
        locked(&self.manifests).get(&version)
    }

    /// Remembers what the manifest of a version says.
    pub(super) fn keep_manifest(&self, version: VersionId, manifest: Arc<VersionManifest>) {
        locked(&self.manifests).insert(version, manifest, 1);
    }
}
