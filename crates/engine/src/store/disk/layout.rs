//! The layout of a store on disk, and the lock of its writer.
//!
//! ```text
//! HOME/stores/NAME-HASH/      one per repository (by its common git directory) or plain directory
//!     identity                the git directory or plain directory that the store was made for
//!     family                  the id of the repository's first commit, once it was looked for
//!     shared                  for a clone that another one's store serves; see `sharing`
//!     .gitignore              with .codecompassignore: keeps it out of a repository around it
//!     writer.lock             held while writing; its content is the holder's process id
//!     jobs.db                 SQLite: the record of index runs
//!     history.db              SQLite: commits and the lines that they changed
//!     watch/                  files of watchers; see `watch::leader`
//!     ref-HASH                the ref that `switch` set for the workspace whose root has this hash
//!     current                 name of the data folder that readers open; replaced by rename
//!     data-N/index.db         SQLite: manifests, symbols, facts
//!     data-N/manifest-V       a copy of what view V holds, for readers
//!     data-N/text/            Tantivy: search documents
//!     data-N/vectors/         vectors of search documents
//!     quarantine-N/           a data folder that was found damaged, kept for a look
//! ```
//!
//! A rebuild fills a new data folder and then flips `current`, so a kill at any instruction leaves
//! one whole state.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::config::{GIT_IGNORE, OWN_IGNORE};
use crate::error::{Error, Result};
use crate::files;
use crate::model::Workspace;
use crate::progress::{Progress, Stage};

/// The time that a query or command waits for another process that is writing.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(600);

/// Returns the directory that a store is made for: the repository's common git directory, or a
/// plain directory.
pub(crate) fn identity(workspace: &Workspace) -> &Path {
    workspace.git_common_dir.as_deref().unwrap_or(&workspace.root)
}

/// Returns the display name of an identity: a repository is named after the folder that holds
/// `.git`.
pub(crate) fn name(identity: &Path) -> String {
    let folder = if identity.ends_with(".git") { identity.parent().unwrap_or(identity) } else { identity };
    folder.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned())
}

/// Returns the directory of the store that is made for `workspace`, unless it shares another one.
pub(crate) fn store_root(home: &Path, workspace: &Workspace) -> PathBuf {
    let identity = identity(workspace);
    let hash = blake3::hash(identity.as_os_str().as_encoded_bytes()).to_hex();
    let name: String = name(identity)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.' { c } else { '_' })
        .take(40)
        .collect();
    home.join("stores").join(format!("{name}-{}", &hash[..16]))
}

/// Reads the identity that the store at `root` was made for.
pub(crate) fn read_identity(root: &Path) -> Option<PathBuf> {
    let found = fs::read_to_string(root.join("identity")).ok()?;
    Some(PathBuf::from(found)).filter(|found| !found.as_os_str().is_empty())
}

/// Returns the family of the repository that the store at `root` was made for, if it is noted.
pub(crate) fn noted_family(root: &Path) -> Option<String> {
    let noted = fs::read_to_string(root.join("family")).ok()?;
    let is_id = (40..=64).contains(&noted.len()) && noted.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(noted)
}

/// Notes the family of the repository that the store at `root` was made for. If that fails, it is
/// looked for again.
pub(crate) fn note_family(root: &Path, family: &str) {
    let _ = replace(root, "family", family.as_bytes());
}

/// Refuses a store that was made for something else, for example one that was copied or moved by
/// hand.
pub(crate) fn check_identity(root: &Path, identity: &Path) -> Result<()> {
    let found = match fs::read(root.join("identity")) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(());
        }
        Err(source) => return Err(files::unwritable(root, source)),
    };
    if found.is_empty() || found == identity.as_os_str().as_encoded_bytes() {
        return Ok(());
    }
    let found = String::from_utf8_lossy(&found).into_owned();
    Err(Error::ForeignStore { path: root.to_path_buf(), found, wanted: identity.to_path_buf() })
}

/// Notes what the store is made for, if that was not done. Only the holder of the writer's lock may
/// call this.
pub(crate) fn claim(root: &Path, identity: &Path) -> Result<()> {
    check_identity(root, identity)?;
    if fs::metadata(root.join("identity")).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    // A store may lie inside the files that it is of.
    for name in [GIT_IGNORE, OWN_IGNORE] {
        replace(root, name, b"*\n")?;
    }
    replace(root, "identity", identity.as_os_str().as_encoded_bytes())
}

