//! The folder of a clone below the data directory.
//!
//! `clones/HASH/clone.json` is the record, `objects.git` what git fetched, and `at/OWNER/NAME` the
//! bare repository that shows the fetched commit and is the workspace: its folder has the name of
//! the repository, which answers repeat. Without a record there is no clone, whatever else is
//! there.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use codecompass_git::{self as git, Fetched, GitError, GitUrl};
use serde::{Deserialize, Serialize};

use crate::clock;

const CLONES: &str = "clones";
const RECORD: &str = "clone.json";
/// The hexadecimal digits of a folder's name.
const DIGITS: usize = 32;
/// The longest name of a folder that a URL has a part in, in characters.
const LONGEST_NAME: usize = 60;

/// The record of a clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CloneRecord {
    /// The URL, without a user.
    pub url: String,
    pub branch: Option<String>,
    pub commit: String,
    /// The workspace, below the folder of the clone.
    workspace: PathBuf,
}

impl CloneRecord {
    /// Returns the branch and the commit, for notes.
    pub(super) fn state(&self) -> String {
        let commit = self.commit.get(..10).unwrap_or(&self.commit);
        match &self.branch {
            Some(branch) => format!("{branch} at {commit}"),
            None => format!("commit {commit}"),
        }
    }
}

/// The folder of one clone, which need not exist.
#[derive(Clone, Debug)]
pub(super) struct CloneFolder {
    root: PathBuf,
}

/// The right to change a clone, until it is dropped.
pub(super) struct CloneLock(File);

impl Drop for CloneLock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl CloneFolder {
    /// Returns the folder for a URL.
    pub(super) fn of(home: &Path, url: &GitUrl) -> CloneFolder {
        let text = format!("{}#{}", url.address(), url.branch().unwrap_or_default());
        let hash = blake3::hash(text.as_bytes()).to_hex();
        CloneFolder { root: home.join(CLONES).join(&hash[..DIGITS]) }
    }

    /// Returns all folders of clones, finished or not.
    pub(super) fn all(home: &Path) -> Vec<CloneFolder> {
        let is_hash = |name: &str| name.len() == DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let entries = fs::read_dir(home.join(CLONES)).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let named = folders.filter(|entry| entry.file_name().to_str().is_some_and(is_hash));
        named.map(|entry| CloneFolder { root: entry.path() }).collect()
    }

    /// Returns the folder of the clone that a path is in.
    pub(super) fn around(home: &Path, path: &Path) -> Option<CloneFolder> {
        let home = dunce::canonicalize(home).ok()?;
        let hash = path.strip_prefix(home.join(CLONES)).ok()?.components().next()?;
        Some(CloneFolder { root: home.join(CLONES).join(hash) })
    }

    /// Returns the record, if the clone is complete and its workspace was not removed.
    pub(super) fn record(&self) -> Option<CloneRecord> {
        let record: CloneRecord = serde_json::from_slice(&fs::read(self.root.join(RECORD)).ok()?).ok()?;
        self.root.join(&record.workspace).join("HEAD").is_file().then_some(record)
    }

    /// Returns the record if the workspace has the objects of this folder: the data directory may
    /// have been moved.
    pub(super) fn usable(&self, url: &GitUrl) -> Option<CloneRecord> {
        let workspace = self.workspace(url);
        let borrowed = fs::read_to_string(workspace.join("objects/info/alternates")).ok()?;
        let is_own = Path::new(borrowed.trim_end()) == self.source().join("objects");
        self.record().filter(|_| is_own)
    }

    /// Notes that the clone is used, if that was not noted within a day.
    pub(super) fn touch(&self) {
        let record = self.root.join(RECORD);
        if clock::unix_seconds() - self.used_at() > clock::DAY
            && let Ok(file) = File::options().write(true).open(record)
        {
            let _ = file.set_modified(SystemTime::now());
        }
    }

