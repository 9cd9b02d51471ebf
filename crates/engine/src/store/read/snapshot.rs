//! What queries see: one view at one generation, immutable, whatever writers do meanwhile.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use codecompass_syntax::facts::{Import, Kind};
use fixedbitset::FixedBitSet;
use rusqlite::Connection;
use rustc_hash::FxHashMap;

use crate::cache::Recent;
use crate::error::{Error, Result};
use crate::model::{ContentId, Role, VersionId, ViewKey};
use crate::query::LanguageCount;
use crate::store::Store;
use crate::store::disk::layout;
use crate::store::facts::previous_versions::{GONE, read_hashes};
use crate::store::facts::shared_items::{self, ItemList};
use crate::store::facts::{self, Outline, Uses};
use crate::store::read::live_set::Live;
use crate::store::sqlite::db;
use crate::store::sqlite::manifest::{self, KnownManifest, Manifest, Of};
use crate::store::sqlite::symbols::{self, SymbolRow};
use crate::store::sqlite::view::{self, ViewRow};
use crate::store::text::bm25f::{Scored, TextHit};
use crate::store::text::index::{self, TextIndex, TextReader};
use crate::store::vectors::{self, Header, VectorHit, VectorLimits, VectorReader, Wanted};
use crate::store::write::{gc, writer};
use crate::tokenize;

/// One view at one generation.
pub struct Snapshot {
    // Holds a read transaction open, so every later query sees the same state.
    db: Connection,
    state: Arc<State>,
}

/// What is known of a view at one generation; shared by all who read it at the same time.
pub struct State {
    /// The data folder it was read from; generations of different folders have nothing to do with each other.
    pub(crate) data: PathBuf,
    pub(crate) key: ViewKey,
    index: TextIndex,
    text: TextReader,
    pub(crate) view: ViewRow,
    /// How often views had been dropped; see [`gc::VIEW_EPOCH`].
    pub(crate) view_epoch: i64,
    marks: Marks,
    /// Sorted by path.
    files: Vec<(String, VersionId)>,
    /// Index into `files` + 1 by version number; 0 for versions outside the view.
    by_version: Vec<u32>,
    versions: FixedBitSet,
    /// Read when first asked for.
    live: OnceLock<Live>,
    vectors: OnceLock<Option<VectorReader>>,
    /// Of versions, which never change: the next generation has most of them, too.
    outlines: Arc<Mutex<Recent<VersionId, Arc<Outline>>>>,
    infos: Arc<Mutex<Recent<VersionId, Arc<FileInfo>>>>,
}

impl std::ops::Deref for Snapshot {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

/// What changes whenever a writer changes something that readers of a view can see.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Marks([i64; 6]);

impl Marks {
    fn read(db: &Connection, view: &ViewRow) -> Result<Marks> {
        let meta = |name| db::meta(db, name);
        let (vector_file, vector_rows) = (meta(vectors::FILE)?, meta(vectors::ROWS)?);
        let (views, versions) = (meta(gc::VIEW_EPOCH)?, meta(writer::GC_EPOCH)?);
        Ok(Marks([view.id.0, view.generation, views, versions, vector_file, vector_rows]))
    }

    /// How often gc has removed versions.
    fn collections(&self) -> i64 {
        self.0[3]
    }
}

/// What is known of a file without opening its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileInfo {
    pub language: Option<String>,
    pub role: Role,
    pub skip: Option<String>,
    pub content_id: Vec<u8>,
}

impl Snapshot {
    /// Opens the last published state of a view; `None` when there is none.
    pub(crate) fn open(store: &Store, key: &ViewKey) -> Result<Option<Snapshot>> {
        Ok(open_with_manifest(store, key)?.map(|(snapshot, _)| snapshot))
    }

    /// Another reader of the same state; `None` when the store has gone on since.
    pub(crate) fn of(state: &Arc<State>) -> Result<Option<Snapshot>> {
        let db = db::open_for_reading(&state.data)?;
        db.execute_batch("BEGIN")?;
        let Some(view) = view::find(&db, &state.key)? else { return Ok(None) };
        let is_same = Marks::read(&db, &view)? == state.marks;
        Ok(is_same.then(|| Snapshot { db, state: Arc::clone(state) }))
    }

