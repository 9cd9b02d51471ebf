//! Those who edit files, one in each worktree.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use codecompass_testkit::{Git, Random};

use super::{EDITS, SLOTS, Storm};

/// One of the worktrees.
pub(super) struct Tree {
    pub(super) name: &'static str,
    pub(super) root: PathBuf,
    /// The name in each of its files now, and the one before.
    names: Mutex<Vec<[Option<String>; 2]>>,
}

impl Tree {
    pub(super) fn new(name: &'static str, root: PathBuf) -> Tree {
        Tree { name, root, names: Mutex::new(vec![[None, None]; SLOTS as usize]) }
    }

    pub(super) fn names(&self, slot: u64) -> [Option<String>; 2] {
        self.names.lock().unwrap()[slot as usize].clone()
    }

    fn set(&self, slot: u64, new: Option<String>) {
        let mut names = self.names.lock().unwrap();
        let [now, before] = &mut names[slot as usize];
        *before = std::mem::replace(now, new);
    }

    fn file(&self, slot: u64) -> PathBuf {
        self.root.join(format!("slot_{slot}.py"))
    }
}

impl Storm<'_> {
    /// Writes each file of every worktree once.
    pub(super) fn write_all(&self) {
        for tree in &self.trees {
            (0..SLOTS).for_each(|slot| self.write(tree, slot, 0, true));
        }
    }

    /// Edits files of one worktree until it is over.
    pub(super) fn edit(&self, tree: usize) {
        let mut random = Random::new(self.options.seed * 1000 + tree as u64);
        let tree = &self.trees[tree];
        for version in 1.. {
            if self.is_over() {
                return;
            }
            self.count(EDITS);
            let slot = random.below(SLOTS);
            let [now, _] = tree.names(slot);
            match random.below(20) {
                0..3 if now.is_some() => {
                    tree.set(slot, None);
                    self.markers.change(None, now.as_deref(), || fs::remove_file(tree.file(slot))).unwrap();
                }
                3 => {
                    let git = Git::at(&tree.root);
                    git.run(&["add", "--all"]);
                    git.run(&["commit", "--quiet", "--allow-empty", "--message", "some"]);
                }
                kind => self.write(tree, slot, version, kind < 12),
            }
            thread::sleep(Duration::from_millis(random.below(60)));
        }
    }

    /// Writes a file with a new name in it.
    fn write(&self, tree: &Tree, slot: u64, version: u64, is_in_place: bool) {
        let [now, _] = tree.names(slot);
        // All of the same length, so that a file's size tells nothing.
        let name = format!("mark_{}_{slot:02}_{version:06}", tree.name);
        let text =
            format!("from kept.kept_{slot} import kept_{slot}\n\n\ndef {name}():\n    return kept_{slot}({slot})\n");
        tree.set(slot, Some(name.clone()));
        let path = tree.file(slot);
        self.markers.change(Some(&name), now.as_deref(), || save(&path, &text, is_in_place));
    }
}

/// In place, or as editors do it: there is a whole file at the path at every moment.
fn save(path: &Path, text: &str, is_in_place: bool) {
    if is_in_place {
        return fs::write(path, text).unwrap();
    }
    let beside = path.with_extension("new~");
    fs::write(&beside, text).unwrap();
    fs::rename(&beside, path).unwrap();
}
