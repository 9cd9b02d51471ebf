//! The cache of a node: views of repositories, each a generation with its index.
//!
//! ```text
//! CACHE/REPOSITORY/source.git        git objects, shared by its views
//! CACHE/REPOSITORY/views/NONCE/      repository.git (HEAD and a way to those objects),
//!                                    home (the store), and view.json, written last
//! ```
//!
//! A view is never changed once it is there: a new generation is another view, and an old one is
//! removed when the last question about it is answered. So no question sees half of anything. The
//! cache keeps to a size; what was not asked about for longest is removed first.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use codecompass_engine::model::Workspace;
use codecompass_engine::scan::{self, ScanError};
use serde::{Deserialize, Serialize};

use super::telemetry;

/// The file that makes a view whole.
const MARK: &str = "view.json";
/// The file that names the cluster whose cache it is.
const OWNER: &str = "cluster";
/// A folder that file systems have in their root.
const LOST_AND_FOUND: &str = "lost+found";

/// The generation that a view is of.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct ViewMark {
    pub repository: i64,
    pub generation: i64,
    pub commit: String,
}

/// A generation of a repository on this node. Its folder goes with it, once it is retired.
#[derive(Debug)]
pub(super) struct View {
    pub mark: ViewMark,
    folder: PathBuf,
    /// Those of its folder and of the source.
    bytes: u64,
    /// When it was used last, as a count of uses.
    used: AtomicU64,
    is_retired: AtomicBool,
    workspace: OnceLock<Workspace>,
}

impl View {
    /// Returns the bare repository as the engine sees it, which is looked at once.
    pub(super) fn workspace(&self) -> Result<Workspace, ScanError> {
        match self.workspace.get() {
            Some(workspace) => Ok(workspace.clone()),
            None => {
                let found = scan::discover(&self.root())?;
                Ok(self.workspace.get_or_init(|| found).clone())
            }
        }
    }

    /// Returns the bare repository that questions are about.
    pub(super) fn root(&self) -> PathBuf {
        self.folder.join("repository.git")
    }

    /// Returns the folder of its store.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if self.is_retired.load(Ordering::Relaxed) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// A view that is being made; its folder goes with it unless it is finished.
pub(super) struct NewView {
    folder: PathBuf,
    is_finished: bool,
}

impl NewView {
    pub(super) fn root(&self) -> PathBuf {
        self.folder.join("repository.git")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }
}

impl Drop for NewView {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// All views of this node.
pub(super) struct ViewCache {
    root: PathBuf,
    limit: u64,
    held: Mutex<HashMap<i64, Arc<View>>>,
    /// One lock for each repository whose source or view is being changed.
    working: Mutex<HashMap<i64, Arc<Mutex<()>>>>,
    uses: AtomicU64,
    /// Views that were forgotten while questions used them.
    leaving: Mutex<Vec<Arc<View>>>,
}

impl ViewCache {
    /// Opens the cache of a cluster in a folder: takes what is whole and removes the rest. What
    /// another cluster has left there is removed, since its repositories have the same numbers. A
    /// folder with files of others is refused.
    pub(super) fn open(root: PathBuf, limit: u64, cluster: &str) -> std::io::Result<ViewCache> {
        fs::create_dir_all(&root)?;
        let root = dunce::canonicalize(&root)?;
        let owner = root.join(OWNER);
        let last = fs::read_to_string(&owner).ok();
        if last.is_none() && entries(&root).iter().any(|entry| !entry.ends_with(LOST_AND_FOUND)) {
            return Err(std::io::Error::other("it is not empty, and no cache of a node"));
        }
        if last.as_deref() != Some(cluster) {
            for folder in entries(&root).into_iter().filter(|folder| number_of(folder).is_some()) {
                fs::remove_dir_all(folder)?;
            }
            fs::write(&owner, cluster)?;
        }
        let cache = ViewCache {
            root,
            limit,
            held: Mutex::default(),
            working: Mutex::default(),
            uses: AtomicU64::new(0),
            leaving: Mutex::default(),
        };
        for repository in entries(&cache.root) {
            let _ = fs::remove_dir_all(repository.join("work"));
            for folder in entries(&repository.join("views")) {
                match read_mark(&folder) {
                    Some(mark) => drop(cache.hold(mark, folder)),
                    None => drop(fs::remove_dir_all(folder)),
                }
            }
        }
        Ok(cache)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Arc<View>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self, repository: i64) -> PathBuf {
        self.root.join(repository.to_string())
    }

    /// Returns the bare repository that has the git objects of a repository.
    pub(super) fn source(&self, repository: i64) -> PathBuf {
        self.folder(repository).join("source.git")
    }

