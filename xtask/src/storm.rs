//! Dozens of processes on one repository and its worktrees, some of them killed, while files are
//! edited; every answer is judged: `cargo xtask storm [--seed N] [--seconds N] [--at-once N]`.

#[path = "../../crates/codecompass/tests/robustness/storm/weather/mod.rs"]
mod weather;

use std::path::Path;
use std::time::{Duration, Instant};

use weather::{Options, Until};

use crate::bench::measure;
use crate::outcome::Outcome;

/// One storm lasts so long; then another one begins, in a new repository with the next seed.
const ONE_STORM: u64 = 30;

/// Runs storms with the seeds from `--seed` on for `--seconds`.
pub(crate) fn run(root: &Path, args: &[&str]) -> Outcome<()> {
    let (mut seed, mut seconds, mut at_once) = (1, 300, 24);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{flag} needs a number"))?.parse::<u64>()?;
        match *flag {
            "--seed" => seed = value,
            "--seconds" => seconds = value,
            "--at-once" => at_once = value,
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    let binary = measure::build(root, "codecompass")?;
    let program = binary.to_str().ok_or("a path that is no text")?;
    let start = Instant::now();
    let mut failures = 0;
    loop {
        let left = seconds.saturating_sub(start.elapsed().as_secs());
        if left == 0 {
            break;
        }
        let options = Options { seed, at_once, until: Until::Passed(Duration::from_secs(left.min(ONE_STORM))) };
        match weather::run(program, &options) {
            Ok(weathered) => println!(
                "seed {seed}: {} processes, {} killed, {} edits, {} answers judged, {} said stale, {} s",
                weathered.started,
                weathered.killed,
                weathered.edits,
                weathered.judged,
                weathered.said_stale,
                start.elapsed().as_secs()
            ),
            Err(wrong) => {
                println!("{wrong}\n");
                failures += 1;
            }
        }
        seed += 1;
    }
    match failures {
        0 => Ok(()),
        _ => Err(format!("{failures} storms with failures").into()),
    }
}
