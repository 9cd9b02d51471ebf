//! A remote repository and a place to clone it to.

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_git::{Fetched, GitError, GitPolicy, GitUrl, fetch};
use codecompass_testkit::{Git, skip};
use tempfile::TempDir;

/// A remote with a working tree, and a folder for clones.
pub(crate) struct Remote {
    pub(crate) folder: TempDir,
    pub(crate) git: Git,
}

impl Remote {
    /// Makes a remote with one commit; none if git is missing, which is reported.
    pub(crate) fn new() -> Option<Remote> {
        if std::process::Command::new("git").arg("version").output().is_err() {
            skip("git is not installed");
            return None;
        }
        let folder = TempDir::new().unwrap();
        let tree = folder.path().join("remote");
        fs::create_dir(&tree).unwrap();
        let git = Git::at(&tree);
        git.run(&["init", "--quiet", "--initial-branch=main"]);
        let remote = Remote { folder, git };
        remote.commit("README", "hello\n");
        Some(remote)
    }

    /// The working tree.
    pub(crate) fn tree(&self) -> PathBuf {
        self.folder.path().join("remote")
    }

    /// The clone.
    pub(crate) fn clone(&self) -> PathBuf {
        self.folder.path().join("clone.git")
    }

    /// Writes a file, commits it and returns the commit.
    pub(crate) fn commit(&self, path: &str, text: impl AsRef<[u8]>) -> String {
        fs::write(self.tree().join(path), text).unwrap();
        self.git.run(&["add", "--all"]);
        self.git.run(&["commit", "--quiet", "--message", path]);
        self.git.run(&["rev-parse", "HEAD"]).trim().to_string()
    }

    /// The URL of the working tree.
    pub(crate) fn url(&self) -> GitUrl {
        url(&format!("file://{}", self.tree().display()))
    }

    /// Fetches the working tree into the clone.
    pub(crate) fn fetch(&self) -> Result<Fetched, GitError> {
        fetch(&self.url(), None, &self.clone(), &policy(), None, &|| false)
    }
}

/// A policy for tests: folders and this machine.
pub(crate) fn policy() -> GitPolicy {
    GitPolicy {
        schemes: ["file", "http", "https", "ssh"].map(String::from).to_vec(),
        allow_private_addresses: true,
        max_seconds: 60,
        path: std::env::var_os("PATH"),
        ..GitPolicy::default()
    }
}

pub(crate) fn url(text: &str) -> GitUrl {
    GitUrl::parse(text, &policy()).unwrap()
}

/// Bytes without a pattern.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Asserts that a repository has no unfinished files.
#[track_caller]
pub(crate) fn assert_tidy(repository: &Path) {
    let mut folders = vec![repository.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            let unfinished = name.starts_with("tmp_") || name.ends_with(".keep") || name.ends_with(".lock");
            assert!(!unfinished && !name.starts_with("words-"), "{}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}
