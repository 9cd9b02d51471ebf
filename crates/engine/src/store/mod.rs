//! The store: what the engine remembers of one repository, for all its views. See `disk::layout`
//! for the files.
//!
//! SQL and Tantivy types stay inside this folder; callers see file versions, manifests and
//! snapshots.

pub(crate) mod archive;
mod error;
pub(crate) mod handle;
pub(crate) mod time;
pub(crate) mod disk;
pub(crate) mod facts;
pub(crate) mod history;
mod inspect;
pub(crate) mod jobs;
pub(crate) mod read;
pub(crate) mod remote;
pub(crate) mod sqlite;
pub(crate) mod text;
pub(crate) mod trigrams;
pub(crate) mod vectors;
pub(crate) mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::files;
use crate::model::ViewKey;
use crate::progress::{NoProgress, Progress};
use crate::store::disk::layout;
use crate::store::disk::layout::WriterLock;
use crate::store::inspect::{integrity, stats};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::{db, view};
use crate::store::text::index::TextIndex;
use crate::store::write::writer::Writer;

pub(crate) use crate::store::archive::export_import::Destination;
pub use crate::store::archive::export_import::{Imported, inspect_archive};
pub use crate::store::archive::header::{ArchiveHeader, ArchivedFile, ArchivedRepository, ArchivedView};
pub(crate) use crate::store::disk::layout::LOCK_TIMEOUT;
pub(crate) use crate::store::handle::Store;
pub use crate::store::inspect::registry::{KnownStore, KnownWorkspace, Removal, known_stores, remove_stores};
pub use crate::store::inspect::stats::StoreSummary;
pub use crate::store::jobs::{Job, JobMode, JobState};
pub(crate) use crate::store::read::content_cache::ContentCache;
pub use crate::store::read::file_sizes::{FileSize, FileSizes};
pub(crate) use crate::store::read::open::open_unfinished;
pub use crate::store::read::snapshot::Snapshot;
pub use crate::store::read::snapshot_cache::SnapshotCache;
pub use crate::store::remote::prune::{PruneOptions, Pruned};
pub use crate::store::remote::pull::Pulled;
pub use crate::store::remote::push::{PushOptions, Pushed};
pub use crate::store::remote::{Remote, StateName, state_versions};
pub use crate::store::sqlite::view::IndexedViews;
pub(crate) use crate::store::text::durability::make_durable;
pub(crate) use crate::store::write::document_writer::Merging;
pub use crate::store::write::gc::{Collected, DroppedView, GRACE};

/// The outcome of checking whether a store can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compatibility {
    /// It can be used.
    Compatible,
    /// There is none yet.
    NotIndexed,
    /// It has a format that this program cannot read.
    ReindexRequired,
    /// It is damaged.
    CorruptManifest,
}

impl Compatibility {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Compatibility::Compatible => "compatible",
            Compatibility::NotIndexed => "not_indexed",
            Compatibility::ReindexRequired => "reindex_required",
            Compatibility::CorruptManifest => "corrupt_manifest",
        }
    }
}

impl Store {
    /// Looks at the store without changing it.
    pub(crate) fn compatibility(&self) -> Result<Compatibility> {
        let opened = layout::current_data(self.root()).and_then(|data| {
            let Some(data) = data else { return Ok(Compatibility::NotIndexed) };
            db::open_for_reading(&data)?;
            TextIndex::open(&data)?;
            Ok(Compatibility::Compatible)
        });
        match opened {
            Err(Error::Incompatible { .. } | Error::Outdated { .. }) => Ok(Compatibility::ReindexRequired),
            Err(Error::Corrupt { .. }) => Ok(Compatibility::CorruptManifest),
            other => other,
        }
    }

    /// The number of the store's format, if there is a store, and the one that this program writes.
    pub(crate) fn formats(&self) -> Result<(Option<i64>, i64)> {
        let data = layout::current_data(self.root())?;
        Ok((data.map(|data| db::format_of(&data)).transpose()?, db::FORMAT))
    }

    /// Returns whether the store's facts were extracted by an older program.
    pub(crate) fn is_outdated(&self) -> Result<bool> {
        let data = layout::current_data(self.root())?;
        Ok(data.is_some_and(|data| matches!(db::open_for_reading(&data), Err(Error::Outdated { .. }))))
    }

    /// Takes the writer's lock and opens the store for writing, creating it if there is none. An
    /// outdated one is left alone: what is opened then is a new, empty data folder, as by
    /// [`Store::rebuilder`].
    pub(crate) fn writer(&self, config: &IndexConfig, timeout: Duration, progress: &dyn Progress) -> Result<Writer> {
        let lock = layout::lock_writer(self.root(), timeout, progress)?;
        self.claim_place()?;
        let Some(data) = layout::current_data(self.root())? else {
            let data = self.create_data()?;
            layout::make_current(self.root(), &data)?;
            return self.open_writer(&data, self.connect(&data), lock, config);
        };
        layout::remove_leftovers(self.root(), &data)?;
        match self.connect(&data) {
            Err(Error::Outdated { .. }) => {
                let data = self.create_data()?;
                self.open_writer(&data, self.connect(&data), lock, config)
            }
            connected => self.open_writer(&data, connected, lock, config),
        }
    }