    /// Ends the reading, and leaves the connection for another.
    pub(crate) fn into_connection(self) -> Result<Connection> {
        self.db.execute_batch("ROLLBACK")?;
        Ok(self.db)
    }

    /// What its manifest is of.
    pub(crate) fn manifest_is_of(&self) -> Of {
        of(&self.data, &self.view, self.view_epoch)
    }

    /// What others can read, too.
    pub(crate) fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// All files of the view, sorted by path; files without facts among them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// Path and version of every file, in the order of paths.
    pub(crate) fn files(&self) -> &[(String, VersionId)] {
        &self.files
    }

    /// The version that the view has at `path`.
    pub(crate) fn version_at(&self, path: &str) -> Option<VersionId> {
        let at = self.files.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        Some(self.files[at].1)
    }

    /// Whether the view has files below a folder.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        let inside = format!("{folder}/");
        let at = self.files.partition_point(|(known, _)| known.as_str() < inside.as_str());
        self.files.get(at).is_some_and(|(path, _)| path.starts_with(&inside))
    }

    /// The path of a version in this view.
    pub(crate) fn path_of(&self, version: VersionId) -> Option<&str> {
        self.position(version).map(|at| self.files[at].0.as_str())
    }

    /// Where a version stands in the order of paths.
    pub(crate) fn position(&self, version: VersionId) -> Option<usize> {
        (*self.by_version.get(version.0 as usize)? as usize).checked_sub(1)
    }

    /// Whether the view holds the version.
    pub(crate) fn is_live(&self, version: VersionId) -> bool {
        self.versions.contains(version.0 as usize)
    }

    /// The definitions, imports and chunks of a version.
    pub(crate) fn outline(&self, version: VersionId) -> Result<Arc<Outline>> {
        if let Some(outline) = locked(&self.outlines).get(&version) {
            return Ok(outline);
        }
        let outline = Arc::new(facts::outline(&self.db, version)?);
        locked(&self.outlines).insert(version, Arc::clone(&outline), outline.bytes());
        Ok(outline)
    }

    /// The imports of a version, for who wants nothing else of it: the rest of its outline is not remembered.
    pub(crate) fn imports(&self, version: VersionId) -> Result<Vec<Import>> {
        if let Some(outline) = locked(&self.outlines).get(&version) {
            return Ok(outline.imports.clone());
        }
        facts::imports(&self.db, version)
    }

    /// The names that a version uses.
    pub(crate) fn uses(&self, version: VersionId) -> Result<Arc<Uses>> {
        Ok(Arc::new(facts::uses(&self.db, version)?))
    }

    /// Versions of this view whose text has `name` as a word, in the order of paths; a few others may be among them. `None`
    /// when the index does not know words like this one.
    pub(crate) fn versions_with_word(&self, name: &str) -> Result<Option<Vec<VersionId>>> {
        let Some(term) = tokenize::terms(name).pop() else { return Ok(None) };
        let found = self.text.versions_with(&term, &self.live()?.documents)?;
        let mut versions: Vec<VersionId> = found.into_iter().collect();
        versions.sort_unstable_by_key(|version| self.position(*version));
        Ok(Some(versions))
    }

    /// Language, role and skip reason of a version.
    pub(crate) fn file_info(&self, version: VersionId) -> Result<Arc<FileInfo>> {
        if let Some(info) = locked(&self.infos).get(&version) {
            return Ok(info);
        }
        let sql = "SELECT language, role, skip, content_id FROM file_version WHERE version_id = ?1";
        let info = self.db.prepare_cached(sql)?.query_row([version.0], |row| {
            let role: u8 = row.get(1)?;
            Ok(FileInfo {
                language: row.get(0)?,
                role: Role::ALL.get(usize::from(role)).copied().unwrap_or(Role::Source),
                skip: row.get(2)?,
                content_id: row.get(3)?,
            })
        })?;
        let info = Arc::new(info);
        locked(&self.infos).insert(version, Arc::clone(&info), 1);
        Ok(info)
    }

    /// Definitions of this view called `name` in any case, in the order of paths.
    pub(crate) fn symbols_named(&self, name: &str) -> Result<Vec<SymbolRow>> {
        let mut rows = self.blocks_and_symbols_named(name)?;
        rows.retain(|row| row.kind != Kind::Impl);
        Ok(rows)
    }

    /// The same, with blocks that add members to a type of that name.
    pub(crate) fn blocks_and_symbols_named(&self, name: &str) -> Result<Vec<SymbolRow>> {
        let live = self.live()?;
        let mut rows = symbols::named(&self.db, name, &|item| live.definition(item))?;
        self.sort(&mut rows);
        Ok(rows)
    }

    /// Definitions of this view whose name starts with `prefix` in any case, by name, at most `limit`.
    pub(crate) fn symbols_with_prefix(&self, prefix: &str, limit: usize) -> Result<Vec<SymbolRow>> {
        let live = self.live()?;
        let mut rows = symbols::with_prefix(&self.db, prefix, limit, &|item| live.definition(item))?;
        rows.retain(|row| row.kind != Kind::Impl);
        self.sort(&mut rows);
        Ok(rows)
    }

    /// Lower-case names within `distance` edits of `name`, some perhaps not in this view.
    pub(crate) fn similar_names(&self, name: &str, distance: u8) -> Result<Vec<String>> {
        self.text.similar_symbols(&name.to_lowercase(), distance)
    }

    /// The `limit` best chunks of this view that hold any of `terms`, best first; equal scores in the order of paths.
    pub(crate) fn search_text(&self, terms: &[(String, f32)], limit: usize) -> Result<Vec<TextHit>> {
        Ok(self.best_of(&self.score_text(terms)?, limit))
    }

    /// All chunks of this view that hold any of `terms`.
    pub(crate) fn score_text(&self, terms: &[(String, f32)]) -> Result<Scored<'_>> {
        let total = self.view.totals.chunks.max(0) as u64;
        self.text.score(terms, &self.live()?.documents, total)
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

    /// The documents of this view that mean most nearly what `query` means, unsorted, and those that are wanted;
    /// `None` when there are no vectors of that model.
    pub(crate) fn search_vectors(
        &self,
        model: Header,
        query: &[f32],
        limits: VectorLimits,
        wanted: &Wanted,
    ) -> Result<Option<Vec<VectorHit>>> {
        let Some(vectors) = self.vectors()?.filter(|vectors| vectors.header == model) else { return Ok(None) };
        let documents = self.view.totals.chunks.max(0) as usize;
        Ok(Some(vectors.search(query, (&self.live()?.documents, documents), limits, wanted)))
    }

    /// Whether the store has vectors of that model.
    pub(crate) fn has_vectors_of(&self, model: Header) -> Result<bool> {
        Ok(self.vectors()?.is_some_and(|vectors| vectors.header == model))
    }

    /// The vectors of the store, if there are any.
    pub(crate) fn vectors(&self) -> Result<Option<&VectorReader>> {
        if let Some(vectors) = self.vectors.get() {
            return Ok(vectors.as_ref());
        }
        let (file, rows) = (db::meta(&self.db, vectors::FILE)?, db::meta(&self.db, vectors::ROWS)?);
        Ok(self.vectors.get_or_init(|| VectorReader::open(&self.data, file, rows)).as_ref())
    }

    /// Versions that brought documents of this view without vectors of that model: how many documents they brought, and 0.
    pub(crate) fn unembedded(&self, model: Header) -> Result<FxHashMap<VersionId, (u32, u32)>> {
        let is_known = self.has_vectors_of(model)?;
        let sql = match is_known {
            true => "SELECT version_id, hashes FROM document WHERE version_id IN (SELECT version_id FROM unembedded)",
            false => "SELECT version_id, hashes FROM document",
        };
        let mut found = FxHashMap::default();
        let none: bool = self.db.query_row("SELECT NOT EXISTS (SELECT 1 FROM unembedded)", [], |row| row.get(0))?;
        if is_known && none {
            return Ok(found);
        }
        let live = &self.live()?.documents;
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let version = VersionId(row.get(0)?);
            if live.has_any_of(version) {
                let hashes = read_hashes(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
                found.insert(version, (hashes.iter().filter(|hash| **hash != GONE).count() as u32, 0));
            }
        }
        Ok(found)
    }

    /// The search documents of a version, in order.
    pub(crate) fn documents_of(&self, version: VersionId) -> Result<ItemList> {
        let shared = shared_items::shared(&self.db, version)?;
        let own = || -> Result<ItemList> {
            let sql = "SELECT chunk_count FROM file_version WHERE version_id = ?1";
            let count: i64 = self.db.prepare_cached(sql)?.query_row([version.0], |row| row.get(0))?;
            Ok(ItemList::own(version, count.max(0) as usize))
        };
        shared.map_or_else(own, |shared| Ok(shared.documents))
    }

    /// The version of a content at a path, if the store has it, in whatever view; its size tells whether filters changed it on
    /// disk.
    pub(crate) fn known_version(&self, path: &str, content: &ContentId) -> Result<Option<(VersionId, u64)>> {
        writer::known_version(&self.db, path, content)
    }

    /// Path, version and content id of every file, in the order of paths.
    pub(crate) fn contents(&self) -> Result<Vec<(String, VersionId, Vec<u8>)>> {
        let mut statement = self.db.prepare_cached("SELECT content_id FROM file_version WHERE version_id = ?1")?;
        let mut contents = Vec::with_capacity(self.files.len());
        for (path, version) in &self.files {
            contents.push((path.clone(), *version, statement.query_row([version.0], |row| row.get(0))?));
        }
        Ok(contents)
    }

    /// Paths without facts and the code of the reason, in the order of paths.
    pub(crate) fn skipped_versions(&self) -> Result<Vec<(String, String)>> {
        let mut statement = self.db.prepare("SELECT version_id, skip FROM file_version WHERE skip IS NOT NULL")?;
        let rows = statement.query_map([], |row| Ok((VersionId(row.get(0)?), row.get::<_, String>(1)?)))?;
        let mut skipped = Vec::new();
        for row in rows {
            let (version, code) = row?;
            skipped.extend(self.path_of(version).map(|path| (path.to_string(), code)));
        }
        skipped.sort();
        Ok(skipped)
    }

    /// Files and definitions per language, most files first.
    pub(crate) fn language_counts(&self) -> Result<Vec<LanguageCount>> {
        let sql = "SELECT version_id, coalesce(language, 'text'), symbol_count FROM file_version WHERE skip IS NULL";
        let mut statement = self.db.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut counts: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            if self.is_live(VersionId(row.get(0)?)) {
                let count = counts.entry(row.get(1)?).or_default();
                count.0 += 1;
                count.1 += row.get::<_, i64>(2)?;
            }
        }
        let mut counts: Vec<_> =
            counts.into_iter().map(|(language, (files, symbols))| LanguageCount { language, files, symbols }).collect();
        counts.sort_by_key(|count| std::cmp::Reverse(count.files));
        Ok(counts)
    }

    /// Where the items of the store stand in this view.
    fn live(&self) -> Result<&Live> {
        if let Some(live) = self.live.get() {
            return Ok(live);
        }
        let live = Live::load(&self.db, &self.versions)?;
        Ok(self.live.get_or_init(|| live))
    }

    fn sort(&self, rows: &mut [SymbolRow]) {
        rows.sort_by(|a, b| {
            let place = |row: &SymbolRow| (self.position(row.version), row.ordinal);
            a.name.cmp(&b.name).then_with(|| place(a).cmp(&place(b)))
        });
    }
}

