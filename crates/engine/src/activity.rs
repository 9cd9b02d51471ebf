//! Counts of what the questions of this process look at, for those who wait for an answer.

use std::sync::atomic::{AtomicU64, Ordering};

static FILES: AtomicU64 = AtomicU64::new(0);
static FOUND: AtomicU64 = AtomicU64::new(0);
static RESOLVED: AtomicU64 = AtomicU64::new(0);

/// The counts of all questions of this process since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Files of which the uses were read.
    pub files: u64,
    /// Occurrences of names found so far.
    pub occurrences: u64,
    /// Those of them that were resolved.
    pub resolved: u64,
}

impl Activity {
    /// Returns the counts of now.
    pub fn now() -> Activity {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Activity { files: count(&FILES), occurrences: count(&FOUND), resolved: count(&RESOLVED) }
    }
}

pub(crate) fn count_file() {
    FILES.fetch_add(1, Ordering::Relaxed);
}

/// Counts occurrences that will be resolved.
pub(crate) fn count_occurrences(found: usize) {
    FOUND.fetch_add(found as u64, Ordering::Relaxed);
}

pub(crate) fn count_resolved() {
    RESOLVED.fetch_add(1, Ordering::Relaxed);
}
