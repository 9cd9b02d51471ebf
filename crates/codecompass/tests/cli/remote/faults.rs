//! Remotes that are down, slow, empty, damaged, of another version, or that lie; and processes that
//! are killed. One clear line, then the index here as without a remote.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codecompass_testkit::{FakeS3, Fault, TestWorkspace, until};

use super::{clone_of, configure, folder_remote, json, refused, said};
use crate::{PROGRAM, workspace};

/// Asks a question in a clone without an index; returns what was said about the remote. The answer
/// must be whole.
#[track_caller]
fn first_use(clone: &TestWorkspace) -> String {
    let answer = clone.run(PROGRAM, &["search", "orders"]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(answer.stdout.contains("src/store.rs"), "{}", answer.stdout);
    assert_eq!(said(&answer).len(), 1, "{}", answer.stderr);
    said(&answer)[0].to_string()
}

fn s3_settings(server: &FakeS3) -> String {
    format!("url = \"s3://team/index\"\nendpoint = \"{}\"\nauto_pull_seconds = 2", server.endpoint())
}

fn objects(folder: &Path, part: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.to_str().unwrap().contains(part) => found.push(path),
                false => {}
            }
        }
    }
    found
}

#[test]
fn a_folder_that_is_gone_or_empty() {
    let origin = workspace();
    let folder = folder_remote(&origin);
    let clone = clone_of(&origin);
    let line = first_use(&clone);
    assert!(line.ends_with("it has no state of this repository; the index is made here"), "{line}");
    assert_eq!(refused(&clone, &["state", "pull", "--force"]).0, "remote_unavailable");
    fs::remove_dir(&folder).unwrap();
    let clone = clone_of(&origin);
    let line = first_use(&clone);
    assert!(line.contains("cannot list") && line.ends_with("; the index is made here"), "{line}");
}

#[test]
fn damage_of_any_object_is_noticed() {
    let origin = workspace();
    let folder = folder_remote(&origin);
    json(&origin, &["state", "push"]);
    let packs: Vec<PathBuf> = objects(&folder, "/packs/").into_iter().filter(|p| p.extension().is_none()).collect();
    let states = objects(&folder, "/states/");
    assert_eq!(states.len(), 1);
    for object in packs.iter().chain(&states) {
        let sound = fs::read(object).unwrap();
        let mut wrong = sound.clone();
        wrong[sound.len() / 2] ^= 1;
        for flaw in [wrong, sound[..sound.len() / 2].to_vec(), Vec::new(), [sound.as_slice(), b"more"].concat()] {
            fs::write(object, flaw).unwrap();
            let clone = clone_of(&origin);
            let (code, message) = refused(&clone, &["state", "pull"]);
            assert_eq!(code, "remote_unavailable", "{message}");
            assert!(message.contains("was refused"), "{message}");
        }
        fs::write(object, &sound).unwrap();
    }
    fs::remove_file(&packs[0]).unwrap();
    let clone = clone_of(&origin);
    let line = first_use(&clone);
    assert!(line.contains("is not there") && line.ends_with("; the index is made here"), "{line}");
    // A push notices that a pack is gone and sends its blocks again.
    origin.write("more.py", "def more(): pass\n");
    json(&origin, &["state", "push"]);
    json(&clone, &["state", "pull", "--force"]);
    assert_eq!(json(&clone, &["sync"]).0["parsed"], 0);
}

#[test]
fn states_of_other_versions_are_left_alone() {
    let origin = workspace();
    let folder = folder_remote(&origin);
    json(&origin, &["state", "push"]);
    let state = objects(&folder, "/states/").remove(0);
    let name = state.file_name().unwrap().to_str().unwrap().to_string();
    let (time, rest) = name.split_once('-').unwrap();
    let hash = rest.split_once('-').unwrap().1;
    for versions in ["f99.1", "f6.1", "f1.9"] {
        fs::rename(&state, state.with_file_name(format!("{time}-{versions}-{hash}"))).unwrap();
        let clone = clone_of(&origin);
        let line = first_use(&clone);
        let expected = format!("its states have format {}, this program uses ", &versions[1..]);
        assert!(line.contains(&expected) && line.ends_with("; the index is made here"), "{line}");
        fs::rename(state.with_file_name(format!("{time}-{versions}-{hash}")), &state).unwrap();
    }
    // A state under the name of another family is none of ours.
    let other = state.parent().unwrap().parent().unwrap().with_file_name("a".repeat(40));
    fs::rename(state.parent().unwrap().parent().unwrap(), &other).unwrap();
    let clone = clone_of(&origin);
    let (_, message) = refused(&clone, &["state", "pull", "--family", &"a".repeat(40)]);
    assert!(message.ends_with("a state is not what its name says"), "{message}");
}