/// Outlines of so many bytes stay decoded, as many as some five thousand files have: with those of all files, a tree as large as
/// the Linux kernel would need gigabytes.
const OUTLINE_BYTES: usize = 128 << 20;
/// Files whose language and role are remembered.
const INFOS: usize = 50_000;

fn remembered<K: Copy + Eq + Hash, V: Clone>(most: usize) -> Arc<Mutex<Recent<K, V>>> {
    Arc::new(Mutex::new(Recent::new(most)))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a writer has just published: where, the generation and all files, sorted by path.
pub(crate) struct Published {
    pub data: PathBuf,
    pub generation: i64,
    /// How often views had been dropped before; see [`gc::VIEW_EPOCH`].
    pub view_epoch: i64,
    pub files: Vec<(String, VersionId)>,
}

/// What is known already and need not be read again, as far as it is still true.
#[derive(Default)]
pub(crate) struct Known<'a> {
    /// What was published last.
    pub published: Option<&'a Published>,
    /// An earlier state.
    pub before: Option<&'a State>,
    /// An open connection to the database of that state, in no transaction.
    pub db: Cell<Option<Connection>>,
}

/// Opens the last published state with the help of what is known.
pub(crate) fn open_known(store: &Store, key: &ViewKey, known: Known<'_>) -> Result<Option<Snapshot>> {
    let which = Which::Published(known);
    let opened = open(store, &|data| open_once(data, key, &which));
    opened.map(|opened| opened.map(|(snapshot, _)| snapshot))
}

