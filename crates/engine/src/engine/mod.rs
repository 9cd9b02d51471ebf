//! The façade: one workspace, what is asked of it, and the store that serves its repository.
//!
//! It points down only: at the listing, the store and the settings. [`sync()`](crate::sync()), the
//! watcher and the queries are given an engine, or the snapshot it opens.

mod contents;
mod family;
pub(crate) mod identity;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codecompass_embed::remote::Reranker;
use codecompass_embed::{Embedder, StaticModel};

use crate::config::{Config, HistoryConfig, SemanticMode};
use crate::error::{Error, Result};
use crate::model::{Head, Target, ViewKey, ViewKind, Workspace};
use crate::progress::{NoProgress, Progress};
use crate::scan::{self, Source};
use crate::store::disk::layout;
use crate::store::jobs::{self, Job, JobState};
use crate::store::sqlite::connection_pool::ConnectionPool;
use crate::store::write::gc::Retention;
use crate::store::{
    ArchiveHeader, Collected, Compatibility, Destination, Imported, IndexedViews, LOCK_TIMEOUT, Pulled, PushOptions,
    Pushed, Remote, Snapshot, SnapshotCache, Store, StoreSummary, open_unfinished,
};

/// One workspace, what is asked of it, and the store that serves its repository.
pub struct Engine {
    pub(crate) workspace: Workspace,
    pub(crate) target: Target,
    pub(crate) source: Source,
    pub(crate) config: Config,
    pub(crate) store: Store,
    model: Model,
    /// The reranker that decides the final order of answers, if any.
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    /// The cache in which snapshots stay open between questions, if any.
    pub(crate) snapshot_cache: Option<Arc<SnapshotCache>>,
}

/// The embedding model.
enum Model {
    /// The one inside the program.
    BuiltIn,
    /// Another one.
    Given(Arc<dyn Embedder>),
    /// One that cannot be used now: its vectors are kept, and none are made.
    Missing,
}

impl Engine {
    /// Finds the workspace around `directory` and its store below `home`. Nothing is written yet. A
    /// store that was made for another repository or directory is refused.
    pub fn open(directory: &Path, home: &Path, config: Config) -> Result<Engine> {
        Engine::open_in(scan::discover(directory)?, home, config)
    }

    /// Opens a bare repository that was found already and whose HEAD is known to be a commit, so
    /// that nothing need be read.
    pub fn open_at_head(workspace: Workspace, home: &Path, config: Config, commit: &str) -> Result<Engine> {
        let engine = Engine::open_store(workspace, home, config)?;
        let git_dir = engine.workspace.git_dir.as_deref().unwrap_or(&engine.workspace.root);
        let source = Source::Objects(git_dir.to_path_buf());
        let target = Target::Commit { id: commit.to_string(), name: "HEAD".to_string() };
        Ok(Engine { target, source, ..engine })
    }

    /// Opens a workspace that was found already.
    pub fn open_in(workspace: Workspace, home: &Path, config: Config) -> Result<Engine> {
        let engine = Engine::open_store(workspace, home, config)?;
        if engine.workspace.kind != ViewKind::Commit {
            return Ok(engine);
        }
        let name = scan::bare_head(&engine.workspace)?;
        engine.at_commit(&name)
    }

    fn open_store(workspace: Workspace, home: &Path, config: Config) -> Result<Engine> {
        let store = Store::at(layout::store_root(home, &workspace), layout::identity(&workspace).to_path_buf())?;
        let store = store.with_generated(config.index.generated.clone());
        let source = Source::Directory(workspace.root.clone());
        Ok(Engine {
            workspace,
            target: Target::Checkout,
            source,
            config,
            store,
            model: Model::BuiltIn,
            reranker: None,
            snapshot_cache: None,
        })
    }

    /// Turns to the commit that `name` means. The branch that is checked out here, and HEAD,
    /// mean the workspace as it is on disk, uncommitted edits included; `HEAD~0` or a commit id
    /// mean what was committed.
    pub fn at_ref(self, name: &str) -> Result<Engine> {
        if self.workspace.kind == ViewKind::Worktree && scan::is_checked_out(&self.workspace, name)? {
            return Ok(self);
        }
        self.at_commit(name)
    }