#[test]
fn a_bucket_that_lies() {
    let origin = workspace();
    let server = FakeS3::start();
    configure(&origin, &s3_settings(&server));
    let (pushed, _) = json(&origin, &["state", "push"]);
    assert_eq!(pushed["remote"], "s3://team/index");
    json(&clone_of(&origin), &["state", "pull"]);
    for (fault, expected) in [
        (Fault::WrongBytes, "the checksum of a state does not match"),
        (Fault::Truncated, "the checksum of a state does not match"),
        (Fault::Gone, "a state is listed, but not there"),
        (Fault::Slow(4_000), "did not answer in time"),
        (Fault::Status(403), "refused the request (status 403: the keys in the environment do not open it)"),
        (Fault::Status(503), "failed (status 503)"),
        (Fault::Broken, "the connection"),
    ] {
        server.set_fault(fault);
        let clone = clone_of(&origin);
        let line = first_use(&clone);
        assert!(line.contains(expected) && line.ends_with("; the index is made here"), "{fault:?}: {line}");
        // The next question does not ask again.
        server.requests();
        clone.run(PROGRAM, &["search", "orders"]).found();
        assert_eq!(server.requests(), [""; 0]);
    }
}

#[test]
fn a_server_that_is_down() {
    let origin = workspace();
    let server = FakeS3::start();
    configure(&origin, &s3_settings(&server));
    drop(server);
    origin.run(PROGRAM, &["state", "list"]).ended_with(2);
    let clone = clone_of(&origin);
    let line = first_use(&clone);
    assert!(line.contains("nothing listens there") && line.ends_with("; the index is made here"), "{line}");
}

#[test]
fn keys_come_from_the_environment_and_are_not_shown() {
    let origin = workspace();
    let server = FakeS3::start();
    configure(&origin, &s3_settings(&server));
    let mut push = origin.command(PROGRAM, &["state", "push"]);
    push.env("AWS_ACCESS_KEY_ID", "someone").env("AWS_SECRET_ACCESS_KEY", "very-hidden");
    let answer = codecompass_testkit::Answer::of(&mut push);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(server.requests().iter().all(|request| request.ends_with(" signed")));
    server.set_fault(Fault::Status(403));
    let mut list = origin.command(PROGRAM, &["state", "list"]);
    list.env("AWS_ACCESS_KEY_ID", "someone").env("AWS_SECRET_ACCESS_KEY", "very-hidden");
    let answer = codecompass_testkit::Answer::of(&mut list);
    assert_eq!(answer.code, Some(2));
    assert!(!answer.stderr.contains("very-hidden"), "{}", answer.stderr);
    let shown = origin.run(PROGRAM, &["config", "show", "remote"]).found();
    assert!(shown.contains("url = \"s3://team/index\""), "{shown}");
}

/// Kills a command after some time, while the server is slow.
fn kill_after(workspace: &TestWorkspace, args: &[&str], time: Duration) {
    let mut child = workspace.start(PROGRAM, args);
    let end = Instant::now() + time;
    until("the time is over", || Instant::now() >= end || child.try_wait().unwrap().is_some());
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn kills_during_push_and_pull_leave_whole_states() {
    let origin = workspace();
    let server = FakeS3::start();
    configure(&origin, &s3_settings(&server));
    json(&origin, &["index"]);
    server.set_fault(Fault::Slow(120));
    for time in [50, 150, 250, 350, 450, 600] {
        origin.write("more.py", &format!("def more_{time}(): pass\n"));
        kill_after(&origin, &["state", "push"], Duration::from_millis(time));
        // Whatever is listed can be used.
        server.set_fault(Fault::None);
        let states = origin.run(PROGRAM, &["state", "list", "--json"]);
        let is_there = states.code == Some(0);
        let clone = clone_of(&origin);
        let pulled = clone.run(PROGRAM, &["state", "pull"]);
        // What was sent before the kill may arrive after the listing.
        let is_empty = pulled.stderr.contains("it has no state of this repository");
        assert!(pulled.code == Some(0) || (is_empty && !is_there), "{}", pulled.stderr);
        server.set_fault(Fault::Slow(120));
    }
    server.set_fault(Fault::None);
    json(&origin, &["state", "push"]);
    assert!(!origin.store().root().join("push").exists());

    // A pull that is killed leaves the index as it was, or complete.
    let clone = clone_of(&origin);
    fs::write(clone.home().join("config.toml"), format!("[remote]\n{}\nauto_pull = false\n", s3_settings(&server)))
        .unwrap();
    json(&clone, &["index"]);
    let before = clone.run(PROGRAM, &["search", "orders"]).found();
    server.set_fault(Fault::Slow(120));
    for time in [50, 150, 250, 350, 500] {
        kill_after(&clone, &["state", "pull", "--force"], Duration::from_millis(time));
        assert_eq!(clone.run(PROGRAM, &["search", "orders"]).found(), before);
    }
    server.set_fault(Fault::None);
    json(&clone, &["state", "pull", "--force"]);
    assert_eq!(clone.run(PROGRAM, &["search", "orders"]).found(), before);
    // Nothing is left of the pulls that were killed.
    let folders = fs::read_dir(clone.store().root()).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.starts_with("data-")).count(), 1);
}
