//! Items that versions of one path share. Definitions and search documents are *items*: a version
//! brings those that no earlier version of its path had, and lists the others as theirs. A list is
//! kept in stretches, since what did not change stands in the same order as before: a file of a
//! thousand definitions that gained one has a list of three.
//!
//! A version that shares nothing, the first of every path among them, needs no list: its items are
//! its own, in order.

use std::collections::HashMap;
use std::hash::Hash;

use crate::error::{Error, Result};
use crate::model::VersionId;
use crate::store::sqlite::connection::Db;

/// A definition or a search document: the version that brought it, and its number there.
/// Definitions are numbered by their place in that version, search documents by their place among
/// those that it brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Item {
    pub origin: VersionId,
    pub number: u32,
}

/// Stands for the version that a list belongs to while that has no number yet.
pub(crate) const OWN: VersionId = VersionId(0);

/// Items with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub first: Item,
    pub count: u32,
}

/// The items of a version in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemList {
    pub stretches: Vec<Stretch>,
}

impl ItemList {
    /// The items of a version that shares nothing.
    pub(crate) fn own(version: VersionId, count: usize) -> ItemList {
        let first = Item { origin: version, number: 0 };
        ItemList { stretches: vec![Stretch { first, count: count as u32 }] }
    }

    /// Appends an item.
    pub(crate) fn push(&mut self, item: Item) {
        match self.stretches.last_mut() {
            Some(last) if Some(item) == last.next() => last.count += 1,
            _ => self.stretches.push(Stretch { first: item, count: 1 }),
        }
    }

    /// All items in order.
    pub(crate) fn items(&self) -> impl Iterator<Item = Item> {
        self.stretches.iter().flat_map(|stretch| {
            let Item { origin, number } = stretch.first;
            (number..number + stretch.count).map(move |number| Item { origin, number })
        })
    }

    /// Returns the number of items.
    pub(crate) fn len(&self) -> u64 {
        self.stretches.iter().map(|stretch| u64::from(stretch.count)).sum()
    }

    fn is_own(&self) -> bool {
        self.stretches.iter().all(|stretch| stretch.first.origin == OWN)
    }
}

impl Stretch {
    /// The item that would make it longer.
    fn next(&self) -> Option<Item> {
        let number = self.first.number.checked_add(self.count)?;
        Some(Item { origin: self.first.origin, number })
    }
}

/// Lists what a version has, taking each item from `known` at most once; what is not there gets
/// `own` as its item.
pub(crate) fn list<K: Hash + Eq>(
    known: impl IntoIterator<Item = (K, Item)>,
    wanted: impl IntoIterator<Item = K>,
    mut own: impl FnMut(usize) -> Item,
) -> ItemList {
    let mut available: HashMap<K, Vec<Item>> = HashMap::new();
    for (key, item) in known {
        available.entry(key).or_default().push(item);
    }
    let mut list = ItemList::default();
    for (at, key) in wanted.into_iter().enumerate() {
        let item = match available.get_mut(&key).filter(|items| !items.is_empty()) {
            Some(items) => {
                // Of several equal ones the one that continues a stretch.
                let next = list.stretches.last().and_then(Stretch::next);
                let chosen = items.iter().position(|item| Some(*item) == next).unwrap_or(0);
                items.remove(chosen)
            }
            None => own(at),
        };
        list.push(item);
    }
    list
}

/// The lists of a version that shares something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedItems {
    pub definitions: ItemList,
    pub documents: ItemList,
}

const CHECKSUM_BYTES: usize = 4;
/// No file within the size limit has more; a store from elsewhere may say so.
const MAX_ITEMS: u64 = 1 << 24;

