//! Work in several threads whose results one thread stores, in no particular order.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use crate::error::Result;

/// Applies `work` to the items in their order, in as many threads as given or as there are cores,
/// and hands each result to `store` in
/// the calling thread. Ends early when `store` returns `false` or fails. Each thread has a state of
/// its own from `start`.
pub(super) fn run<T: Sync, S, R: Send>(
    items: &[T],
    threads: Option<usize>,
    start: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, &T) -> Result<R> + Sync,
    mut store: impl FnMut(R) -> Result<bool>,
) -> Result<()> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or_else(cores).min(items.len());
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    // The results that wait are bounded, and so is the memory for them.
    let (sender, results) = sync_channel(threads.max(1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, is_over, start, work) = (&next, &is_over, &start, &work);
            scope.spawn(move || {
                let mut state = match start() {
                    Ok(state) => state,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                while !is_over.load(Ordering::Relaxed) {
                    let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    if sender.send(work(&mut state, item)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for result in &results {
            match result.and_then(&mut store) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
        // Threads that wait to hand over a result see that no one takes it.
        drop(results);
        outcome
    })
}
