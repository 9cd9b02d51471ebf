//! The threads in which the repositories of a question work. They are used again: a new thread
//! begins without memory, and getting it costs as much as a small question.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use crate::workers::Workers;

static WORKERS: LazyLock<Workers> = LazyLock::new(Workers::default);

/// Runs `job` in a thread beside all others. One that panics is as one that gives no answer.
pub(in crate::api) fn spawn(job: impl FnOnce() + Send + 'static) {
    let caught = move || {
        let _ = catch_unwind(AssertUnwindSafe(job));
    };
    // Where no thread is to be had, the job is dropped, and its caller gives up in time.
    let _ = WORKERS.run(caught);
}
