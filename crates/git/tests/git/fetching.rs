//! Fetches that succeed, and remotes that are refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use codecompass_git::{Fetched, GitError, GitPolicy, fetch};
use codecompass_testkit::Git;

use crate::remote::{Remote, assert_tidy, policy, url};
use crate::server::{Manner, Server};

fn on_main(commit: &str) -> Fetched {
    Fetched { commit: commit.into(), branch: Some("main".into()) }
}

#[test]
fn a_folder_is_fetched_and_fetched_again() {
    let Some(remote) = Remote::new() else { return };
    remote.git.run(&["tag", "v1"]);
    let first = remote.git.run(&["rev-parse", "HEAD"]).trim().to_string();
    assert_eq!(remote.fetch().unwrap(), on_main(&first));
    let clone = Git::at(&remote.clone());
    assert_eq!(clone.run(&["for-each-ref", "--format=%(refname)"]), "refs/codecompass/head\n");
    let second = remote.commit("second", "2");
    remote.git.run(&["branch", "other", &first]);
    assert_eq!(remote.fetch().unwrap(), on_main(&second));
    assert_eq!(remote.fetch().unwrap(), on_main(&second), "nothing new");
    assert_eq!(clone.run(&["rev-list", "--count", "refs/codecompass/head"]), "2\n");
    clone.run(&["fsck", "--strict"]);
    // The history was rewritten.
    remote.git.run(&["reset", "--quiet", "--hard", &first]);
    let third = remote.commit("third", "3");
    assert_eq!(remote.fetch().unwrap(), on_main(&third));
    assert_tidy(&remote.clone());
}

#[test]
fn a_branch_is_named_by_the_caller_or_the_url() {
    let Some(remote) = Remote::new() else { return };
    remote.git.run(&["checkout", "--quiet", "-b", "topic/a"]);
    let topic = remote.commit("topic", "t");
    remote.git.run(&["checkout", "--quiet", "main"]);
    let wanted = Fetched { commit: topic, branch: Some("topic/a".into()) };
    let by_caller = fetch(&remote.url(), Some("topic/a"), &remote.clone(), &policy(), None, &|| false).unwrap();
    assert_eq!(by_caller, wanted);
    let named = url(&format!("{}#topic/a", remote.url()));
    let into = remote.folder.path().join("named.git");
    assert_eq!(fetch(&named, None, &into, &policy(), None, &|| false).unwrap(), wanted);
    let error = fetch(&remote.url(), Some("none"), &into, &policy(), None, &|| false).unwrap_err();
    assert!(error.to_string().ends_with("has no branch none"), "{error}");
    let error = fetch(&remote.url(), Some("--upload-pack=x"), &into, &policy(), None, &|| false).unwrap_err();
    assert!(matches!(error, GitError::Branch), "{error}");
}

#[test]
fn a_remote_without_branch_or_commit_is_understood() {
    let Some(remote) = Remote::new() else { return };
    let commit = remote.git.run(&["rev-parse", "HEAD"]).trim().to_string();
    remote.git.run(&["checkout", "--quiet", "--detach"]);
    assert_eq!(remote.fetch().unwrap(), Fetched { commit, branch: None });
    let empty = remote.folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    Git::at(&empty).run(&["init", "--quiet", "--bare"]);
    let from = url(&format!("file://{}", empty.display()));
    let error = fetch(&from, None, &remote.clone(), &policy(), None, &|| false).unwrap_err();
    assert!(matches!(error, GitError::Empty { .. }), "{error}");
    let missing = url(&format!("file://{}/none", empty.display()));
    let error = fetch(&missing, None, &remote.clone(), &policy(), None, &|| false).unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
}

#[test]
fn a_server_is_fetched_from_with_a_token() {
    let Some(remote) = Remote::new() else { return };
    let server = Server::start(Manner::Serve(remote.folder.path().into()));
    let from = url(&format!("http://localhost:{}/remote", server.port));
    for token in [None, Some("t0ken-for-tests")] {
        let commit = remote.commit("more", format!("{token:?}"));
        assert_eq!(fetch(&from, None, &remote.clone(), &policy(), token, &|| false).unwrap(), on_main(&commit));
        assert!(!fs::read_to_string(remote.clone().join("config")).unwrap().contains("remote"));
    }
    let requests = server.requests();
    let (without, with): (Vec<_>, Vec<_>) =
        requests.iter().partition(|request| request.header("authorization").is_none());
    assert!(!without.is_empty() && !with.is_empty());
    for request in with {
        assert_eq!(request.header("authorization"), Some("Basic eC1hY2Nlc3MtdG9rZW46dDBrZW4tZm9yLXRlc3Rz"));
    }
}

#[test]
fn redirects_are_not_followed() {
    let Some(remote) = Remote::new() else { return };
    let target = Server::start(Manner::Serve(remote.folder.path().into()));
    let server = Server::start(Manner::Redirect(format!("http://127.0.0.1:{}", target.port)));
    let from = url(&format!("http://127.0.0.1:{}/remote", server.port));
    let error = fetch(&from, None, &remote.clone(), &policy(), Some("t0ken"), &|| false).unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
    assert_eq!((server.requests().len(), target.requests().len()), (1, 0));
}

