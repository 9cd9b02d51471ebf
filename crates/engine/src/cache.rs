//! A cache of recently used values with a limit on their total weight.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values by key, in two halves: those asked for since the newer half was begun, and those before.
/// When the newer half has half of the weight, it becomes the older one, and what was there is
/// forgotten.
pub(crate) struct Recent<K, V> {
    newer: FxHashMap<K, (V, usize)>,
    older: FxHashMap<K, (V, usize)>,
    /// Of the newer half.
    weight: usize,
    most: usize,
}

impl<K: Copy + Eq + Hash, V: Clone> Recent<K, V> {
    /// Nothing yet; values of the weight `most` together are remembered.
    pub(crate) fn new(most: usize) -> Recent<K, V> {
        Recent { newer: FxHashMap::default(), older: FxHashMap::default(), weight: 0, most }
    }

    /// The value of a key, if it is remembered.
    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some((value, _)) = self.newer.get(key) {
            return Some(value.clone());
        }
        let (value, weight) = self.older.remove(key)?;
        self.insert(*key, value.clone(), weight);
        Some(value)
    }

    /// Remembers a value.
    pub(crate) fn insert(&mut self, key: K, value: V, weight: usize) {
        if self.weight > 0 && self.weight.saturating_add(weight) > self.most / 2 {
            self.older = std::mem::take(&mut self.newer);
            self.weight = 0;
        }
        self.older.remove(&key);
        self.weight = self.weight.saturating_add(weight);
        if let Some((_, before)) = self.newer.insert(key, (value, weight)) {
            self.weight = self.weight.saturating_sub(before);
        }
    }

    /// All that is remembered, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V, usize)> {
        self.newer.iter().chain(&self.older).map(|(key, (value, weight))| (key, value, *weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(recent: &Recent<u32, u32>) -> usize {
        recent.iter().map(|(_, _, weight)| weight).sum()
    }

    #[test]
    fn what_is_asked_for_stays() {
        let mut recent = Recent::new(20);
        for key in 0..1000_u32 {
            recent.insert(key, key * 2, 1);
            assert_eq!(recent.get(&0), Some(0), "after {key}");
            assert_eq!(recent.get(&key), Some(key * 2));
            assert!(total(&recent) <= 20, "{} after {key}", total(&recent));
        }
        assert_eq!(recent.get(&500), None);
        // Put again, a value counts once.
        for _ in 0..100 {
            recent.insert(7, 7, 1);
        }
        assert_eq!((recent.get(&7), recent.get(&0)), (Some(7), Some(0)));
    }

    #[test]
    fn what_weighs_too_much_is_forgotten_first() {
        let mut recent = Recent::new(20);
        recent.insert(1, 1, 5);
        recent.insert(2, 2, 1000);
        assert_eq!((recent.get(&2), recent.get(&1)), (Some(2), Some(1)));
        recent.insert(3, 3, 5);
        recent.insert(4, 4, 5);
        recent.insert(5, 5, 5);
        assert_eq!((recent.get(&2), recent.get(&5)), (None, Some(5)));
        assert!(total(&recent) <= 20);
    }
}
