//! `cargo xtask bench freshness`: what it costs to know that the index is what is on disk, on
//! 10,000 files: by a look at all of them, beside `git status`, and by asking a watcher; and how
//! long a save takes to be in the index.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use codecompass_engine::config::IndexConfig;
use codecompass_engine::watch::{self, Options, Owner, Settled, Watcher};
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, scan, sync};

use crate::bench::measure::{Table, median, ratio};
use crate::bench::measure::{millis, percentile};
use crate::outcome::Outcome;

const FOLDERS: usize = 500;
const FILES: usize = 20;
const ROUNDS: usize = 41;
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run() -> Outcome<()> {
    let (tree, home) = (tempfile::tempdir()?, tempfile::tempdir()?);
    write_tree(tree.path())?;
    for arguments in
        [&["init", "-q"][..], &["add", "."], &["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"]]
    {
        git(tree.path(), arguments)?;
    }
    let open = || Engine::open(tree.path(), home.path(), Config::default());
    let engine = open()?;
    sync(&engine, SyncOptions::default(), &NoProgress)?;
    // What was written a moment ago is read again by the next sync.
    std::thread::sleep(Duration::from_millis(200));
    sync(&engine, SyncOptions::default(), &NoProgress)?;
    println!("{} files in {FOLDERS} folders of a git repository", FOLDERS * FILES);

    let mut table = Table::default();
    let config = IndexConfig::default();
    let (mut listings, mut looks, mut syncs, mut statuses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        listings.push(time(|| Ok(scan::list(engine.workspace(), &config).map(drop)?))?);
        looks.push(time(|| if engine.is_fresh()? { Ok(()) } else { Err("something has changed".into()) })?);
        syncs.push(time(|| {
            if sync(&engine, SyncOptions::default(), &NoProgress)?.1.published {
                Err("something was published".into())
            } else {
                Ok(())
            }
        })?);
        statuses.push(time(|| git(tree.path(), &["status", "--porcelain"]))?);
    }
    let (look, status) = (median(&mut looks), median(&mut statuses));
    table.line("the look at all files before a question, median", millis(look), "ms", Some(20.0));
    table.line("the same, and opening the index for the question", millis(median(&mut syncs)), "ms", None);
    table.line("of it, listing them", millis(median(&mut listings)), "ms", None);
    table.line("the look / `git status`", ratio(look, status), "x", None);

    let (root, store) = (tree.path().to_path_buf(), home.path().to_path_buf());
    let watcher =
        watch::start(move || Engine::open(&root, &store, Config::default()), Options::new(Owner::Server), |_| {})?;
    until_it_vouches(&watcher)?;
    let (mut asked, mut saved) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        asked.push(time(|| clean(watcher.settle(PATIENCE)))?);
        let file = tree.path().join(path(round * 7 % FOLDERS, round % FILES));
        std::fs::write(file, format!("def saved_{round}():\n    return {round}\n"))?;
        saved.push(time(|| clean(watcher.catch_up(PATIENCE)))?);
    }
    table.line("asking a watcher instead, median", millis(median(&mut asked)), "ms", None);
    table.line("from a save to its place in the index, median", millis(median(&mut saved)), "ms", Some(100.0));
    table.line("the same, 95 of 100", millis(percentile(&mut saved, 95)), "ms", None);
    table.verdict()
}

/// Waits for a watcher's first look at everything.
pub(crate) fn until_it_vouches(watcher: &Watcher) -> Outcome<()> {
    let start = Instant::now();
    while !matches!(watcher.catch_up(PATIENCE), Settled::Clean { .. }) {
        if start.elapsed() > PATIENCE {
            return Err("the watcher cannot vouch on this system".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

pub(crate) fn clean(settled: Settled) -> Outcome<()> {
    match settled {
        Settled::Clean { .. } => Ok(()),
        other => Err(format!("the watcher says {other:?}").into()),
    }
}

pub(crate) fn time(work: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

#[expect(clippy::disallowed_methods, reason = "git is the peer here")]
fn git(tree: &Path, arguments: &[&str]) -> Outcome<()> {
    let output = Command::new("git").arg("-C").arg(tree).args(arguments).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

fn path(folder: usize, file: usize) -> String {
    format!("part{}/folder{folder}/file{file}.py", folder % 20)
}

fn write_tree(root: &Path) -> Outcome<()> {
    for folder in 0..FOLDERS {
        std::fs::create_dir_all(root.join(path(folder, 0)).parent().unwrap_or(root))?;
        for file in 0..FILES {
            let mut text = String::new();
            for function in 0..5 {
                let _ = write!(text, "def work_{folder}_{file}_{function}(x):\n    return x + {function}\n\n\n");
            }
            std::fs::write(root.join(path(folder, file)), text)?;
        }
    }
    Ok(())
}