/// Opens what the first index run of a view has saved so far; `None` when that is nothing, or when one has published.
pub(crate) fn open_unfinished(store: &Store, key: &ViewKey) -> Result<Option<Snapshot>> {
    let opened = open(store, &|data| open_once(data, key, &Which::Unfinished));
    opened.map(|opened| opened.map(|(snapshot, _)| snapshot))
}

/// What the manifest of a view is of.
fn of(data: &Path, view: &ViewRow, view_epoch: i64) -> Of {
    Of { data: data.to_path_buf(), view: view.id, generation: view.generation, view_epoch }
}

/// What is published of a view, without its contents.
pub(crate) struct Peek {
    db: Connection,
    data: PathBuf,
    pub(crate) view: ViewRow,
    view_epoch: i64,
    /// Whether documents of any view have no vectors.
    pub(crate) lacks_vectors: bool,
}

impl Peek {
    /// Ends the look; the connection is kept if the store keeps any.
    pub(crate) fn end(self, store: &Store) {
        if self.db.execute_batch("ROLLBACK").is_ok() {
            store.keep(&self.data, self.db);
        }
    }

    /// The manifest: `known` if it is still true, or as it is stored.
    pub(crate) fn manifest(&self, known: Option<KnownManifest>) -> Result<KnownManifest> {
        let of = of(&self.data, &self.view, self.view_epoch);
        if let Some(known) = known.filter(|known| known.of == of) {
            return Ok(known);
        }
        let manifest = manifest::load(&self.db, &of, &self.view)?;
        Ok(KnownManifest { of, manifest })
    }
}

