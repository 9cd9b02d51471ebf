//! Snapshots, which queries read: one view at one generation, immutable, whatever writers do
//! meanwhile.

use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLockReadGuard};

use codecompass_syntax::facts::{Import, Kind};
use fixedbitset::FixedBitSet;

use crate::cache::{Memo, locked};
use crate::error::Result;
use crate::model::{ContentId, OversizedFile, Role, VersionId, ViewKey};
use crate::parallel;
use crate::store::facts::definition_summary::DefinitionSummary;
use crate::store::facts::live_set::LiveSet;
use crate::store::facts::shared_items::{self, ItemList};
use crate::store::facts::symbols::{self, SymbolRow};
use crate::store::facts::{self, Outline, StoredFacts, Uses};
use crate::store::read::content_cache::ContentCache;
use crate::store::read::file_info::FileInfo;
use crate::store::read::fingerprint::StateFingerprint;
use crate::store::read::view_caches::{VersionManifest, VersionRoutes, ViewCaches};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::manifest_copy::ManifestId;
use crate::store::sqlite::view::{self, ViewRow};
use crate::store::sqlite::{db, meta, versions};
use crate::store::text::bm25f::{Scored, TextHit, TextStatistics};
use crate::store::text::index::{TextIndex, TextReader};
use crate::store::trigrams::{LargeFileFilters, TrigramTable};
use crate::store::vectors::{DocumentSet, Header, VectorHit, VectorLimits, VectorReader};
use crate::tokenize;

/// Files whose facts are decoded before the next are read.
const DECODED_TOGETHER: usize = 256;

/// One view at one generation.
pub struct Snapshot {
    // Holds a read transaction open, so every later query sees the same state.
    pub(super) db: Db,
    pub(super) state: Arc<ViewState>,
}

/// The state of a view at one generation; shared by all snapshots of it.
pub(crate) struct ViewState {
    /// The data folder it was read from; generations of different folders have nothing to do with
    /// each other.
    pub(super) data: PathBuf,
    pub(super) key: ViewKey,
    pub(super) index: TextIndex,
    pub(super) text: TextReader,
    pub(super) view: ViewRow,
    /// The number of times that views had been dropped; see [`meta::VIEW_EPOCH`].
    pub(super) view_epoch: i64,
    pub(super) fingerprint: StateFingerprint,
    /// Sorted by path.
    pub(super) files: Vec<(String, VersionId)>,
    /// Index into `files` + 1 by version number; 0 for versions outside the view.
    pub(super) by_version: Vec<u32>,
    pub(super) versions: FixedBitSet,
    /// Read when first asked for.
    pub(super) live: OnceLock<LiveSet>,
    pub(super) vectors: OnceLock<Option<VectorReader>>,
    pub(super) caches: ViewCaches,
    /// Findings of questions about this very state; see [`Snapshot::kept`].
    pub(super) kept: Mutex<Kept>,
    /// See [`Snapshot::memo`].
    pub(super) memo: Memo,
}

/// Something that is kept between questions.
pub(crate) type Kept = Option<Box<dyn Any + Send>>;

impl Snapshot {
    /// Another reader of the same state; `None` when the store has gone on since.
    pub(crate) fn of(state: &Arc<ViewState>) -> Result<Option<Snapshot>> {
        let db = db::open_for_reading(&state.data)?;
        db.execute_batch("BEGIN")?;
        let Some(view) = view::find(&db, &state.key)? else { return Ok(None) };
        let is_same = StateFingerprint::read(&db, &view)? == state.fingerprint;
        Ok(is_same.then(|| Snapshot { db, state: Arc::clone(state) }))
    }

    /// Ends the reading, and leaves the connection for another.
    pub(crate) fn into_connection(self) -> Result<Db> {
        self.db.execute_batch("ROLLBACK")?;
        Ok(self.db)
    }

    /// Returns the id of the view's manifest.
    pub(crate) fn manifest_id(&self) -> ManifestId {
        ManifestId::new(&self.state.data, &self.state.view, self.state.view_epoch)
    }

    /// Returns the row of the view.
    pub(crate) fn view(&self) -> &ViewRow {
        &self.state.view
    }

    /// Returns the data folder that is read; generations of different folders have nothing to do
    /// with each other.
    pub(crate) fn data(&self) -> &Path {
        &self.state.data
    }