    fn at_commit(self, name: &str) -> Result<Engine> {
        let id = scan::resolve(&self.workspace, name)?;
        let git_dir = self.workspace.git_dir.as_deref().unwrap_or(&self.workspace.root);
        let source = Source::Objects(git_dir.to_path_buf());
        Ok(Engine { target: Target::Commit { id, name: name.to_string() }, source, ..self })
    }

    /// Sets another embedder than the built-in model.
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>) -> Engine {
        Engine { model: Model::Given(embedder), ..self }
    }

    /// Removes the embedder, because the right one cannot be used. Vectors of the store are left
    /// alone.
    pub fn without_embedder(self) -> Engine {
        Engine { model: Model::Missing, ..self }
    }

    /// Returns whether settings allow questions to be answered by meaning.
    pub(crate) fn uses_meaning(&self) -> bool {
        self.config.semantic.mode != SemanticMode::Off
    }

    /// Returns the settings of questions about commits.
    pub(crate) fn history_config(&self) -> &HistoryConfig {
        &self.config.history
    }

    /// Returns the engine with other settings.
    pub fn with_config(mut self, config: Config) -> Engine {
        self.config = config;
        self
    }

    /// Sets the reranker that decides the final order of answers to questions in words.
    pub fn with_reranker(self, reranker: Arc<dyn Reranker>) -> Engine {
        Engine { reranker: Some(reranker), ..self }
    }

    /// Sets the cache of a process that answers many questions: snapshots that are
    /// [returned](Engine::return_snapshot) stay open in it.
    pub fn with_snapshot_cache(self, cache: Arc<SnapshotCache>) -> Engine {
        Engine { snapshot_cache: Some(cache), ..self }
    }

    /// Keeps connections open, for callers that sync again soon.
    pub(crate) fn with_pool(self, pool: Arc<ConnectionPool>) -> Engine {
        Engine { store: self.store.with_pool(pool), ..self }
    }

    /// Returns the embedding model; `None` when embeddings are switched off or it cannot be used.
    pub fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        if self.config.semantic.mode == SemanticMode::Off {
            return None;
        }
        match &self.model {
            Model::BuiltIn => StaticModel::embedded().ok().map(|model| model as Arc<dyn Embedder>),
            Model::Given(embedder) => Some(embedder.clone()),
            Model::Missing => None,
        }
    }

    /// Returns the target of questions: the checkout or a commit.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the source that contents are read from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The ref that questions in this workspace are about when they do not say, if one was chosen.
    pub fn default_ref(&self) -> Option<String> {
        let chosen = std::fs::read_to_string(self.default_ref_file()).ok()?;
        Some(chosen.trim().to_string()).filter(|name| !name.is_empty())
    }

    /// Chooses that ref, or none.
    pub fn set_default_ref(&self, name: Option<&str>) -> Result<()> {
        let file = self.default_ref_file();
        let unwritable = |source| Error::Unwritable { path: file.clone(), source };
        match name {
            Some(name) => {
                std::fs::create_dir_all(self.store.root()).map_err(unwritable)?;
                std::fs::write(&file, name).map_err(unwritable)
            }
            None => match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unwritable(error)),
                _ => Ok(()),
            },
        }
    }

    fn default_ref_file(&self) -> PathBuf {
        let root = blake3::hash(self.workspace.root.as_os_str().as_encoded_bytes()).to_hex();
        self.store.root().join(format!("ref-{}", &root[..16]))
    }

    /// Returns the worktrees and commits that the store has views of.
    pub fn indexed_commits(&self) -> Result<IndexedViews> {
        self.store.indexed_views()
    }

    /// Returns the key of the engine's view in the store.
    pub fn view_key(&self) -> ViewKey {
        match &self.target {
            Target::Checkout => {
                ViewKey { kind: self.workspace.kind, name: self.workspace.root.to_string_lossy().into_owned() }
            }
            Target::Commit { id, .. } => ViewKey { kind: ViewKind::Commit, name: id.clone() },
        }
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
        match &self.snapshot_cache {
            Some(cache) => cache.take(&self.store, &self.view_key()),
            None => Snapshot::open(&self.store, &self.view_key()),
        }
    }

    /// Ends the use of a snapshot; the next question may use it again.
    pub fn return_snapshot(&self, snapshot: Snapshot) {
        if let Some(cache) = &self.snapshot_cache {
            cache.return_snapshot(&self.store, snapshot);
        }
    }

    /// Opens the part of the files that the first index run of the view has saved so far, while
    /// nothing is published.
    pub fn unfinished_snapshot(&self) -> Result<Option<Snapshot>> {
        open_unfinished(&self.store, &self.view_key())
    }

    /// Returns whether the store can be used.
    pub fn compatibility(&self) -> Result<Compatibility> {
        self.store.compatibility()
    }

    /// The number of the store's format, if there is a store, and the one that this program writes.
    pub fn formats(&self) -> Result<(Option<i64>, i64)> {
        self.store.formats()
    }

    /// Returns the skipped paths below the root with their reasons, sorted by path. Content is
    /// judged as of the last index run.
    pub fn skipped(&self) -> Result<Vec<scan::SkippedPath>> {
        let listing = self.list()?;
        let mut skipped = listing.skipped;
        if let Some(snapshot) = self.snapshot()? {
            skipped.extend(snapshot.skipped_by_content()?);
            if matches!(self.target, Target::Commit { .. }) {
                skipped.extend(self.too_large(&listing.files, &snapshot));
            }
        }
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(skipped)
    }

    /// Files of a commit that are not in its view: a tree does not tell sizes, so the listing could
    /// not leave them out.
    fn too_large(&self, files: &[scan::ListedFile], snapshot: &Snapshot) -> Vec<scan::SkippedPath> {
        let reader = self.source.reader();
        let judge = |file: &scan::ListedFile| match reader.read(&file.path, file.git_id, &self.config.index) {
            scan::ReadOutcome::Skipped { reason, .. } => {
                Some(scan::SkippedPath { path: file.path.clone(), is_dir: false, reason })
            }
            _ => None,
        };
        files.iter().filter(|file| snapshot.version_at(&file.path).is_none()).filter_map(judge).collect()
    }

    /// Lists the files that the target holds now.
    pub(crate) fn list(&self) -> Result<scan::Listing> {
        Ok(match &self.target {
            Target::Checkout => scan::list(&self.workspace, &self.config.index)?,
            Target::Commit { id, .. } => scan::list_commit(&self.workspace, id)?,
        })
    }

    /// Returns the HEAD to record for the target's view.
    pub(crate) fn head(&self) -> Result<Option<Head>> {
        Ok(match &self.target {
            Target::Checkout => scan::head(&self.workspace)?,
            Target::Commit { id, .. } => Some(Head { reference: None, commit: Some(id.clone()) }),
        })
    }

    /// Reads the whole store and lists what is damaged.
    pub fn store_problems(&self) -> Result<Vec<String>> {
        self.store.problems(LOCK_TIMEOUT)
    }

    /// Bytes that the store takes on disk.
    pub fn store_bytes(&self) -> u64 {
        self.store.size_on_disk()
    }

    /// Moves a damaged store aside so that the next sync builds a new one; returns where it went,
    /// `None` when it turns out to be sound or gone.
    pub fn quarantine(&self) -> Result<Option<PathBuf>> {
        self.store.quarantine(LOCK_TIMEOUT)
    }

    /// Returns the size and the contents of the store.
    pub fn store_summary(&self) -> Result<StoreSummary> {
        self.store.summary()
    }

    /// Writes the store to an archive at `to`.
    pub fn export_state(&self, to: &Path, progress: &dyn Progress) -> Result<ArchiveHeader> {
        self.store.export(to, &self.workspace, progress)
    }

    /// Replaces the store by the archive at `from`; an existing one only with `force`.
    pub fn import_state(&self, from: &Path, force: bool, progress: &dyn Progress) -> Result<Imported> {
        let is_checkout = |root: &Path| self.is_checkout(root);
        let destination = Destination { workspace: &self.workspace, is_checkout: &is_checkout };
        self.store.import(from, &destination, force, progress)
    }

    fn is_checkout(&self, root: &Path) -> bool {
        let found = scan::discover(root).ok().filter(|found| found.root == root);
        let git_dir = found.and_then(|found| found.git_common_dir);
        git_dir.is_some_and(|git_dir| self.clones().contains(&git_dir))
    }

    /// Writes the state of the store to a remote.
    pub fn push_state(
        &self,
        remote: &Remote<'_>,
        options: &PushOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<Pushed> {
        self.store.push(remote, options, &self.workspace, progress)
    }

    /// Replaces the store by the newest state of a remote; an existing one only with `force`.
    pub fn pull_state(&self, remote: &Remote<'_>, force: bool, progress: &dyn Progress) -> Result<Pulled> {
        let is_checkout = |root: &Path| self.is_checkout(root);
        let destination = Destination { workspace: &self.workspace, is_checkout: &is_checkout };
        self.store.pull(remote, &destination, force, progress)
    }

    /// Returns whether nothing was ever indexed here.
    pub fn has_no_index(&self) -> bool {
        matches!(layout::current_data(self.store.root()), Ok(None))
    }

    /// Returns the retention of versions and views; the engine's own view and the one of the files
    /// on disk are in use.
    pub(crate) fn retention(&self, versions: Duration) -> Retention {
        let checkout = ViewKey { kind: self.workspace.kind, name: self.workspace.root.to_string_lossy().into_owned() };
        let views = Duration::from_secs(self.config.index.keep_views_days * 24 * 3600);
        Retention { versions, views, in_use: vec![self.view_key(), checkout] }
    }

    /// Drops views that were not used for long and removes file versions that no view has held for
    /// `grace`.
    pub fn collect_garbage(&self, grace: Duration) -> Result<Collected> {
        if layout::current_data(self.store.root())?.is_none() || self.store.is_outdated()? {
            return Ok(Collected::default());
        }
        let mut writer = self.store.writer(&self.config.index, LOCK_TIMEOUT, &NoProgress)?;
        let collected = writer.collect_garbage(&self.retention(grace))?;
        if collected.removed_versions > 0 {
            writer.compact()?;
        }
        writer.finish()?;
        Ok(collected)
    }

    /// The last index run of this view, if it ended without a publish. Where the index [is
    /// fresh](Engine::is_fresh), it does not matter any more.
    pub fn interrupted_job(&self) -> Option<Job> {
        let (root, key) = (self.store.root(), self.view_key());
        let job = jobs::last(root, &key).filter(|job| job.state != JobState::Published)?;
        // A process may have died just after it published.
        if self.snapshot().ok().flatten().is_some_and(|snapshot| snapshot.view().generation > job.generation) {
            return None;
        }
        if !job.is_open() {
            return Some(job);
        }
        // It died if no process is writing and its record stays as it is.
        let died = !self.store.is_being_written() && jobs::last(root, &key).as_ref() == Some(&job);
        died.then(|| job.into_interrupted())
    }

    /// The last index runs that died or failed in this store, the newest first, each with the root
    /// or commit that it was about.
    pub fn recently_lost_jobs(&self, limit: usize) -> Vec<(String, Job)> {
        jobs::recently_lost(self.store.root(), limit)
    }

    /// The last index runs of this view, the newest first.
    pub fn recent_jobs(&self, limit: usize) -> Vec<Job> {
        jobs::recent(self.store.root(), &self.view_key(), limit)
    }

    /// The index run of this view that some process is at, or waits to begin.
    pub fn running_job(&self) -> Option<Job> {
        let root = self.store.root();
        jobs::last_open(root, &self.view_key()).filter(|_| self.store.is_being_written())
    }
}
