//! Delays of a watcher: quiet after events, pauses after failures, intervals of polling, and
//! detection of sleep of the machine.

use std::time::{Duration, Instant, SystemTime};

use crate::config::WatchConfig;
use crate::watch::dirty_tracker::Burst;

/// Events that go on are not waited for longer than this, or ten times the quiet.
const MOST_DEBOUNCE: Duration = Duration::from_millis(500);

/// The quiet that is waited for where a question is expected: the parts of one save are nearer to
/// each other.
const SHORT_QUIET: Duration = Duration::from_millis(2);

/// Returns the time at which the events of a burst are acted on; sooner if a question about them is
/// expected.
pub(super) fn due(burst: Burst, config: &WatchConfig, is_expected: bool) -> Instant {
    let quiet = Duration::from_millis(config.debounce_ms);
    let quiet = if is_expected { quiet.min(SHORT_QUIET) } else { quiet };
    (burst.last + quiet).min(burst.first + MOST_DEBOUNCE.max(quiet * 10))
}

/// Returns the delay after this many failures in a row.
pub(super) fn pause_after(failures: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(500);
    const MOST: Duration = Duration::from_secs(60);
    (FIRST * 4_u32.saturating_pow(failures.saturating_sub(1)).min(1000)).min(MOST)
}

/// Returns the delay between two polls, when one of them took `took`.
pub(super) fn poll_interval(took: Duration) -> Duration {
    (took * 20).clamp(Duration::from_secs(2), Duration::from_secs(60))
}

/// The clock of this process, which stands still while the machine is asleep, and the one on the
/// wall.
type Reading = (Instant, SystemTime);

/// Notices that the machine was asleep: time on the wall has passed that this process did not see.
pub(super) struct Clocks {
    read: Box<dyn Fn() -> Reading + Send>,
    last: Reading,
}

impl Clocks {
    /// Those of the system.
    pub(super) fn real() -> Clocks {
        Clocks::new(|| (Instant::now(), SystemTime::now()))
    }

    /// Any others, for tests.
    pub(super) fn new(read: impl Fn() -> Reading + Send + 'static) -> Clocks {
        let last = read();
        Clocks { read: Box::new(read), last }
    }

    /// Returns whether the two clocks went apart since the last call.
    pub(super) fn jumped(&mut self) -> bool {
        let now = (self.read)();
        let before = std::mem::replace(&mut self.last, now);
        went_apart(now.0.duration_since(before.0), now.1.duration_since(before.1).unwrap_or_default())
    }
}

fn went_apart(monotonic: Duration, wall: Duration) -> bool {
    /// Clocks are set right by less than this all the time.
    const TOLERANCE: Duration = Duration::from_secs(5);
    monotonic.abs_diff(wall) > TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_first_but_not_for_ever() {
        let config = WatchConfig::default();
        let first = Instant::now();
        let after = |milliseconds| first + Duration::from_millis(milliseconds);
        assert_eq!(due(Burst { first, last: first }, &config, false), after(50));
        assert_eq!(due(Burst { first, last: after(300) }, &config, false), after(350));
        assert_eq!(due(Burst { first, last: after(900) }, &config, false), after(500));
        assert_eq!(due(Burst { first, last: after(300) }, &config, true), after(302));
        assert_eq!(due(Burst { first, last: after(900) }, &config, true), after(500));
        let slow = WatchConfig { debounce_ms: 200, ..config };
        assert_eq!(due(Burst { first, last: after(5000) }, &slow, false), after(2000));
    }

    #[test]
    fn pauses_grow_and_are_bounded() {
        let pauses: Vec<u64> = (1..7).map(|failures| pause_after(failures).as_millis() as u64).collect();
        assert_eq!(pauses, [500, 2_000, 8_000, 32_000, 60_000, 60_000]);
        assert_eq!(pause_after(u32::MAX), Duration::from_secs(60));
        assert_eq!(poll_interval(Duration::from_millis(5)), Duration::from_secs(2));
        assert_eq!(poll_interval(Duration::from_millis(500)), Duration::from_secs(10));
        assert_eq!(poll_interval(Duration::from_secs(30)), Duration::from_secs(60));
    }

    #[test]
    fn sleep_shows() {
        let seconds = Duration::from_secs;
        assert!(!went_apart(seconds(10), seconds(10)) && !went_apart(seconds(10), seconds(12)));
        assert!(went_apart(seconds(10), seconds(3600)) && went_apart(seconds(60), seconds(0)));
        assert!(!Clocks::real().jumped());
    }
}