/// Writes a small file of the store by rename.
pub(crate) fn replace(root: &Path, name: &str, content: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let temporary = root.join(format!("{name}.new"));
        let mut file = File::create(&temporary)?;
        file.write_all(content)?;
        file.sync_data()?;
        fs::rename(&temporary, root.join(name))
    };
    write().map_err(|source| files::unwritable(root, source))
}

/// The data folder that `current` names; `None` when there is no `current`.
pub(crate) fn current_data(root: &Path) -> Result<Option<PathBuf>> {
    let mut before = None;
    loop {
        let name = match fs::read(root.join("current")) {
            Ok(name) => String::from_utf8_lossy(&name).trim().to_string(),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(source) => return Err(files::unwritable(root, source)),
        };
        let is_plain = name.strip_prefix("data-").is_some_and(|number| number.parse::<u64>().is_ok());
        let folder = root.join(&name);
        if is_plain && folder.is_dir() {
            return Ok(Some(folder));
        }
        // A rebuild may have flipped `current` and removed the old folder since it was read.
        if before.as_ref() == Some(&name) {
            let detail = "the file `current` names no data folder".into();
            return Err(Error::Corrupt { path: root.to_path_buf(), detail });
        }
        before = Some(name);
    }
}

/// A data folder name that was never used in this store.
pub(crate) fn next_data(root: &Path) -> Result<PathBuf> {
    let used = list(root)?.filter_map(|name| name.rsplit_once('-').and_then(|(_, number)| number.parse::<u64>().ok()));
    Ok(root.join(format!("data-{:06}", used.max().unwrap_or(0) + 1)))
}

/// Makes `data` the folder that readers open and removes the others, but for quarantined ones.
pub(crate) fn make_current(root: &Path, data: &Path) -> Result<()> {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    replace(root, "current", name.as_bytes())?;
    remove_leftovers(root, data)
}

/// Removes data folders other than the current one: replaced ones, and those of rebuilds that were
/// killed. Only the holder of the writer's lock may call this.
pub(crate) fn remove_leftovers(root: &Path, current: &Path) -> Result<()> {
    for other in list(root)?.filter(|other| other.starts_with("data-")).map(|name| root.join(name)) {
        if other != current {
            // A reader may still hold files of it open; what cannot go now goes another time.
            let _ = fs::remove_dir_all(other);
        }
    }
    Ok(())
}

/// Moves a damaged data folder aside and returns where it went. At most one is kept.
pub(crate) fn quarantine(root: &Path, data: &Path) -> Result<PathBuf> {
    for old in list(root)?.filter(|name| name.starts_with("quarantine-")).collect::<Vec<_>>() {
        let _ = fs::remove_dir_all(root.join(old));
    }
    let number = data.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix("data-"));
    let aside = root.join(format!("quarantine-{}", number.unwrap_or("0")));
    // A kill between the two calls leaves a folder that `current` does not name; such folders are
    // removed.
    fs::remove_file(root.join("current")).map_err(|source| files::unwritable(root, source))?;
    fs::rename(data, &aside).map_err(|source| files::unwritable(root, source))?;
    Ok(aside)
}

/// Moves a `current` that names nothing aside and returns where it went.
pub(crate) fn quarantine_current(root: &Path) -> Result<PathBuf> {
    let aside = root.join("quarantine-current");
    fs::rename(root.join("current"), &aside).map_err(|source| files::unwritable(root, source))?;
    Ok(aside)
}

fn list(root: &Path) -> Result<impl Iterator<Item = String>> {
    let entries = fs::read_dir(root).map_err(|source| files::unwritable(root, source))?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()))
}

/// Creates the store's directory.
pub(crate) fn create_root(root: &Path) -> Result<()> {
    fs::create_dir_all(root).map_err(|source| files::unwritable(root, source))
}

/// The right to write a store, held until dropped or until the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct WriterLock {
    // The lock lives as long as the handle; the operating system frees it when the process dies.
    _file: File,
    /// True if another writer held it first.
    pub has_waited: bool,
}