    /// Returns the key of the view.
    pub(crate) fn key(&self) -> &ViewKey {
        &self.state.key
    }

    /// Returns the state, which other snapshots can share.
    pub(crate) fn state(&self) -> &Arc<ViewState> {
        &self.state
    }

    /// All files of the view, sorted by path; files without facts among them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.state.files.iter().map(|(path, _)| path.as_str())
    }

    /// Path and version of every file, in the order of paths.
    pub(crate) fn files(&self) -> &[(String, VersionId)] {
        &self.state.files
    }

    /// Files that are too large to be indexed and so are no part of the view, sorted by path.
    pub fn oversized_paths(&self) -> impl Iterator<Item = &str> {
        self.oversized().iter().map(|file| file.path.as_str())
    }

    /// Files that are too large to be indexed, with their contents where they are known.
    pub(crate) fn oversized(&self) -> &[OversizedFile] {
        &self.state.view.oversized
    }

    /// The version that the view has at `path`.
    pub(crate) fn version_at(&self, path: &str) -> Option<VersionId> {
        let at = self.state.files.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        Some(self.state.files[at].1)
    }

    /// Returns whether the view has files below a folder.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        let at = self.state.files.partition_point(|(known, _)| known.as_str() < inside.as_str());
        self.state.files.get(at).is_some_and(|(path, _)| path.starts_with(&inside))
    }

    /// Path and version of every file below a folder, in the order of paths; the empty path is the
    /// root.
    pub(crate) fn files_below(&self, folder: &str) -> &[(String, VersionId)] {
        if folder.is_empty() {
            return &self.state.files;
        }
        let inside = format!("{folder}/");
        let start = self.state.files.partition_point(|(known, _)| known.as_str() < inside.as_str());
        let behind = &self.state.files[start..];
        &behind[..behind.partition_point(|(known, _)| known.starts_with(&inside))]
    }

    /// The path of a version in this view.
    pub(crate) fn path_of(&self, version: VersionId) -> Option<&str> {
        self.position(version).map(|at| self.state.files[at].0.as_str())
    }

    /// Returns the index of a version in the order of paths.
    pub(crate) fn position(&self, version: VersionId) -> Option<usize> {
        (*self.state.by_version.get(version.0 as usize)? as usize).checked_sub(1)
    }

    /// Returns whether the view holds the version.
    pub(crate) fn is_live(&self, version: VersionId) -> bool {
        self.state.versions.contains(version.0 as usize)
    }

    /// The definitions, imports and chunks of a version.
    pub(crate) fn outline(&self, version: VersionId) -> Result<Arc<Outline>> {
        if let Some(outline) = locked(&self.state.caches.outlines).get(&version) {
            return Ok(outline);
        }
        let outline = Arc::new(facts::outline(&self.db, version)?);
        locked(&self.state.caches.outlines).insert(version, Arc::clone(&outline), outline.bytes());
        Ok(outline)
    }

    /// The attributes of a version's definitions that take no text, in their order.
    pub(crate) fn summaries(&self, version: VersionId) -> Result<Arc<[DefinitionSummary]>> {
        if let Some(summaries) = locked(&self.state.caches.summaries).get(&version) {
            return Ok(summaries);
        }
        let outline = self.outline(version)?;
        let summaries: Arc<[DefinitionSummary]> = outline.definitions.iter().map(DefinitionSummary::of).collect();
        let bytes = size_of_val(&*summaries) + size_of::<VersionId>();
        locked(&self.state.caches.summaries).insert(version, Arc::clone(&summaries), bytes);
        Ok(summaries)
    }

    /// The imports of a version, for who wants nothing else of it: the rest of its outline is not
    /// remembered.
    pub(crate) fn imports(&self, version: VersionId) -> Result<Arc<[Import]>> {
        if let Some(imports) = locked(&self.state.caches.imports).get(&version) {
            return Ok(imports);
        }
        let imports: Arc<[Import]> = match locked(&self.state.caches.outlines).get(&version) {
            Some(outline) => outline.imports.as_slice().into(),
            None => facts::imports(&self.db, version)?.into(),
        };
        let texts = |import: &Import| import.module.len() + import.name.as_ref().map_or(0, String::len);
        let bytes = size_of_val(&*imports) + size_of::<VersionId>() + imports.iter().map(texts).sum::<usize>();
        locked(&self.state.caches.imports).insert(version, Arc::clone(&imports), bytes);
        Ok(imports)
    }

    /// The names that a version uses.
    pub(crate) fn uses(&self, version: VersionId) -> Result<Arc<Uses>> {
        if let Some(uses) = locked(&self.state.caches.uses).get(&version) {
            return Ok(uses);
        }
        let uses = Arc::new(facts::uses(&self.db, version)?);
        locked(&self.state.caches.uses).insert(version, Arc::clone(&uses), uses.bytes());
        Ok(uses)
    }

    /// Decodes the facts of those versions that are not in memory, in parallel. What cannot be
    /// decoded is left to who asks for it.
    pub(crate) fn decode_ahead(&self, versions: &[VersionId]) -> Result<()> {
        let caches = &self.state.caches;
        let is_missing = |version: &&VersionId| locked(&caches.uses).get(*version).is_none();
        let missing: Vec<VersionId> = versions.iter().filter(is_missing).copied().collect();
        for batch in missing.chunks(DECODED_TOGETHER) {
            let stored = batch.iter().map(|version| StoredFacts::read(&self.db, *version));
            let stored: Vec<StoredFacts> = stored.collect::<Result<_>>()?;
            let decoded = parallel::map(&stored, || (), |(), stored| stored.decode());
            for (version, (outline, uses)) in batch.iter().zip(decoded).filter_map(|(at, facts)| Some((at, facts?))) {
                let (outline_bytes, uses_bytes) = (outline.bytes(), uses.bytes());
                locked(&caches.outlines).insert(*version, Arc::new(outline), outline_bytes);
                locked(&caches.uses).insert(*version, Arc::new(uses), uses_bytes);
            }
        }
        Ok(())
    }

    /// Returns what questions found about this state of the view and left for the next, if the
    /// process answers many.
    pub(crate) fn kept(&self) -> Option<MutexGuard<'_, Kept>> {
        self.state.caches.contents.is_keeping().then(|| locked(&self.state.kept))
    }

    /// Returns what a version says about routes, if it was read before.
    pub(crate) fn routes(&self, version: VersionId) -> Option<Arc<VersionRoutes>> {
        self.state.caches.routes(version)
    }

    /// Keeps what a version says about routes.
    pub(crate) fn keep_routes(&self, version: VersionId, routes: Arc<VersionRoutes>) {
        self.state.caches.keep_routes(version, routes);
    }

    /// Returns what the manifest of a version says, if it was read before.
    pub(crate) fn manifest(&self, version: VersionId) -> Option<Arc<VersionManifest>> {
        self.state.caches.manifest(version)
    }

    /// Keeps what the manifest of a version says.
    pub(crate) fn keep_manifest(&self, version: VersionId, manifest: Arc<VersionManifest>) {
        self.state.caches.keep_manifest(version, manifest);
    }

    /// Returns what is made of this very state once, and shared by all questions.
    pub(crate) fn memo(&self) -> &Memo {
        &self.state.memo
    }

    /// Contents that stay in memory between questions.
    pub(crate) fn content_cache(&self) -> &ContentCache {
        &self.state.caches.contents
    }

    /// Filters of files that are too large to be indexed.
    pub(crate) fn large_files(&self) -> &LargeFileFilters {
        &self.state.caches.large_files
    }

    /// Versions of this view whose text has `name` as a word, in the order of paths; a few others
    /// may be among them. `None` when the index does not know words like this one.
    pub(crate) fn versions_with_word(&self, name: &str) -> Result<Option<Vec<VersionId>>> {
        let Some(term) = tokenize::terms(name).pop() else { return Ok(None) };
        let found = self.state.text.versions_with(&term, &self.live()?.documents)?;
        let mut versions: Vec<VersionId> = found.into_iter().collect();
        versions.sort_unstable_by_key(|version| self.position(*version));
        Ok(Some(versions))
    }

    /// Versions of this view whose text has `word` in any mix of upper and lower case; a few others
    /// may be among them. `None` when the index does not know words like this one.
    pub(crate) fn versions_with_word_in_any_case(&self, word: &str) -> Result<Option<BTreeSet<VersionId>>> {
        let mut versions: Option<BTreeSet<VersionId>> = None;
        for term in tokenize::terms_in_any_case(word) {
            let found = self.state.text.versions_with(&term, &self.live()?.documents)?;
            versions.get_or_insert_default().extend(found);
        }
        Ok(versions)
    }

    /// Filters that tell which versions cannot match a text; empty in a small tree.
    pub(crate) fn trigrams(&self) -> Result<RwLockReadGuard<'_, TrigramTable>> {
        self.state.caches.trigrams.up_to_date(&self.db)
    }

    /// Language, role and skip reason of a version.
    pub(crate) fn file_info(&self, version: VersionId) -> Result<Arc<FileInfo>> {
        if let Some(info) = locked(&self.state.caches.infos).get(&version) {
            return Ok(info);
        }
        let mut info = FileInfo::read(&self.db, version)?;
        if self.path_of(version).is_some_and(|path| self.counts_as_generated(path)) {
            info.role = Role::Generated;
        }
        let info = Arc::new(info);
        locked(&self.state.caches.infos).insert(version, Arc::clone(&info), 1);
        Ok(info)
    }

    /// Returns whether a program wrote the file at a path: a setting says so, or the template that
    /// makes it stands beside it.
    pub(crate) fn counts_as_generated(&self, path: &str) -> bool {
        let template = || path.rsplit_once('.').map(|(stem, _)| format!("{stem}.tt")).filter(|other| other != path);
        self.state.caches.generated.matches(path) || template().is_some_and(|path| self.version_at(&path).is_some())
    }

    /// Definitions of this view called `name` in any case, in the order of paths.
    pub(crate) fn symbols_named(&self, name: &str) -> Result<Vec<SymbolRow>> {
        let mut rows = self.blocks_and_symbols_named(name)?;
        rows.retain(|row| row.kind != Kind::Impl);
        Ok(rows)
    }

    /// Definitions of this view called `name` in any case, and blocks that add members to a type of
    /// that name, in the order of paths.
    pub(crate) fn blocks_and_symbols_named(&self, name: &str) -> Result<Vec<SymbolRow>> {
        let live = self.live()?;
        let mut rows = symbols::named(&self.db, name, &|item| live.definition(item))?;
        self.sort(&mut rows);
        Ok(rows)
    }

    /// Definitions of this view whose name starts with `prefix` in any case, by name, at most
    /// `limit`.
    pub(crate) fn symbols_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<SymbolRow>> {
        let live = self.live()?;
        let mut rows = symbols::with_prefix(&self.db, prefix, limit, &|item| live.definition(item))?;
        rows.retain(|row| row.kind != Kind::Impl);
        self.sort(&mut rows);
        Ok(rows)
    }

    /// Lower-case names within `distance` edits of `name`, some perhaps not in this view.
    pub(crate) fn similar_names(&self, name: &str, distance: u8) -> Result<Vec<String>> {
        self.state.text.similar_symbols(&name.to_lowercase(), distance)
    }

    /// The `limit` best chunks of this view that hold any of `terms`, best first; equal scores in
    /// the order of paths.
    pub(crate) fn search_text(&self, terms: &[(String, f32)], limit: usize) -> Result<Vec<TextHit>> {
        Ok(self.best_of(&self.score_text(terms)?, limit))
    }

    /// All chunks of this view that hold any of `terms`.
    pub(crate) fn score_text(&self, terms: &[(String, f32)]) -> Result<Scored<'_>> {
        let chunks = self.state.view.totals.chunks.max(0) as u64;
        self.score_text_by(terms, TextStatistics { chunks, frequencies: None })
    }

    /// All chunks of this view that hold any of `terms`, where rarity is measured by `statistics`.
    pub(crate) fn score_text_by(&self, terms: &[(String, f32)], statistics: TextStatistics<'_>) -> Result<Scored<'_>> {
        self.state.text.score(terms, &self.live()?.documents, statistics)
    }

    /// The number of chunks of this view that hold each of `terms`.
    pub(crate) fn document_frequencies(&self, terms: &[(String, f32)]) -> Result<Vec<u64>> {
        self.state.text.document_frequencies(terms, &self.live()?.documents)
    }

    /// The `limit` best of them, best first; equal scores in the order of paths.
    pub(crate) fn best_of(&self, scored: &Scored<'_>, limit: usize) -> Vec<TextHit> {
        let mut hits = scored.best(limit);
        self.best_first(&mut hits);
        hits.truncate(limit);
        hits
    }

    /// Sorts by score; equal ones in the order of paths.
    pub(crate) fn best_first(&self, hits: &mut [TextHit]) {
        let place = |hit: &TextHit| (self.position(hit.version), hit.chunk);
        hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
    }

    /// The documents of this view that mean most nearly what `query` means, unsorted, and those
    /// that are wanted; `None` when there are no vectors of that model.
    pub(crate) fn search_vectors(
        &self,
        model: Header,
        query: &[f32],
        limits: VectorLimits,
        wanted: &DocumentSet,
    ) -> Result<Option<Vec<VectorHit>>> {
        let Some(vectors) = self.vectors()?.filter(|vectors| vectors.header == model) else { return Ok(None) };
        let documents = self.state.view.totals.chunks.max(0) as usize;
        Ok(Some(vectors.search(query, &self.live()?.documents, documents, limits, wanted)))
    }

    /// The documents of this view that are nearest to the given ones, by the vectors of the store;
    /// unsorted. Empty when the store has no vectors of them.
    pub(crate) fn nearest_documents(&self, to: &DocumentSet, limit: usize) -> Result<Vec<VectorHit>> {
        let Some(vectors) = self.vectors()? else { return Ok(Vec::new()) };
        let live = &self.live()?.documents;
        let Some(mut sum) = vectors.sum_of(live, to) else { return Ok(Vec::new()) };
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length == 0.0 {
            return Ok(Vec::new());
        }
        sum.iter_mut().for_each(|x| *x /= length);
        let documents = self.state.view.totals.chunks.max(0) as usize;
        Ok(vectors.search(&sum, live, documents, limit, &DocumentSet::default()))
    }

    /// Returns whether the store has vectors of that model.
    pub(crate) fn has_vectors_of(&self, model: Header) -> Result<bool> {
        Ok(self.vectors()?.is_some_and(|vectors| vectors.header == model))
    }

    /// The vectors of the store, if there are any.
    pub(crate) fn vectors(&self) -> Result<Option<&VectorReader>> {
        if let Some(vectors) = self.state.vectors.get() {
            return Ok(vectors.as_ref());
        }
        let (file, rows) = (meta::get(&self.db, meta::VECTOR_FILE)?, meta::get(&self.db, meta::VECTOR_ROWS)?);
        Ok(self.state.vectors.get_or_init(|| VectorReader::open(&self.state.data, file, rows)).as_ref())
    }

    /// The search documents of a version, in order.
    pub(crate) fn documents_of(&self, version: VersionId) -> Result<ItemList> {
        let shared = shared_items::shared(&self.db, version)?;
        let own = || -> Result<ItemList> {
            let sql = "SELECT chunk_count FROM file_version WHERE version_id = ?1";
            let count: i64 = self.db.prepare(sql)?.query_row([version.0], |row| row.get(0))?;
            Ok(ItemList::own(version, count.max(0) as usize))
        };
        shared.map_or_else(own, |shared| Ok(shared.documents))
    }

    /// The version of a content at a path, if the store has it, in whatever view; its size tells
    /// whether filters changed it on disk.
    pub(crate) fn known_version(&self, path: &str, content: &ContentId) -> Result<Option<(VersionId, u64)>> {
        versions::find(&self.db, path, content)
    }

    /// Path, version and content id of every file, in the order of paths.
    pub(crate) fn contents(&self) -> Result<Vec<(String, VersionId, Vec<u8>)>> {
        let mut statement = self.db.prepare("SELECT content_id FROM file_version WHERE version_id = ?1")?;
        let mut contents = Vec::with_capacity(self.state.files.len());
        for (path, version) in &self.state.files {
            contents.push((path.clone(), *version, statement.query_row([version.0], |row| row.get(0))?));
        }
        Ok(contents)
    }

    /// Returns the positions of the store's items in this view.
    pub(super) fn live(&self) -> Result<&LiveSet> {
        if let Some(live) = self.state.live.get() {
            return Ok(live);
        }
        let live = LiveSet::load(&self.db, &self.state.versions)?;
        Ok(self.state.live.get_or_init(|| live))
    }

    fn sort(&self, rows: &mut [SymbolRow]) {
        rows.sort_by(|a, b| {
            let place = |row: &SymbolRow| (self.position(row.version), row.ordinal);
            a.name.cmp(&b.name).then_with(|| place(a).cmp(&place(b)))
        });
    }
}
