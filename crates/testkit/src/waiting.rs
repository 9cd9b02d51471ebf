//! Waits for what another thread or process does by itself.

use std::time::{Duration, Instant};

/// Nothing takes as long; what does not come by then does not come.
pub const DEADLINE: Duration = Duration::from_secs(600);

/// Waits until something holds.
///
/// # Panics
///
/// If it does not by the deadline.
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < DEADLINE, "never came: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
