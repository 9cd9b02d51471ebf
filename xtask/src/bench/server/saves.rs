//! Saves of files: every one writes a name of its own, so that it can be asked for.

use std::fs;
use std::path::{Path, PathBuf};

use codecompass_testkit::{Markers, Random};

use crate::outcome::Outcome;

/// A file that is saved again and again.
struct Target {
    path: PathBuf,
    /// Its text without a name of ours; `None` when it did not exist before.
    original: Option<String>,
    /// The name in it; `None` when it has none, or is deleted.
    name: Option<String>,
}

/// The files that may be saved.
pub(super) struct Saves {
    root: PathBuf,
    targets: Vec<Target>,
    random: Random,
    count: usize,
}

/// The change of one save to the names in the files.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    pub(super) written: Option<String>,
    pub(super) removed: Option<String>,
}

/// Endings of files that a function can be added to, and how.
const FUNCTIONS: [(&str, &str); 6] = [
    ("py", "\n\ndef NAME():\n    return 1\n"),
    ("go", "\n\nfunc NAME() {}\n"),
    ("rs", "\n\npub fn NAME() {}\n"),
    ("js", "\n\nfunction NAME() {}\n"),
    ("ts", "\n\nfunction NAME() {}\n"),
    ("c", "\n\nvoid NAME(void) {}\n"),
];

/// The text that adds a function to the file at `path`.
pub(super) fn function(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    FUNCTIONS.iter().find(|(of, _)| *of == ending).map(|(_, text)| *text)
}

impl Saves {
    /// Of files at these paths below `root`.
    pub(super) fn new(root: &Path, paths: &[String]) -> Outcome<Saves> {
        let mut targets = Vec::new();
        for path in paths {
            let path = root.join(path);
            // What is no text cannot be written back as text.
            if let Ok(original) = fs::read_to_string(&path) {
                targets.push(Target { path, original: Some(original), name: None });
            }
        }
        if targets.is_empty() {
            return Err("the tree has no files of a language that this benchmark writes".into());
        }
        Ok(Saves { root: root.to_path_buf(), targets, random: Random::new(11), count: 0 })
    }

    /// Edits, creates, deletes or replaces a random file.
    pub(super) fn save(&mut self, markers: &Markers) -> Outcome<Saved> {
        self.count += 1;
        let name = format!("saved_marker_{}", self.count);
        let random = &mut self.random;
        let kind = random.below(20);
        if kind < 3 {
            // In folders that are there and in new ones.
            let path = self.root.join(format!("made_{}/file_{}.py", random.below(10), self.count));
            self.targets.push(Target { path, original: None, name: None });
        }
        let at = if kind < 3 { self.targets.len() - 1 } else { random.below(self.targets.len() as u64) as usize };
        let target = &mut self.targets[at];
        let path = target.path.clone();
        let removed = target.name.take();
        let is_there = path.exists();
        if (3..6).contains(&kind) && is_there {
            markers.change(None, removed.as_deref(), || fs::remove_file(&path))?;
            return Ok(Saved { written: None, removed });
        }
        let added = function(&path.to_string_lossy()).unwrap_or_default().replace("NAME", &name);
        let text = format!("{}{added}", target.original.as_deref().unwrap_or_default());
        target.name = Some(name.clone());
        markers.change(Some(&name), removed.as_deref(), || {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            if kind < 13 {
                fs::write(&path, &text)
            } else {
                // As editors do it: there is a whole file at the path at every moment.
                let beside = path.with_extension("new~");
                fs::write(&beside, &text)?;
                fs::rename(&beside, &path)
            }
        })?;
        Ok(Saved { written: Some(name), removed })
    }
}
