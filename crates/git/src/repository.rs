//! Bare repositories on disk: their files, their lock, their size, and what killed processes leave.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::error::{GitError, file_error};

/// The folder with files of ours in a bare repository.
const OURS: &str = "codecompass";
/// The ref of a commit that is not known to be within the limits yet; its objects may be taken
/// back.
pub(super) const INCOMING: &str = "refs/codecompass/incoming";
/// The configuration of every repository.
pub(super) const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

/// A bare repository that no other process writes to.
pub(super) struct LockedRepository {
    path: PathBuf,
    packs: BTreeSet<PathBuf>,
    lock: File,
}

impl LockedRepository {
    /// Opens a repository for writing, and creates it if it is absent. What an earlier process left
    /// unfinished is removed.
    pub(super) fn open(path: &Path) -> Result<LockedRepository, GitError> {
        let path = std::path::absolute(path).map_err(file_error("read", path))?;
        create(&path)?;
        let name = path.join(OURS).join("lock");
        let lock =
            File::options().create(true).truncate(false).write(true).open(&name).map_err(file_error("lock", &name))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(GitError::Busy { place: path.display().to_string() }),
            Err(TryLockError::Error(source)) => return Err(file_error("lock", &name)(source)),
        }
        let mut repository = LockedRepository { path, packs: BTreeSet::new(), lock };
        repository.remove_unfinished();
        repository.packs = repository.present_packs();
        Ok(repository)
    }

    /// The absolute path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes every pack that was not there when the repository was opened, and unfinished files.
    pub(super) fn take_back(&self) {
        for pack in self.present_packs().difference(&self.packs) {
            // The index goes first: a pack without one is invisible.
            for ending in ["idx", "rev", "bitmap", "keep", "pack"] {
                let _ = fs::remove_file(pack.with_extension(ending));
            }
        }
        self.remove_unfinished();
    }

    /// Removes temporary files and locks of processes that are gone. A file that cannot be removed
    /// only takes room, or is named by git's next error.
    fn remove_unfinished(&self) {
        let _ = fs::remove_file(self.path.join(INCOMING));
        let objects = self.path.join("objects");
        for (folder, name) in entries(&objects.join("pack")) {
            let half = name.ends_with(".pack") && !folder.join(&name).with_extension("idx").exists();
            if name.starts_with("tmp_") || name.starts_with(".tmp-") || name.ends_with(".keep") || half {
                let _ = fs::remove_file(folder.join(name));
            }
        }
        for (folder, name) in entries(&objects) {
            let inside = folder.join(&name);
            match name.len() {
                2 => entries(&inside).into_iter().filter(|(_, name)| name.starts_with("tmp_obj_")).for_each(
                    |(folder, name)| {
                        let _ = fs::remove_file(folder.join(name));
                    },
                ),
                _ if name.starts_with("tmp_objdir-") => drop(fs::remove_dir_all(&inside)),
                _ => {}
            }
        }
        for folder in [self.path.clone(), self.path.join("refs/codecompass")] {
            for (folder, name) in entries(&folder).into_iter().filter(|(_, name)| name.ends_with(".lock")) {
                let _ = fs::remove_file(folder.join(name));
            }
        }
    }

    fn present_packs(&self) -> BTreeSet<PathBuf> {
        let entries = entries(&self.path.join("objects/pack")).into_iter();
        entries.filter(|(_, name)| name.ends_with(".pack")).map(|(folder, name)| folder.join(name)).collect()
    }
}

impl Drop for LockedRepository {
    /// Unlocks the repository. To close the file is not enough: a process that another thread
    /// starts has it open, too, for a moment.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// Returns the folder for files of ours, which is made if it is absent.
pub(super) fn our_folder(repository: &Path) -> Result<PathBuf, GitError> {
    let folder = repository.join(OURS);
    fs::create_dir_all(&folder).map_err(file_error("write", &folder))?;
    Ok(folder)
}

/// Returns the bytes of all files below a folder. Files that vanish meanwhile do not count.
pub(super) fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}

/// Writes the files of a bare repository, unless it has them.
fn create(path: &Path) -> Result<(), GitError> {
    for folder in ["objects/pack", "objects/info", "refs/heads", OURS] {
        let folder = path.join(folder);
        fs::create_dir_all(&folder).map_err(file_error("write", &folder))?;
    }
    // The configuration is always ours: nothing that was added to it counts.
    for (name, text) in [("config", CONFIG), ("HEAD", "ref: refs/heads/none\n")] {
        let file = path.join(name);
        if fs::read_to_string(&file).ok().as_deref() != Some(text) {
            fs::write(&file, text).map_err(file_error("write", &file))?;
        }
    }
    Ok(())
}

/// Returns the folder and name of each entry whose name is text.
fn entries(folder: &Path) -> Vec<(PathBuf, String)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
    entries.flatten().filter_map(name).map(|name| (folder.to_path_buf(), name)).collect()
}