impl SharedItems {
    /// The stored form; `None` when nothing is shared.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        if self.definitions.is_own() && self.documents.is_own() {
            return None;
        }
        let mut numbers = Vec::new();
        for list in [&self.definitions, &self.documents] {
            numbers.push(list.stretches.len() as u32);
            numbers.extend(list.stretches.iter().flat_map(|s| [s.first.origin.0, s.first.number, s.count]));
        }
        let packed = postcard::to_stdvec(&numbers).expect("numbers can always be written");
        let mut blob = blake3::hash(&packed).as_bytes()[..CHECKSUM_BYTES].to_vec();
        blob.extend_from_slice(&packed);
        Some(blob)
    }

    /// Reads the stored form back for the version it belongs to.
    pub(crate) fn decode(version: VersionId, blob: &[u8]) -> Option<SharedItems> {
        let (checksum, packed) = blob.split_at_checked(CHECKSUM_BYTES)?;
        if checksum != &blake3::hash(packed).as_bytes()[..CHECKSUM_BYTES] {
            return None;
        }
        let numbers: Vec<u32> = postcard::from_bytes(packed).ok()?;
        let mut rest = numbers.as_slice();
        let mut next_list = || {
            let (count, after) = rest.split_first()?;
            let (own, after) = after.split_at_checked((*count as usize).checked_mul(3)?)?;
            rest = after;
            let stretches = own.chunks_exact(3).map(|numbers| {
                let origin = if numbers[0] == OWN.0 { version } else { VersionId(numbers[0]) };
                Stretch { first: Item { origin, number: numbers[1] }, count: numbers[2] }
            });
            Some(ItemList { stretches: stretches.collect() })
        };
        let shared = SharedItems { definitions: next_list()?, documents: next_list()? };
        let is_possible =
            |list: &ItemList| list.len() <= MAX_ITEMS && list.stretches.iter().all(|s| s.next().is_some());
        let is_sound = rest.is_empty() && is_possible(&shared.definitions) && is_possible(&shared.documents);
        is_sound.then_some(shared)
    }
}

/// The lists of a version; `None` when its items are its own.
pub(crate) fn shared(db: &Db, version: VersionId) -> Result<Option<SharedItems>> {
    let mut statement = db.prepare("SELECT items FROM shared WHERE version_id = ?1")?;
    let blob: Option<Vec<u8>> = statement.query_optional([version.0], |row| row.get(0))?;
    blob.map(|blob| SharedItems::decode(version, &blob).ok_or_else(|| damaged(db, version))).transpose()
}

/// Hands the lists of all versions that have some to `consume`, in the order of their numbers, if
/// `wanted` says so.
pub(crate) fn for_each_shared(
    db: &Db,
    wanted: &dyn Fn(VersionId) -> bool,
    consume: &mut dyn FnMut(VersionId, SharedItems),
) -> Result<()> {
    let mut statement = db.prepare("SELECT version_id, items FROM shared ORDER BY version_id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let version = VersionId(row.get(0)?);
        if wanted(version) {
            let blob = row.blob(1).map_err(|_| damaged(db, version))?;
            consume(version, SharedItems::decode(version, blob).ok_or_else(|| damaged(db, version))?);
        }
    }
    Ok(())
}

fn damaged(db: &Db, version: VersionId) -> Error {
    db.corrupt(format!("items of file version {}: checksum mismatch", version.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(origin: u32, number: u32) -> Item {
        Item { origin: VersionId(origin), number }
    }

    #[test]
    fn what_did_not_change_is_one_stretch() {
        let known = ["a", "b", "b", "c"].into_iter().enumerate().map(|(n, key)| (key, item(7, n as u32)));
        let made = list(known, ["a", "new", "b", "b", "b", "c"], |at| item(OWN.0, at as u32));
        let items: Vec<Item> = made.items().collect();
        assert_eq!(items, [item(7, 0), item(0, 1), item(7, 1), item(7, 2), item(0, 4), item(7, 3)]);
        assert_eq!((made.stretches.len(), made.len()), (5, 6));
    }

    #[test]
    fn round_trip_and_damage() {
        let mut shared = SharedItems::default();
        assert_eq!(shared.encode(), None);
        shared.documents.push(item(OWN.0, 0));
        assert_eq!(shared.encode(), None, "its own items need no list");
        shared.definitions.push(item(3, 5));
        shared.definitions.push(item(3, 6));
        let mut blob = shared.encode().unwrap();
        let read = SharedItems::decode(VersionId(9), &blob).unwrap();
        assert_eq!(read.definitions, shared.definitions);
        assert_eq!(read.documents.items().collect::<Vec<_>>(), [item(9, 0)]);
        blob[6] ^= 1;
        assert_eq!(SharedItems::decode(VersionId(9), &blob), None);
        assert_eq!(SharedItems::decode(VersionId(9), &[]), None);
        for (number, count) in [(0, u32::MAX), (u32::MAX, 2)] {
            let stretches = vec![Stretch { first: item(3, number), count }];
            let impossible = SharedItems { definitions: ItemList { stretches }, ..SharedItems::default() };
            assert_eq!(SharedItems::decode(VersionId(9), &impossible.encode().unwrap()), None);
        }
    }
}