/// Looks at the last published state of a view; `None` when there is none that can be used.
pub(crate) fn peek(store: &Store, key: &ViewKey) -> Result<Option<Peek>> {
    let Some(data) = layout::current_data(store.root())? else { return Ok(None) };
    let look = || -> Result<Option<Peek>> {
        let db = store.connection(&data).map_or_else(|| db::open_for_reading(&data), Ok)?;
        db.execute_batch("BEGIN")?;
        let Some(view) = view::find(&db, key)?.filter(|view| view.generation > 0) else { return Ok(None) };
        let view_epoch = db::meta(&db, gc::VIEW_EPOCH)?;
        let sql = "SELECT EXISTS (SELECT 1 FROM unembedded)";
        let lacks_vectors = db::meta(&db, vectors::FILE)? == 0 || db.query_row(sql, [], |row| row.get(0))?;
        Ok(Some(Peek { db, data: data.clone(), view, view_epoch, lacks_vectors }))
    };
    match look() {
        Err(Error::Outdated { .. }) => Ok(None),
        // It may be about to be replaced; whoever opens all of it finds out.
        Err(Error::Corrupt { .. } | Error::Database(_)) => Ok(None),
        peeked => peeked,
    }
}

/// Opens the last published state together with what is known of the files on disk.
pub(crate) fn open_with_manifest(store: &Store, key: &ViewKey) -> Result<Option<(Snapshot, Manifest)>> {
    open(store, &|data| open_once(data, key, &Which::Published(Known::default())))
}

