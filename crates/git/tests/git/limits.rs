//! Limits of size and time, and what is left when git is killed.

use std::fs;
use std::path::Path;

use codecompass_git::{GitError, GitPolicy, fetch};
use codecompass_testkit::Git;

use crate::remote::{Remote, assert_tidy, noise, policy, url};
use crate::server::{Manner, Server};

/// Returns the bytes of packs; a file that vanishes meanwhile does not count.
fn bytes_of_packs(repository: &Path) -> u64 {
    let packs = fs::read_dir(repository.join("objects/pack")).unwrap().flatten();
    packs.map(|entry| entry.metadata().map_or(0, |metadata| metadata.len())).sum()
}

#[test]
fn a_repository_that_is_too_large_is_refused() {
    let Some(remote) = Remote::new() else { return };
    remote.fetch().unwrap();
    let small = bytes_of_packs(&remote.clone());
    let commit = remote.commit("large", noise(3_000_000));
    let tight = GitPolicy { max_bytes: 1_000_000, ..policy() };
    for _ in 0..2 {
        let error = fetch(&remote.url(), None, &remote.clone(), &tight, None, &|| false).unwrap_err();
        assert!(matches!(error, GitError::TooLarge { limit: 1_000_000, .. }), "{error}");
        assert_tidy(&remote.clone());
        assert_eq!(bytes_of_packs(&remote.clone()), small, "what was fetched is gone again");
        assert_eq!(Git::at(&remote.clone()).run(&["for-each-ref", "--format=%(refname)"]), "refs/codecompass/head\n");
    }
    assert_eq!(remote.fetch().unwrap().commit, commit);
    Git::at(&remote.clone()).run(&["fsck", "--strict"]);
}

#[test]
fn a_remote_that_says_nothing_costs_no_more_than_the_time_limit() {
    let Some(remote) = Remote::new() else { return };
    let server = Server::start(Manner::Stall);
    let from = url(&format!("http://127.0.0.1:{}/remote", server.port));
    let short = GitPolicy { max_seconds: 1, ..policy() };
    let error = fetch(&from, None, &remote.clone(), &short, None, &|| false).unwrap_err();
    assert!(matches!(error, GitError::TimedOut { seconds: 1, .. }), "{error}");
    assert_tidy(&remote.clone());
    remote.fetch().unwrap();
}

#[test]
fn a_fetch_that_is_cancelled_or_killed_is_done_again() {
    let Some(remote) = Remote::new() else { return };
    let commit = remote.commit("large", noise(6_000_000));
    let pack = remote.clone().join("objects/pack");
    let server = Server::start(Manner::Half(remote.folder.path().into()));
    let from = url(&format!("http://127.0.0.1:{}/remote", server.port));
    let begun = || bytes_of_packs(&remote.clone()) > 1_000_000;
    let error = fetch(&from, None, &remote.clone(), &policy(), None, &begun).unwrap_err();
    assert!(matches!(error, GitError::Cancelled), "{error}");
    assert!(!Git::at(&remote.clone()).succeeds(&["rev-parse", "--verify", "refs/codecompass/head"]));
    assert_tidy(&remote.clone());
    // What a process leaves that is killed together with its node.
    let left = ["tmp_pack_abcdef", "tmp_idx_abcdef", "pack-1234.keep", "pack-1234.pack"];
    for name in left {
        fs::write(pack.join(name), "half").unwrap();
    }
    fs::create_dir_all(remote.clone().join("refs/codecompass")).unwrap();
    for name in ["refs/codecompass/head.lock", "refs/codecompass/incoming.lock", "packed-refs.lock", "shallow.lock"] {
        fs::write(remote.clone().join(name), "").unwrap();
    }
    fs::write(remote.clone().join("refs/codecompass/incoming"), "0123456789012345678901234567890123456789\n").unwrap();
    assert_eq!(remote.fetch().unwrap().commit, commit);
    assert_tidy(&remote.clone());
    assert_eq!(Git::at(&remote.clone()).run(&["for-each-ref", "--format=%(refname)"]), "refs/codecompass/head\n");
    assert!(left.iter().all(|name| !pack.join(name).exists()));
    Git::at(&remote.clone()).run(&["fsck", "--strict"]);
}
