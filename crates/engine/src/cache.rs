//! Values that stay in memory: recently used ones with a limit on their total weight, and one of
//! each type.

use std::any::{Any, TypeId};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// One value of each type, made when it is first asked for. Who has a value to remember defines a
/// type for it, so that what remembers need not know who does.
#[derive(Default)]
pub(crate) struct Memo {
    values: Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Memo {
    /// Returns the value of a type, if it was made.
    pub(crate) fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let known = locked(&self.values).get(&TypeId::of::<T>()).cloned();
        known.and_then(|known| known.downcast().ok())
    }

    /// Returns the value of a type, at first its default.
    pub(crate) fn get_or_default<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let mut values = locked(&self.values);
        let known = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(known).downcast().unwrap_or_default()
    }

    /// Returns the value of a type, and makes it first if need be. Of two that are made at the same
    /// time, either stays.
    pub(crate) fn get_or_make<T: Any + Send + Sync, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(known) = self.get() {
            return Ok(known);
        }
        let made = Arc::new(make()?);
        locked(&self.values).insert(TypeId::of::<T>(), Arc::clone(&made) as _);
        Ok(made)
    }
}

/// Locks a mutex; a thread that panicked with it leaves a value that is whole.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_value_is_made_once_for_its_type() {
        let memo = Memo::default();
        assert_eq!(memo.get::<u32>(), None);
        assert_eq!(memo.get_or_make(|| Err::<u32, &str>("no")), Err("no"));
        for made in [1_u32, 2] {
            assert_eq!(*memo.get_or_make(|| Ok::<u32, ()>(made)).unwrap(), 1);
        }
        assert_eq!(*memo.get_or_make(|| Ok::<u8, ()>(3)).unwrap(), 3);
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
