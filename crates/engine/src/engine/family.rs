//! The family of a repository: all its clones and forks, which begin with the same commit. Those on
//! one machine share one store.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::scan;
use crate::store::disk::{layout, sharing};
use crate::store::{Compatibility, KnownStore, Store, known_stores};

/// Stores that are looked at, the last used first.
const MAX_STORES: usize = 50;
/// The longest wait for another process that begins an index of this clone. It then has its own.
const PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// Returns the name that all clones and forks of the repository have in common: the id of its
    /// first commit.
    pub fn family(&self) -> Result<String> {
        let no_family = |reason| Error::NoFamily { path: self.workspace.root.clone(), reason };
        match scan::first_commit(&self.workspace)? {
            scan::FirstCommit::Id(id) => Ok(id),
            scan::FirstCommit::NoGit => Err(no_family("it is not a git repository")),
            scan::FirstCommit::NoCommit => Err(no_family("it has no commit yet")),
            scan::FirstCommit::Shallow => Err(no_family("it is a shallow clone, whose first commit is not known")),
        }
    }

    /// Makes the store below `home` of another clone or fork of this repository the one of this
    /// clone, too, if nothing was indexed here and there is one; returns that clone.
    pub fn join_family(&self, home: &Path, progress: &dyn Progress) -> Result<Option<PathBuf>> {
        let Some(git_dir) = self.workspace.git_common_dir.as_deref().filter(|_| self.has_no_index()) else {
            return Ok(None);
        };
        // A shared store whose index was lost is filled again where it is.
        let own = self.store.own_root();
        if self.store.root() != own || !sharing::sharers(own).is_empty() {
            return Ok(None);
        }
        let stores: Vec<KnownStore> = known_stores(home)
            .into_iter()
            .filter(|store| store.store != self.store.root() && is_of_git(store))
            .take(MAX_STORES)
            .collect();
        // Finding the first commit of a long history takes a while.
        if stores.is_empty() || !is_whole(git_dir) {
            return Ok(None);
        }
        let Ok(family) = self.family() else { return Ok(None) };
        for known in stores {
            if family_of(&known).as_ref() == Some(&family) && is_usable(&known) {
                let _lock = layout::lock_writer(self.store.own_root(), PATIENCE, progress)?;
                if !self.has_no_index() {
                    return Ok(None);
                }
                self.store.share(&known.store, &family)?;
                self.move_choices();
                return Ok(Some(known.identity));
            }
        }
        Ok(None)
    }

    /// Keeps the refs that `switch` set before anything was indexed.
    fn move_choices(&self) {
        for entry in fs::read_dir(self.store.own_root()).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("ref-") {
                let _ = fs::rename(entry.path(), self.store.root().join(entry.file_name()));
            }
        }
    }

    /// Returns the git directories of all clones that the store serves, this one included.
    pub(crate) fn clones(&self) -> Vec<PathBuf> {
        let sharers = sharing::sharers(self.store.root()).into_iter().map(|sharer| sharer.identity);
        let mut clones: Vec<PathBuf> = sharers.chain(layout::read_identity(self.store.root())).collect();
        clones.extend(self.workspace.git_common_dir.clone());
        clones.sort();
        clones.dedup();
        clones
    }
}

/// Returns whether a repository has all objects of its history, so that what was found out about a
/// commit there is true in every clone with the commit.
fn is_whole(git_dir: &Path) -> bool {
    let packs = fs::read_dir(git_dir.join("objects/pack")).into_iter().flatten().flatten();
    // A partial clone gets objects when they are needed.
    let is_partial = packs.map(|pack| pack.path()).any(|pack| pack.extension().is_some_and(|end| end == "promisor"));
    !is_partial && !git_dir.join("shallow").exists()
}

/// Returns whether a store was made for a git repository.
fn is_of_git(known: &KnownStore) -> bool {
    known.served().any(|clone| clone.join("objects").is_dir()) || layout::noted_family(&known.store).is_some()
}

/// Returns whether a store can be read, and what is known there is true here.
fn is_usable(known: &KnownStore) -> bool {
    let store = Store::at(known.store.clone(), known.identity.clone());
    let is_compatible = store.and_then(|store| store.compatibility()).is_ok_and(|it| it == Compatibility::Compatible);
    is_compatible && known.served().filter(|clone| clone.exists()).all(is_whole)
}

/// Returns the family of the repository that a store was made for; it is noted in the store.
fn family_of(known: &KnownStore) -> Option<String> {
    layout::noted_family(&known.store).or_else(|| {
        let checkouts = known.workspaces.iter().map(|checkout| checkout.root.as_path());
        // A bare repository has no checkouts.
        let root = checkouts.chain(known.served()).find(|root| root.is_dir())?;
        let scan::FirstCommit::Id(id) = scan::first_commit(&scan::discover(root).ok()?).ok()? else { return None };
        layout::note_family(&known.store, &id);
        Some(id)
    })
}
