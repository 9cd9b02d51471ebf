//! `cargo xtask bench resume [CORPUS]`: what it costs to be killed. The tree is indexed once
//! undisturbed, and once by runs that are killed at random moments, each going on where the one
//! before was.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codecompass_testkit::Random;

use crate::bench::corpus::CORPORA;
use crate::bench::measure::{Table, peer, program, ratio, timed};
use crate::outcome::Outcome;

const KILLS: usize = 10;
const MOST: f64 = 1.3;

pub(crate) fn run(binary: &Path, name: &str) -> Outcome<()> {
    let corpus = CORPORA.iter().find(|corpus| corpus.name == name).ok_or("corpora are django, go and linux")?;
    let tree = corpus.tree()?;
    println!("\n{name}, first index, killed {KILLS} times");
    let index = |home: &Path| {
        let mut command = program(binary, home, &tree, &["index"]);
        command.stdout(Stdio::null());
        command
    };
    // Once for the disk's cache.
    peer(&["rg", "--count", corpus.identifier], &tree)?;
    let home = tempfile::tempdir()?;
    let (undisturbed, peak_mb) = timed(&mut index(home.path()))?;
    let wanted = status(binary, home.path(), &tree)?;

    let mut random = Random::new(10);
    let mut moments: Vec<u64> = (0..KILLS).map(|_| random.below(undisturbed.as_millis() as u64)).collect();
    moments.sort_unstable();
    let home = tempfile::tempdir()?;
    let (mut total, mut before) = (Duration::ZERO, 0);
    for moment in moments {
        let start = Instant::now();
        let mut child = index(home.path()).spawn()?;
        let until = Duration::from_millis(moment - before);
        while start.elapsed() < until && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill()?;
        child.wait()?;
        total += start.elapsed();
        before = moment;
    }
    let (last, last_peak_mb) = timed(&mut index(home.path()))?;
    total += last;
    let found = status(binary, home.path(), &tree)?;
    println!(
        "  undisturbed {:.1} s, killed {:.1} s, of it {:.1} s after the last kill; {wanted}",
        undisturbed.as_secs_f64(),
        total.as_secs_f64(),
        last.as_secs_f64()
    );
    if found != wanted {
        return Err(format!("killed runs ended with {found}").into());
    }
    let mut table = Table::default();
    table.line("first index killed ten times / undisturbed", ratio(total, undisturbed), "x", Some(MOST));
    let memory_limit = Some(corpus.memory_limit_mb);
    table.line("peak memory while indexing", peak_mb.max(last_peak_mb), "MB", memory_limit);
    table.verdict()
}

/// Files and symbols of the index.
fn status(binary: &Path, home: &Path, tree: &Path) -> Outcome<String> {
    let mut command: Command = program(binary, home, tree, &["status", "--json"]);
    let output = command.output()?;
    let status: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    Ok(format!("{} files, {} symbols", status["files"], status["symbols"]))
}
