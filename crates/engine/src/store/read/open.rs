//! Opens snapshots: the last published state of a view, with the help of what is known of it
//! already.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use fixedbitset::FixedBitSet;

use crate::cache::Memo;
use crate::error::{Error, Result};
use crate::model::{VersionId, ViewKey};
use crate::store::disk::layout;
use crate::store::handle::Store;
use crate::store::read::fingerprint::StateFingerprint;
use crate::store::read::snapshot::{Snapshot, ViewState};
use crate::store::read::view_caches::ViewCaches;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::manifest::Manifest;
use crate::store::sqlite::manifest_copy::{self, CachedManifest, ManifestId};
use crate::store::sqlite::view::{self, ViewRow};
use crate::store::sqlite::{db, meta};
use crate::store::text::index::{self, TextIndex};

/// The state that a writer has just published: data folder, generation and all files, sorted by
/// path.
pub(crate) struct PublishedFiles {
    pub data: PathBuf,
    pub generation: i64,
    /// The number of times that views had been dropped before; see [`meta::VIEW_EPOCH`].
    pub view_epoch: i64,
    pub files: Vec<(String, VersionId)>,
}

/// Data from earlier reads or writes that need not be read again, as far as it is still true.
#[derive(Default)]
pub(crate) struct CachedView<'a> {
    /// The state that this process published last.
    pub published: Option<&'a PublishedFiles>,
    /// An earlier state.
    pub before: Option<&'a ViewState>,
    /// An open connection to the database of that state, in no transaction.
    pub db: Cell<Option<Db>>,
    /// True if contents of files are kept between questions.
    pub keeps_contents: bool,
}

impl Snapshot {
    /// Opens the last published state of a view; `None` when there is none.
    pub(crate) fn open(store: &Store, key: &ViewKey) -> Result<Option<Snapshot>> {
        Ok(open_with_manifest(store, key)?.map(|(snapshot, _)| snapshot))
    }
}

/// Opens the last published state with the help of what is known.
pub(crate) fn open_known(store: &Store, key: &ViewKey, known: CachedView<'_>) -> Result<Option<Snapshot>> {
    let which = ViewSelector::Published(known);
    let opened = open(store, &|data| open_once(store, data, key, &which));
    opened.map(|opened| opened.map(|(snapshot, _)| snapshot))
}

/// Opens what the first index run of a view has saved so far; `None` when that is nothing, or when
/// one has published.
pub(crate) fn open_unfinished(store: &Store, key: &ViewKey) -> Result<Option<Snapshot>> {
    let opened = open(store, &|data| open_once(store, data, key, &ViewSelector::Unfinished));
    opened.map(|opened| opened.map(|(snapshot, _)| snapshot))
}

/// The published row of a view, without its contents.
pub(crate) struct Peek {
    db: Db,
    data: PathBuf,
    pub(crate) view: ViewRow,
    view_epoch: i64,
    /// True if documents of any view have no vectors.
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
    pub(crate) fn manifest(&self, known: Option<CachedManifest>) -> Result<CachedManifest> {
        let id = ManifestId::new(&self.data, &self.view, self.view_epoch);
        if let Some(known) = known.filter(|known| known.id == id) {
            return Ok(known);
        }
        let manifest = manifest_copy::load(&self.db, &id, &self.view)?;
        Ok(CachedManifest { id, manifest })
    }
}

/// Looks at the last published state of a view; `None` when there is none that can be used.
pub(crate) fn peek(store: &Store, key: &ViewKey) -> Result<Option<Peek>> {
    let Some(data) = layout::current_data(store.root())? else { return Ok(None) };
    let look = || -> Result<Option<Peek>> {
        let db = store.connection(&data).map_or_else(|| db::open_for_reading(&data), Ok)?;
        db.execute_batch("BEGIN")?;
        let Some(view) = view::find(&db, key)?.filter(|view| view.generation > 0) else { return Ok(None) };
        let view_epoch = meta::get(&db, meta::VIEW_EPOCH)?;
        let sql = "SELECT EXISTS (SELECT 1 FROM unembedded)";
        let lacks_vectors = meta::get(&db, meta::VECTOR_FILE)? == 0 || db.query_row(sql, [], |row| row.get(0))?;
        Ok(Some(Peek { db, data: data.clone(), view, view_epoch, lacks_vectors }))
    };
    match look() {
        incompatible @ Err(Error::Incompatible { .. }) => incompatible,
        // It may be about to be replaced; opening all of it tells.
        Err(_) => Ok(None),
        peeked => peeked,
    }
}

/// Opens the last published state together with what is known of the files on disk.
pub(crate) fn open_with_manifest(store: &Store, key: &ViewKey) -> Result<Option<(Snapshot, Manifest)>> {
    open(store, &|data| open_once(store, data, key, &ViewSelector::Published(CachedView::default())))
}

