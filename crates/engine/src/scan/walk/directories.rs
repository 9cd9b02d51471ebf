//! For watchers: the directories that a listing enters, and whether a change in one of them can
//! change a listing.
//!
//! The rules are those of the listing itself (`ignore::decision`), kept per directory, so that a
//! directory is watched, and an event acted on, only if a listing would take notice of it.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::config::{GIT_IGNORE, OWN_IGNORE};
use crate::scan::git::GitIndex;
use crate::scan::ignore::Chain;
use crate::scan::ignore::decision::{Decision, decide};
use crate::scan::ignore::rules::{self, DirectoryRule};

/// The data of a workspace that a watcher needs.
pub(crate) struct Directories {
    /// The directories that a listing enters.
    pub(crate) entered: Vec<Entered>,
    /// Files that decide about listings or HEAD beside those in the tree; they need not exist.
    pub(crate) deciding: Vec<PathBuf>,
    pub(crate) tracked: Tracked,
}

/// A directory that a listing enters.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Entered {
    /// Relative to the root; empty for the root itself.
    pub(crate) path: String,
    /// The ignore files in force there.
    pub(in crate::scan) chain: Arc<Chain>,
    pub(crate) scope: DirectoryScope,
}

/// The entries that count in a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectoryScope {
    All,
    /// Git ignores the directory: only what is tracked counts.
    Tracked,
    /// The top of another repository: only whether it stays one counts.
    Nested,
}

/// The effect that a change of an entry can have on a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// List the entry differently, and no other one: a file that all rules keep.
    File,
    /// List the entry differently; git has a say in how.
    Content,
    /// Change which directories are entered, but none that is not this one or below it: a directory
    /// that all rules keep.
    Directory,
    /// Change which directories are entered.
    Shape,
}

/// Returns whether it depends on neighbours if a directory of this name is entered, or the other
/// way round.
fn has_say(name: &str) -> bool {
    rules::directory(name).is_some() || rules::is_evidence(name)
}

/// The paths that git tracks and the directories above them. Only hashes are kept: a mistaken "yes"
/// costs a sync, and there is no mistaken "no".
#[derive(Default)]
pub(crate) struct Tracked(HashSet<u64, BuildHasherDefault<FxHasher>>);

impl Tracked {
    pub(crate) fn of(index: &GitIndex) -> Tracked {
        let mut tracked = Tracked::default();
        let mut last_parent: &[u8] = b"";
        for entry in index.entries() {
            tracked.0.insert(hash(entry.path));
            let parent = parent(entry.path);
            if parent != last_parent {
                last_parent = parent;
                let mut above = parent;
                while !above.is_empty() && tracked.0.insert(hash(above)) {
                    above = self::parent(above);
                }
            }
        }
        tracked
    }

    fn contains(&self, path: &str) -> bool {
        self.0.contains(&hash(path.as_bytes()))
    }
}

fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}

fn hash(path: &[u8]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(path)
}

