//! The threads in which the repositories of a question work. They are used again: a new thread
//! begins without memory, and getting it costs as much as a small question.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, mpsc};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::workers::Workers;

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::default);

/// Runs jobs in at most `width` threads beside this one; `None` for those that panic or are not
/// done in time.
pub fn run<T: Send + 'static>(
    jobs: Vec<impl FnOnce() -> T + Send + 'static>,
    width: usize,
    timeout: Duration,
) -> Vec<Option<T>> {
    let mut results: Vec<Option<T>> = jobs.iter().map(|_| None).collect();
    let width = width.min(jobs.len());
    let queue = Arc::new(Mutex::new(jobs.into_iter().enumerate()));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..width {
        let (queue, sender) = (queue.clone(), sender.clone());
        spawn(move || {
            let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((number, job)) = next() {
                let result = catch_unwind(AssertUnwindSafe(job)).ok();
                if sender.send((number, result)).is_err() {
                    return;
                }
            }
        });
    }
    drop(sender);
    let end = Instant::now() + timeout;
    while let Ok((number, result)) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        results[number] = result;
    }
    results
}

/// Returns how many threads have something to do at the same time.
pub fn cores() -> usize {
    available_parallelism().map_or(1, |cores| cores.get())
}

/// Runs `job` in a thread beside all others. One that panics is as one that gives no answer.
fn spawn(job: impl FnOnce() + Send + 'static) {
    let caught = move || {
        let _ = catch_unwind(AssertUnwindSafe(job));
    };
    // Where no thread is to be had, the job is dropped, and its caller gives up in time.
    let _ = WORKERS.run(caught);
}