    /// Returns when the clone was made, changed or last used, to the day, in seconds since 1970.
    pub(super) fn used_at(&self) -> i64 {
        let changed = fs::metadata(self.root.join(RECORD)).and_then(|file| file.modified());
        let since = changed.unwrap_or(SystemTime::UNIX_EPOCH).duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The repository that git fetches into.
    pub(super) fn source(&self) -> PathBuf {
        self.root.join("objects.git")
    }

    /// Returns the workspace. Where URLs have the same name, more of the path tells them apart: the
    /// owner, and the branch that the URL asks for.
    pub(super) fn workspace(&self, url: &GitUrl) -> PathBuf {
        let parts = [url.owner(), url.branch().map(str::to_string), Some(url.name())];
        self.root.join("at").join(parts.into_iter().flatten().map(|part| folder_name(&part)).collect::<PathBuf>())
    }

    /// Makes the workspace show a fetched commit, and writes the record.
    pub(super) fn show(&self, url: &GitUrl, fetched: Fetched) -> Result<CloneRecord, GitError> {
        let workspace = self.workspace(url);
        git::make_view(&workspace, &self.source(), &fetched.commit)?;
        if let Some(branch) = &fetched.branch {
            git::name_branch(&workspace, branch, &fetched.commit)?;
        }
        let below = workspace.strip_prefix(&self.root).unwrap_or(&workspace).to_path_buf();
        let Fetched { branch, commit } = fetched;
        let record = CloneRecord { url: url.to_string(), branch, commit, workspace: below };
        let (file, new) = (self.root.join(RECORD), self.root.join(format!("{RECORD}.new")));
        let written = serde_json::to_vec(&record).map_err(io::Error::from).and_then(|text| fs::write(&new, text));
        let failed = |source| GitError::File { action: "write", path: file.display().to_string(), source };
        written.and_then(|()| fs::rename(&new, &file)).map_err(failed)?;
        Ok(record)
    }

    /// Waits until no other process changes the clone; `waiting` is called if there is one.
    pub(super) fn lock(&self, waiting: impl FnOnce()) -> io::Result<CloneLock> {
        let mut waiting = Some(waiting);
        loop {
            let file = self.lock_file()?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    waiting.take().into_iter().for_each(|waiting| waiting());
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // A lock on a file that was removed meanwhile is none.
            if is_at(&file, &self.root.with_extension("lock")) {
                return Ok(CloneLock(file));
            }
        }
    }

    /// Returns the lock unless another process has it.
    pub(super) fn try_lock(&self) -> Option<CloneLock> {
        let file = self.lock_file().ok()?;
        file.try_lock().ok()?;
        is_at(&file, &self.root.with_extension("lock")).then_some(CloneLock(file))
    }

    /// Opens the lock, which lies beside the folder: it stays when the folder is removed, so that
    /// all processes have the same.
    fn lock_file(&self) -> io::Result<File> {
        let file = self.root.with_extension("lock");
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        File::options().create(true).truncate(false).write(true).open(file)
    }

    /// Removes the locks of clones that are not there.
    pub(super) fn remove_stray_locks(home: &Path) {
        for entry in fs::read_dir(home.join(CLONES)).into_iter().flatten().flatten() {
            let path = entry.path();
            let folder = CloneFolder { root: path.with_extension("") };
            if path.extension().is_some_and(|ending| ending == "lock")
                && !folder.root.exists()
                && let Some(_lock) = folder.try_lock()
            {
                let _ = fs::remove_file(&path);
            }
        }
    }

    /// Removes the clone, the record first. The caller has the lock.
    pub(super) fn remove(&self) -> bool {
        let _ = fs::remove_file(self.root.join(RECORD));
        fs::remove_dir_all(&self.root).is_ok()
    }
}

/// Returns whether a path leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()));
    identity(file.metadata()) == identity(fs::metadata(path))
}

