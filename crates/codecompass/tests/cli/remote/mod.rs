//! `state push`, `pull` and `list`: an index that machines share through a folder or a bucket.

mod faults;
mod prune;
mod signatures;

use std::fs;
use std::path::Path;

use codecompass_testkit::{Answer, TestWorkspace};
use serde_json::Value;

use crate::{PROGRAM, workspace};

/// Makes a folder for a remote and names it in the user's settings; returns the folder.
fn folder_remote(workspace: &TestWorkspace) -> std::path::PathBuf {
    let folder = workspace.beside("remote");
    fs::create_dir_all(&folder).unwrap();
    configure(workspace, &format!("url = \"file://{}\"", folder.display()));
    folder
}

/// Writes `[remote]` of the user's settings.
fn configure(workspace: &TestWorkspace, settings: &str) {
    fs::write(workspace.home().join("config.toml"), format!("[remote]\n{settings}\n")).unwrap();
}

/// A clone of a repository on another machine, with the same remote.
fn clone_of(origin: &TestWorkspace) -> TestWorkspace {
    let clone = TestWorkspace::plain("");
    clone.run_git(&["clone", "--quiet", origin.root().to_str().unwrap(), "."]);
    fs::copy(origin.home().join("config.toml"), clone.home().join("config.toml")).unwrap();
    clone
}

/// Runs a command with `--json` and reads its answer.
#[track_caller]
fn json(workspace: &TestWorkspace, args: &[&str]) -> (Value, String) {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat());
    assert_eq!(answer.code, Some(0), "{}{}", answer.stdout, answer.stderr);
    (serde_json::from_str(&answer.stdout).unwrap(), answer.stderr)
}

/// The error that a command ends with: its code and message.
#[track_caller]
fn refused(workspace: &TestWorkspace, args: &[&str]) -> (String, String) {
    let answer = workspace.run(PROGRAM, &[args, &["--json"]].concat()).ended_with(2);
    let error: Value = serde_json::from_str(&answer.stderr).unwrap();
    let text = |name: &str| error["error"][name].as_str().unwrap().to_string();
    (text("code"), text("message"))
}

/// Lines on stderr that speak of the remote.
fn said(answer: &Answer) -> Vec<&str> {
    answer.stderr.lines().filter(|line| line.contains("remote") || line.contains("took the index")).collect()
}

fn files_below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { files_below(&path) } else { 1 }).sum()
}

#[test]
fn a_clone_starts_from_what_was_pushed() {
    let origin = workspace();
    let folder = folder_remote(&origin);
    let (pushed, _) = json(&origin, &["state", "push"]);
    assert_eq!(pushed["pushed"], true);
    let first = origin.run_git(&["rev-list", "--max-parents=0", "HEAD"]);
    assert_eq!(pushed["family"], first.trim());
    assert!(folder.join("v1").join(first.trim()).join("states").is_dir());

    let clone = clone_of(&origin);
    clone.write("src/new.rs", "pub fn freshly_written() {}\n");
    let answer = clone.run(PROGRAM, &["search", "freshly_written"]);
    assert!(answer.stdout.contains("src/new.rs"), "{}", answer.stdout);
    let commit = &origin.run_git(&["rev-parse", "HEAD"])[..12];
    let expected = format!(
        "codecompass: took the index of commit {commit} from file://{}; what differs is parsed",
        folder.display()
    );
    assert_eq!(said(&answer), [expected]);
    // One file was new, all others came from the remote.
    let (synced, stderr) = json(&clone, &["sync"]);
    assert_eq!((&synced["generation"], &synced["parsed"]), (&2.into(), &0.into()), "{synced} {stderr}");
    // It answers as an index that was made here.
    let local = TestWorkspace::plain("");
    local.run_git(&["clone", "--quiet", origin.root().to_str().unwrap(), "."]);
    local.write("src/new.rs", "pub fn freshly_written() {}\n");
    for args in [["search", "orders"], ["refs", "OrderStore"], ["symbols", "open"]] {
        assert_eq!(clone.run(PROGRAM, &args).stdout, local.run(PROGRAM, &args).stdout, "{args:?}");
    }
}

#[test]
fn a_pull_parses_only_what_differs() {
    let origin = workspace();
    folder_remote(&origin);
    json(&origin, &["state", "push"]);
    let clone = clone_of(&origin);
    clone.write("src/new.rs", "pub fn freshly_written() {}\n");
    let (pulled, _) = json(&clone, &["state", "pull"]);
    assert_eq!(pulled["imported"]["replaced"], false);
    assert_eq!(pulled["imported"]["root"], clone.root().to_str().unwrap());
    let (synced, _) = json(&clone, &["sync"]);
    assert_eq!(synced["parsed"], 1, "{synced}");
    // An index that is there is replaced only on request.
    let (code, message) = refused(&clone, &["state", "pull"]);
    assert_eq!(code, "invalid_input");
    assert!(message.starts_with("there is an index already"), "{message}");
    let (pulled, _) = json(&clone, &["state", "pull", "--force"]);
    assert_eq!(pulled["imported"]["replaced"], true);
    assert_eq!(json(&clone, &["sync"]).0["parsed"], 1);
}

