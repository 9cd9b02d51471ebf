//! Runs every grammar over real code: `cargo stress [--verbose] FOLDER…` parses each file whole, cut off and damaged.
//!
//! Prints, per language, how much was read, how fast, the slowest file and how many runs met the time limit. A crash ends
//! the process: run again with `--verbose`, which names each file before it is parsed.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it does")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codecompass_syntax::{Language, Parsed, language_of, parse};

/// What the product allows a file by default.
const LIMIT: Duration = Duration::from_secs(5);
/// Larger files are not indexed either.
const MAX_BYTES: u64 = 2 << 20;
const DAMAGED_VERSIONS: usize = 4;

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
            folder => walk(Path::new(folder), &mut files)?,
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
            run(&damage(&text, &mut random), language, &path, tally);
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

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.is_file() {
        files.push(folder.to_path_buf());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" {
            walk(&entry.path(), files)?;
        } else if kind.is_file() && entry.metadata()?.len() <= MAX_BYTES {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Cuts the text off, or removes, doubles and replaces stretches of it.
fn damage(text: &str, random: &mut Random) -> String {
    const PIECES: [&str; 14] = ["", "(", ")", "{", "}", "\"", "'", "`", "\n", "\t", "/*", "#", "<<", "\u{0}"];
    let end = text.floor_char_boundary(random.below(text.len() + 1));
    if random.below(3) == 0 {
        return text[..end].to_string();
    }
    let mut damaged = text.to_string();
    for _ in 0..1 + random.below(20) {
        let start = damaged.floor_char_boundary(random.below(damaged.len() + 1));
        let end = damaged.ceil_char_boundary((start + random.below(40)).min(damaged.len()));
        let piece = PIECES[random.below(PIECES.len())];
        let doubled = damaged[start..end].to_string();
        damaged.replace_range(start..end, if random.below(2) == 0 { piece } else { &doubled });
        if random.below(4) == 0 {
            damaged.insert_str(start, &doubled);
        }
    }
    damaged
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_string())
}