    /// Returns a folder for passing files of a repository; made if there is none.
    pub(super) fn work(&self, repository: i64) -> std::io::Result<PathBuf> {
        let work = self.folder(repository).join("work");
        fs::create_dir_all(&work)?;
        Ok(work)
    }

    /// Returns the lock for changes of a repository's source.
    pub(super) fn turn(&self, repository: i64) -> Arc<Mutex<()>> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner).entry(repository).or_default().clone()
    }

    /// Returns the view of a repository, if there is one of this generation or a later one.
    pub(super) fn get(&self, repository: i64, generation: i64) -> Option<Arc<View>> {
        let view = self.lock().get(&repository).filter(|view| view.mark.generation >= generation).cloned()?;
        view.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(view)
    }

    /// Begins a view.
    pub(super) fn begin(&self, repository: i64, nonce: &str) -> std::io::Result<NewView> {
        let folder = self.folder(repository).join("views").join(nonce);
        fs::create_dir_all(folder.join("home"))?;
        Ok(NewView { folder, is_finished: false })
    }

    /// Makes a view the one that answers, unless there is a later one.
    pub(super) fn finish(&self, mut new: NewView, mark: ViewMark) -> std::io::Result<Arc<View>> {
        let text = serde_json::to_vec(&mark).map_err(std::io::Error::other)?;
        let (draft, place) = (new.folder.join("view.tmp"), new.folder.join(MARK));
        fs::write(&draft, text)?;
        fs::rename(&draft, &place)?;
        new.is_finished = true;
        let view = self.hold(mark, new.folder.clone());
        self.shrink(&[view.mark.repository]);
        Ok(view)
    }

    /// Returns whether there is a view of this generation or a later one.
    pub(super) fn has(&self, repository: i64, generation: i64) -> bool {
        self.lock().get(&repository).is_some_and(|view| view.mark.generation >= generation)
    }

    fn hold(&self, mark: ViewMark, folder: PathBuf) -> Arc<View> {
        let bytes = size(&folder) + size(&self.source(mark.repository));
        let used = AtomicU64::new(self.uses.fetch_add(1, Ordering::Relaxed));
        let repository = mark.repository;
        let view = Arc::new(View {
            mark,
            folder,
            bytes,
            used,
            is_retired: AtomicBool::new(false),
            workspace: OnceLock::new(),
        });
        let mut held = self.lock();
        let (kept, other) = match held.get(&repository) {
            Some(other) if other.mark.generation >= view.mark.generation => (other.clone(), Some(view)),
            _ => (view.clone(), held.insert(repository, view)),
        };
        drop(held);
        if let Some(other) = other {
            other.is_retired.store(true, Ordering::Relaxed);
        }
        kept
    }

    /// Forgets a repository. Its source goes when the last question that uses it is answered.
    pub(super) fn remove(&self, repository: i64) {
        let turn = self.turn(repository);
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.remove_held(repository);
    }

    /// The same for a caller that holds the lock.
    pub(super) fn remove_held(&self, repository: i64) {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = self.lock().remove(&repository) {
            view.is_retired.store(true, Ordering::Relaxed);
            leaving.push(view);
        }
        // No question gets them any more, so those with one holder are unused.
        leaving.retain(|view| Arc::strong_count(view) > 1);
        if leaving.iter().any(|view| view.mark.repository == repository) {
            return;
        }
        drop(leaving);
        let _ = fs::remove_dir_all(self.source(repository));
        let _ = fs::remove_dir_all(self.folder(repository).join("work"));
        // Not while a question uses a view in it.
        let _ = fs::remove_dir(self.folder(repository).join("views"));
        let _ = fs::remove_dir(self.folder(repository));
    }

    /// Removes the sources of repositories that were forgotten while questions used them.
    pub(super) fn sweep(&self) {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = leaving.extract_if(.., |view| Arc::strong_count(view) == 1);
        let idle: Vec<i64> = idle.map(|view| view.mark.repository).collect();
        drop(leaving);
        for repository in idle.into_iter().filter(|repository| !self.has(*repository, 0)) {
            self.remove_idle(repository);
        }
    }

    /// Forgets a repository unless something is done with it; returns whether it did.
    fn remove_idle(&self, repository: i64) -> bool {
        let turn = self.turn(repository);
        let turn = match turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        self.remove_held(repository);
        drop(turn);
        true
    }

    /// Removes what was not used for longest until the cache has its size; `needed` stay.
    pub(super) fn shrink(&self, needed: &[i64]) {
        let mut needed = needed.to_vec();
        while self.bytes() > self.limit {
            let held = self.lock();
            let is_idle = |view: &&Arc<View>| !needed.contains(&view.mark.repository) && Arc::strong_count(view) == 1;
            let idle = held.values().filter(is_idle);
            let Some(oldest) = idle.min_by_key(|view| view.used.load(Ordering::Relaxed)) else { return };
            let repository = oldest.mark.repository;
            drop(held);
            match self.remove_idle(repository) {
                true => telemetry::log("cache_evict", &[("repository", repository.into())]),
                false => needed.push(repository),
            }
        }
    }

