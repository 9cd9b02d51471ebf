//! Everything that remembers. One repository's files flow through these stages, in this order:
//!
//! ```text
//! scan ──> parse ──> store ──> query
//! manifest  facts    publish   answers
//! ```
//!
//! [`scan`] lists what a checkout holds now; the syntax crate parses contents never seen before; `store` keeps facts
//! by content and publishes a view's manifest; [`query`] answers from a [`Snapshot`], which no later write can change.
//! [`sync()`] is the one function that runs the first three. [`Engine`] changes things, [`Snapshot`] is read.
//!
//! Nothing here prints, reads variables or knows the current directory.

pub mod config;
pub mod error;
pub mod model;
pub mod query;
pub mod scan;

mod document;
mod store;
mod sync;
mod tokenize;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use codecompass_syntax as syntax;
pub use config::Config;
pub use error::{Error, Result};
pub use store::jobs::InterruptedJob;
pub use store::{Collected, Compatibility, Snapshot};
pub use sync::{Progress, Silent, Stage, SyncOptions, SyncReport, sync};

use model::Workspace;
use store::{Store, layout};

/// How long a query or command waits for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(600);

/// One workspace and the store that serves its repository.
pub struct Engine {
    workspace: Workspace,
    config: Config,
    store: Store,
}

impl Engine {
    /// Finds the workspace around `directory` and its store below `home`. Nothing is written yet.
    pub fn open(directory: &Path, home: &Path, config: Config) -> Result<Engine> {
        let workspace = scan::discover(directory)?;
        let store = Store::at(layout::store_root(home, &workspace));
        Ok(Engine { workspace, config, store })
    }

    /// The workspace that answers speak for.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The store's directory.
    pub fn store_root(&self) -> &Path {
        self.store.root()
    }

    /// The last published state, without looking at the files; `None` before the first index run.
    pub fn snapshot(&self) -> Result<Option<Snapshot>> {
        Snapshot::open(&self.store, &self.workspace)
    }

    /// Whether the last published state is what is on disk now.
    pub fn is_fresh(&self) -> Result<bool> {
        sync::is_fresh(self)
    }

    /// Whether the store can be used.
    pub fn compatibility(&self) -> Result<Compatibility> {
        self.store.compatibility()
    }

    /// What is skipped below the root and why, sorted by path: by rule, then by content as of the last index run.
    pub fn skipped(&self) -> Result<Vec<scan::SkippedPath>> {
        let listing = scan::list(&self.workspace, &self.config.index)?;
        let mut skipped = listing.skipped;
        if let Some(snapshot) = self.snapshot()? {
            skipped.extend(snapshot.skipped_by_content()?);
        }
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(skipped)
    }

    /// Reads the whole store and lists what is damaged.
    pub fn store_problems(&self) -> Result<Vec<String>> {
        self.store.problems(PATIENCE)
    }

    /// Bytes that the store takes on disk.
    pub fn store_bytes(&self) -> u64 {
        self.store.size_on_disk()
    }

    /// Moves a damaged store aside so that the next sync builds a new one; returns where it went, `None` when it
    /// turns out to be sound or gone.
    pub fn quarantine(&self) -> Result<Option<PathBuf>> {
        self.store.quarantine(PATIENCE)
    }

    /// Says what an error that a query met means for the store: damage, a full disk, …
    pub fn located(&self, error: Error) -> Error {
        self.store.locate(error)
    }

    /// Removes file versions that no view has held for `grace`.
    pub fn collect_garbage(&self, grace: Duration) -> Result<Collected> {
        if layout::current_data(self.store.root())?.is_none() || self.store.is_outdated()? {
            return Ok(Collected::default());
        }
        let mut writer = self.store.writer(&self.config.index, PATIENCE, &mut |_| {})?;
        let run = |writer: &mut store::writer::Writer| {
            let collected = writer.collect_garbage(grace.as_secs() as i64)?;
            if collected.removed_versions > 0 {
                writer.compact()?;
            }
            Ok(collected)
        };
        let collected = run(&mut writer).map_err(|error| self.store.locate(error))?;
        writer.finish().map_err(|error| self.store.locate(error))?;
        Ok(collected)
    }

    /// The last index run of this view, if it ended without a publish.
    pub fn interrupted_job(&self) -> Result<Option<InterruptedJob>> {
        let last = || self.snapshot()?.map_or(Ok(None), |snapshot| snapshot.unpublished_job());
        let job = last()?;
        let Some(running) = job.as_ref().filter(|job| job.is_running()) else { return Ok(job) };
        // It died if nobody is writing and its record stays as it is.
        let died = !layout::is_being_written(self.store.root()) && last()?.as_ref() == Some(running);
        Ok(job.filter(|_| died).map(InterruptedJob::into_interrupted))
    }
}
