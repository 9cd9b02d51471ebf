//! Several requests at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` with each number below `count`, in order, on at most `threads` threads at a time,
/// and returns the results by number. Once `is_over`, no further call is begun; those not begun
/// have no result.
pub(super) fn in_parallel<T: Send>(
    count: usize,
    threads: usize,
    is_over: &(dyn Fn() -> bool + Sync),
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while !is_over() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                break;
            }
            done.push((at, work(at)));
        }
        done
    };
    let threads = threads.clamp(1, count.max(1));
    let mut results: Vec<Option<T>> = Vec::new();
    results.resize_with(count, || None);
    let done: Vec<(usize, T)> = match threads {
        1 => run(),
        _ => thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        }),
    };
    for (at, result) in done {
        results[at] = Some(result);
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_threads_are_bounded() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |at: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(std::time::Duration::from_millis(2));
            now.fetch_sub(1, Ordering::SeqCst);
            at * 2
        };
        let results = in_parallel(20, 3, &|| false, &work);
        assert!(results.into_iter().enumerate().all(|(at, result)| result == Some(at * 2)));
        assert!((2..=3).contains(&most.load(Ordering::SeqCst)));
    }

    #[test]
    fn nothing_is_begun_after_the_end() {
        let begun = AtomicUsize::new(0);
        let work = |_: usize| begun.fetch_add(1, Ordering::SeqCst);
        let results = in_parallel(100, 1, &|| begun.load(Ordering::SeqCst) >= 5, &work);
        assert_eq!(results.iter().flatten().count(), 5);
        assert!(in_parallel(0, 8, &|| false, &work).is_empty());
    }
}