#[test]
fn a_push_sends_what_the_remote_lacks() {
    let origin = workspace();
    for number in 0..150 {
        let body: String = (0..20).map(|n| format!("def f{number}_{n}(a):\n    return g{n}(a, {number})\n")).collect();
        origin.write(&format!("lib/m{number}.py"), &body);
    }
    origin.commit("many");
    let folder = folder_remote(&origin);
    let (first, _) = json(&origin, &["state", "push"]);
    let count = files_below(&folder);
    let (again, _) = json(&origin, &["state", "push"]);
    assert_eq!((&again["pushed"], &again["new_bytes"]), (&false.into(), &0.into()));
    assert_eq!(files_below(&folder), count);
    origin.write("lib/m7.py", "def renamed():\n    return 1\n");
    origin.commit("one file");
    let (second, _) = json(&origin, &["state", "push"]);
    let bytes = |answer: &Value, name: &str| answer[name].as_u64().unwrap();
    assert!(bytes(&second, "new_bytes") * 2 < bytes(&first, "new_bytes"), "{first} {second}");
    assert!(bytes(&second, "sent_bytes") * 2 < bytes(&first, "sent_bytes"), "{first} {second}");
    let (all, _) = json(&origin, &["state", "push", "--full"]);
    assert!(bytes(&all, "new_bytes") > bytes(&second, "new_bytes"), "{all}");
    // A machine that took it sends no more than its own differences.
    let clone = clone_of(&origin);
    json(&clone, &["state", "pull"]);
    clone.write("lib/m8.py", "def another():\n    return 2\n");
    clone.commit("another file");
    let (third, _) = json(&clone, &["state", "push"]);
    assert!(bytes(&third, "new_bytes") * 2 < bytes(&first, "new_bytes"), "{first} {third}");
    let (listed, _) = json(&origin, &["state", "list"]);
    assert_eq!(listed["states"].as_array().unwrap().len(), 4);
    assert_eq!(listed["states"][0]["compatible"], true);
}

#[test]
fn nothing_of_this_machine_is_pushed() {
    let origin = workspace();
    let other = origin.beside("other-worktree");
    origin.run_git(&["worktree", "add", "--quiet", other.to_str().unwrap(), "-b", "side"]);
    origin.run(PROGRAM, &["index", "--workspace", other.to_str().unwrap()]).found();
    let folder = folder_remote(&origin);
    json(&origin, &["state", "push"]);
    let clone = clone_of(&origin);
    json(&clone, &["state", "pull"]);
    let database = fs::read(clone.store().data().join("index.db")).unwrap();
    let own = origin.beside("").to_string_lossy().trim_end_matches('/').as_bytes().to_vec();
    assert!(!database.windows(own.len()).any(|bytes| bytes == own));
    assert!(files_below(&folder) > 2);
}

#[test]
fn a_repository_can_name_no_remote() {
    let workspace = workspace();
    for (key, value) in [("url", "\"file:///tmp\""), ("endpoint", "\"https://example.com\""), ("public_key", "\"x\"")] {
        workspace.write(".codecompass/config.toml", &format!("[remote]\n{key} = {value}\n"));
        let (code, message) = refused(&workspace, &["search", "order"]);
        assert_eq!(code, "invalid_input");
        assert!(message.ends_with(&format!("remote.{key} is not for a repository to say")), "{message}");
    }
    // It may only say that nothing is to be taken.
    workspace.write(".codecompass/config.toml", "[remote]\nauto_pull = false\n");
    workspace.run(PROGRAM, &["search", "order"]).found();
}

#[test]
fn only_repositories_with_their_history_have_a_family() {
    let plain = TestWorkspace::plain("//- /a.py\ndef f(): pass\n");
    folder_remote(&plain);
    assert!(refused(&plain, &["state", "push"]).1.ends_with("it is not a git repository"));
    let empty = TestWorkspace::plain("//- /a.py\ndef f(): pass\n");
    empty.run_git(&["init", "--quiet"]);
    folder_remote(&empty);
    assert!(refused(&empty, &["state", "push"]).1.ends_with("it has no commit yet"));

    let origin = workspace();
    origin.write("more.py", "def more(): pass\n");
    origin.commit("second");
    folder_remote(&origin);
    let (pushed, _) = json(&origin, &["state", "push"]);
    let shallow = TestWorkspace::plain("");
    let url = format!("file://{}", origin.root().display());
    shallow.run_git(&["clone", "--quiet", "--depth=1", &url, "."]);
    fs::copy(origin.home().join("config.toml"), shallow.home().join("config.toml")).unwrap();
    assert!(refused(&shallow, &["state", "pull"]).1.contains("shallow clone"));
    let family = pushed["family"].as_str().unwrap();
    json(&shallow, &["state", "pull", "--family", family]);
    assert_eq!(json(&shallow, &["sync"]).0["parsed"], 0);
    assert_eq!(refused(&shallow, &["state", "list", "--family", "../x"]).0, "invalid_input");
}

#[test]
fn without_a_remote_nothing_is_said_or_sent() {
    let workspace = workspace();
    let answer = workspace.run(PROGRAM, &["search", "order"]);
    assert_eq!(said(&answer), [""; 0]);
    for command in ["push", "pull", "list"] {
        let (code, message) = refused(&workspace, &["state", command]);
        assert_eq!((code.as_str(), message.as_str()), ("invalid_input", "no remote is configured"));
    }
}
