//! One question to several repositories, answered as if they were one.
//!
//! Each repository is a shard with a thread of its own that works through the question as usual. At
//! the few steps whose result depends on everything that is searched (how rare a word is, which
//! candidates are the best, what the best score is), the shards put what they have together: one of
//! them combines the parts, in the order of the shards, and all go on with the same result. Nothing
//! else is shared, so the answer is that of one store with all files, whatever shard they are in.
//!
//! Shards may be in several processes. Each process then has a group of its own, and a
//! [link](ShardLink) brings the parts of a round to the others; combined they are in each process,
//! in the same order.
//!
//! A shard that fails, or that the others have waited for too long, is left out, and its group says
//! so.

mod hub;

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::hub::ShardHub;
use crate::error::{Error, Result};

type GivenPart = Box<dyn Any + Send>;
type Whole = Arc<dyn Any + Send + Sync>;

/// The parts of shards in one round, encoded, each with the number of its shard.
pub type EncodedParts = Vec<(usize, Vec<u8>)>;

/// The way to the shards of the same question in other processes.
pub trait ShardLink: Send + Sync {
    /// Gives the parts of this process in a round, and returns those of all processes, by number.
    fn exchange(&self, round: usize, own: EncodedParts) -> Result<EncodedParts>;
}

/// The shards of one question in this process.
pub struct ShardGroup {
    state: Mutex<ShardRounds>,
    changed: Condvar,
    /// The numbers of the shards among those of all processes.
    numbers: Vec<usize>,
    /// The longest time that shards wait for each other.
    patience: Duration,
    /// The way to shards of other processes, if there are any.
    link: Option<Box<dyn ShardLink>>,
}

/// One shard of a question; it leaves its group when it is dropped.
pub struct Shard {
    group: Arc<ShardGroup>,
    /// The place in its group.
    slot: usize,
}

/// The rounds of exchange, and who takes part.
struct ShardRounds {
    /// Of each shard whether it takes part.
    is_present: Vec<bool>,
    /// Of each shard whether it was left out before it was done.
    is_lost: Vec<bool>,
    round: usize,
    /// The parts of this round, by shard.
    parts: Vec<Option<GivenPart>>,
    /// The number of shards, from the first, that this round need not wait for.
    given: usize,
    /// True while one of them combines the parts.
    is_combining: bool,
    /// The result of the last round; none if it failed.
    whole: Option<Whole>,
}

impl ShardGroup {
    /// Makes a group of so many shards, in this order, that wait for each other for so long.
    pub fn of(count: usize, patience: Duration) -> Vec<Shard> {
        ShardGroup::make((0..count).collect(), patience, None)
    }

    /// Makes the group of those shards of a question that are in this process; others are reached
    /// by the link.
    pub fn linked(numbers: Vec<usize>, patience: Duration, link: Box<dyn ShardLink>) -> Vec<Shard> {
        ShardGroup::make(numbers, patience, Some(link))
    }

    fn make(numbers: Vec<usize>, patience: Duration, link: Option<Box<dyn ShardLink>>) -> Vec<Shard> {
        let count = numbers.len();
        let progress = ShardRounds {
            is_present: vec![true; count],
            is_lost: vec![false; count],
            round: 0,
            parts: (0..count).map(|_| None).collect(),
            given: 0,
            is_combining: false,
            whole: None,
        };
        let (state, changed) = (Mutex::new(progress), Condvar::new());
        let group = Arc::new(ShardGroup { state, changed, numbers, patience, link });
        (0..count).map(|slot| Shard { group: group.clone(), slot }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, ShardRounds> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the parts of a round in the order of all shards.
    fn all_parts<T: SharedPart>(&self, round: usize, own: Vec<(usize, T)>) -> Result<Vec<T>> {
        let Some(link) = &self.link else { return Ok(own.into_iter().map(|(_, part)| part).collect()) };
        let encode = |(slot, part): (usize, T)| {
            let bytes = postcard::to_stdvec(&part).map_err(|_| Error::Cancelled)?;
            Ok((self.numbers[slot], bytes))
        };
        let own = own.into_iter().map(encode).collect::<Result<EncodedParts>>()?;
        let all = link.exchange(round, own)?;
        all.iter().map(|(_, bytes)| postcard::from_bytes(bytes).map_err(|_| Error::Cancelled)).collect()
    }
}

/// A part that shards may put together: it must be able to go to another process.
pub trait SharedPart: Send + Serialize + DeserializeOwned + 'static {}

impl<T: Send + Serialize + DeserializeOwned + 'static> SharedPart for T {}

impl ShardRounds {
    fn is_complete(&mut self) -> bool {
        while self.given < self.parts.len() && (!self.is_present[self.given] || self.parts[self.given].is_some()) {
            self.given += 1;
        }
        self.given == self.parts.len()
    }

    /// Leaves out those that are not there.
    fn lose_missing(&mut self) {
        for slot in 0..self.parts.len() {
            if self.is_present[slot] && self.parts[slot].is_none() {
                (self.is_present[slot], self.is_lost[slot]) = (false, true);
            }
        }
    }

    /// Takes the parts of this round, by slot.
    fn take_parts<T: 'static>(&mut self) -> Vec<(usize, T)> {
        self.given = 0;
        let parts = self.parts.iter_mut().enumerate().filter_map(|(slot, part)| Some((slot, part.take()?)));
        parts.filter_map(|(slot, part)| Some((slot, *part.downcast::<T>().ok()?))).collect()
    }
}

impl Shard {
    /// Returns the number of the shard, by which equal results are ordered.
    pub fn number(&self) -> usize {
        self.group.numbers[self.slot]
    }

