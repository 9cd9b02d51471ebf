//! `watch` when the system cannot keep up or does not help: lost events, no watches left, roots
//! that go, huge checkouts, and another process that writes.

#![allow(clippy::print_stderr, reason = "a test that fails shows what the watcher said")]

use std::fs;
#[cfg(unix)]
use std::io::{BufRead, BufReader, Read};
#[cfg(unix)]
use std::process::Child;
#[cfg(unix)]
use std::sync::{Arc, Mutex};

use codecompass_testkit::{TestWorkspace, skip, until};
use serde_json::Value;

use crate::PROGRAM;
#[cfg(unix)]
use crate::watch::signal;
#[cfg(target_os = "linux")]
use crate::watch::state_of;
use crate::watch::{Foreground, is_fresh, json};

/// Returns the places where the published state has definitions of this name. The query changes
/// nothing, so what is there came by the watcher.
fn places(workspace: &TestWorkspace, name: &str) -> Vec<String> {
    let answer = workspace.run(PROGRAM, &["locate", name, "--freshness", "best_effort", "--json"]);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let hits = answer["results"].as_array().unwrap().iter().filter(|hit| hit["name"] == name);
    hits.map(|hit| hit["path"].as_str().unwrap().to_string()).collect()
}

#[track_caller]
fn until_at(workspace: &TestWorkspace, name: &str, paths: &[&str]) {
    until(&format!("{name} at {paths:?}"), || places(workspace, name) == paths);
}

fn defines(name: &str) -> String {
    format!("def {name}():\n    pass\n")
}

/// More is saved while the process is stopped than the system's queue of events holds. A machine
/// that sleeps is no other case.
#[cfg(target_os = "linux")]
#[test]
fn lost_events_are_made_up_for() {
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap_or_default();
    let limit: usize = limit.trim().parse().unwrap_or(usize::MAX);
    if limit > 40_000 {
        return skip(&format!("the queue overflows only after {limit} events"));
    }
    let files = ["src/a.py", "src/b.py", "old/deep/c.py", "gone/d.py"];
    let fixture: String =
        files.map(|path| format!("//- /{path}\ndef in_{}():\n    pass\n", &path[path.len() - 4..][..1])).concat();
    let workspace = TestWorkspace::git(&fixture);
    let root = workspace.root();
    let watching = Foreground::start(&workspace, &[]);
    watching.until_files(files.len());

    watching.signal("STOP");
    until("the process is stopped", || state_of(watching.child.id()) == Some('T'));
    workspace.write("src/early.py", &defines("before_the_flood"));
    // Created, written, closed, removed: no two events in a row are the same, so none are merged.
    for number in 0..limit / 3 {
        let path = root.join(format!("src/flood_{}.py", number % 2));
        fs::write(&path, "x = 1\n").unwrap();
        fs::remove_file(&path).unwrap();
    }
    // For all these the system reports no events: the queue is full.
    workspace.write("src/a.py", &defines("after_the_flood"));
    workspace.remove("src/b.py");
    workspace.write("new/deep/er/e.py", &defines("in_a_new_directory"));
    fs::rename(root.join("old"), root.join("moved")).unwrap();
    fs::remove_dir_all(root.join("gone")).unwrap();
    watching.signal("CONT");

    until_at(&workspace, "after_the_flood", &["src/a.py"]);
    until_at(&workspace, "before_the_flood", &["src/early.py"]);
    until_at(&workspace, "in_a_new_directory", &["new/deep/er/e.py"]);
    until_at(&workspace, "in_c", &["moved/deep/c.py"]);
    for gone in ["in_a", "in_b", "in_d", "x"] {
        until_at(&workspace, gone, &[]);
    }
    // The watches are right again, too.
    workspace.write("new/deep/er/e.py", &defines("edited_there"));
    until_at(&workspace, "edited_there", &["new/deep/er/e.py"]);
    workspace.write("moved/deep/c.py", &defines("edited_after_the_move"));
    until_at(&workspace, "edited_after_the_move", &["moved/deep/c.py"]);
    workspace.write("old/deep/c.py", &defines("at_the_old_place"));
    until_at(&workspace, "at_the_old_place", &["old/deep/c.py"]);
    assert!(is_fresh(&workspace));
}

/// A watcher in the foreground that speaks to people; killed at the end.
#[cfg(unix)]
struct Speaking {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

#[cfg(unix)]
impl Speaking {
    fn new(mut child: Child) -> Speaking {
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = lines.clone();
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).for_each(|line| heard.lock().unwrap().push(line))
        });
        Speaking { child, lines }
    }

    fn lines_with(&self, text: &str) -> usize {
        self.lines.lock().unwrap().iter().filter(|line| line.contains(text)).count()
    }
}

#[cfg(unix)]
impl Drop for Speaking {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("it said: {:#?}", self.lines.lock().unwrap());
        }
    }
}

