//! A storm in miniature: processes of all kinds on one repository and its worktrees, some of them
//! killed, while files are edited. `cargo xtask storm` has the long one.

mod weather;

use codecompass_testkit::repeats;
use weather::{Options, Until};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codecompass");

#[test]
fn all_that_is_answered_in_a_storm_is_right() {
    for seed in 1..=repeats(1, 2) {
        let options = Options { seed, at_once: 8, until: Until::Started(40) };
        let weathered = weather::run(PROGRAM, &options).unwrap();
        // Otherwise this tests nothing.
        assert!(weathered.killed > 0 && weathered.edits > 0 && weathered.judged > 0, "{weathered:?}");
    }
}
