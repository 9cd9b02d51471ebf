//! All stores of a data directory: the workspaces that were ever asked about, when last, and what
//! they cost.
//!
//! There is no list to keep: each store says itself what it was made for and which views it has.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use crate::progress::NoProgress;
use crate::store::disk::{layout, sharing};
use crate::store::inspect::stats;
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::db;

/// A store and what it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownStore {
    /// The store's directory.
    pub store: PathBuf,
    /// The repository's common git directory, or the plain directory, that it was made for.
    pub identity: PathBuf,
    /// The git directories of other clones of the repository that share it, sorted.
    pub shared_by: Vec<PathBuf>,
    /// True if neither that nor any of these is there any more.
    pub is_gone: bool,
    /// Bytes on disk.
    pub bytes: u64,
    /// The time any of its views was last used, to the day, unix seconds; 0 when not known.
    pub used_at: i64,
    /// Checkouts and directories that it has views of, the last used first.
    pub workspaces: Vec<KnownWorkspace>,
}

impl KnownStore {
    /// Returns the git directories or the plain directory that the store serves; some may be gone.
    pub fn served(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.identity).chain(&self.shared_by).map(PathBuf::as_path)
    }
}

/// A checkout or directory that was indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownWorkspace {
    /// Its root.
    pub root: PathBuf,
    /// True if that is not there any more.
    pub is_gone: bool,
    /// Files with facts.
    pub files: i64,
    /// The time it was last used, to the day, unix seconds.
    pub used_at: i64,
}

/// All stores below `home`, the last used first. One that cannot be read has no workspaces.
pub fn known_stores(home: &Path) -> Vec<KnownStore> {
    let folders = fs::read_dir(home.join("stores")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut known = Vec::new();
    let mut sharers: Vec<(PathBuf, PathBuf)> = Vec::new();
    for folder in folders {
        match sharing::shared_place(&folder) {
            Some(place) => sharers.extend(layout::read_identity(&folder).map(|identity| (place.root, identity))),
            None => known.extend(look(&folder)),
        }
    }
    sharers.sort();
    for store in &mut known {
        store.shared_by.extend(sharers.iter().filter(|(root, _)| *root == store.store).map(|(_, clone)| clone.clone()));
        let is_there = store.served().any(Path::exists);
        store.is_gone = !is_there;
    }
    known.sort_by(|a, b| b.used_at.cmp(&a.used_at).then_with(|| a.identity.cmp(&b.identity)));
    known
}

fn look(store: &Path) -> Option<KnownStore> {
    let identity = layout::read_identity(store)?;
    let data = layout::current_data(store).ok().flatten();
    let views = data.and_then(|data| db::open_for_reading(&data).ok());
    let (workspaces, used_at) = views.and_then(|db| read(&db).ok()).unwrap_or_default();
    Some(KnownStore {
        store: store.to_path_buf(),
        is_gone: !identity.exists(),
        identity,
        shared_by: Vec::new(),
        bytes: stats::size_of(store),
        used_at,
        workspaces,
    })
}

fn read(db: &Db) -> Result<(Vec<KnownWorkspace>, i64)> {
    let sql = "SELECT name, file_count, coalesce(used_at, 0) FROM view WHERE generation > 0 AND kind <> 'commit' \
               ORDER BY 3 DESC, 1";
    let mut statement = db.prepare(sql)?;
    let workspaces = statement.query_map([], |row| {
        let root = PathBuf::from(row.get::<_, String>(0)?);
        Ok(KnownWorkspace { is_gone: !root.is_dir(), root, files: row.get(1)?, used_at: row.get(2)? })
    })?;
    let used_at = db.query_row("SELECT coalesce(max(used_at), 0) FROM view", [], |row| row.get(0))?;
    Ok((workspaces, used_at))
}

/// The reason why a store was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The repository or directory that it was made for no longer exists.
    Gone,
    /// All stores together were too large, and it was used least recently.
    Room,
}

/// Removes the stores below `home` whose repository or directory is gone and, while all others
/// together have more than `most_bytes`, the least recently used ones. `kept`, and what another
/// process is writing, is left alone.
pub fn remove_stores(home: &Path, kept: &Path, most_bytes: Option<u64>) -> Vec<(KnownStore, Removal)> {
    forget_clones(home);
    let mut removed = Vec::new();
    let mut left: Vec<KnownStore> = Vec::new();
    for store in known_stores(home) {
        if store.is_gone && store.store != kept && remove(&store.store, true) {
            removed.push((store, Removal::Gone))
        } else {
            left.push(store)
        }
    }
    let mut total: u64 = left.iter().map(|store| store.bytes).sum();
    while let Some(store) = left.pop().filter(|_| most_bytes.is_some_and(|most| total > most)) {
        if store.store != kept && remove(&store.store, false) {
            total -= store.bytes;
            removed.push((store, Removal::Room));
        }
    }
    removed
}

