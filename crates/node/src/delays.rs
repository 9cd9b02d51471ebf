//! Waits between attempts to take a generation, so that what fails does not keep a node busy.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The first wait; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(30);

/// A repository whose generation could not be taken.
struct Delay {
    wait: Duration,
    until: Instant,
    reason: String,
}

/// Repositories whose generations could not be taken, by number.
#[derive(Default)]
pub(super) struct InstallDelays(Mutex<HashMap<i64, Delay>>);

impl InstallDelays {
    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Delay>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the reason of the last failure, if it is too early for another attempt.
    pub(super) fn reason(&self, repository: i64) -> Option<String> {
        self.lock().get(&repository).filter(|delay| Instant::now() < delay.until).map(|delay| delay.reason.clone())
    }

    /// Notes a failure and returns its reason.
    pub(super) fn note(&self, repository: i64, reason: String) -> String {
        let mut delays = self.lock();
        let wait = delays.get(&repository).map_or(FIRST, |last| (last.wait * 2).min(LONGEST));
        delays.insert(repository, Delay { wait, until: Instant::now() + wait, reason: reason.clone() });
        reason
    }

    /// Notes that there is no failure any more.
    pub(super) fn forget(&self, repository: i64) {
        self.lock().remove(&repository);
    }
}