/// Takes the writer's lock, waiting up to `timeout`; `progress` hears of each holder that is
/// waited for, and may end the wait.
pub(crate) fn lock_writer(root: &Path, timeout: Duration, progress: &dyn Progress) -> Result<WriterLock> {
    let path = root.join("writer.lock");
    let start = Instant::now();
    let mut told = None;
    let mut file = open_lock(root, &path)?;
    loop {
        match file.try_lock() {
            // A lock on a file that was removed is no lock: the next writer makes another file.
            Ok(()) if is_at(&file, &path) => break,
            Ok(()) => file = open_lock(root, &path)?,
            Err(TryLockError::WouldBlock) => {
                if progress.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                let pid = files::lock_holder(&path);
                if start.elapsed() >= timeout {
                    return Err(Error::Busy { pid });
                }
                if told != Some(pid) {
                    told = Some(pid);
                    progress.report(Stage::Waiting(pid), 0, 0);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::Error(source)) => return Err(files::unwritable(root, source)),
        }
    }
    let pid = std::process::id();
    file.set_len(0)
        .and_then(|()| file.write_all(pid.to_string().as_bytes()))
        .map_err(|source| files::unwritable(root, source))?;
    Ok(WriterLock { _file: file, has_waited: told.is_some() })
}

/// Opens the lock file at `path` in the store at `root`; makes both if they are not there.
fn open_lock(root: &Path, path: &Path) -> Result<File> {
    create_root(root)?;
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    opened.map_err(|source| files::unwritable(root, source))
}

/// Returns whether a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    let identity = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| files::file_identity(&metadata));
    identity(file.metadata()) == identity(fs::metadata(path))
}

/// Returns whether some process holds the writer's lock.
pub(crate) fn is_being_written(root: &Path) -> bool {
    let lock = File::open(root.join("writer.lock")).map(|file| file.try_lock_shared());
    matches!(lock, Ok(Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::progress::NoProgress;

    /// Cancels as soon as it is told who is waited for.
    #[derive(Default)]
    struct Impatient(AtomicU32);

    impl Progress for Impatient {
        fn report(&self, stage: Stage, _: usize, _: usize) {
            if let Stage::Waiting(pid) = stage {
                self.0.store(pid, Ordering::Relaxed);
            }
        }

        fn is_cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed) != 0
        }
    }

    #[test]
    fn who_waits_for_the_lock_may_be_stopped() {
        let root = tempfile::tempdir().unwrap();
        let held = lock_writer(root.path(), Duration::ZERO, &NoProgress).unwrap();
        assert!(!held.has_waited);
        let impatient = Impatient::default();
        // Without the request to stop this would take a day.
        let stopped = lock_writer(root.path(), Duration::from_secs(24 * 3600), &impatient);
        assert!(matches!(stopped, Err(Error::Cancelled)));
        assert_eq!(impatient.0.load(Ordering::Relaxed), std::process::id());
        drop(held);
        lock_writer(root.path(), Duration::ZERO, &impatient).unwrap();
    }

    #[test]
    fn one_writer_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let first = lock_writer(root.path(), Duration::ZERO, &NoProgress).unwrap();
        let second = lock_writer(root.path(), Duration::ZERO, &NoProgress);
        assert!(matches!(second, Err(Error::Busy { pid }) if pid == std::process::id()));
        assert!(is_being_written(root.path()));
        drop(first);
        assert!(!is_being_written(root.path()));
        lock_writer(root.path(), Duration::ZERO, &NoProgress).unwrap();
    }

    #[test]
    fn a_store_serves_what_it_was_made_for() {
        let root = tempfile::tempdir().unwrap();
        let (ours, theirs) = (Path::new("/here/.git"), Path::new("/there/.git"));
        check_identity(root.path(), theirs).unwrap();
        claim(root.path(), ours).unwrap();
        claim(root.path(), ours).unwrap();
        check_identity(root.path(), ours).unwrap();
        for refused in [check_identity(root.path(), theirs), claim(root.path(), theirs)] {
            assert!(matches!(refused, Err(Error::ForeignStore { found, .. }) if found == "/here/.git"));
        }
        check_identity(&root.path().join("missing"), theirs).unwrap();
    }

    #[test]
    fn current_names_only_plain_data_folders() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(current_data(root.path()).unwrap(), None);
        let data = next_data(root.path()).unwrap();
        fs::create_dir(&data).unwrap();
        make_current(root.path(), &data).unwrap();
        assert_eq!(current_data(root.path()).unwrap(), Some(data.clone()));
        for nonsense in ["../elsewhere", "data-000099", "data-", ""] {
            fs::write(root.path().join("current"), nonsense).unwrap();
            assert!(matches!(current_data(root.path()), Err(Error::Corrupt { .. })), "{nonsense}");
        }
        let aside = quarantine(root.path(), &data).unwrap();
        assert!(aside.is_dir() && !data.exists());
        assert_eq!(next_data(root.path()).unwrap(), root.path().join("data-000002"));
    }
}