/// Removes what says of clones that are gone which store they share.
fn forget_clones(home: &Path) {
    let folders = fs::read_dir(home.join("stores")).into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in folders {
        let is_gone = || layout::read_identity(&folder).is_some_and(|identity| !identity.exists());
        let Some(place) = sharing::shared_place(&folder).filter(|_| is_gone()) else { continue };
        // The last one that shares a store whose own clone is gone goes with the store.
        if place.identity.exists() || sharing::sharers(&place.root).iter().any(|sharer| sharer.identity.exists()) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Removes a store that no writer has locked; with `is_gone`, only if no clone uses it by now. Its
/// readers keep the files that they have open.
fn remove(store: &Path, is_gone: bool) -> bool {
    let Ok(_lock) = layout::lock_writer(store, Duration::ZERO, &NoProgress) else { return false };
    let sharers = sharing::sharers(store);
    let mut served = sharers.iter().map(|sharer| &sharer.identity);
    if is_gone && served.any(|identity| identity.exists()) {
        return false;
    }
    for sharer in sharers {
        let _ = fs::remove_dir_all(sharer.root);
    }
    // Without this file there is nothing to read, whatever else cannot be removed.
    let _ = fs::remove_file(store.join("current"));
    fs::remove_dir_all(store).is_ok()
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::{TestWorkspace, until};

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::sync;
    use crate::sync::SyncOptions;

    #[test]
    #[cfg_attr(windows, ignore = "Windows keeps files that are open")]
    fn stores_tell_what_they_are_for() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(known_stores(home.path()), []);
        let (first, second) = (TestWorkspace::git("//- /a.py\nx = 1\n"), TestWorkspace::plain("//- /b.py\ny = 1\n"));
        let engines = [&first, &second].map(|workspace| {
            let engine = Engine::open(&workspace.root(), home.path(), Config::default()).unwrap();
            sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
            engine
        });
        let known = known_stores(home.path());
        let roots: Vec<&Path> = known.iter().map(|store| store.workspaces[0].root.as_path()).collect();
        assert!(roots.contains(&first.root().as_path()) && roots.contains(&second.root().as_path()), "{roots:?}");
        assert!(known.iter().all(|store| !store.is_gone && store.bytes > 0 && store.used_at > 0));
        assert_eq!(remove_stores(home.path(), Path::new(""), None), []);

        // Nothing is made smaller than what is kept.
        let removed = remove_stores(home.path(), engines[0].store_root(), Some(0));
        assert_eq!(removed.len(), 1);
        assert_eq!((removed[0].0.store.as_path(), removed[0].1), (engines[1].store_root(), Removal::Room));
        assert_eq!(known_stores(home.path()).len(), 1);

        std::fs::remove_dir_all(first.root().join(".git")).unwrap();
        assert!(remove_stores(home.path(), engines[0].store_root(), None).is_empty(), "it is in use");
        let lock = layout::lock_writer(engines[0].store_root(), Duration::ZERO, &NoProgress).unwrap();
        assert!(remove_stores(home.path(), Path::new(""), None).is_empty(), "it is being written");
        drop(lock);
        assert_eq!(remove_stores(home.path(), Path::new(""), None)[0].1, Removal::Gone);
        assert_eq!(known_stores(home.path()), []);
    }

    #[test]
    fn a_store_that_was_joined_after_the_look_stays() {
        let family = "0".repeat(40);
        let (home, clone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = home.path().join("stores/first-1");
        std::fs::create_dir_all(&root).unwrap();
        layout::claim(&root, Path::new("/gone/.git")).unwrap();
        layout::note_family(&root, &family);
        assert!(known_stores(home.path())[0].is_gone);
        let own = sharing::StorePlace { root: home.path().join("stores/second-2"), identity: clone.path().into() };
        std::fs::create_dir_all(&own.root).unwrap();
        sharing::share(&own, &root, &family).unwrap();
        assert!(!remove(&root, true) && root.exists() && sharing::shared_place(&own.root).is_some());
        // To make room, it goes with what says that it is shared.
        // A process that another test starts holds the lock of before until it has replaced itself.
        until("the store is removed", || remove(&root, false));
        assert!(!root.exists() && !own.root.exists());
    }
}
