//! Checks after a storm.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_testkit::Answer;

use super::Storm;

impl Storm<'_> {
    /// Checks that nothing is left behind, nothing is damaged, and answers are those of a fresh
    /// index.
    pub(super) fn look_after(&self) {
        let fresh = self.workspace.beside("fresh");
        for tree in &self.trees {
            let sync = Answer::of(&mut self.command(tree, &["--quiet", "sync"]));
            let doctor = Answer::of(&mut self.command(tree, &["doctor", "--full"]));
            for answer in [sync, doctor] {
                if answer.code != Some(0) {
                    self.fail(format!("afterwards, {}: {answer:#?}", tree.name));
                }
            }
            let questions: [&[&str]; 4] = [
                &["--quiet", "--json", "search", "what returns the kept value", "--limit", "1000", "--explain=full"],
                &["--quiet", "--json", "refs", "kept_3"],
                &["--quiet", "--json", "locate", "kept_5"],
                &["--quiet", "--json", "calls", "kept_7"],
            ];
            for question in questions {
                let ours = Answer::of(&mut self.command(tree, question));
                let theirs = Answer::of(self.command(tree, question).env("CODECOMPASS_HOME", &fresh));
                if ours != theirs || !matches!(ours.code, Some(0 | 1)) {
                    self.fail(format!("afterwards, {} {question:?}: {ours:#?}\na fresh index: {theirs:#?}", tree.name));
                }
            }
        }
        let store = self.workspace.store();
        let watch = fs::read_dir(store.root().join("watch")).into_iter().flatten().flatten().map(|entry| entry.path());
        let locks = watch.filter(|path| path.extension().is_some_and(|ending| ending == "lock"));
        for lock in locks.chain([store.root().join("writer.lock")]) {
            if fs::File::open(&lock).unwrap().try_lock().is_err() {
                self.fail(format!("{} is held by nobody knows whom", lock.display()));
            }
        }
        if store.entries().iter().any(|name| name.starts_with("quarantine")) {
            self.fail(format!("a sound store was set aside: {:?}", store.entries()));
        }
        for process in left_behind(&self.workspace.home()) {
            self.fail(format!("a process is left behind: {process}"));
        }
    }
}

/// The processes that work with the data directory `home`, where the system tells.
fn left_behind(home: &Path) -> Vec<String> {
    let wanted = format!("CODECOMPASS_HOME={}", home.display());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let is_ours = |process: &PathBuf| {
        let variables = fs::read(process.join("environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    processes
        .filter(is_ours)
        .map(|process| format!("{} {:?}", process.display(), fs::read_to_string(process.join("cmdline"))))
        .collect()
}