#[test]
fn a_server_of_plain_files_leads_to_no_other() {
    let Some(remote) = Remote::new() else { return };
    remote.git.run(&["update-server-info"]);
    let commit = remote.git.run(&["rev-parse", "HEAD"]).trim().to_string();
    let server = Server::start(Manner::Files(remote.folder.path().into()));
    let from = url(&format!("http://127.0.0.1:{}/remote/.git", server.port));
    assert_eq!(fetch(&from, None, &remote.clone(), &policy(), None, &|| false).unwrap(), on_main(&commit));
    // Objects are said to be at another server.
    let other = Server::start(Manner::Files(remote.folder.path().into()));
    let objects = remote.tree().join(".git/objects");
    let place = format!("http://127.0.0.1:{}/remote/.git/objects/\n", other.port);
    fs::write(objects.join("info/http-alternates"), &place).unwrap();
    let blob = remote.git.run(&["rev-parse", "HEAD:README"]);
    fs::remove_file(objects.join(&blob[..2]).join(blob[2..].trim())).unwrap();
    let into = remote.folder.path().join("other.git");
    assert!(fetch(&from, None, &into, &policy(), None, &|| false).is_err());
    assert!(other.requests().is_empty(), "the other server was asked");
}

#[test]
fn a_folder_of_another_user_is_read() {
    let Some(remote) = Remote::new() else { return };
    let mut folders = vec![remote.tree()];
    while let Some(folder) = folders.pop() {
        if std::os::unix::fs::lchown(&folder, Some(12345), Some(12345)).is_err() {
            return codecompass_testkit::skip("only root gives files to other users");
        }
        let entries = fs::read_dir(folder).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
        folders.extend(entries.iter().map(std::fs::DirEntry::path));
    }
    remote.fetch().unwrap();
}

#[test]
fn a_policy_is_asked_again_before_the_fetch() {
    let Some(remote) = Remote::new() else { return };
    let server = Server::start(Manner::Serve(remote.folder.path().into()));
    let from = url(&format!("http://localhost:{}/remote", server.port));
    let fetched = |policy: &GitPolicy| fetch(&from, None, &remote.clone(), policy, None, &|| false).unwrap_err();
    let private = GitPolicy { allow_private_addresses: false, ..policy() };
    assert!(matches!(fetched(&private), GitError::Private { .. }));
    assert!(matches!(fetched(&GitPolicy { hosts: vec!["example.com".into()], ..policy() }), GitError::Url(_)));
    assert!(matches!(fetched(&GitPolicy { path: policy().path, ..GitPolicy::default() }), GitError::Url(_)));
    assert!(!remote.clone().exists() && server.requests().is_empty());
}

#[test]
fn only_one_process_writes_to_a_clone() {
    let Some(remote) = Remote::new() else { return };
    remote.fetch().unwrap();
    let lock = fs::File::options().write(true).open(remote.clone().join("codecompass/lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(remote.fetch(), Err(GitError::Busy { .. })));
    lock.unlock().unwrap();
    remote.fetch().unwrap();
}

#[test]
fn git_must_be_there() {
    let Some(remote) = Remote::new() else { return };
    let nowhere = GitPolicy { path: Some("/nonexistent".into()), ..policy() };
    let error = fetch(&remote.url(), None, &remote.clone(), &nowhere, None, &|| false).unwrap_err();
    assert!(matches!(error, GitError::Start(_)), "{error}");
}

#[test]
fn ssh_gets_its_options_and_no_outside_settings() {
    let Some(remote) = Remote::new() else { return };
    let programs = remote.folder.path().join("it's programs");
    let log = remote.folder.path().join("log");
    fs::create_dir(&programs).unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{0}'\nenv >> '{0}'\nfor last; do :; done\nexec sh -c \"$last\"\n",
        log.display()
    );
    fs::write(programs.join("ssh"), script).unwrap();
    fs::set_permissions(programs.join("ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = programs.clone().into_os_string();
    path.push(":");
    path.push(policy().path.unwrap());
    let key = programs.join("key");
    let policy = GitPolicy { path: Some(path), ssh_key: Some(key.clone()), ..policy() };
    let commit = remote.git.run(&["rev-parse", "HEAD"]).trim().to_string();
    let from = url(&format!("ssh://git@127.0.0.1:2222{}", remote.tree().display()));
    assert_eq!(fetch(&from, None, &remote.clone(), &policy, None, &|| false).unwrap(), on_main(&commit));
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    let identity = format!("IdentityFile=\"{}\"", key.display());
    for line in ["-F", "BatchMode=yes", "StrictHostKeyChecking=yes", "HostKeyAlias=[127.0.0.1]:2222", "2222", &identity]
    {
        assert!(lines.contains(&line), "{line} in {log}");
    }
    assert!(
        !lines.iter().any(|line| ["CARGO", "SSH_AUTH_SOCK=", "USER="].iter().any(|name| line.starts_with(name))),
        "{log}"
    );
}
