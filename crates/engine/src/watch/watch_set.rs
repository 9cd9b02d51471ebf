//! The set of watched paths: directories that a listing enters, and the few files elsewhere that
//! decide about listings and HEAD.

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::engine::Engine;
use crate::error::Result;
use crate::scan::{self, Effect, Entered, Tracked};

/// The directories to watch, and the entries that matter there.
#[derive(Default)]
pub(super) struct WatchSet {
    pub(super) root: PathBuf,
    /// By absolute path.
    tree: HashMap<PathBuf, Entered>,
    /// Directories in which only these names matter, mostly of git.
    named: HashMap<PathBuf, HashSet<OsString>>,
    tracked: Tracked,
}

impl WatchSet {
    /// Looks at the workspace; `deciding` are further files that matter.
    pub(super) fn of(engine: &Engine, deciding: &[PathBuf]) -> Result<WatchSet> {
        let workspace = engine.workspace();
        let found = scan::directories(workspace, &engine.config().index)?;
        let root = workspace.root.clone();
        // A store inside the workspace would wake us with every sync.
        let absolute = |entered: Entered| {
            let path = if entered.path.is_empty() { root.clone() } else { root.join(&entered.path) };
            (!path.starts_with(engine.store_root())).then_some((path, entered))
        };
        let tree = found.entered.into_iter().filter_map(absolute).collect();
        let mut places = WatchSet { tree, named: HashMap::new(), tracked: found.tracked, root: root.clone() };
        for file in found.deciding.iter().chain(deciding) {
            places.name(file);
            if let Ok(real) = dunce::canonicalize(file) {
                places.name(&real);
            }
        }
        Ok(places)
    }

    /// Notes a file, which need not exist: then it is the nearest directory above that shows when
    /// it comes.
    fn name(&mut self, file: &Path) {
        let mut file = file;
        while let (Some(parent), Some(name)) = (file.parent(), file.file_name()) {
            if parent.is_dir() {
                // Two names of one directory would be one watch.
                let parent = dunce::canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
                self.named.entry(parent).or_default().insert(name.to_os_string());
                return;
            }
            file = parent;
        }
    }

    /// All directories to watch.
    pub(super) fn directories(&self) -> impl Iterator<Item = &Path> {
        let only_named = self.named.keys().filter(|path| !self.tree.contains_key(*path));
        self.tree.keys().chain(only_named).map(PathBuf::as_path)
    }

    /// The directories in which only some names matter.
    #[cfg(any(not(target_os = "linux"), test))]
    pub(super) fn named_directories(&self) -> impl Iterator<Item = &Path> {
        self.named.keys().map(PathBuf::as_path)
    }

    pub(super) fn contains(&self, directory: &Path) -> bool {
        self.tree.contains_key(directory) || self.named.contains_key(directory)
    }

    /// The entries at these paths relative to the root, each as a directory that a listing enters
    /// and a name in it; `None` where looking at them and at what is below them is not enough.
    #[cfg(target_os = "linux")]
    pub(super) fn entries(&self, tops: &BTreeSet<String>) -> Option<Vec<(Entered, String)>> {
        let entry = |top: &String| {
            let path = self.root.join(top);
            // A file that decides about others may be there.
            if self.named.keys().any(|named| named.starts_with(&path)) {
                return None;
            }
            Some((self.tree.get(path.parent()?)?.clone(), path.file_name()?.to_str()?.to_string()))
        };
        tops.iter().map(entry).collect()
    }

    /// Puts what a listing enters now at and below these paths in the place of what it was.
    #[cfg(target_os = "linux")]
    pub(super) fn replace_below(&mut self, tops: &BTreeSet<String>, entered: &[Entered]) {
        self.tree.retain(|_, old| !tops.iter().any(|top| scan::is_at_or_below(&old.path, top)));
        self.tree.extend(entered.iter().map(|new| (self.root.join(&new.path), new.clone())));
    }

    /// The path of an entry relative to the root, as listings have it.
    #[cfg(target_os = "linux")]
    pub(super) fn relative(&self, directory: &Path, name: &OsStr) -> Option<String> {
        let path = directory.strip_prefix(&self.root).ok()?.join(name);
        path.into_os_string().into_string().ok()
    }

    /// Returns the effect that a change of an entry can have on a listing.
    pub(super) fn effect(&self, directory: &Path, name: &OsStr, is_dir: bool) -> Effect {
        if self.named.get(directory).is_some_and(|names| names.contains(name)) {
            return Effect::Shape;
        }
        match (self.tree.get(directory), name.to_str()) {
            (Some(entered), Some(name)) => entered.effect(name, is_dir, &self.tracked),
            // Listings skip names that are not Unicode.
            _ => Effect::None,
        }
    }
}
