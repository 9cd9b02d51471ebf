//! `watch`: in the foreground, in a process of its own, and what others say about it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use codecompass_testkit::{DEADLINE, TestWorkspace, until};
use expect_test::expect;
use serde_json::Value;

use crate::{PROGRAM, check};

const FIXTURE: &str = "//- /src/a.py\ndef first():\n    pass\n";

/// A watcher in the foreground and the objects that it prints; killed when a test fails.
pub(crate) struct Foreground {
    pub(crate) child: Child,
    objects: Receiver<Value>,
}

impl Foreground {
    pub(crate) fn start(workspace: &TestWorkspace, args: &[&str]) -> Foreground {
        let args = [&["watch", "--json"], args].concat();
        let mut child = workspace.command(PROGRAM, &args).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, objects) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Foreground { child, objects }
    }

    /// Passes over objects until a sync has so many files.
    #[track_caller]
    pub(crate) fn until_files(&self, files: usize) {
        let start = Instant::now();
        while self.next("synced")["files"] != files {
            assert!(start.elapsed() < DEADLINE, "never had {files} files");
        }
    }

    /// The next object about this event; others are passed over.
    #[track_caller]
    pub(crate) fn next(&self, event: &str) -> Value {
        loop {
            let object = self.objects.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("never came: {event}"));
            if object["event"] == event {
                return object;
            }
        }
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends the background process when a test fails.
struct Background<'w>(&'w TestWorkspace, u32);

