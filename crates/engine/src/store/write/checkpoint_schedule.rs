//! The times at which a long run makes durable what it has stored so far.
//!
//! Each save is a commit of the text index and of the database, so a run that is left alone wants
//! few. A run that is killed loses what came after its last save, and one that is killed early
//! would lose everything: so the first saves come sooner.

use std::time::{Duration, Instant};

/// The saves of one run.
pub(crate) struct CheckpointSchedule {
    /// The time between two saves, once the run is under way.
    every: Duration,
    made: u32,
    last: Instant,
}

impl CheckpointSchedule {
    pub(crate) fn new(every: Duration) -> CheckpointSchedule {
        CheckpointSchedule { every, made: 0, last: Instant::now() }
    }

    /// A batch begins: what follows is not saved yet.
    pub(crate) fn begin_batch(&mut self) {
        self.last = Instant::now();
    }

    /// Returns whether the batch is so old that it is to be saved.
    pub(crate) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.pause()
    }

    /// A batch was saved.
    pub(crate) fn count(&mut self) {
        self.made = self.made.saturating_add(1);
    }

    /// The time from one save to the next: a fifth of the usual one at first, then twice as long
    /// each time.
    fn pause(&self) -> Duration {
        (self.every / 5).saturating_mul(2_u32.saturating_pow(self.made)).min(self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ones_come_sooner() {
        let mut saves = CheckpointSchedule::new(Duration::from_secs(5));
        let mut pauses = Vec::new();
        for _ in 0..6 {
            pauses.push(saves.pause().as_millis());
            saves.count();
        }
        assert_eq!(pauses, [1000, 2000, 4000, 5000, 5000, 5000]);
        saves.made = u32::MAX;
        saves.count();
        assert_eq!(saves.pause(), Duration::from_secs(5));
    }

    #[test]
    fn none_is_due_before_its_time() {
        let mut saves = CheckpointSchedule::new(Duration::from_secs(3600));
        saves.begin_batch();
        assert!(!saves.is_due());
        // Those who want every file saved at once get that.
        assert!(CheckpointSchedule::new(Duration::ZERO).is_due());
    }
}
