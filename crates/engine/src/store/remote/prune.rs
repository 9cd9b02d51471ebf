//! Prune: removes states of a remote, and the packs that no other state needs.
//!
//! States go first, so that what is listed is whole at every moment. A push that is under way has
//! written packs that no state names yet, and it builds on the newest state that it found; so
//! objects that were written lately stay, and so does the newest state of every version.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Error, Result};
use crate::store::remote::{Remote, StateName, for_each};

/// The options of a prune.
pub struct PruneOptions<'a> {
    /// Decides which states stay. The number is the place among the states of the same version
    /// that stay and can be read, 0 for the newest one.
    pub keeps: &'a (dyn Fn(&StateName, usize) -> bool + Sync),
    /// The time in Unix seconds after which written objects stay.
    pub written_before: i64,
    /// True if nothing is to be removed.
    pub is_dry: bool,
    /// Asked before each removal; an error ends the prune.
    pub may_remove: &'a (dyn Fn() -> Result<()> + Sync),
}

/// The result of a prune.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// States that are left.
    pub kept_states: usize,
    /// States that were removed.
    pub removed_states: usize,
    /// Packs that were removed.
    pub removed_packs: usize,
    /// The bytes of all that was removed.
    pub removed_bytes: u64,
    /// States that are left but cannot be read, so that no pack was removed.
    pub unreadable: Vec<String>,
}

impl Remote<'_> {
    /// Removes the states of the family that need not be kept, and the packs that no other state
    /// needs.
    pub fn prune(&self, options: &PruneOptions<'_>) -> Result<Pruned> {
        let mut places: FxHashMap<(i64, i64), usize> = FxHashMap::default();
        let (mut kept, mut removed) = (0, Vec::new());
        for state in self.states()? {
            let place = places.entry((state.format, state.facts)).or_default();
            let is_young = state.time / 1000 >= options.written_before;
            if !is_young && !(options.keeps)(&state, *place) {
                removed.push((state.name, state.size));
                continue;
            }
            kept += 1;
            // One that cannot be pulled is none of those that are wanted.
            match self.read(&state) {
                Err(Error::RemoteRefused { .. }) if state.is_compatible() => {}
                Err(error @ Error::RemoteUnavailable { .. }) => return Err(error),
                _ => *place += 1,
            }
        }
        let mut pruned = Pruned { kept_states: kept, removed_states: removed.len(), ..Pruned::default() };
        pruned.removed_bytes = self.remove(&removed, options)?;
        // A push may have ended meanwhile.
        let is_removed: FxHashSet<&str> = removed.iter().map(|(name, _)| name.as_str()).collect();
        let mut needed: FxHashSet<String> = FxHashSet::default();
        for state in self.states()?.iter().filter(|state| !is_removed.contains(state.name.as_str())) {
            match self.packs_of(state) {
                Ok(packs) => needed.extend(packs),
                Err(Error::RemoteRefused { .. }) => pruned.unreadable.push(state.name.clone()),
                Err(error) => return Err(error),
            }
        }
        if pruned.unreadable.is_empty() {
            let listed = self.objects.list(&self.folder("packs"), self.until).map_err(|e| self.unreachable(e))?;
            let is_old = |modified: Option<i64>| modified.is_some_and(|time| time < options.written_before);
            let packs: Vec<(String, u64)> = listed
                .into_iter()
                .filter(|object| is_old(object.modified) && !needed.contains(&object.name))
                .map(|object| (object.name, object.size))
                .collect();
            pruned.removed_packs = packs.iter().filter(|(name, _)| !name.ends_with(".index")).count();
            pruned.removed_bytes += self.remove(&packs, options)?;
        }
        Ok(pruned)
    }

    /// Returns the objects that a state consists of.
    fn packs_of(&self, name: &StateName) -> Result<Vec<String>> {
        // A state that another key signed is not to be broken, either.
        let state = Remote { public_key: None, ..*self }.read(name)?;
        let names = state.packs.iter().map(|pack| self.pack_name(&pack.hash));
        Ok(names.flat_map(|name| [format!("{name}.index"), name]).collect())
    }

    /// Removes objects with their sizes; returns the sum.
    fn remove(&self, objects: &[(String, u64)], options: &PruneOptions<'_>) -> Result<u64> {
        if !options.is_dry {
            for_each(self.concurrency, objects, |(name, _)| {
                (options.may_remove)()?;
                self.objects.remove(name, self.until).map_err(|error| self.unreachable(error))
            })?;
        }
        Ok(objects.iter().map(|(_, size)| size).sum())
    }
}