    /// Returns the numbers of the shards of this process that were left out so far.
    pub fn lost(&self) -> Vec<usize> {
        let state = self.group.lock();
        let lost = (0..state.is_lost.len()).filter(|slot| state.is_lost[*slot]);
        lost.map(|slot| self.group.numbers[slot]).collect()
    }

    /// Gives what this shard has to the others and returns the combination. All shards call this at
    /// the same steps, with parts of the same type.
    fn exchange<T: SharedPart, R: Send + Sync + 'static>(
        &self,
        mine: T,
        combine: impl FnOnce(Vec<T>) -> R,
    ) -> Result<Arc<R>> {
        let mut state = self.group.lock();
        if !state.is_present[self.slot] {
            return Err(Error::Cancelled);
        }
        let round = state.round;
        state.parts[self.slot] = Some(Box::new(mine));
        let end = Instant::now() + self.group.patience;
        let mut combine = Some(combine);
        while state.round == round {
            if state.is_complete()
                && !state.is_combining
                && let Some(combine) = combine.take()
            {
                return self
                    .combine(state, combine)
                    .and_then(|whole| whole.downcast::<R>().ok())
                    .ok_or(Error::Cancelled);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() && !state.is_combining {
                state.lose_missing();
                continue;
            }
            // The link has its own limit.
            let left = if state.is_combining { self.group.patience } else { left };
            state = self.group.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let whole = state.whole.clone().and_then(|whole| whole.downcast::<R>().ok());
        whole.ok_or(Error::Cancelled)
    }

    /// Combines the parts and begins the next round. Nothing is locked while other processes are
    /// waited for.
    fn combine<'g, T: SharedPart, R: Send + Sync + 'static>(
        &'g self,
        mut state: MutexGuard<'g, ShardRounds>,
        combine: impl FnOnce(Vec<T>) -> R,
    ) -> Option<Whole> {
        let (round, own) = (state.round, state.take_parts::<T>());
        state.is_combining = true;
        drop(state);
        let whole = self.group.all_parts(round, own).map(|parts| Arc::new(combine(parts)) as Whole);
        let mut state = self.group.lock();
        state.whole = whole.ok();
        let whole = state.whole.clone();
        state.is_combining = false;
        state.round += 1;
        // Threads that wake up find it unlocked.
        drop(state);
        self.group.changed.notify_all();
        whole
    }

    /// Leaves the group because the shard has failed; it takes part in nothing more.
    pub fn fail(&self) {
        let mut state = self.group.lock();
        state.parts[self.slot] = None;
        (state.is_present[self.slot], state.is_lost[self.slot]) = (false, true);
        drop(state);
        self.group.changed.notify_all();
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        let mut state = self.group.lock();
        state.is_present[self.slot] = false;
        state.parts[self.slot] = None;
        drop(state);
        self.group.changed.notify_all();
    }
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard").field("number", &self.number()).finish_non_exhaustive()
    }
}

/// Combines what the shards of a question have; a question to one repository has one part.
pub fn combined<T: SharedPart, R: Send + Sync + 'static>(
    shard: Option<&Arc<Shard>>,
    mine: T,
    combine: impl FnOnce(Vec<T>) -> R,
) -> Result<Arc<R>> {
    match shard {
        None => Ok(Arc::new(combine(vec![mine]))),
        Some(shard) => shard.exchange(mine, combine),
    }
}

/// Returns the greatest of what the shards have.
pub(crate) fn greatest(shard: Option<&Arc<Shard>>, mine: f64) -> Result<f64> {
    Ok(match shard {
        None => mine,
        Some(_) => *combined(shard, mine, |parts| parts.into_iter().fold(f64::NEG_INFINITY, f64::max))?,
    })
}

/// Returns whether anything holds in any shard.
pub(crate) fn any(shard: Option<&Arc<Shard>>, mine: bool) -> Result<bool> {
    Ok(match shard {
        None => mine,
        Some(_) => *combined(shard, mine, |parts| parts.contains(&true))?,
    })
}

