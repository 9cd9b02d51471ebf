//! A store as files on disk, for tests that break it.

use std::fs;
use std::path::{Path, PathBuf};

/// The directory of one store.
#[derive(Clone, Debug)]
pub struct TestStore {
    root: PathBuf,
}

impl TestStore {
    /// The only store below a data directory.
    #[track_caller]
    pub fn only_one_in(home: &Path) -> TestStore {
        let mut stores = names(&home.join("stores"));
        assert_eq!(stores.len(), 1, "{stores:?}");
        TestStore { root: home.join("stores").join(stores.remove(0)) }
    }

    /// Its directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Names of what lies in its directory, sorted.
    pub fn entries(&self) -> Vec<String> {
        names(&self.root)
    }

    /// The data folder that readers open.
    pub fn data(&self) -> PathBuf {
        self.root.join(fs::read_to_string(self.root.join("current")).unwrap().trim())
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.data().join("index.db")
    }

    /// The files of the text index that have content of their own, sorted; locks are not among
    /// them.
    pub fn text_files(&self) -> Vec<PathBuf> {
        let folder = self.data().join("text");
        names(&folder).into_iter().filter(|name| !name.ends_with(".lock")).map(|name| folder.join(name)).collect()
    }

    /// Sets the format number in the database's header, as a newer or older program would have.
    pub fn set_format(&self, format: u32) {
        const USER_VERSION: usize = 60;
        let mut bytes = fs::read(self.database()).unwrap();
        bytes[USER_VERSION..USER_VERSION + 4].copy_from_slice(&format.to_be_bytes());
        fs::write(self.database(), bytes).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
