//! The meeting point of the processes that answer one question together.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::EncodedParts;
use crate::error::{Error, Result};

/// Brings the parts of all processes together, round by round. The processes are its parties.
pub struct ShardHub {
    state: Mutex<HubRounds>,
    changed: Condvar,
    patience: Duration,
}

struct HubRounds {
    round: usize,
    /// The parts of this round, by party.
    given: Vec<Option<EncodedParts>>,
    /// The parts of the last round.
    all: EncodedParts,
    /// True if a party is gone: the question cannot be answered with all of them.
    is_broken: bool,
    /// The parties that the others have waited for in vain.
    absent: Vec<usize>,
}

impl ShardHub {
    /// Makes a hub for so many parties, which wait for each other for so long.
    pub fn new(parties: usize, patience: Duration) -> ShardHub {
        let given = (0..parties).map(|_| None).collect();
        let state = HubRounds { round: 0, given, all: Vec::new(), is_broken: false, absent: Vec::new() };
        ShardHub { state: Mutex::new(state), changed: Condvar::new(), patience }
    }

    fn lock(&self) -> MutexGuard<'_, HubRounds> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the question for all parties, because one of them is gone.
    pub fn give_up(&self) {
        self.lock().is_broken = true;
        self.changed.notify_all();
    }

    /// Returns the parties that the others have waited for in vain.
    pub fn absent(&self) -> Vec<usize> {
        self.lock().absent.clone()
    }

    /// Gives the parts of a party in a round and returns those of all, by number.
    pub fn exchange(&self, party: usize, round: usize, own: EncodedParts) -> Result<EncodedParts> {
        let mut state = self.lock();
        if state.is_broken || state.round != round || party >= state.given.len() || state.given[party].is_some() {
            return Err(Error::Cancelled);
        }
        state.given[party] = Some(own);
        if state.given.iter().all(Option::is_some) {
            let mut all: EncodedParts = state.given.iter_mut().filter_map(Option::take).flatten().collect();
            all.sort_by_key(|(number, _)| *number);
            (state.all, state.round) = (all, round + 1);
            self.changed.notify_all();
        }
        let end = Instant::now() + self.patience;
        while state.round == round && !state.is_broken {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.is_broken = true;
                state.absent = (0..state.given.len()).filter(|party| state.given[*party].is_none()).collect();
                self.changed.notify_all();
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        // The next round cannot end before this party has given its part of it.
        if state.is_broken { Err(Error::Cancelled) } else { Ok(state.all.clone()) }
    }
}

impl fmt::Debug for ShardHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardHub").field("round", &self.lock().round).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Shard, ShardGroup, ShardLink, best_places, sums};
    use super::*;

    struct Direct(Arc<ShardHub>, usize);

    impl ShardLink for Direct {
        fn exchange(&self, round: usize, own: EncodedParts) -> Result<EncodedParts> {
            self.0.exchange(self.1, round, own)
        }
    }

    /// Makes groups with these shards, one for each process.
    fn groups(of: &[&[usize]], patience: Duration) -> (Arc<ShardHub>, Vec<Shard>) {
        let hub = Arc::new(ShardHub::new(of.len(), patience));
        let group = |(party, numbers): (usize, &&[usize])| {
            ShardGroup::linked(numbers.to_vec(), patience, Box::new(Direct(hub.clone(), party)))
        };
        let shards = of.iter().enumerate().flat_map(group).collect();
        (hub, shards)
    }

    #[test]
    fn shards_of_several_processes_get_the_same() {
        let (_, shards) = groups(&[&[1, 3], &[0], &[2, 4]], Duration::from_secs(60));
        let lists = [vec![9.0, 5.0], vec![7.0, 5.0], vec![], vec![8.0, 5.0, 4.0], vec![5.0]];
        let work = |shard: Shard| {
            let (number, shard) = (shard.number(), Arc::new(shard));
            let sum = sums(Some(&shard), vec![number as u64, 1]).unwrap();
            (number, sum, best_places(Some(&shard), &lists[number], 5).unwrap())
        };
        let mut got: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = shards.into_iter().map(|shard| scope.spawn(|| work(shard))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        got.sort();
        let places = [vec![0, 3], vec![2, 4], vec![], vec![1], vec![]];
        for (number, (got, places)) in got.into_iter().zip(places).enumerate() {
            assert_eq!(got, (number, vec![10, 5], places));
        }
    }

    #[test]
    fn nobody_waits_for_a_process_that_is_gone() {
        let (hub, mut shards) = groups(&[&[0], &[1]], Duration::from_secs(60));
        let gone = shards.pop().unwrap();
        let own = Arc::new(shards.pop().unwrap());
        let waiting = std::thread::spawn(move || sums(Some(&own), vec![1]));
        drop(gone);
        hub.give_up();
        assert!(matches!(waiting.join().unwrap(), Err(Error::Cancelled)));
        assert!(hub.exchange(1, 0, Vec::new()).is_err());
    }

    #[test]
    fn a_process_that_is_too_slow_is_named() {
        let hub = ShardHub::new(3, Duration::from_millis(20));
        let given = std::thread::scope(|scope| {
            let other = scope.spawn(|| hub.exchange(2, 0, Vec::new()));
            (hub.exchange(0, 0, Vec::new()), other.join().unwrap())
        });
        assert!(given.0.is_err() && given.1.is_err());
        assert_eq!(hub.absent(), [1]);
    }

    #[test]
    fn parts_of_another_round_are_refused() {
        let hub = ShardHub::new(1, Duration::from_secs(60));
        assert_eq!(hub.exchange(0, 0, vec![(0, vec![1])]).unwrap(), [(0, vec![1])]);
        assert!(hub.exchange(0, 0, Vec::new()).is_err());
        assert!(hub.exchange(1, 1, Vec::new()).is_err());
        assert_eq!(hub.exchange(0, 1, vec![(4, vec![]), (2, vec![7])]).unwrap(), [(2, vec![7]), (4, vec![])]);
    }
}