fn open(store: &Store, open_once: &dyn Fn(&Path) -> Result<Opened>) -> Result<Option<(Snapshot, Manifest)>> {
    // A writer may collect garbage or replace the data folder between our two opens; then the stamps disagree.
    const ATTEMPTS: u32 = 5;
    let mut attempt = 0;
    loop {
        let Some(data) = layout::current_data(store.root())? else { return Ok(None) };
        let error = match open_once(&data) {
            // Parts of a folder that is being replaced may be gone, and Tantivy does not always notice.
            opened if layout::current_data(store.root())?.is_none_or(|now| now != data) => opened.err(),
            Ok(Opened::Consistent(opened)) => return Ok(opened.map(|opened| *opened)),
            Ok(Opened::Torn) => None,
            // As good as none: the next sync replaces it.
            Err(Error::Outdated { .. }) => return Ok(None),
            Err(error) => return Err(store.locate(error)),
        };
        attempt += 1;
        if attempt >= ATTEMPTS {
            let torn = || Error::Corrupt { path: store.root().to_path_buf(), detail: index::TORN.into() };
            return Err(store.locate(error.unwrap_or_else(torn)));
        }
        std::thread::sleep(std::time::Duration::from_millis(5 << attempt));
    }
}

enum Opened {
    Consistent(Option<Box<(Snapshot, Manifest)>>),
    Torn,
}

/// Which state of a view.
enum Which<'a> {
    /// The last one that was published, and what is known already.
    Published(Known<'a>),
    /// What there is before the first one.
    Unfinished,
}

/// The manifest is left empty when the files are known already.
fn open_once(data: &Path, key: &ViewKey, which: &Which<'_>) -> Result<Opened> {
    let (published, before, db) = match which {
        Which::Published(Known { published, before, db }) => (*published, *before, db.take()),
        Which::Unfinished => (None, None, None),
    };
    let before = before.filter(|before| before.data == data);
    let db = match db.filter(|_| before.is_some()) {
        Some(db) => db,
        None => db::open_for_reading(data)?,
    };
    db.execute_batch("BEGIN")?;
    let is_unfinished = matches!(which, Which::Unfinished);
    let Some(mut view) = view::find(&db, key)?.filter(|view| (view.generation == 0) == is_unfinished) else {
        return Ok(Opened::Consistent(None));
    };
    let view_epoch = db::meta(&db, gc::VIEW_EPOCH)?;
    let state = (data, view.generation, view_epoch);
    let is_true = |known: &&Published| (known.data.as_path(), known.generation, known.view_epoch) == state;
    let known = published.filter(is_true);
    let manifest = match known {
        Some(_) => Manifest::default(),
        None if is_unfinished => view::stats(&db, view.id)?,
        None => manifest::load(&db, &of(data, &view, view_epoch), &view)?,
    };
    if is_unfinished {
        if manifest.is_empty() {
            return Ok(Opened::Consistent(None));
        }
        view.totals = view::totals_of_stats(&db, view.id)?;
    }
    // Files that are mapped already need not be mapped again.
    let index = before.map_or_else(|| TextIndex::open(&data.join("text")), |before| Ok(before.index.clone()))?;
    let text = index.reader()?;
    if !writer::is_complete(&db, index.stamp()?)? {
        return Ok(Opened::Torn);
    }

    let files = match known {
        Some(published) => published.files.clone(),
        None => manifest.iter().map(|(path, entry)| (path.to_string(), entry.version)).collect(),
    };
    let size = files.iter().map(|(_, version)| version.0 as usize + 1).max().unwrap_or(0);
    let mut versions = FixedBitSet::with_capacity(size);
    let mut by_version = vec![0; size];
    for (at, (_, version)) in files.iter().enumerate() {
        versions.insert(version.0 as usize);
        by_version[version.0 as usize] = at as u32 + 1;
    }
    let marks = Marks::read(&db, &view)?;
    // Numbers of versions are not used again, but a collection takes facts away.
    let before = before.filter(|before| before.marks.collections() == marks.collections());
    let state = State {
        data: data.to_path_buf(),
        key: key.clone(),
        index,
        text,
        marks,
        view,
        view_epoch,
        files,
        by_version,
        versions,
        live: OnceLock::new(),
        vectors: OnceLock::new(),
        outlines: before.map_or_else(|| remembered(OUTLINE_BYTES), |before| Arc::clone(&before.outlines)),
        infos: before.map_or_else(|| remembered(INFOS), |before| Arc::clone(&before.infos)),
    };
    let snapshot = Snapshot { db, state: Arc::new(state) };
    Ok(Opened::Consistent(Some(Box::new((snapshot, manifest)))))
}