/// Returns the sums of what the shards have, place by place.
pub(crate) fn sums(shard: Option<&Arc<Shard>>, mine: Vec<u64>) -> Result<Vec<u64>> {
    if shard.is_none() {
        return Ok(mine);
    }
    let add = |parts: Vec<Vec<u64>>| {
        let mut sums = vec![0; parts.first().map_or(0, Vec::len)];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
        }
        sums
    };
    Ok(combined(shard, mine, add)?.to_vec())
}

/// Returns the places of a shard's items, which are in the order of their keys, among those of all
/// shards. Equal ones are taken in the order of the shards.
pub(crate) fn places(shard: Option<&Arc<Shard>>, keys: Vec<usize>) -> Result<Vec<usize>> {
    let Some(own) = shard else { return Ok((0..keys.len()).collect()) };
    let order = combined(shard, (own.number(), keys), |parts: Vec<(usize, Vec<usize>)>| {
        let keys = parts.iter().flat_map(|(number, keys)| keys.iter().map(|key| (*key, *number)));
        let mut order: Vec<(usize, usize)> = keys.collect();
        order.sort_unstable();
        order
    })?;
    let is_own = |(_, (_, number)): &(usize, &(usize, usize))| *number == own.number();
    Ok(order.iter().enumerate().filter(is_own).map(|(place, _)| place).collect())
}

/// Returns the places, among the `limit` best items of all shards, of those that a shard has. Its
/// own are given best first by their scores, and the first of them are kept; equal ones are taken
/// in the order of the shards.
pub(crate) fn best_places(shard: Option<&Arc<Shard>>, scores: &[f64], limit: usize) -> Result<Vec<usize>> {
    let own_best = scores.len().min(limit);
    let Some(own) = shard else { return Ok((0..own_best).collect()) };
    let mine = (own.number(), scores[..own_best].to_vec());
    let best = combined(shard, mine, move |parts: Vec<(usize, Vec<f64>)>| {
        let mut all: Vec<(f64, usize)> =
            parts.iter().flat_map(|(number, scores)| scores.iter().map(|score| (*score, *number))).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        all.truncate(limit);
        all.into_iter().map(|(_, number)| number).collect::<Vec<_>>()
    })?;
    Ok((0..best.len()).filter(|place| best[*place] == own.number()).collect())
}

/// Returns how many of its own best items a shard keeps so that all shards keep the `limit` best.
pub(crate) fn kept_of_best(shard: Option<&Arc<Shard>>, scores: &[f64], limit: usize) -> Result<usize> {
    match shard {
        None => Ok(scores.len().min(limit)),
        Some(_) => Ok(best_places(shard, scores, limit)?.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `work` in so many shards and returns what each of them got.
    fn run<R: Send>(count: usize, work: impl Fn(Arc<Shard>) -> R + Sync) -> Vec<R> {
        let shards = ShardGroup::of(count, Duration::from_secs(60));
        std::thread::scope(|scope| {
            let threads: Vec<_> = shards.into_iter().map(|shard| scope.spawn(|| work(Arc::new(shard)))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_get_the_same() {
        let sums_of = run(5, |shard| {
            let own = shard.number() as u64;
            let first = sums(Some(&shard), vec![own, 1]).unwrap();
            let top = greatest(Some(&shard), own as f64).unwrap();
            let earlier = places(Some(&shard), vec![0, 1]).unwrap();
            (first, top, earlier, shard.lost())
        });
        for (number, (sums, top, earlier, lost)) in sums_of.into_iter().enumerate() {
            assert_eq!((sums, top, earlier, lost), (vec![10, 5], 4.0, vec![number, 5 + number], Vec::new()));
        }
    }

    #[test]
    fn the_best_of_all_are_kept() {
        let lists = [vec![9.0, 5.0, 5.0, 1.0], vec![7.0, 5.0], vec![], vec![8.0, 5.0, 4.0]];
        let kept = run(4, |shard| kept_of_best(Some(&shard), &lists[shard.number()], 5).unwrap());
        assert_eq!(kept, [3, 1, 0, 1]);
        assert_eq!(kept_of_best(None, &lists[0], 3).unwrap(), 3);
    }

    #[test]
    fn who_leaves_is_not_waited_for() {
        let rounds = run(3, |shard| {
            sums(Some(&shard), vec![1]).unwrap();
            if shard.number() == 1 {
                shard.fail();
                return (vec![0], Vec::new());
            }
            (sums(Some(&shard), vec![1]).unwrap(), shard.lost())
        });
        assert_eq!(rounds[0], (vec![2], vec![1]));
        assert_eq!(rounds[2], (vec![2], vec![1]));
    }

    #[test]
    fn who_is_too_slow_is_left_out() {
        let shards = ShardGroup::of(2, Duration::from_millis(20));
        let [quick, slow] = <[Shard; 2]>::try_from(shards).unwrap().map(Arc::new);
        assert_eq!(sums(Some(&quick), vec![3]).unwrap(), [3]);
        assert_eq!(quick.lost(), [1]);
        assert!(matches!(sums(Some(&slow), vec![4]), Err(Error::Cancelled)));
    }
}
