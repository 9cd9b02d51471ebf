//! Operations that people do with git: one random operation per step.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{put, remove};
use super::{Event, History, contents};
use crate::Git;

/// One of these names looks like a commit id, one differs from another by case only.
const BRANCHES: &[&str] = &["main", "feature", "topic/one", "beef", "Feature"];
const TAGS: &[&str] = &["v1", "v2"];
const WORKTREES: &[&str] = &["linked", "other"];

/// Something that happens to a worktree or its repository.
type Operation = fn(&mut History, &Path);

/// Operations with how often they come.
const OPERATIONS: &[(u64, Operation)] = &[
    (26, History::commit_edits),
    (12, History::edit_only),
    (3, History::amend),
    (10, History::switch_branch),
    (3, History::detach),
    (7, History::merge),
    (4, History::rebase),
    (6, History::reset),
    (5, History::stash),
    (3, History::cherry_pick),
    (2, History::revert),
    (5, History::move_branch),
    (3, History::orphan),
    (2, History::tag),
    (3, History::force_add),
    (2, History::untrack),
    (2, History::submodule),
    (3, History::sparse),
    (3, History::keep_house),
    (2, History::index_format),
    (7, History::change_worktrees),
    (1, History::clone_again),
    (1, History::clean),
    (2, History::converted_checkout),
];

impl History {
    /// The first commits: something on each of several branches.
    pub(super) fn begin(&mut self, main: &Path) {
        for path in ["main.rs", "src/app.py", "web/view.ts", "README.md"] {
            let text = contents::text(&mut self.random, path);
            put(main, &main.join(path), text.as_bytes());
        }
        self.commit(main);
        for branch in ["feature", "topic/one", "main"] {
            if branch != "main" {
                self.git(main, &["checkout", "--quiet", "-b", branch, "main"]);
            } else {
                self.git(main, &["checkout", "--quiet", branch]);
            }
            self.commit_edits(main);
            self.commit_edits(main);
        }
        self.look_at_refs();
        let library = self.beside("library");
        fs::create_dir(&library).unwrap();
        put(&library, &library.join("lib.py"), b"def library_only(): pass\n");
        let git = Git::at(&library);
        git.run(&["init", "--quiet", "--initial-branch=main"]);
        git.run(&["add", "--all"]);
        git.run(&["commit", "--quiet", "--message", "library"]);
    }

    /// One random operation.
    pub fn step(&mut self) -> Event {
        let number = self.number();
        self.note(format!("-- {number}"));
        match self.random.below(100) {
            0..=5 => return Event::CollectGarbage,
            6 => return Event::Rebuild,
            _ => {}
        }
        let at = self.random.below(self.worktrees.len() as u64) as usize;
        let worktree = self.worktrees[at].clone();
        if self.is_interrupted(&worktree) && self.random.chance(70) {
            self.finish_interrupted(&worktree);
        } else {
            let total = OPERATIONS.iter().map(|(weight, _)| weight).sum();
            let mut drawn = self.random.below(total);
            let drawn = OPERATIONS.iter().find(|(weight, _)| {
                let found = drawn < *weight;
                drawn = drawn.saturating_sub(*weight);
                found
            });
            if let Some((_, operation)) = drawn {
                operation(self, &worktree);
            }
        }
        // Git's index vouches for files only when it has seen their times.
        if worktree.exists() && self.random.chance(50) {
            self.git(&worktree, &["update-index", "--quiet", "--refresh"]);
        }
        self.look_at_refs();
        Event::Changed
    }

    fn look_at_refs(&mut self) {
        self.live.clear();
        for live in self.refs(&self.worktrees[0]) {
            self.live.push(live.name);
            if !self.seen.contains(&live.commit) {
                self.seen.push(live.commit);
            }
        }
    }

    /// A branch, tag or stash that exists.
    fn existing(&mut self) -> String {
        let at = self.random.below(self.live.len().max(1) as u64) as usize;
        self.live.get(at).cloned().unwrap_or_else(|| "main".to_string())
    }

