//! Runs a storm and judges every answer in it.
//!
//! Every edit writes a name that was never written before, so an answer tells which state of a file
//! it is of, and must be of one between its question and itself. Which processes are started,
//! killed and edited meanwhile is decided by the seed; when exactly they meet is not.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod afterwards;
mod edits;
mod questions;
mod server;

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use codecompass_testkit::{Markers, TestWorkspace};
use edits::Tree;

/// Files that are edited in each worktree, and those that are not.
const SLOTS: u64 = 24;
/// Worktrees beside the main one.
const LINKED: [&str; 2] = ["first", "second"];

/// Options of a storm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) seed: u64,
    /// Processes at the same time.
    pub(crate) at_once: u64,
    pub(crate) until: Until,
}

/// The end of a storm.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "the test uses one, the chore the other")]
pub(crate) enum Until {
    /// So many processes were started.
    Started(u64),
    /// So much time has passed.
    Passed(Duration),
}

/// The counts of a storm.
#[derive(Clone, Debug, Default)]
#[allow(dead_code, reason = "the chore prints what the test does not look at")]
pub(crate) struct Weathered {
    pub(crate) started: u64,
    pub(crate) killed: u64,
    pub(crate) edits: u64,
    /// Answers about names, which were right.
    pub(crate) judged: u64,
    /// Answers of servers that said that they are of before.
    pub(crate) said_stale: u64,
}

struct Storm<'a> {
    program: &'a str,
    options: Options,
    workspace: TestWorkspace,
    trees: Vec<Tree>,
    markers: Markers,
    counts: [AtomicU64; 5],
    failures: Mutex<Vec<String>>,
    is_over: AtomicBool,
    start: Instant,
}

/// Runs a storm with the program; an error says what went wrong in it.
pub(crate) fn run(program: &str, options: &Options) -> Result<Weathered, String> {
    let mut fixture = String::new();
    for slot in 0..SLOTS {
        fixture.push_str(&format!("//- /kept/kept_{slot}.py\ndef kept_{slot}(value):\n    return value + {slot}\n"));
    }
    let workspace = TestWorkspace::git(&fixture);
    let mut trees = vec![Tree::new("main", workspace.root())];
    for name in LINKED {
        let root = workspace.beside(name);
        workspace.run_git(&["worktree", "add", "--quiet", "-b", name, &root.to_string_lossy()]);
        trees.push(Tree::new(name, root));
    }
    let storm = Storm {
        program,
        options: *options,
        workspace,
        trees,
        markers: Markers::default(),
        counts: Default::default(),
        failures: Mutex::default(),
        is_over: AtomicBool::new(false),
        start: Instant::now(),
    };
    storm.write_all();
    thread::scope(|scope| {
        let storm = &storm;
        let editors = (0..storm.trees.len()).map(|tree| scope.spawn(move || storm.edit(tree)));
        let editors: Vec<_> = editors.collect();
        let others = (0..options.at_once).map(|number| scope.spawn(move || storm.start_processes(number)));
        let others: Vec<_> = others.collect();
        // A thread that panics has met something that this file did not expect; it is told like the
        // rest.
        for thread in others.into_iter().chain(editors) {
            if thread.join().is_err() {
                storm.fail("a thread of the test panicked; its message is above".into());
            }
            storm.is_over.store(true, Ordering::Relaxed);
        }
    });
    storm.look_after();
    let failures = storm.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !failures.is_empty() {
        return Err(format!("seed {}: {} failures\n{}", options.seed, failures.len(), failures.join("\n\n")));
    }
    let [started, killed, edits, judged, said_stale] = storm.counts.map(AtomicU64::into_inner);
    Ok(Weathered { started, killed, edits, judged, said_stale })
}

const STARTED: usize = 0;
const KILLED: usize = 1;
const EDITS: usize = 2;
const JUDGED: usize = 3;
const SAID_STALE: usize = 4;

impl Storm<'_> {
    fn count(&self, what: usize) -> u64 {
        self.counts[what].fetch_add(1, Ordering::Relaxed)
    }

    fn fail(&self, what: String) {
        // The first few say it all.
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() < 10 {
            failures.push(what.chars().take(3000).collect());
        }
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let is_enough = match self.options.until {
            Until::Started(most) => self.counts[STARTED].load(Ordering::Relaxed) >= most,
            Until::Passed(time) => self.start.elapsed() >= time,
        };
        is_enough || self.is_over.load(Ordering::Relaxed)
    }

    fn command(&self, tree: &Tree, args: &[&str]) -> Command {
        let mut command = self.workspace.command(self.program, args);
        command.current_dir(&tree.root);
        command
    }
}