impl Drop for Background<'_> {
    fn drop(&mut self) {
        if self.0.root().is_dir() {
            self.0.run(PROGRAM, &["watch", "--stop"]);
        }
        if std::thread::panicking() {
            signal(self.1, "KILL");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a test ends what it started")]
pub(crate) fn signal(pid: u32, name: &str) {
    if cfg!(unix) {
        let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
    }
}

pub(crate) fn json(workspace: &TestWorkspace, args: &[&str], code: i32) -> Value {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat()).ended_with(code);
    serde_json::from_str(&answer.stdout).unwrap()
}

pub(crate) fn is_fresh(workspace: &TestWorkspace) -> bool {
    json(workspace, &["status"], 0)["freshness_status"] == "fresh"
}

#[test]
fn nobody_watches() {
    let workspace = TestWorkspace::git(FIXTURE);
    check(
        &workspace,
        &["watch", "--status"],
        expect![[r#"
            not being watched; `codecompass watch` does it
            --- exit code 1
        "#]],
    );
    check(
        &workspace,
        &["watch", "--stop"],
        expect![[r#"
            no process is watching this checkout
            --- exit code 1
        "#]],
    );
    assert_eq!(json(&workspace, &["watch", "--status"], 1)["state"], "none");
    assert_eq!(json(&workspace, &["watch", "--stop"], 1)["stopped"], false);
    assert!(!workspace.home().join("stores").exists(), "asking makes nothing");
    workspace.run(PROGRAM, &["watch", "--stop", "--status"]).ended_with(2);
    let bare = workspace.beside("bare.git");
    workspace.run_git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let said = [&["watch", "-w"][..], &["watch", "--background", "-w"]].map(|args| {
        let answer = workspace.run(PROGRAM, &[args, &[bare.to_str().unwrap()]].concat()).ended_with(2);
        answer.stderr.replace(bare.to_str().unwrap(), "BARE")
    });
    expect![[r#"
        error: there are no files to watch: this is a commit, which never changes
        help: see `codecompass help`
        error: a bare repository has no files to watch
        help: give a checkout with --workspace; commits never change
    "#]]
    .assert_eq(&said.concat());
}

#[cfg(unix)]
#[test]
fn in_the_foreground() {
    let workspace = TestWorkspace::git(FIXTURE);
    for (files, how, args) in [(2, "TERM", &[][..]), (3, "INT", &["--poll"])] {
        let mut watching = Foreground::start(&workspace, args);
        let started = watching.next("started");
        let mode = if args.is_empty() { "watching" } else { "polling" };
        assert_eq!(started["mode"], mode);
        watching.next("synced");
        let status = json(&workspace, &["watch", "--status"], 0);
        assert_eq!((&status["state"], &status["mode"]), (&"running".into(), &mode.into()));
        assert_eq!((status["pid"].as_u64(), &status["owner"]), (Some(watching.child.id().into()), &"command".into()));
        assert_eq!(json(&workspace, &["status"], 0)["watcher"]["state"], "running");
        let doctor = json(&workspace, &["doctor"], 0);
        assert_eq!(doctor["watcher"]["mode"], mode);
        let warmth = serde_json::json!({"state": "warm", "pid": watching.child.id(), "owner": "command"});
        assert_eq!(doctor["warmth"], warmth);
        workspace.write(&format!("src/{how}.py"), "def created():\n    pass\n");
        watching.until_files(files);
        assert!(is_fresh(&workspace));
        watching.signal(how);
        assert_eq!(watching.next("ended")["reason"], "stopped");
        assert_eq!(watching.child.wait().unwrap().code(), Some(0));
        assert_eq!(json(&workspace, &["watch", "--status"], 1)["state"], "none");
        assert_eq!(json(&workspace, &["doctor"], 0)["warmth"]["state"], "cold");
    }
    // Stopped from elsewhere.
    let mut watching = Foreground::start(&workspace, &[]);
    watching.next("synced");
    workspace.run(PROGRAM, &["watch", "--stop"]).found();
    watching.next("ended");
    assert_eq!(watching.child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_killed_leader_is_replaced() {
    let workspace = TestWorkspace::git(FIXTURE);
    let mut first = Foreground::start(&workspace, &[]);
    first.next("synced");
    let second = Foreground::start(&workspace, &[]);
    second.next("started");
    assert_eq!(json(&workspace, &["watch", "--status"], 0)["pid"], first.child.id());
    first.signal("KILL");
    first.child.wait().unwrap();
    workspace.write("src/b.py", "def after_the_kill():\n    pass\n");
    second.next("took_over");
    second.until_files(2);
    assert!(is_fresh(&workspace));
    assert_eq!(json(&workspace, &["watch", "--status"], 0)["pid"], second.child.id());
}

#[test]
fn in_the_background() {
    let workspace = TestWorkspace::git(FIXTURE);
    let pid: u32 = workspace.run(PROGRAM, &["watch", "--background"]).found().trim().parse().unwrap();
    let _background = Background(&workspace, pid);
    let again = workspace.run(PROGRAM, &["watch", "--background"]).found();
    assert_eq!(again, format!("process {pid} is watching already\n"));
    assert_eq!(json(&workspace, &["watch", "--background"], 0)["started"], false);
    until("the first sync", || json(&workspace, &["watch", "--status"], 0)["last_sync"].is_object());
    let status = json(&workspace, &["watch", "--status"], 0);
    assert_eq!((status["pid"].as_u64(), &status["last_sync"]["files"]), (Some(pid.into()), &1.into()));
    assert!(status["last_error"].is_null());
    let text = workspace.run(PROGRAM, &["watch", "--status"]).found();
    assert!(text.starts_with(&format!("process {pid} is ")) && text.contains("last sync"), "{text}");
    let text = workspace.run(PROGRAM, &["status"]).found();
    assert!(text.contains(&format!("process {pid} is ")), "{text}");

    workspace.write("src/b.py", "def by_itself():\n    pass\n");
    until("the new file", || json(&workspace, &["status"], 0)["files"] == 2);
    // The log tells the same.
    let log = std::fs::read_to_string(status["log"].as_str().unwrap()).unwrap();
    assert!(log.contains("codecompass: watching "), "{log}");
    let stopped = workspace.run(PROGRAM, &["watch", "--stop"]).found();
    assert_eq!(stopped, format!("stopped process {pid}\n"));
    workspace.run(PROGRAM, &["watch", "--stop"]).ended_with(1);
    until("the process has ended", || has_ended(pid));
}

fn has_ended(pid: u32) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    // A zombie, whose parent has not waited for it yet, has ended, too.
    state_of(pid).is_none_or(|state| state == 'Z')
}

/// Returns the state of a process as the system reports it: `S` sleeps, `T` is stopped, `Z` has
/// ended; only on Linux.
pub(crate) fn state_of(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

#[test]
fn the_background_ends_with_the_store() {
    let workspace = TestWorkspace::plain(FIXTURE);
    let pid: u32 = workspace.run(PROGRAM, &["watch", "--background"]).found().trim().parse().unwrap();
    let _background = Background(&workspace, pid);
    until("the first sync", || json(&workspace, &["watch", "--status"], 0)["last_sync"].is_object());
    std::fs::remove_dir_all(workspace.home().join("stores")).unwrap();
    until("the process has ended", || has_ended(pid));
    assert!(!workspace.home().join("stores").exists() || !cfg!(target_os = "linux"));
}

#[test]
fn settings_of_the_watcher() {
    let workspace = TestWorkspace::plain(FIXTURE);
    for (text, code) in [
        ("[watch]\ndebounce_ms = 20\nreconcile_seconds = 60\n", 1),
        ("[watch]\ndebounce_ms = 0\n", 2),
        ("[watch]\nreconcile_seconds = 1\n", 2),
    ] {
        workspace.write(".codecompass/config.toml", text);
        workspace.run(PROGRAM, &["watch", "--status"]).ended_with(code);
    }
}