/// Returns whether a path leads to an open file, which cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Makes a part of a URL the name of a folder that is neither hidden nor too long, and that leads
/// nowhere else.
fn folder_name(part: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-._".contains(c) { c } else { '-' };
    let name: String = part.trim_start_matches('.').chars().map(plain).take(LONGEST_NAME).collect();
    if name.trim_matches(['.', '-']).is_empty() { "repository".to_string() } else { name }
}

#[cfg(test)]
mod tests {
    use codecompass_git::GitPolicy;

    use super::*;

    fn workspace(url: &str) -> PathBuf {
        let policy = GitPolicy { schemes: vec!["https".into(), "ssh".into(), "file".into()], ..GitPolicy::default() };
        let url = GitUrl::parse(url, &policy).unwrap();
        let folder = CloneFolder::of(Path::new("/home"), &url);
        folder.workspace(&url).strip_prefix(folder.root()).unwrap().to_path_buf()
    }

    #[test]
    fn folders_have_the_names_of_repositories() {
        for (url, expected) in [
            ("https://example.com/shop/api.git", "at/shop/api"),
            ("git@example.com:shop/api", "at/shop/api"),
            ("https://example.com/shop/api#release/1.x", "at/shop/release-1.x/api"),
            ("https://example.com/api", "at/example.com/api"),
            ("file:///api", "at/api"),
            ("https://example.com/a/.git.git", "at/a/git"),
            ("https://example.com/a/...b", "at/a/b"),
        ] {
            assert_eq!(workspace(url), Path::new(expected), "{url}");
        }
        let long = workspace(&format!("https://example.com/{0}/{0}#{0}", "x".repeat(240)));
        assert!(long.components().all(|part| part.as_os_str().len() <= LONGEST_NAME), "{long:?}");
    }

    #[test]
    fn each_url_and_branch_has_a_folder_of_its_own() {
        let of =
            |url: &str| CloneFolder::of(Path::new("/home"), &GitUrl::parse(url, &GitPolicy::default()).unwrap()).root;
        assert_eq!(of("https://example.com/a/b"), of("https://EXAMPLE.com:443/a/b/"));
        for other in ["https://example.com/a/c", "https://example.org/a/b", "https://example.com/a/b#main"] {
            assert_ne!(of("https://example.com/a/b"), of(other), "{other}");
        }
    }

    #[test]
    #[cfg_attr(windows, ignore = "Windows keeps files that are open")]
    fn a_lock_that_was_removed_meanwhile_is_none() {
        let home = tempfile::tempdir().unwrap();
        let folder = CloneFolder { root: home.path().join(CLONES).join("a") };
        let first = folder.lock(|| ()).unwrap();
        let (told, waits) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| folder.lock(move || told.send(()).unwrap()).unwrap());
            waits.recv().unwrap();
            // What `gc` does when there is no folder; a third process then makes the file anew.
            fs::remove_file(folder.root.with_extension("lock")).unwrap();
            let third = folder.try_lock().unwrap();
            drop(first);
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert!(!second.is_finished(), "it has the lock of a file that is gone");
            drop(third);
            let _second = second.join().unwrap();
            assert!(folder.try_lock().is_none());
        });
    }

    #[test]
    fn locks_stay_when_folders_go() {
        let home = tempfile::tempdir().unwrap();
        let url = GitUrl::parse("https://example.com/a/b", &GitPolicy::default()).unwrap();
        let folder = CloneFolder::of(home.path(), &url);
        let lock = folder.lock(|| panic!("there is no other process")).unwrap();
        fs::create_dir_all(folder.source()).unwrap();
        assert_eq!(CloneFolder::all(home.path()).len(), 1);
        assert!(folder.remove() && folder.try_lock().is_none());
        drop(lock);
        assert!(folder.try_lock().is_some());
        assert_eq!((CloneFolder::all(home.path()).len(), folder.record()), (0, None));
        CloneFolder::remove_stray_locks(home.path());
        assert_eq!(fs::read_dir(home.path().join(CLONES)).unwrap().count(), 0);
    }
}
