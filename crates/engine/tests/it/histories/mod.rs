//! Random git histories, and corners of git that chance reaches rarely: whatever happened before,
//! the answers for a worktree or a ref are those of a fresh index of a clean checkout.
//!
//! `cargo xtask histories` runs the same for as long as one likes.

use codecompass_testkit::{History, repeats};

mod blamed;
pub(crate) mod compare;
mod corners;
mod git_log;
mod log;
mod symbol_log;

/// Seeds are separate tests, so that they run side by side.
fn run(seeds: std::ops::Range<u64>, transitions: u64) {
    for seed in seeds {
        if let Err(difference) = compare::run(seed, transitions) {
            panic!("{difference}");
        }
    }
}

#[test]
fn short_histories() {
    run(0..repeats(1, 3), 16);
}

#[test]
fn longer_history() {
    run(100..101, repeats(25, 45));
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let run = || {
        let mut history = History::new(7);
        (0..40).for_each(|_| _ = history.step());
        (history.log().to_vec(), history.refs(&history.worktrees()[0]))
    };
    let (log, refs) = run();
    assert_eq!((&log, &refs), (&run().0, &run().1), "{}", log.join("\n"));
}
