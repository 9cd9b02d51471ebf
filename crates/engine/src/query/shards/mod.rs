//! One question to several repositories, answered as if they were one.
//!
//! Each repository is a shard with a thread of its own that works through the question as usual. At
//! the few steps whose result depends on everything that is searched (how rare a word is, which
//! candidates are the best, what the best score is), the shards put what they have together: one of
//! them combines the parts, in the order of the shards, and all go on with the same result. Nothing
//! else is shared, so the answer is that of one store with all files, whatever shard they are in.
//!
//! A shard that fails, or that the others have waited for too long, is left out, and its group says
//! so.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

type GivenPart = Box<dyn Any + Send>;
type Whole = Arc<dyn Any + Send + Sync>;

/// The shards of one question.
pub struct ShardGroup {
    state: Mutex<ShardRounds>,
    changed: Condvar,
    /// The longest time that shards wait for each other.
    patience: Duration,
}

/// One shard of a question; it leaves its group when it is dropped.
pub struct Shard {
    group: Arc<ShardGroup>,
    number: usize,
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
    /// The result of the last round.
    whole: Option<Whole>,
}

impl ShardGroup {
    /// Makes a group of so many shards, in this order, that wait for each other for so long.
    pub fn of(count: usize, patience: Duration) -> Vec<Shard> {
        let progress = ShardRounds {
            is_present: vec![true; count],
            is_lost: vec![false; count],
            round: 0,
            parts: (0..count).map(|_| None).collect(),
            whole: None,
        };
        let group = Arc::new(ShardGroup { state: Mutex::new(progress), changed: Condvar::new(), patience });
        (0..count).map(|number| Shard { group: group.clone(), number }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, ShardRounds> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShardRounds {
    fn is_complete(&self) -> bool {
        self.is_present.iter().zip(&self.parts).all(|(is_present, part)| !is_present || part.is_some())
    }

    /// Leaves out those that are not there.
    fn lose_missing(&mut self) {
        for number in 0..self.parts.len() {
            if self.is_present[number] && self.parts[number].is_none() {
                (self.is_present[number], self.is_lost[number]) = (false, true);
            }
        }
    }

    /// Combines the parts and begins the next round.
    fn combine<T: 'static, R: Send + Sync + 'static>(&mut self, combine: impl FnOnce(Vec<T>) -> R) {
        let parts = self.parts.iter_mut().filter_map(Option::take);
        let parts = parts.filter_map(|part| part.downcast::<T>().ok()).map(|part| *part).collect();
        self.whole = Some(Arc::new(combine(parts)));
        self.round += 1;
    }
}

impl Shard {
    /// Returns the number of the shard, by which equal results are ordered.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the numbers of the shards that were left out so far.
    pub fn lost(&self) -> Vec<usize> {
        let state = self.group.lock();
        (0..state.is_lost.len()).filter(|number| state.is_lost[*number]).collect()
    }

    /// Gives what this shard has to the others and returns the combination. All shards call this at
    /// the same steps, with parts of the same type.
    fn exchange<T: Send + 'static, R: Send + Sync + 'static>(
        &self,
        mine: T,
        combine: impl FnOnce(Vec<T>) -> R,
    ) -> Result<Arc<R>> {
        let mut state = self.group.lock();
        if !state.is_present[self.number] {
            return Err(Error::Cancelled);
        }
        let round = state.round;
        state.parts[self.number] = Some(Box::new(mine));
        let end = Instant::now() + self.group.patience;
        let mut combine = Some(combine);
        while state.round == round {
            if state.is_complete()
                && let Some(combine) = combine.take()
            {
                state.combine(combine);
                self.group.changed.notify_all();
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.lose_missing();
                continue;
            }
            state = self.group.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let whole = state.whole.clone().and_then(|whole| whole.downcast::<R>().ok());
        whole.ok_or(Error::Cancelled)
    }

    /// Leaves the group because the shard has failed; it takes part in nothing more.
    pub fn fail(&self) {
        let mut state = self.group.lock();
        state.parts[self.number] = None;
        (state.is_present[self.number], state.is_lost[self.number]) = (false, true);
        drop(state);
        self.group.changed.notify_all();
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        let mut state = self.group.lock();
        state.is_present[self.number] = false;
        state.parts[self.number] = None;
        drop(state);
        self.group.changed.notify_all();
    }
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard").field("number", &self.number).finish_non_exhaustive()
    }
}

/// Combines what the shards of a question have; a question to one repository has one part.
pub(crate) fn combined<T: Send + 'static, R: Send + Sync + 'static>(
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
