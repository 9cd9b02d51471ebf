//! The family of a repository: all its clones and forks, which begin with the same commit. The
//! store of a new clone begins with a copy of the store of another one on this machine.

use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::scan;
use crate::store::disk::layout;
use crate::store::{Destination, KnownStore, known_stores};

/// Stores that are looked at, the last used first.
const MAX_STORES: usize = 50;

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

    /// Copies the store below `home` of another clone or fork of this repository, if nothing was
    /// indexed here and there is one; returns the root of that clone.
    pub fn seed_from_family(&self, home: &Path, progress: &dyn Progress) -> Result<Option<PathBuf>> {
        if !self.has_no_index() || self.workspace.git_common_dir.is_none() {
            return Ok(None);
        }
        let stores: Vec<KnownStore> = known_stores(home)
            .into_iter()
            .filter(|store| !store.is_gone && store.store != self.store.root() && is_of_git(store))
            .take(MAX_STORES)
            .collect();
        // Finding the first commit of a long history takes a while.
        if stores.is_empty() {
            return Ok(None);
        }
        let Ok(family) = self.family() else { return Ok(None) };
        for store in stores {
            let Some(checkout) = store.workspaces.iter().find(|checkout| !checkout.is_gone) else { continue };
            if family_of(&store.store, &checkout.root).as_ref() != Some(&family) {
                continue;
            }
            let is_checkout = |root: &Path| self.is_checkout(root);
            let destination = Destination { workspace: &self.workspace, is_checkout: &is_checkout };
            self.store.seed(&store.store, &checkout.root, &destination, progress)?;
            layout::note_family(self.store.root(), &family);
            return Ok(Some(checkout.root.clone()));
        }
        Ok(None)
    }
}

/// Returns whether a store was made for a git repository.
fn is_of_git(store: &KnownStore) -> bool {
    store.identity.join("objects").is_dir()
}

/// Returns the family of the repository that a store was made for; it is noted in the store.
fn family_of(store: &Path, root: &Path) -> Option<String> {
    layout::noted_family(store).or_else(|| {
        let scan::FirstCommit::Id(id) = scan::first_commit(&scan::discover(root).ok()?).ok()? else { return None };
        layout::note_family(store, &id);
        Some(id)
    })
}
