//! Looks for memory that parsing does not give back: `cargo run --release -p codecompass-syntax
//! --example memory -- [--rounds N] [LANGUAGE…]` parses damaged fixtures over and over and prints
//! how the process grew, per language.
//!
//! The first rounds fill caches and the allocator's pools, so growth is counted from a tenth of the
//! rounds on. The texts are the same in every round after that: a process that still grows leaks.
//! Works where `/proc` is (Linux).

#![allow(clippy::print_stdout, reason = "printing is what it does")]

#[path = "support/damage.rs"]
mod damage;
#[path = "support/fixtures.rs"]
mod fixtures;

use std::error::Error;
use std::time::{Duration, Instant};

use codecompass_syntax::{Language, parse, registry};
use damage::{Damage, Random};
use fixtures::fixtures;

const LIMIT: Duration = Duration::from_secs(5);
const DAMAGE: Damage = Damage { most_stretches: 4, longest: 12 };
/// Damaged versions of each fixture.
const VERSIONS: usize = 40;
const PAGE_BYTES: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let mut rounds = 10_000;
    let mut wanted = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => rounds = arguments.next().ok_or("--rounds needs a number")?.parse()?,
            _ => wanted.push(argument),
        }
    }
    println!("| language | texts | parses | seconds | MB before | MB after | bytes per parse |");
    println!("|---|---|---|---|---|---|---|");
    for language in registry::all() {
        if wanted.is_empty() || wanted.iter().any(|name| name == language.name) {
            measure(language, rounds)?;
        }
    }
    Ok(())
}

fn measure(language: &'static Language, rounds: usize) -> Result<(), Box<dyn Error>> {
    let texts = damaged_fixtures(language)?;
    let start = Instant::now();
    let warm = rounds / 10;
    let mut before = resident_bytes()?;
    for (round, text) in texts.iter().cycle().take(warm + rounds).enumerate() {
        if round == warm {
            before = resident_bytes()?;
        }
        parse(text, Some(language), LIMIT);
    }
    let after = resident_bytes()?;
    println!(
        "| {} | {} | {rounds} | {:.0} | {:.1} | {:.1} | {:.1} |",
        language.name,
        texts.len(),
        start.elapsed().as_secs_f64(),
        before as f64 / 1e6,
        after as f64 / 1e6,
        (after as f64 - before as f64) / rounds.max(1) as f64
    );
    Ok(())
}

fn damaged_fixtures(language: &Language) -> std::io::Result<Vec<String>> {
    let mut random = Random(1);
    let mut texts = Vec::new();
    for (_, text) in fixtures(language)? {
        texts.extend((0..VERSIONS).map(|_| DAMAGE.of(&text, &mut random)));
        texts.push(text);
    }
    Ok(texts)
}

/// Returns the resident memory of the process.
fn resident_bytes() -> Result<usize, Box<dyn Error>> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let resident = pages.split_whitespace().nth(1).ok_or("no second number in /proc/self/statm")?;
    Ok(resident.parse::<usize>()? * PAGE_BYTES)
}
