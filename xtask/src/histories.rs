//! Runs random git histories and compares every answer with that of a fresh index, for as long as
//! one likes: `cargo xtask histories [--seed N] [--transitions N] [--length N]`.

#[path = "../../crates/engine/tests/it/histories/compare.rs"]
pub(crate) mod compare;

use std::time::Instant;

use compare::Compared;

use crate::outcome::Outcome;

/// Runs histories with the seeds from `--seed` on until there were `--transitions` steps in all.
pub(crate) fn run(args: &[&str]) -> Outcome<()> {
    let (mut seed, mut transitions, mut length) = (1, 2000, 60);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{flag} needs a number"))?.parse::<u64>()?;
        match *flag {
            "--seed" => seed = value,
            "--transitions" => transitions = value,
            "--length" => length = value.max(1),
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    let start = Instant::now();
    let mut total = Compared::default();
    let mut failures = 0;
    while total.transitions < transitions {
        let steps = length.min(transitions - total.transitions);
        match compare::run(seed, steps) {
            Ok(compared) => {
                total.transitions += compared.transitions;
                total.views += compared.views;
                total.fresh += compared.fresh;
                total.answers += compared.answers;
            }
            Err(difference) => {
                println!("{difference}\n");
                failures += 1;
                total.transitions += steps;
            }
        }
        println!(
            "seed {seed}: {} transitions, {} views, {} fresh indexes, {} answers, {failures} differences, {} s",
            total.transitions,
            total.views,
            total.fresh,
            total.answers,
            start.elapsed().as_secs()
        );
        seed += 1;
    }
    match failures {
        0 => Ok(()),
        _ => Err(format!("{failures} histories with differences").into()),
    }
}