    /// Often commits what is there, since git refuses much where files are dirty.
    fn tidy_up(&mut self, worktree: &Path) {
        if self.random.chance(60) {
            self.commit(worktree);
        }
    }

    fn branch(&mut self) -> &'static str {
        self.random.pick(BRANCHES)
    }

    fn commit(&mut self, worktree: &Path) {
        let message = format!("change {}", self.number());
        self.git(worktree, &["add", "--all"]);
        self.git(worktree, &["commit", "--quiet", "--message", &message]);
    }

    fn commit_edits(&mut self, worktree: &Path) {
        for _ in 0..1 + self.random.below(4) {
            self.edit(worktree);
        }
        self.commit(worktree);
    }

    fn edit_only(&mut self, worktree: &Path) {
        for _ in 0..1 + self.random.below(2) {
            self.edit(worktree);
        }
        if self.random.chance(30) {
            self.git(worktree, &["add", "--all"]);
        }
    }

    fn amend(&mut self, worktree: &Path) {
        self.edit(worktree);
        self.git(worktree, &["add", "--all"]);
        self.git(worktree, &["commit", "--quiet", "--amend", "--no-edit"]);
    }

    fn switch_branch(&mut self, worktree: &Path) {
        let (name, new) = (self.existing(), self.branch());
        match self.random.below(7) {
            // With dirty files, where git allows it.
            0..=1 => self.git(worktree, &["checkout", "--quiet", &name]),
            2..=3 => self.git(worktree, &["checkout", "--quiet", "--force", &name]),
            // The same branch in two worktrees: a commit in one moves the other's HEAD.
            4 => self.git(worktree, &["checkout", "--quiet", "--force", "--ignore-other-worktrees", &name]),
            5 => self.git(worktree, &["checkout", "--quiet", "-B", new, &name]),
            _ => self.git(worktree, &["checkout", "--quiet", "-b", new]),
        };
    }

    fn detach(&mut self, worktree: &Path) {
        let back = format!("HEAD~{}", self.random.below(3));
        self.git(worktree, &["checkout", "--quiet", "--detach", &back]);
    }

    fn merge(&mut self, worktree: &Path) {
        self.tidy_up(worktree);
        let name = self.existing();
        self.git(worktree, &["merge", "--quiet", "--no-edit", "--allow-unrelated-histories", &name]);
    }

    fn rebase(&mut self, worktree: &Path) {
        let name = self.existing();
        if self.random.chance(50) {
            self.git(worktree, &["stash", "push", "--quiet", "--include-untracked"]);
        }
        self.git(worktree, &["rebase", "--quiet", &name]);
    }

    fn is_interrupted(&self, worktree: &Path) -> bool {
        let Some(directory) = Git::at(worktree).ask(&["rev-parse", "--absolute-git-dir"]) else { return false };
        let marks = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
        marks.iter().any(|mark| Path::new(&directory).join(mark).exists())
    }

    /// Ends a merge, rebase and the like that met a conflict.
    fn finish_interrupted(&mut self, worktree: &Path) {
        if self.random.chance(50) {
            for operation in ["merge", "rebase", "cherry-pick", "revert"] {
                self.git(worktree, &[operation, "--abort"]);
            }
            return;
        }
        if self.random.chance(50) {
            self.edit(worktree);
        }
        // The marks of the conflict stay in the files.
        self.git(worktree, &["add", "--all"]);
        if !self.git(worktree, &["rebase", "--continue"]) {
            self.git(worktree, &["commit", "--quiet", "--no-edit", "--allow-empty"]);
        }
    }

    fn reset(&mut self, worktree: &Path) {
        let how = self.random.pick(&["--hard", "--soft", "--mixed"]);
        let to = match self.random.below(3) {
            0 => self.existing(),
            back => format!("HEAD~{}", back - 1),
        };
        self.git(worktree, &["reset", "--quiet", how, &to]);
    }

    fn stash(&mut self, worktree: &Path) {
        match self.random.below(5) {
            0 => self.git(worktree, &["stash", "push", "--quiet"]),
            1..=2 => {
                self.edit(worktree);
                self.git(worktree, &["stash", "push", "--quiet", "--include-untracked"])
            }
            3 => self.git(worktree, &["stash", "drop", "--quiet"]),
            _ => self.git(worktree, &["stash", "pop", "--quiet"]),
        };
    }

    fn cherry_pick(&mut self, worktree: &Path) {
        self.tidy_up(worktree);
        let name = self.existing();
        self.git(worktree, &["cherry-pick", "--allow-empty", &name]);
    }

    fn revert(&mut self, worktree: &Path) {
        self.tidy_up(worktree);
        let back = format!("HEAD~{}", self.random.below(2));
        self.git(worktree, &["revert", "--no-edit", &back]);
    }

    fn move_branch(&mut self, worktree: &Path) {
        let (name, to) = (self.branch(), self.existing());
        match self.random.below(4) {
            0..=1 => self.git(worktree, &["branch", "--force", name, &to]),
            2 => self.git(worktree, &["branch", "--quiet", "-D", name]),
            _ => self.git(worktree, &["branch", "--force", name, "HEAD~1"]),
        };
    }

    fn orphan(&mut self, worktree: &Path) {
        let name = self.branch();
        if self.random.chance(50) {
            self.git(worktree, &["branch", "--quiet", "-D", name]);
        }
        let how: &[&str] = if self.random.chance(50) { &["checkout", "--quiet"] } else { &["switch", "--quiet"] };
        self.git(worktree, &[how, &["--orphan", name]].concat());
    }

    fn tag(&mut self, worktree: &Path) {
        let name = self.random.pick(TAGS);
        match self.random.below(3) {
            0 => self.git(worktree, &["tag", "--delete", name]),
            1 => self.git(worktree, &["tag", "--force", "--annotate", "--message", "tagged", name]),
            _ => self.git(worktree, &["tag", "--force", name]),
        };
    }

    /// Tracks a file although git ignores it.
    fn force_add(&mut self, worktree: &Path) {
        put(worktree, &worktree.join(".gitignore"), b"logs/\n*.log\n");
        let path = self.random.pick(&["logs/run.py", "logs/deep/more.rs", "kept.log"]);
        let text = contents::text(&mut self.random, path);
        put(worktree, &worktree.join(path), text.as_bytes());
        put(worktree, &worktree.join("logs/only.py"), b"def never_tracked(): pass\n");
        self.git(worktree, &["add", "--force", path]);
        if self.random.chance(50) {
            self.commit(worktree);
        }
    }

    fn untrack(&mut self, worktree: &Path) {
        let path = self.path();
        self.git(worktree, &["rm", "--quiet", "--cached", "-r", "--ignore-unmatch", "--", path]);
    }

    fn submodule(&mut self, worktree: &Path) {
        let place = worktree.join("sub");
        if self.random.chance(40) {
            remove(&place);
            self.git(worktree, &["rm", "--quiet", "--cached", "-r", "--ignore-unmatch", "sub"]);
        } else {
            remove(&place);
            let library = self.beside("library").display().to_string();
            self.git(worktree, &["clone", "--quiet", &library, "sub"]);
            self.git(worktree, &["add", "sub"]);
        }
        if self.random.chance(60) {
            self.commit(worktree);
        }
    }

    fn sparse(&mut self, worktree: &Path) {
        match self.random.below(5) {
            0..=1 => self.git(worktree, &["sparse-checkout", "disable"]),
            2 => self.git(worktree, &["sparse-checkout", "set", "--cone", "--no-sparse-index", "src"]),
            3 => self.git(worktree, &["sparse-checkout", "set", "--cone", "--sparse-index", "web"]),
            _ => self.git(worktree, &["sparse-checkout", "set", "--no-cone", "--no-sparse-index", "*.py", "!src"]),
        };
    }

    fn keep_house(&mut self, worktree: &Path) {
        match self.random.below(6) {
            0 => {
                self.git(worktree, &["reflog", "expire", "--expire=now", "--all"]);
                self.git(worktree, &["gc", "--quiet", "--prune=now"])
            }
            1 => self.git(worktree, &["gc", "--quiet"]),
            2 => self.git(worktree, &["pack-refs", "--all"]),
            3 => self.git(worktree, &["repack", "-a", "-d", "-q"]),
            4 => self.git(worktree, &["multi-pack-index", "write"]),
            _ => self.git(worktree, &["commit-graph", "write", "--reachable"]),
        };
    }

    fn index_format(&mut self, worktree: &Path) {
        let how: &[&str] = match self.random.below(4) {
            0 => &["--index-version", "4"],
            1 => &["--split-index"],
            2 => &["--no-split-index"],
            _ => &["--force-untracked-cache"],
        };
        self.git(worktree, &[&["update-index"], how].concat());
    }

    fn change_worktrees(&mut self, _: &Path) {
        let main = self.worktrees[0].clone();
        let name = self.random.pick(WORKTREES);
        let place = self.beside(name);
        let shown = format!("../{name}");
        let known = self.worktrees.iter().position(|worktree| *worktree == place);
        match known {
            Some(at) if self.random.chance(50) => {
                if self.random.chance(50) {
                    self.git(&main, &["worktree", "remove", "--force", "--force", &shown]);
                } else {
                    remove(&place);
                    self.git(&main, &["worktree", "prune"]);
                }
                if !place.exists() {
                    self.worktrees.remove(at);
                }
            }
            Some(_) => {}
            None => {
                let (branch, existing) = (self.branch(), self.existing());
                let how: &[&str] = match self.random.below(3) {
                    0 => &["--detach", &shown, &existing],
                    1 => &["-B", branch, &shown, &existing],
                    _ => &[&shown, &existing],
                };
                self.git(&main, &[&["worktree", "add", "--quiet"], how].concat());
                if place.join(".git").exists() {
                    self.age(&place);
                    self.worktrees.push(place);
                } else {
                    remove(&place);
                }
            }
        }
    }

    fn clone_again(&mut self, _: &Path) {
        let main = self.worktrees[0].clone();
        let number = self.number();
        let from = format!("file://{}", main.display());
        let (name, how): (String, &[&str]) = match self.random.below(3) {
            0 => (format!("bare{number}.git"), &["--mirror"]),
            1 => (format!("shallow{number}"), &["--depth", "1", "--no-single-branch"]),
            _ => (format!("bare-shallow{number}.git"), &["--bare", "--depth", "2", "--no-single-branch"]),
        };
        let place: PathBuf = self.beside(&name);
        let shown = place.display().to_string();
        if self.git(&main, &[&["clone", "--quiet"], how, &[from.as_str(), shown.as_str()]].concat()) {
            if self.clones.len() == 2 {
                remove(&self.clones.remove(0));
            }
            self.clones.push(place);
        }
    }

    fn clean(&mut self, worktree: &Path) {
        self.git(worktree, &["clean", "--quiet", "--force", "--force", "-d", "-x"]);
    }

    /// Other line ends on disk than in the objects, and files that git writes anew for it.
    fn converted_checkout(&mut self, worktree: &Path) {
        let attributes = self.random.pick(&["* text=auto eol=crlf\n", "* -text\n", "*.py text eol=crlf\n"]);
        put(worktree, &worktree.join(".gitattributes"), attributes.as_bytes());
        self.commit(worktree);
        self.git(worktree, &["rm", "--quiet", "--cached", "-r", "."]);
        self.git(worktree, &["reset", "--quiet", "--hard"]);
    }
}

impl History {
    /// Names to ask about: definitions that some branch may have, and some that none has.
    pub fn names() -> Vec<&'static str> {
        let others =
            ["Connection.parse_header", "parse_haeder", "library_only", "never_tracked", "odd_name", "nowhere_at_all"];
        contents::NAMES.iter().chain(contents::TYPES).copied().chain(others).collect()
    }

    /// Questions to ask.
    pub fn questions() -> &'static [&'static str] {
        &[
            "parse_header",
            "Connection",
            "how are headers parsed",
            "retries of a broken connection",
            "close socket again",
            "src/app.py",
            "token count",
            "README.md",
            "cache entry flush",
            "never_tracked",
        ]
    }
}