    /// Returns the numbers of the repositories with a view.
    pub(super) fn repositories(&self) -> Vec<i64> {
        let mut held: Vec<i64> = self.lock().keys().copied().collect();
        held.sort_unstable();
        held
    }

    /// Returns all repositories that have anything in the cache.
    pub(super) fn folders(&self) -> Vec<i64> {
        entries(&self.root).iter().filter_map(|folder| number_of(folder)).collect()
    }

    /// Returns the bytes of all views and sources.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().values().map(|view| view.bytes).sum()
    }

    /// Returns the most bytes that it may have.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }
}

/// Returns the number of the repository that a folder of the cache is for.
fn number_of(folder: &Path) -> Option<i64> {
    folder.file_name()?.to_str()?.parse().ok()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = fs::read_dir(folder) else { return Vec::new() };
    found.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn read_mark(folder: &Path) -> Option<ViewMark> {
    serde_json::from_slice(&fs::read(folder.join(MARK)).ok()?).ok()
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_path_buf()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        let Ok(found) = fs::read_dir(&folder) else { continue };
        for entry in found.flatten() {
            match entry.metadata() {
                Ok(data) if data.is_dir() => folders.push(entry.path()),
                Ok(data) => bytes += data.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(cache: &ViewCache, repository: i64, generation: i64, bytes: usize) -> Arc<View> {
        let new = cache.begin(repository, &format!("n{generation}")).unwrap();
        fs::write(new.home().join("data"), vec![0; bytes]).unwrap();
        cache.finish(new, ViewMark { repository, generation, commit: "c".into() }).unwrap()
    }

    #[test]
    fn a_view_stays_until_its_last_question_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ViewCache::open(folder.path().to_path_buf(), 1 << 20, "one").unwrap();
        let first = add(&cache, 7, 1, 10);
        let home = first.home();
        add(&cache, 7, 2, 10);
        assert_eq!(cache.get(7, 0).unwrap().mark.generation, 2);
        assert!(home.exists() && cache.get(7, 3).is_none());
        drop(first);
        assert!(!home.exists());
        // An older one does not replace it.
        assert_eq!(add(&cache, 7, 1, 10).mark.generation, 2);
        drop(cache);
        let again = ViewCache::open(folder.path().to_path_buf(), 1 << 20, "one").unwrap();
        assert_eq!(again.get(7, 2).unwrap().mark.generation, 2);
    }

    #[test]
    fn another_cluster_begins_with_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ViewCache::open(folder.path().to_path_buf(), 1 << 20, "one").unwrap();
        add(&cache, 7, 3, 10);
        fs::create_dir_all(folder.path().join("notes")).unwrap();
        drop(cache);
        let other = ViewCache::open(folder.path().to_path_buf(), 1 << 20, "two").unwrap();
        assert!(other.get(7, 0).is_none() && other.folders().is_empty());
        assert!(folder.path().join("notes").exists());
    }

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let volume = folder.path().join("volume");
        fs::create_dir_all(volume.join(LOST_AND_FOUND)).unwrap();
        drop(ViewCache::open(volume, 1 << 20, "one").unwrap());
        let foreign = folder.path().join("papers");
        fs::create_dir_all(foreign.join("2024")).unwrap();
        assert!(ViewCache::open(foreign.clone(), 1 << 20, "one").is_err());
        assert!(foreign.join("2024").exists() && !foreign.join(OWNER).exists());
    }

    #[test]
    fn what_is_not_whole_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ViewCache::open(folder.path().to_path_buf(), 1 << 20, "one").unwrap();
        let mut new = cache.begin(7, "half").unwrap();
        // As if the process had been killed.
        new.is_finished = true;
        let root = new.folder.clone();
        drop((new, cache));
        assert!(root.exists());
        let cache = ViewCache::open(folder.path().to_path_buf(), 1 << 20, "one").unwrap();
        assert!(!root.exists() && cache.get(7, 0).is_none());
    }

    #[test]
    fn the_cache_keeps_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ViewCache::open(folder.path().to_path_buf(), 3000, "one").unwrap();
        add(&cache, 1, 1, 1000);
        add(&cache, 2, 1, 1000);
        cache.get(1, 1).unwrap();
        add(&cache, 3, 1, 1000);
        assert_eq!(cache.repositories(), [1, 3]);
        // One that is larger than the cache is answered from as well.
        assert_eq!(add(&cache, 4, 1, 5000).mark.repository, 4);
        assert_eq!(cache.repositories(), [4]);
    }
}