impl Entered {
    /// Returns the effect on a listing when an entry of this name was made, written, moved or
    /// removed here.
    pub(crate) fn effect(&self, name: &str, is_dir: bool, tracked: &Tracked) -> Effect {
        if name == ".git" {
            return Effect::Shape;
        }
        if self.scope == DirectoryScope::Nested {
            return Effect::None;
        }
        if name == OWN_IGNORE || name == GIT_IGNORE || !is_dir && rules::is_evidence(name) {
            return Effect::Shape;
        }
        let path = match self.path.as_str() {
            "" => name.to_string(),
            parent => [parent, "/", name].concat(),
        };
        if self.scope == DirectoryScope::Tracked && !tracked.contains(&path) {
            return Effect::None;
        }
        let built_in = || {
            if is_dir {
                // Evidence may come or go with the change, so a listing has to look.
                rules::directory(name).and_then(|rule| match rule {
                    DirectoryRule::Always(reason) => Some(reason),
                    DirectoryRule::OnEvidence(_) => None,
                })
            } else {
                rules::file(name)
            }
        };
        match decide(&self.chain, self.scope == DirectoryScope::Tracked, name, &path, is_dir, built_in) {
            Decision::Skip(_) => Effect::None,
            Decision::GitIgnored(_) if !tracked.contains(&path) => Effect::None,
            Decision::Keep if is_dir && self.scope == DirectoryScope::All && !has_say(name) => Effect::Directory,
            Decision::GitIgnored(_) | Decision::Keep if is_dir => Effect::Shape,
            Decision::Keep if self.scope == DirectoryScope::All => Effect::File,
            Decision::GitIgnored(_) | Decision::Keep => Effect::Content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::IndexConfig;
    use crate::scan::git::discover;
    use crate::scan::testing::Sandbox;
    use crate::scan::walk::directories;

    fn of(sandbox: &Sandbox) -> Directories {
        let config = IndexConfig { threads: 2, ..IndexConfig::default() };
        directories(&discover(&sandbox.root).unwrap(), &config).unwrap()
    }

    fn effect(found: &Directories, directory: &str, name: &str, is_dir: bool) -> Effect {
        let entered = found.entered.iter().find(|entered| entered.path == directory).unwrap();
        entered.effect(name, is_dir, &found.tracked)
    }

    #[test]
    fn only_what_a_listing_enters() {
        let git = Sandbox::git();
        for path in ["src/deep/a.rs", "logs/kept/a.rs", "logs/other/b.rs", "node_modules/x/a.js", "Cargo.toml"] {
            git.write(path, "x");
        }
        git.write("target/debug/a.rs", "x");
        git.write("inner/.git/HEAD", "x");
        git.write("inner/below/a.rs", "x");
        git.run(&["add", "logs/kept"]);
        git.write(".gitignore", "logs/\n*.gen\n");
        let found = of(&git);
        let mut paths: Vec<&str> = found.entered.iter().map(|entered| entered.path.as_str()).collect();
        paths.sort();
        assert_eq!(paths, ["", "inner", "logs", "logs/kept", "src", "src/deep"]);

        assert_eq!(effect(&found, "src", "new.rs", false), Effect::File);
        assert_eq!(effect(&found, "src", "new", true), Effect::Directory);
        assert_eq!(effect(&found, "src", "build", true), Effect::Shape, "evidence decides");
        assert_eq!(effect(&found, "src", "package.json", true), Effect::Shape, "it is evidence");
        assert_eq!(effect(&found, "logs/kept", "kept", true), Effect::None);
        assert_eq!(effect(&found, "src", "x.gen", false), Effect::None);
        assert_eq!(effect(&found, "src", "x.png", false), Effect::None);
        assert_eq!(effect(&found, "src", "x.rs~", false), Effect::None);
        assert_eq!(effect(&found, "src", ".gitignore", false), Effect::Shape);
        assert_eq!(effect(&found, "src", "Cargo.toml", false), Effect::Shape);
        assert_eq!(effect(&found, "src", "pyvenv.cfg", false), Effect::Shape);
        assert_eq!(effect(&found, "src", "__pycache__", true), Effect::None);
        assert_eq!(effect(&found, "", "target", true), Effect::Shape);
        assert_eq!(effect(&found, "", "logs", true), Effect::Shape);
        assert_eq!(effect(&found, "logs/kept", "a.rs", false), Effect::Content);
        assert_eq!(effect(&found, "logs/kept", "untracked.rs", false), Effect::None);
        assert_eq!(effect(&found, "inner", "a.rs", false), Effect::None);
        assert_eq!(effect(&found, "inner", ".git", true), Effect::Shape);
    }

    #[test]
    fn files_that_decide_about_head() {
        let git = Sandbox::git();
        git.run(&["commit", "-q", "--allow-empty", "-m", "one"]);
        git.run(&["worktree", "add", "-q", "-b", "feature/x", "../linked"]);
        let linked = git.root.parent().unwrap().join("linked");
        let found = directories(&discover(&linked).unwrap(), &IndexConfig::default()).unwrap();
        let common = git.root.join(".git");
        for file in ["worktrees/linked/HEAD", "worktrees/linked/index", "refs/heads/feature/x", "packed-refs"] {
            assert!(found.deciding.contains(&common.join(file)), "{file}: {:?}", found.deciding);
        }
        assert!(found.deciding.iter().any(|file| file.ends_with("info/exclude")), "{:?}", found.deciding);
        let plain = Sandbox::plain();
        assert!(of(&plain).deciding.contains(&plain.root.join(".git/HEAD")), "it may become a repository");
    }
}
