//! Packs from node to node, and views.

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_git::{GitError, GitPolicy, adopt, fetch, is_complete, make_view, pack, unpack};
use codecompass_testkit::Git;

use crate::remote::{Remote, assert_tidy, noise, policy};

/// Packs commits of the clone, and returns the file and its hash.
fn packed(remote: &Remote, name: &str, want: &str, have: &[String]) -> (PathBuf, String) {
    let out = remote.folder.path().join(name);
    let bytes = pack(&remote.clone(), want, have, &out, &policy(), &|| false).unwrap();
    let content = fs::read(&out).unwrap();
    assert_eq!(content.len() as u64, bytes);
    (out, blake3::hash(&content).to_hex().to_string())
}

fn unpacked(into: &Path, (file, hash): &(PathBuf, String)) -> Result<(), GitError> {
    unpack(into, file, hash, &policy(), &|| false)
}

fn complete(repository: &Path, commit: &str) -> bool {
    is_complete(repository, commit, &policy(), &|| false).unwrap()
}

#[test]
fn commits_go_from_node_to_node_in_increments() {
    let Some(remote) = Remote::new() else { return };
    let first = remote.fetch().unwrap().commit;
    let whole = packed(&remote, "whole", &first, &[]);
    let second = remote.commit("second", noise(2000));
    remote.fetch().unwrap();
    let unknown = "0123456789012345678901234567890123456789".to_string();
    let increment = packed(&remote, "increment", &second, &[first.clone(), unknown]);
    let again = packed(&remote, "again", &second, std::slice::from_ref(&first));
    assert_eq!(increment.1, again.1, "the same question has the same answer");
    let nothing = packed(&remote, "nothing", &second, std::slice::from_ref(&second));

    let node = remote.folder.path().join("node.git");
    assert!(!complete(&node, &first));
    unpacked(&node, &whole).unwrap();
    assert!(complete(&node, &first) && !complete(&node, &second));
    unpacked(&node, &increment).unwrap();
    unpacked(&node, &increment).unwrap();
    unpacked(&node, &nothing).unwrap();
    assert!(complete(&node, &second));
    assert_tidy(&node);
    // The node goes on from there by itself.
    adopt(&node, &second, &policy(), &|| false).unwrap();
    let third = remote.commit("third", "3");
    assert_eq!(fetch(&remote.url(), None, &node, &policy(), None, &|| false).unwrap().commit, third);
    Git::at(&node).run(&["fsck", "--strict"]);
}

#[test]
fn an_increment_alone_is_refused() {
    let Some(remote) = Remote::new() else { return };
    let first = remote.fetch().unwrap().commit;
    let second = remote.commit("second", "2");
    remote.fetch().unwrap();
    let increment = packed(&remote, "increment", &second, &[first]);
    let node = remote.folder.path().join("node.git");
    let error = unpacked(&node, &increment).unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
    assert_eq!(fs::read_dir(node.join("objects/pack")).unwrap().count(), 0);
    assert!(matches!(adopt(&node, &second, &policy(), &|| false), Err(GitError::Incomplete)));
}

#[test]
fn a_damaged_pack_is_refused() {
    let Some(remote) = Remote::new() else { return };
    let commit = remote.commit("noise", noise(5000));
    remote.fetch().unwrap();
    let (file, hash) = packed(&remote, "pack", &commit, &[]);
    let content = fs::read(&file).unwrap();
    let node = remote.folder.path().join("node.git");
    let mut flipped = content.clone();
    flipped[content.len() / 2] ^= 1;
    for damaged in [flipped.as_slice(), &content[..content.len() - 30], b"PACK", b"", b"no pack at all"] {
        fs::write(&file, damaged).unwrap();
        assert!(matches!(unpacked(&node, &(file.clone(), hash.clone())), Err(GitError::Damaged(_))));
        // The sender may have had a damaged pack to begin with.
        let own_hash = blake3::hash(damaged).to_hex().to_string();
        let error = unpacked(&node, &(file.clone(), own_hash)).unwrap_err();
        assert!(matches!(error, GitError::Failed { .. }), "{error}");
        assert_tidy(&node);
        assert!(!complete(&node, &commit));
    }
    fs::write(&file, &content).unwrap();
    let tight = GitPolicy { max_bytes: 3000, ..policy() };
    assert!(unpack(&node, &file, &hash, &tight, &|| false).is_err());
    assert_eq!(fs::read_dir(node.join("objects/pack")).unwrap().count(), 0);
    unpacked(&node, &(file, hash)).unwrap();
    assert!(complete(&node, &commit));
}

#[test]
fn a_missing_object_is_noticed() {
    let Some(remote) = Remote::new() else { return };
    let commit = remote.commit("second", "the second file");
    let repository = remote.tree().join(".git");
    for object in ["HEAD:second", "HEAD:README", "HEAD^{tree}", "HEAD~1"] {
        let id = remote.git.run(&["rev-parse", object]);
        let file = repository.join("objects").join(&id[..2]).join(id[2..].trim());
        let content = fs::read(&file).unwrap();
        assert!(complete(&repository, &commit));
        fs::remove_file(&file).unwrap();
        assert!(!complete(&repository, &commit), "{object}");
        assert!(pack(&repository, &commit, &[], &remote.folder.path().join("out"), &policy(), &|| false).is_err());
        fs::write(&file, content).unwrap();
    }
    assert!(!remote.folder.path().join("out").exists());
    let tree = remote.git.run(&["rev-parse", "HEAD^{tree}"]);
    assert!(!complete(&repository, tree.trim()), "a tree is no commit");
    for id in ["HEAD", "--all", "", &commit[..39]] {
        assert!(matches!(is_complete(&repository, id, &policy(), &|| false), Err(GitError::Commit)), "{id}");
    }
}

#[test]
fn a_view_shows_one_commit() {
    let Some(remote) = Remote::new() else { return };
    let first = remote.fetch().unwrap().commit;
    let second = remote.commit("second", "2");
    remote.fetch().unwrap();
    let view = remote.folder.path().join("views/one");
    make_view(&view, &remote.clone(), &first).unwrap();
    let git = Git::at(&view);
    assert_eq!(git.run(&["rev-parse", "HEAD"]).trim(), first);
    assert_eq!(git.run(&["ls-tree", "--name-only", "HEAD"]), "README\n");
    assert!(complete(&view, &second), "objects are shared");
    make_view(&view, &remote.clone(), &second).unwrap();
    assert_eq!(git.run(&["ls-tree", "--name-only", "HEAD"]), "README\nsecond\n");
    assert!(matches!(make_view(&view, &remote.clone(), "main"), Err(GitError::Commit)));
    assert!(make_view(&view, &remote.folder.path().join("none"), &first).is_err());
}
