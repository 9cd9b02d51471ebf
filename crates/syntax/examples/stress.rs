//! Runs every grammar over real code: `cargo stress [--verbose] FOLDER…` parses each file whole,
//! cut off and damaged.
//!
//! Prints, per language, how much was read, how fast, the slowest file and how many runs met the
//! time limit. A crash ends the process: run again with `--verbose`, which names each file before
//! it is parsed.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it does")]

#[path = "support/damage.rs"]
mod damage;
#[path = "support/files.rs"]
mod files;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use codecompass_syntax::{Language, Parsed, language_of, parse};
use damage::{Damage, Random};
use files::Without;

/// The default time limit of the product for one file.
const LIMIT: Duration = Duration::from_secs(5);
/// Larger files are not indexed either.
const WITHOUT: Without = Without { folders: &[".git"], above_bytes: 2 << 20 };
const DAMAGED_VERSIONS: usize = 4;
const HEAVY: Damage = Damage { most_stretches: 20, longest: 40 };

#[derive(Default)]
struct Tally {
    files: usize,
    bytes: usize,
    time: Duration,
    definitions: usize,
    problems: usize,
    runs: usize,
    timeouts: usize,
    slowest: (Duration, String),
}

fn main() -> std::io::Result<()> {
    let mut verbose = false;
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--verbose" => verbose = true,
            folder => WITHOUT.walk(Path::new(folder), &mut files)?,
        }
    }
    files.sort();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut random = Random(files.len() as u64);
    for file in &files {
        let path = file.display().to_string();
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        let Some(language) = language_of(&path, &text) else { continue };
        if verbose {
            eprintln!("{path}");
        }
        let tally = tallies.entry(language.name).or_default();
        tally.files += 1;
        tally.bytes += text.len();
        let start = Instant::now();
        if let Some((definitions, problems)) = run(&text, language, &path, tally) {
            tally.definitions += definitions;
            tally.problems += usize::from(problems > 0);
        }
        tally.time += start.elapsed();
        for _ in 0..DAMAGED_VERSIONS {
            run(&cut_or_damage(&text, &mut random), language, &path, tally);
        }
    }
    println!(
        "| language | files | MB | MB/s | definitions | files with problems | runs | at the limit | slowest run |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (language, tally) in tallies {
        let megabytes = tally.bytes as f64 / 1e6;
        println!(
            "| {language} | {} | {megabytes:.1} | {:.1} | {} | {} | {} | {} | {} ms {} |",
            tally.files,
            megabytes / tally.time.as_secs_f64().max(1e-6),
            tally.definitions,
            tally.problems,
            tally.runs,
            tally.timeouts,
            tally.slowest.0.as_millis(),
            tally.slowest.1
        );
    }
    if let Some(peak) = peak_memory() {
        println!("\npeak memory {peak}");
    }
    Ok(())
}

/// Parses one text; the numbers of definitions and problems, unless it met the limit.
fn run(text: &str, language: &'static Language, path: &str, tally: &mut Tally) -> Option<(usize, usize)> {
    let start = Instant::now();
    let parsed = parse(text, Some(language), LIMIT);
    let took = start.elapsed();
    tally.runs += 1;
    if took > tally.slowest.0 {
        tally.slowest = (took, path.to_string());
    }
    match parsed {
        Parsed::Facts(facts) => Some((facts.definitions.len(), facts.problems.len())),
        Parsed::TimedOut => {
            tally.timeouts += 1;
            None
        }
    }
}

/// Cuts the text off, or removes, doubles and replaces stretches of it.
fn cut_or_damage(text: &str, random: &mut Random) -> String {
    let end = text.floor_char_boundary(random.below(text.len() + 1));
    if random.below(3) == 0 { text[..end].to_string() } else { HEAVY.of(text, random) }
}

fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_string())
}