    /// Takes the writer's lock and opens a new, empty data folder beside the current one. It
    /// becomes the current one when [`Store::adopt`] is called with it.
    pub(crate) fn rebuilder(&self, config: &IndexConfig, timeout: Duration, progress: &dyn Progress) -> Result<Writer> {
        let lock = layout::lock_writer(self.root(), timeout, progress)?;
        self.claim_place()?;
        let data = self.create_data()?;
        self.open_writer(&data, self.connect(&data), lock, config)
    }

    fn open_writer(
        &self,
        data: &Path,
        connected: Result<Db>,
        lock: WriterLock,
        config: &IndexConfig,
    ) -> Result<Writer> {
        let opened = connected.and_then(|db| Writer::open(data, db, lock, config));
        opened.map(|writer| writer.with_pool(self.pool.clone()))
    }

    /// Returns the worktrees, directories and commits that the store has views of; none where there
    /// is no store, or one that the next sync replaces.
    pub(crate) fn indexed_views(&self) -> Result<IndexedViews> {
        let Some(data) = layout::current_data(self.root())? else { return Ok(IndexedViews::default()) };
        if self.is_outdated()? {
            return Ok(IndexedViews::default());
        }
        let db = db::open_for_reading(&data)?;
        view::indexed(&db)
    }

    /// Notes that the view of a snapshot is in use, if that was not noted within a day. Costs
    /// nothing otherwise, does not wait for a writer, and may fail: then it is noted another time.
    pub(crate) fn touch(&self, snapshot: &Snapshot, key: &ViewKey) {
        let now = time::now();
        if (0..time::DAY).contains(&(now - snapshot.view().used_at)) {
            return;
        }
        let touch = || -> Result<()> {
            let _lock = layout::lock_writer(self.root(), Duration::ZERO, &NoProgress)?;
            if layout::current_data(self.root())?.is_some_and(|data| data == snapshot.data()) {
                let db = db::open(snapshot.data())?;
                db.with(|connection| connection.busy_timeout(Duration::ZERO))?;
                view::touch(&db, key, now)?;
            }
            Ok(())
        };
        let _ = touch();
    }

    /// Notes what the store is made for, if that was not done and no process is writing.
    pub(crate) fn claim(&self) {
        if layout::read_identity(self.root()).is_none()
            && let Ok(_lock) = layout::lock_writer(self.root(), Duration::ZERO, &NoProgress)
        {
            let _ = self.claim_place();
        }
    }

    /// Returns whether readers open the data folder that `writer` fills.
    pub(crate) fn is_current(&self, writer: &Writer) -> Result<bool> {
        Ok(layout::current_data(self.root())?.is_some_and(|data| data == writer.data()))
    }

    /// Makes the data folder that `writer` filled the one that readers open.
    pub(crate) fn adopt(&self, writer: &Writer) -> Result<()> {
        layout::make_current(self.root(), writer.data())
    }

    /// Removes the data folder of a rebuild that failed; what it holds is of no use.
    pub(crate) fn discard(&self, writer: &Writer) {
        let _ = std::fs::remove_dir_all(writer.data());
    }

    /// Moves a damaged data folder aside; `None` when another process has done so already.
    pub(crate) fn quarantine(&self, timeout: Duration) -> Result<Option<PathBuf>> {
        let _lock = layout::lock_writer(self.root(), timeout, &NoProgress)?;
        let data = match layout::current_data(self.root()) {
            Ok(Some(data)) => data,
            Ok(None) => return Ok(None),
            Err(Error::Corrupt { .. }) => return layout::quarantine_current(self.root()).map(Some),
            Err(error) => return Err(error),
        };
        if self.verify(&data).is_ok_and(|problems| problems.is_empty()) {
            return Ok(None);
        }
        layout::quarantine(self.root(), &data).map(Some)
    }

    /// Reads everything and lists what is damaged.
    pub(crate) fn problems(&self, timeout: Duration) -> Result<Vec<String>> {
        let look = || match layout::current_data(self.root()) {
            Ok(Some(data)) => self.verify(&data),
            Ok(None) => Ok(Vec::new()),
            Err(Error::Corrupt { detail, .. }) => Ok(vec![detail]),
            Err(error) => Err(error),
        };
        let problems = look()?;
        if problems.is_empty() {
            return Ok(problems);
        }
        // A writer at work moves files meanwhile; only what is seen while this process holds the
        // writer's lock counts.
        match layout::lock_writer(self.root(), timeout, &NoProgress) {
            Ok(_lock) => look(),
            Err(_) => Ok(problems),
        }
    }

    /// Bytes on disk, lock files and quarantine included.
    pub(crate) fn size_on_disk(&self) -> u64 {
        stats::size_of(self.root())
    }

    fn create_data(&self) -> Result<PathBuf> {
        let data = layout::next_data(self.root())?;
        std::fs::create_dir_all(&data).map_err(|source| files::unwritable(self.root(), source))?;
        db::create(&data)?;
        TextIndex::create(&data)?;
        Ok(data)
    }

    fn verify(&self, data: &Path) -> Result<Vec<String>> {
        // Damaged files can make a reader trip over itself.
        let checked = std::panic::catch_unwind(|| integrity::problems(data));
        match checked {
            Ok(Err(Error::Corrupt { detail, .. })) => Ok(vec![detail]),
            Ok(other) => other,
            Err(_) => Ok(vec!["reading it fails".into()]),
        }
    }
}
