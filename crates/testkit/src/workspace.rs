//! A workspace in a temporary directory, and runs of the binary in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::answer::Answer;
use crate::fixture::{write_file, write_fixture};
use crate::git::Git;
use crate::normalise::normalise;
use crate::store::TestStore;

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

    /// Gives names to all that depends on chance in a text: the temporary directory, the store's
    /// hash and size, and the words of the operating system.
    pub fn normalised(&self, text: &str) -> String {
        self.normalised_at(&self.home(), text)
    }

    /// The same for a store that is below another home.
    pub fn normalised_at(&self, home: &Path, text: &str) -> String {
        normalise(home, &self.root(), text)
    }
}

impl Answer {
    /// Exit code, stdout and stderr as one text in which everything that depends on chance has a
    /// name.
    pub fn shown(&self, workspace: &TestWorkspace) -> String {
        let mut shown = self.stdout.clone();
        if !self.stderr.is_empty() {
            shown.push_str("--- stderr\n");
            shown.push_str(&self.stderr);
        }
        match self.code {
            Some(0) => {}
            Some(code) => shown.push_str(&format!("--- exit code {code}\n")),
            None => shown.push_str("--- killed\n"),
        }
        workspace.normalised(&shown)
    }
}
