//! Remotes that want something executed, or a credential told.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use codecompass_git::{GitError, fetch, is_complete, pack, unpack};
use codecompass_testkit::Git;

use crate::remote::{Remote, policy, url};
use crate::server::{Manner, Server};

/// Writes a script that leaves a mark when it runs.
fn trap(script: &Path, marker: &Path) {
    fs::write(script, format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display())).unwrap();
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn nothing_of_a_remote_is_executed() {
    let Some(remote) = Remote::new() else { return };
    let (marker, script) = (remote.folder.path().join("marker"), remote.folder.path().join("script"));
    trap(&script, &marker);
    let quoted = script.to_str().unwrap();
    for name in
        ["uploadpack.packObjectsHook", "core.fsmonitor", "core.alternateRefsCommand", "core.sshCommand", "core.pager"]
    {
        remote.git.run(&["config", name, quoted]);
    }
    let upload = remote.folder.path().join("clone.git");
    for hook in ["post-checkout", "pre-receive", "reference-transaction", "post-update", "update", "pre-auto-gc"] {
        trap(&remote.tree().join(".git/hooks").join(hook), &marker);
        fs::create_dir_all(upload.join("hooks")).unwrap();
        trap(&upload.join("hooks").join(hook), &marker);
    }
    fs::write(remote.tree().join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
    let module = format!("[submodule \"x\"]\n\tpath = x\n\turl = \"ext::sh -c {quoted}\"\n");
    remote.commit("README", "more");
    // The clone's own configuration is not trusted, either.
    fs::write(upload.join("config"), format!("[core]\n\tbare = true\n\tsshCommand = {quoted}\n\thooksPath = hooks\n"))
        .unwrap();
    // The test's own commits spring the traps, the fetches must not.
    let fetched = |into: &Path| {
        let _ = fs::remove_file(&marker);
        let fetched = fetch(&remote.url(), None, into, &policy(), None, &|| false);
        assert!(!marker.exists(), "something of the remote was executed");
        fetched
    };
    fetched(&upload).unwrap();
    remote.commit(".gitmodules", module);
    assert!(marker.exists(), "the traps do work");
    let _ = fetched(&upload);
    remote.commit("README", "last");
    let _ = fetched(&upload);
    // A remote that lacks objects, and would have them fetched by a command.
    for (name, value) in
        [("url", "ext::x"), ("promisor", "true"), ("uploadpack", quoted), ("partialclonefilter", "blob:none")]
    {
        remote.git.run(&["config", &format!("remote.origin.{name}"), value]);
    }
    remote.git.run(&["config", "remote.origin.url", remote.folder.path().to_str().unwrap()]);
    let blob = remote.git.run(&["rev-parse", "HEAD:README"]);
    fs::remove_file(remote.tree().join(".git/objects").join(&blob[..2]).join(blob[2..].trim())).unwrap();
    let into = remote.folder.path().join("other.git");
    assert!(fetched(&into).is_err());
}

#[test]
fn refs_that_are_links_lead_nowhere() {
    let Some(remote) = Remote::new() else { return };
    let secret = remote.folder.path().join("secret");
    fs::write(&secret, "the content of a private file\n").unwrap();
    let heads = remote.tree().join(".git/refs/heads");
    symlink(&secret, heads.join("leak")).unwrap();
    symlink("../../../../secret", heads.join("climb")).unwrap();
    remote.fetch().unwrap();
    for branch in ["leak", "climb"] {
        let error = fetch(&remote.url(), Some(branch), &remote.clone(), &policy(), None, &|| false).unwrap_err();
        assert!(!error.to_string().contains("private file"), "{error}");
    }
    remote.fetch().unwrap();
}

#[test]
fn objects_that_would_harm_are_refused() {
    let Some(remote) = Remote::new() else { return };
    let before = remote.fetch().unwrap();
    let blob = remote.git.run(&["hash-object", "-w", "README"]);
    let line = format!("100644 blob {}\t.git/hooks", blob.trim());
    fs::write(remote.tree().join("../list"), line.replace("/hooks", "")).unwrap();
    let list = fs::File::open(remote.tree().join("../list")).unwrap();
    let mut command = std::process::Command::new("git");
    let tree = command.args(["mktree"]).current_dir(remote.tree()).stdin(list).output().unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let commit = remote.git.run(&["commit-tree", "-m", "evil", "-p", "HEAD", tree.trim()]);
    remote.git.run(&["update-ref", "refs/heads/main", commit.trim()]);
    let error = remote.fetch().unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
    let clone = Git::at(&remote.clone());
    assert_eq!(clone.run(&["rev-parse", "refs/codecompass/head"]).trim(), before.commit);
    assert!(!clone.succeeds(&["cat-file", "-e", commit.trim()]), "the objects are gone again");
}

#[test]
fn faults_of_old_commits_are_no_reason_to_refuse() {
    let Some(remote) = Remote::new() else { return };
    let text = remote.git.run(&["cat-file", "commit", "HEAD"]);
    let faults =
        [("<test@example.com>", "<<test@example.com>"), (" +0000", " +051800"), ("> ", ">"), ("Test ", "Te>st ")];
    for (right, wrong) in faults {
        let file = remote.folder.path().join("commit");
        fs::write(&file, text.replace(right, wrong)).unwrap();
        let store = ["hash-object", "-t", "commit", "-w", "--literally", file.to_str().unwrap()];
        let commit = remote.git.run(&store).trim().to_string();
        remote.git.run(&["update-ref", "refs/heads/main", &commit]);
        assert_eq!(remote.fetch().unwrap().commit, commit, "{wrong}");
        let (out, node) = (remote.folder.path().join("pack"), remote.folder.path().join("node.git"));
        pack(&remote.clone(), &commit, &[], &out, &policy(), &|| false).unwrap();
        let hash = blake3::hash(&fs::read(&out).unwrap()).to_hex().to_string();
        unpack(&node, &out, &hash, &policy(), &|| false).unwrap();
        assert!(is_complete(&node, &commit, &policy(), &|| false).unwrap());
    }
}

#[test]
fn a_token_is_in_no_error() {
    let Some(remote) = Remote::new() else { return };
    let server = Server::start(Manner::Refuse);
    let from = url(&format!("http://127.0.0.1:{}/remote", server.port));
    let error =
        fetch(&from, None, &remote.clone(), &policy(), Some("hunter2hunter2"), &|| false).unwrap_err().to_string();
    let sent = server.requests()[0].header("authorization").unwrap().to_string();
    assert!(sent.starts_with("Basic eC1h"), "{sent}");
    assert!(!error.contains("hunter2") && !error.contains(&sent[6..]), "{error}");
}

#[test]
fn a_token_is_in_no_list_of_processes() {
    if !Path::new("/proc/self/cmdline").exists() {
        return codecompass_testkit::skip("there is no /proc");
    }
    let Some(remote) = Remote::new() else { return };
    let server = Server::start(Manner::Stall);
    let from = url(&format!("https://127.0.0.1:{}/remote", server.port));
    let seen = RefCell::new(Vec::new());
    let address = from.to_string();
    let watch = || {
        let lines: Vec<String> = command_lines().into_iter().filter(|line| line.contains(&address)).collect();
        let helper = lines.iter().any(|line| line.contains("remote-https"));
        seen.borrow_mut().extend(lines);
        helper
    };
    let error = fetch(&from, None, &remote.clone(), &policy(), Some("hunter2hunter2"), &watch).unwrap_err();
    assert!(matches!(error, GitError::Cancelled), "{error}");
    let seen = seen.into_inner();
    assert!(!seen.is_empty());
    assert!(!seen.iter().any(|line| line.contains("hunter2") || line.contains("aHVudGVyMmh1bnRlcjI")), "{seen:?}");
    assert!(!command_lines().iter().any(|line| line.contains(&address)), "every process is ended");
}

fn command_lines() -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok()).collect()
}