fn open(store: &Store, open_once: &dyn Fn(&Path) -> Result<OpenOutcome>) -> Result<Option<(Snapshot, Manifest)>> {
    // A writer may collect garbage or replace the data folder between our two opens; then the
    // stamps disagree.
    const ATTEMPTS: u32 = 5;
    let mut attempt = 0;
    loop {
        let Some(data) = layout::current_data(store.root())? else { return Ok(None) };
        let error = match open_once(&data) {
            // Parts of a folder that is being replaced may be gone, and Tantivy does not always
            // notice.
            opened if layout::current_data(store.root())?.is_none_or(|now| now != data) => opened.err(),
            Ok(OpenOutcome::Consistent(opened)) => return Ok(opened.map(|opened| *opened)),
            Ok(OpenOutcome::StaleRead) => None,
            // As good as none: the next sync replaces it.
            Err(Error::Outdated { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        attempt += 1;
        if attempt >= ATTEMPTS {
            let torn = || Error::Corrupt { path: store.root().to_path_buf(), detail: index::TORN.into() };
            return Err(error.unwrap_or_else(torn));
        }
        std::thread::sleep(std::time::Duration::from_millis(5 << attempt));
    }
}

enum OpenOutcome {
    Consistent(Option<Box<(Snapshot, Manifest)>>),
    /// A writer changed the store between two reads.
    StaleRead,
}

/// The state of a view to open.
enum ViewSelector<'a> {
    /// The last one that was published, and what is known already.
    Published(CachedView<'a>),
    /// The state that the first index run has saved so far, before anything is published.
    Unfinished,
}

/// The manifest is left empty when the files are known already.
fn open_once(store: &Store, data: &Path, key: &ViewKey, which: &ViewSelector<'_>) -> Result<OpenOutcome> {
    let none = CachedView::default();
    let CachedView { published, before, db, keeps_contents } = match which {
        ViewSelector::Published(known) => known,
        ViewSelector::Unfinished => &none,
    };
    let before = before.filter(|before| before.data == data);
    let db = db.take().filter(|_| before.is_some()).map_or_else(|| db::open_for_reading(data), Ok)?;
    db.execute_batch("BEGIN")?;
    let is_unfinished = matches!(which, ViewSelector::Unfinished);
    let Some(mut view) = view::find(&db, key)?.filter(|view| (view.generation == 0) == is_unfinished) else {
        return Ok(OpenOutcome::Consistent(None));
    };
    let view_epoch = meta::get(&db, meta::VIEW_EPOCH)?;
    let state = (data, view.generation, view_epoch);
    let is_true = |known: &&PublishedFiles| (known.data.as_path(), known.generation, known.view_epoch) == state;
    let known = published.filter(is_true);
    let manifest = match known {
        Some(_) => Manifest::default(),
        None if is_unfinished => view::stats(&db, view.id)?,
        None => manifest_copy::load(&db, &ManifestId::new(data, &view, view_epoch), &view)?,
    };
    if is_unfinished {
        if manifest.is_empty() {
            return Ok(OpenOutcome::Consistent(None));
        }
        view.totals = view::totals_of_stats(&db, view.id)?;
    }
    // Files that are mapped already need not be mapped again.
    let index = before.map_or_else(|| TextIndex::open(data), |before| Ok(before.index.clone()))?;
    let text = index.reader()?;
    if !index.stamp()?.is_complete(&db)? {
        return Ok(OpenOutcome::StaleRead);
    }
    let files = match known {
        Some(published) => published.files.clone(),
        None => manifest.iter().map(|(path, entry)| (path.to_string(), entry.version)).collect(),
    };
    let (versions, by_version) = positions_by_version(&files);
    let fingerprint = StateFingerprint::read(&db, &view)?;
    let before = before.filter(|before| before.fingerprint.gc_epoch == fingerprint.gc_epoch);
    let state = ViewState {
        data: data.to_path_buf(),
        key: key.clone(),
        index,
        text,
        fingerprint,
        view,
        view_epoch,
        files,
        by_version,
        versions,
        live: OnceLock::new(),
        vectors: OnceLock::new(),
        caches: before.map_or_else(|| new_caches(store, *keeps_contents), |before| before.caches.clone()),
        kept: Mutex::default(),
        memo: Memo::default(),
    };
    Ok(OpenOutcome::Consistent(Some(Box::new((Snapshot { db, state: Arc::new(state) }, manifest)))))
}

fn new_caches(store: &Store, keeps_contents: bool) -> ViewCaches {
    ViewCaches::new(keeps_contents, store.generated.clone())
}

/// Returns the versions of a view, and by version one more than its position in `files`.
fn positions_by_version(files: &[(String, VersionId)]) -> (FixedBitSet, Vec<u32>) {
    let size = files.iter().map(|(_, version)| version.0 as usize + 1).max().unwrap_or(0);
    let mut versions = FixedBitSet::with_capacity(size);
    let mut positions = vec![0; size];
    for (at, (_, version)) in files.iter().enumerate() {
        versions.insert(version.0 as usize);
        positions[version.0 as usize] = at as u32 + 1;
    }
    (versions, positions)
}
