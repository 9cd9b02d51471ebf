//! Definitions that stopped or began to use a name between two views.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::files::FilePair;
use super::{SideTexts, VersionedDefinition};
use crate::error::Result;
use crate::model::VersionId;
use crate::query::similarity::jaccard;
use crate::store::Snapshot;

/// The users of some names in the files that changed, on both sides.
#[derive(Default)]
pub(super) struct Users {
    /// By name: hashes of the definitions that only used it before, sorted.
    lost: FxHashMap<String, Vec<u64>>,
    /// By name: hashes of the definitions that only use it after, sorted.
    gained: FxHashMap<String, Vec<u64>>,
    /// By side, version and number: the names that a definition uses, sorted.
    used: FxHashMap<(bool, VersionId, u32), Vec<String>>,
}

impl Users {
    /// Returns the users of names of the earlier and of the later side.
    pub(super) fn of_names<'n>(
        texts: &SideTexts<'_>,
        files: &[FilePair],
        old: impl Iterator<Item = &'n str>,
        new: impl Iterator<Item = &'n str>,
    ) -> Result<Users> {
        let names: FxHashSet<&str> = old.chain(new).collect();
        let mut users = Users::default();
        if names.is_empty() {
            return Ok(users);
        }
        let mut by_side = [FxHashMap::default(), FxHashMap::default()];
        for (number, pair) in files.iter().enumerate() {
            let sides = [(false, &pair.before, texts.before.snapshot), (true, &pair.after, texts.after.snapshot)];
            for (is_after, file, snapshot) in sides {
                let Some((_, version)) = file else { continue };
                users.collect(snapshot, is_after, *version, number, &names, &mut by_side[usize::from(is_after)])?;
            }
        }
        users.used.values_mut().for_each(|names| names.sort_unstable());
        let [before, after] = by_side;
        let difference = |of: &FxHashMap<String, FxHashSet<u64>>, without: &FxHashMap<String, FxHashSet<u64>>| {
            let only = of.iter().map(|(name, users)| {
                let others = without.get(name);
                let kept = users.iter().filter(|user| !others.is_some_and(|others| others.contains(user)));
                let mut kept: Vec<u64> = kept.copied().collect();
                kept.sort_unstable();
                (name.clone(), kept)
            });
            only.collect()
        };
        users.lost = difference(&before, &after);
        users.gained = difference(&after, &before);
        Ok(users)
    }

    fn collect(
        &mut self,
        snapshot: &Snapshot,
        is_after: bool,
        version: VersionId,
        file: usize,
        names: &FxHashSet<&str>,
        users: &mut FxHashMap<String, FxHashSet<u64>>,
    ) -> Result<()> {
        let (outline, uses) = (snapshot.outline(version)?, snapshot.uses(version)?);
        for reference in &uses.references {
            let Some(name) = uses.names.get(reference.name as usize) else { continue };
            let enclosing = reference.enclosing.and_then(|at| outline.definitions.get(at as usize));
            if names.contains(name.as_str()) {
                let mut hasher = FxHasher::default();
                hasher.write_usize(file);
                // Members of a type that is renamed have another qualified name, too.
                let around = enclosing.map_or("", |definition| &definition.qualified_name);
                let parts = around.split([':', '.', '#', '\\']).filter(|part| *part != name.as_str());
                parts.for_each(|part| hasher.write(part.as_bytes()));
                users.entry(name.clone()).or_default().insert(hasher.finish());
            }
            if let Some(at) = reference.enclosing {
                self.used.entry((is_after, version, at)).or_default().push(name.clone());
            }
        }
        Ok(())
    }

    /// The definitions that used the name before, and do not now.
    pub(super) fn lost(&self, name: &str) -> &[u64] {
        self.lost.get(name).map_or(&[], Vec::as_slice)
    }

    /// The definitions that use the name now, and did not before.
    pub(super) fn gained(&self, name: &str) -> &[u64] {
        self.gained.get(name).map_or(&[], Vec::as_slice)
    }

    /// The share of users that turned from the one to the other, and of the names that both use;
    /// no second one where neither uses any.
    pub(super) fn similarity(&self, old: &VersionedDefinition, new: &VersionedDefinition) -> (f64, Option<f64>) {
        let users = jaccard(self.lost(&old.definition.name), self.gained(&new.definition.name));
        let used = |is_after: bool, found: &VersionedDefinition| {
            self.used.get(&(is_after, found.version, found.ordinal)).map_or(&[][..], Vec::as_slice)
        };
        let (ours, theirs) = (used(false, old), used(true, new));
        (users, (!ours.is_empty() || !theirs.is_empty()).then(|| jaccard(ours, theirs)))
    }
}
