//! Random git histories: several branches, tags and worktrees of one repository, changed one
//! operation at a time and always in the same way for the same seed.
//!
//! A [`History`] knows nothing of indexes. Its caller asks after each [`History::step`] about every
//! worktree, live ref and clone, and compares with what a plain checkout ([`History::checkout`])
//! says.

mod contents;
mod files;
mod operations;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Git, Random};

/// One repository with its worktrees and clones.
pub struct History {
    directory: TempDir,
    random: Random,
    worktrees: Vec<PathBuf>,
    clones: Vec<PathBuf>,
    /// Branches and tags as of the last step.
    live: Vec<String>,
    /// Commits that some ref named at some time.
    seen: Vec<String>,
    log: Vec<String>,
    serial: u64,
}

/// Asks the caller of [`History::step`] for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The repository or a worktree changed.
    Changed,
    /// Unneeded parts of the index are to be removed.
    CollectGarbage,
    /// The index is to be built anew.
    Rebuild,
}

/// A name for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRef {
    /// As a user would write it.
    pub name: String,
    /// The branch, if it is one.
    pub branch: Option<String>,
    /// The commit's id.
    pub commit: String,
}

impl History {
    /// A repository with a first commit.
    pub fn new(seed: u64) -> History {
        // Thousands of small indexes are made: where there is a directory in memory, the disk need
        // not see them.
        let directory = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let mut history = History {
            directory,
            random: Random::new(seed),
            worktrees: Vec::new(),
            clones: Vec::new(),
            live: Vec::new(),
            seen: Vec::new(),
            log: Vec::new(),
            serial: 0,
        };
        let main = history.beside("main");
        fs::create_dir(&main).unwrap();
        Git::at(&main).run(&["init", "--quiet", "--initial-branch=main"]);
        history.worktrees.push(main.clone());
        history.begin(&main);
        history
    }

    /// A path beside the worktrees; it goes when the history does.
    pub fn beside(&self, name: &str) -> PathBuf {
        dunce::canonicalize(self.directory.path()).unwrap().join(name)
    }

    /// The worktrees that exist; the first one is the main one.
    pub fn worktrees(&self) -> &[PathBuf] {
        &self.worktrees
    }

    /// Bare and shallow clones, as of when they were made.
    pub fn clones(&self) -> &[PathBuf] {
        &self.clones
    }

    /// All operations so far, one line each; lines of `git` end with its success.
    pub fn log(&self) -> &[String] {
        &self.log
    }

    /// The branches, tags, stashes and remote branches of the repository at `directory`.
    pub fn refs(&self, directory: &Path) -> Vec<LiveRef> {
        let format = "--format=%(refname) %(objectname) %(*objectname)";
        let listed = Git::at(directory).run(&["for-each-ref", format]);
        let read = |line: &str| {
            let mut words = line.split(' ');
            let (name, id) = (words.next()?, words.next()?);
            // Where a tag has an object of its own, the commit is the one it leads to.
            let commit = words.next().filter(|peeled| !peeled.is_empty()).unwrap_or(id).to_string();
            let branch = name.strip_prefix("refs/heads/").map(str::to_string);
            let short =
                ["refs/heads/", "refs/tags/", "refs/remotes/"].iter().find_map(|start| name.strip_prefix(start));
            Some(LiveRef { name: short.unwrap_or(name).to_string(), branch, commit })
        };
        listed.lines().filter_map(read).collect()
    }

    /// A commit that a ref named once and that the repository still has.
    pub fn former_commit(&mut self) -> Option<String> {
        let at = self.random.below(self.seen.len().max(1) as u64) as usize;
        let id = self.seen.get(at)?.clone();
        Git::at(&self.worktrees[0]).succeeds(&["cat-file", "-e", &format!("{id}^{{tree}}")]).then_some(id)
    }

    /// The branch and commit of a worktree.
    pub fn head(&self, worktree: &Path) -> (Option<String>, Option<String>) {
        let git = Git::at(worktree);
        let branch = git.ask(&["symbolic-ref", "--quiet", "HEAD"]);
        let branch = branch.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_string));
        (branch, git.ask(&["rev-parse", "--quiet", "--verify", "HEAD"]))
    }

    /// Checks a commit out into the new directory `to`, byte for byte: no line ends are converted.
    pub fn checkout(&self, commit: &str, to: &Path) {
        fs::create_dir(to).unwrap();
        let git = Git::at(to);
        git.run(&["init", "--quiet", "--template=", "--initial-branch=none"]);
        let info = to.join(".git/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("attributes"), "* -text -eol -ident -filter -working-tree-encoding\n").unwrap();
        fs::create_dir_all(to.join(".git/objects/info")).unwrap();
        let objects = self.worktrees[0].join(".git/objects");
        fs::write(to.join(".git/objects/info/alternates"), format!("{}\n", objects.display())).unwrap();
        git.run(&["checkout", "--quiet", "--detach", commit]);
    }

    /// A text that changes whenever something in the worktree or its git index does.
    pub fn fingerprint(&self, worktree: &Path) -> String {
        let mut text = Git::at(worktree).ask(&["ls-files", "--stage", "-t", "-z"]).unwrap_or_default();
        files::describe(worktree, &mut text);
        text
    }

    fn note(&mut self, line: String) {
        self.log.push(line);
    }

    fn number(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Runs git in a worktree. It may refuse; what it leaves behind then is as good a state as any.
    fn git(&mut self, worktree: &Path, args: &[&str]) -> bool {
        let agreed = Git::at(worktree).succeeds(args);
        let place = worktree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let short: Vec<String> =
            args.iter().map(|arg| arg.replace(&self.beside("").display().to_string(), "…/")).collect();
        self.note(format!("{place}: git {}{}", short.join(" "), if agreed { "" } else { " (refused)" }));
        if worktree.exists() {
            self.age(worktree);
        }
        agreed
    }
}
