//! Helpers for tests only: workspaces from fixture text, git repositories, a clean home for the
//! binary, stores to break.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests may fail loudly and start processes")]

mod answer;
mod archive;
mod disk;
mod fixture;
mod git;
#[cfg(unix)]
mod history;
mod markers;
mod random;
mod skip;
mod store;
mod waiting;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

pub use answer::Answer;
pub use archive::{pack, unpack};
pub use disk::TinyDisk;
pub use fixture::{Cursor, write_fixture};
pub use git::Git;
#[cfg(unix)]
pub use history::{Event, History, LiveRef};
pub use markers::Markers;
pub use random::Random;
pub use skip::skip;
pub use store::TestStore;
pub use waiting::{DEADLINE, until};

use fixture::write_file;

/// Copies a directory with everything in it; `to` must not exist yet.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_tree(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Returns whether file permissions bind this process; they do not bind root.
pub fn permissions_are_enforced() -> bool {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut permissions = file.path().metadata().unwrap().permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o000);
    permissions.set_readonly(true);
    fs::set_permissions(file.path(), permissions).unwrap();
    fs::File::open(file.path()).is_err()
}

/// A directory with files, a git repository when asked for, and a home of its own for the store.
/// Both lie in one temporary directory, as `workspace` and `home`, so that names in answers do not
/// depend on chance.
pub struct TestWorkspace {
    directory: TempDir,
}

impl TestWorkspace {
    /// A plain directory with the files of `fixture`.
    pub fn plain(fixture: &str) -> TestWorkspace {
        TestWorkspace::below(TempDir::new().unwrap(), fixture)
    }

    /// A plain directory in memory where the system has such a place. For tests that index small
    /// fixtures and do not care about the disk: most of the time of a first index is spent waiting
    /// for it.
    pub fn in_memory(fixture: &str) -> TestWorkspace {
        let directory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        TestWorkspace::below(directory.unwrap(), fixture)
    }

    fn below(directory: TempDir, fixture: &str) -> TestWorkspace {
        let workspace = TestWorkspace { directory };
        fs::create_dir(workspace.directory.path().join("workspace")).unwrap();
        fs::create_dir(workspace.home()).unwrap();
        write_fixture(&workspace.root(), fixture);
        workspace
    }

    /// A git repository with one commit that holds the files of `fixture`.
    pub fn git(fixture: &str) -> TestWorkspace {
        let workspace = TestWorkspace::plain(fixture);
        workspace.run_git(&["init", "--quiet", "--initial-branch=main"]);
        workspace.commit("first");
        workspace
    }

    /// The canonical root directory.
    pub fn root(&self) -> PathBuf {
        self.beside("workspace")
    }

    /// The data directory for `CODECOMPASS_HOME`.
    pub fn home(&self) -> PathBuf {
        self.beside("home")
    }

    /// A path in the directory that holds the root and the home; it goes when the workspace does.
    pub fn beside(&self, name: &str) -> PathBuf {
        dunce::canonicalize(self.directory.path()).unwrap().join(name)
    }

    /// The store below the home; there must be exactly one.
    pub fn store(&self) -> TestStore {
        TestStore::only_one_in(&self.home())
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    /// Writes a file that need not be text.
    pub fn write_bytes(&self, path: &str, bytes: &[u8]) {
        write_file(&self.root().join(path), bytes);
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Runs git in the root with a fixed identity and date and no outside settings; returns its
    /// stdout.
    pub fn run_git(&self, args: &[&str]) -> String {
        Git::at(&self.root()).run(args)
    }

    /// Runs git like [`TestWorkspace::run_git`], but says only whether it succeeded.
    pub fn try_git(&self, args: &[&str]) -> bool {
        Git::at(&self.root()).succeeds(args)
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) {
        self.run_git(&["add", "--all"]);
        self.run_git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// The binary at `program`, ready to run in this workspace with a clean environment.
    pub fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("CODECOMPASS_HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if cfg!(windows) {
            // Where Windows keeps what is in the home elsewhere, and what no program there can do
            // without.
            let data = [("USERPROFILE", ""), ("APPDATA", "AppData/Roaming"), ("LOCALAPPDATA", "AppData/Local")];
            command.envs(data.map(|(name, below)| (name, self.home().join(below))));
            command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        }
        command
    }

    /// Runs the binary and returns what it said.
    pub fn run(&self, program: &str, args: &[&str]) -> Answer {
        Answer::of(&mut self.command(program, args))
    }

    /// Starts the binary without waiting for it; its output goes nowhere.
    pub fn start(&self, program: &str, args: &[&str]) -> Child {
        self.command(program, args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
}
