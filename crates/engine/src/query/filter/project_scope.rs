//! The restriction of an answer to the files of some projects.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Numbers of projects by folder.
#[derive(Debug, Default)]
pub(crate) struct ProjectFolders(FxHashMap<String, Vec<usize>>);

impl ProjectFolders {
    /// Takes the folders of projects, in the order of their numbers.
    pub(crate) fn new<'a>(folders: impl Iterator<Item = &'a str>) -> ProjectFolders {
        let mut numbers: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (number, folder) in folders.enumerate() {
            numbers.entry(folder.to_string()).or_default().push(number);
        }
        ProjectFolders(numbers)
    }

    /// Returns the folder of the innermost project around a path.
    pub(crate) fn around<'a>(&self, path: &'a str) -> Option<&'a str> {
        let mut folder = path;
        loop {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            if self.0.contains_key(folder) {
                return Some(folder);
            }
            if folder.is_empty() {
                return None;
            }
        }
    }

    /// Returns the numbers of the innermost projects around a path: more than one where projects
    /// share a folder.
    pub(crate) fn numbers_around(&self, path: &str) -> &[usize] {
        let found = self.around(path).and_then(|folder| self.0.get(folder));
        found.map_or(&[], Vec::as_slice)
    }
}

/// The files of some projects, without those of projects inside of them.
#[derive(Clone)]
pub struct ProjectScope {
    all: Arc<ProjectFolders>,
    folders: BTreeSet<String>,
}

impl ProjectScope {
    /// Restricts an answer to the projects in `folders`, of `all` that there are.
    pub(crate) fn new(all: Arc<ProjectFolders>, folders: BTreeSet<String>) -> ProjectScope {
        ProjectScope { all, folders }
    }

    /// Returns whether a path belongs to one of the projects; it need not be one of the view.
    pub fn accepts(&self, path: &str) -> bool {
        self.all.around(path).is_some_and(|folder| self.folders.contains(folder))
    }

    /// Returns the folders of the projects.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }
}

impl fmt::Debug for ProjectScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProjectScope").field(&self.folders).finish()
    }
}
