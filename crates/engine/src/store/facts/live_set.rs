//! The items of a store that a view holds, and their places: each belongs to one path, and a view
//! has one version of a path, so an item stands in at most one place.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::model::VersionId;
use crate::store::facts::shared_items::{self, Item, ItemList};
use crate::store::sqlite::connection::Db;

/// The places of one kind of items.
pub(crate) struct LiveItems {
    /// Versions of the view whose items are their own.
    whole: FixedBitSet,
    /// Stretches that other versions of the view hold, by origin, sorted.
    parts: FxHashMap<VersionId, Vec<SharedRange>>,
}

struct SharedRange {
    first: u32,
    count: u32,
    version: VersionId,
    at: u32,
}

impl LiveItems {
    /// All items that the versions brought.
    pub(crate) fn of(versions: FixedBitSet) -> LiveItems {
        LiveItems { whole: versions, parts: FxHashMap::default() }
    }

    /// The version of the view that holds the item, and the item's place there. `number` is only
    /// asked for where the origin does not say it all.
    #[inline]
    pub(crate) fn place(&self, origin: VersionId, number: impl FnOnce() -> u32) -> Option<(VersionId, u32)> {
        if self.is_whole(origin) {
            return Some((origin, number()));
        }
        let parts = self.parts.get(&origin)?;
        let number = number();
        let part = parts.get(parts.partition_point(|part| part.first <= number).checked_sub(1)?)?;
        let within = number - part.first;
        (within < part.count).then(|| (part.version, part.at + within))
    }

    /// Returns whether the view holds the item.
    pub(crate) fn holds(&self, origin: VersionId, number: impl FnOnce() -> u32) -> bool {
        self.is_whole(origin) || self.place(origin, number).is_some()
    }

    /// Returns whether the view holds any item that the version brought.
    pub(crate) fn has_any_of(&self, origin: VersionId) -> bool {
        self.is_whole(origin) || self.parts.contains_key(&origin)
    }

    /// Returns whether the version is of the view and its items are its own.
    #[inline]
    pub(crate) fn is_whole(&self, origin: VersionId) -> bool {
        self.whole.contains(origin.0 as usize)
    }

    fn add(&mut self, version: VersionId, list: &ItemList) {
        self.whole.set(version.0 as usize, false);
        let mut at = 0;
        for stretch in &list.stretches {
            let part = SharedRange { first: stretch.first.number, count: stretch.count, version, at };
            self.parts.entry(stretch.first.origin).or_default().push(part);
            at += stretch.count;
        }
    }
}

/// The places of all items of a view.
pub(crate) struct LiveSet {
    pub definitions: LiveItems,
    pub documents: LiveItems,
}

impl LiveSet {
    /// Reads the lists of a view's versions.
    pub(crate) fn load(db: &Db, versions: &FixedBitSet) -> Result<LiveSet> {
        let (definitions, documents) = (LiveItems::of(versions.clone()), LiveItems::of(versions.clone()));
        let mut live = LiveSet { definitions, documents };
        shared_items::for_each_shared(db, &|version| versions.contains(version.0 as usize), &mut |version, shared| {
            live.definitions.add(version, &shared.definitions);
            live.documents.add(version, &shared.documents);
        })?;
        for parts in live.definitions.parts.values_mut().chain(live.documents.parts.values_mut()) {
            parts.sort_unstable_by_key(|part| part.first);
        }
        Ok(live)
    }

    /// The place of a definition.
    pub(crate) fn definition(&self, item: Item) -> Option<(VersionId, u32)> {
        self.definitions.place(item.origin, || item.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_where_they_are_now() {
        let mut live = LiveItems::of([4, 9].into_iter().collect());
        let mut list = ItemList::default();
        for (origin, number) in [(2, 0), (2, 1), (9, 0), (2, 4)] {
            list.push(Item { origin: VersionId(origin), number });
        }
        live.add(VersionId(9), &list);
        let place = |origin, number| live.place(VersionId(origin), || number).map(|(version, at)| (version.0, at));
        assert_eq!(place(4, 3), Some((4, 3)));
        assert_eq!((place(2, 0), place(2, 1), place(2, 4)), (Some((9, 0)), Some((9, 1)), Some((9, 3))));
        assert_eq!((place(2, 2), place(2, 5), place(3, 0)), (None, None, None));
        assert_eq!((place(9, 0), place(9, 1)), (Some((9, 2)), None));
    }
}