/// Watches in a user namespace of its own, in which the system allows only so much.
#[cfg(target_os = "linux")]
fn with_few(limit: &str, allowed: usize, says: &str) {
    let workspace = TestWorkspace::plain("");
    for number in 0..20 {
        workspace.write(&format!("d{number}/a.py"), &defines(&format!("in_d{number}")));
    }
    let command = |then: &str| {
        let script = format!("echo {allowed} > /proc/sys/user/{limit} && {then}");
        workspace.command("unshare", &["--user", "--map-root-user", "sh", "-c", &script])
    };
    if !command("true").output().is_ok_and(|output| output.status.success()) {
        return skip("no user namespace with a limit of its own is allowed");
    }
    let watching = Speaking::new(command(&format!("exec '{PROGRAM}' watch")).spawn().unwrap());
    until("it says so", || watching.lines_with(says) > 0);
    until("the first sync", || {
        let status = workspace.run(PROGRAM, &["watch", "--status", "--json"]);
        serde_json::from_str::<Value>(&status.stdout).unwrap()["last_sync"].is_object()
    });
    let status = json(&workspace, &["watch", "--status"], 0);
    assert_eq!((&status["mode"], &status["directories"]), (&"polling".into(), &0.into()));
    assert!(status["why_polling"].as_str().unwrap().contains(says), "{status}");
    let doctor = json(&workspace, &["doctor"], 0);
    assert_eq!(doctor["warmth"]["state"], "warm");
    workspace.write("d3/a.py", &defines("edited"));
    workspace.write("new/deep/b.py", &defines("in_a_new_directory"));
    fs::remove_dir_all(workspace.root().join("d7")).unwrap();
    until_at(&workspace, "edited", &["d3/a.py"]);
    until_at(&workspace, "in_a_new_directory", &["new/deep/b.py"]);
    until_at(&workspace, "in_d7", &[]);
    workspace.write("new/deep/b.py", &defines("edited_there"));
    until_at(&workspace, "edited_there", &["new/deep/b.py"]);
    assert_eq!(watching.lines_with(says), 1, "it is said once");
}

#[cfg(target_os = "linux")]
#[test]
fn without_enough_watches_it_polls() {
    with_few("max_inotify_watches", 8, "raise fs.inotify.max_user_watches");
}

#[cfg(target_os = "linux")]
#[test]
fn without_any_instance_it_polls() {
    with_few("max_inotify_instances", 0, "raise fs.inotify.max_user_instances");
}

#[test]
fn a_root_that_is_made_again() {
    let workspace = TestWorkspace::plain("//- /src/a.py\ndef first():\n    pass\n");
    let watching = Foreground::start(&workspace, &[]);
    watching.next("synced");
    fs::remove_dir_all(workspace.root()).unwrap();
    watching.next("root_gone");
    workspace.write("lib/b.py", &defines("again"));
    watching.next("root_back");
    until_at(&workspace, "again", &["lib/b.py"]);
    until_at(&workspace, "first", &[]);
    workspace.write("lib/b.py", &defines("once_more"));
    until_at(&workspace, "once_more", &["lib/b.py"]);
}

#[test]
fn a_checkout_of_thousands_of_files() {
    const FILES: usize = 3_000;
    let workspace = TestWorkspace::git("//- /src/a.py\ndef first():\n    pass\n");
    workspace.run_git(&["checkout", "--quiet", "-b", "large"]);
    for number in 0..FILES {
        workspace.write(&format!("many/d{}/f{number}.py", number % 100), &format!("n{number} = {number}\n"));
    }
    workspace.commit("many");
    workspace.run_git(&["checkout", "--quiet", "main"]);
    let watching = Foreground::start(&workspace, &[]);
    watching.until_files(1);
    workspace.run_git(&["checkout", "--quiet", "large"]);
    watching.until_files(FILES + 1);
    until_at(&workspace, "n0", &["many/d0/f0.py"]);
    until_at(&workspace, "n2999", &["many/d99/f2999.py"]);
    let head = workspace.run_git(&["rev-parse", "HEAD"]);
    until("the new HEAD", || json(&workspace, &["status"], 0)["head"] == head.trim());
    assert!(is_fresh(&workspace));
    workspace.run_git(&["checkout", "--quiet", "main"]);
    watching.until_files(1);
    until_at(&workspace, "n0", &[]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_wait_for_another_writer() {
    let workspace = TestWorkspace::plain("//- /src/a.py\ndef first():\n    pass\n");
    workspace.run(PROGRAM, &["index"]).found();
    let store = fs::read_dir(workspace.home().join("stores")).unwrap().next().unwrap().unwrap().path();
    let lock = fs::File::open(store.join("writer.lock")).unwrap();
    lock.lock().unwrap();
    workspace.write("src/a.py", &defines("second"));
    let mut watching = Speaking::new(workspace.command(PROGRAM, &["watch"]).spawn().unwrap());
    until("it waits", || watching.lines_with("waiting for process") > 0);
    signal(watching.child.id(), "TERM");
    let mut ended = None;
    until("it has ended", || {
        ended = watching.child.try_wait().unwrap();
        ended.is_some()
    });
    assert_eq!(ended.unwrap().code(), Some(0));
    let mut out = String::new();
    watching.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out, "");
    assert_eq!(places(&workspace, "first"), ["src/a.py"], "the published state is as it was");
    drop(lock);
    workspace.run(PROGRAM, &["locate", "second"]).ended_with(0);
}
