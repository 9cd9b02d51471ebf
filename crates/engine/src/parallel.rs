//! Work on a list in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// More threads than this do not make reading files faster.
const MAX_THREADS: usize = 16;
/// Fewer items than this per thread are not worth one.
const PER_THREAD: usize = 8;

/// Returns the number of threads that can run at once. The system is asked only once, since it
/// reads several files to answer.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Applies `work` to each item, on as many threads as pay, and returns the results in the order of
/// the items. Each thread has a state of its own from `start`.
pub(crate) fn map<T: Sync, S, R: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let threads = cores().min(MAX_THREADS).min(items.len().div_ceil(PER_THREAD)).max(1);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let run = || {
        let mut state = start();
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            own.push((number, work(&mut state, item)));
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let squares = map(&items, || (), |(), item| item * item);
        assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        assert!(map(&[] as &[usize], || (), |(), item| *item).is_empty());
    }
}
