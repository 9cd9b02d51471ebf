//! Objects in a folder, one file each.
//!
//! A file is written under another name, which begins with a dot, and linked to its own when it is
//! whole. A folder that several machines share (NFS, a mounted disk) works like a local one.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, UNIX_EPOCH};

use crate::error::ObjectError;
use crate::store::{ListedObject, ObjectStore, is_name};

/// Makes names of temporary files unique within the process.
static COUNTER: AtomicU64 = AtomicU64::new(0);
/// Bytes that are read or written between two looks at the clock.
const STEP: usize = 1 << 20;

/// A folder of objects.
pub(crate) struct Folder {
    root: PathBuf,
    place: String,
}

impl Folder {
    /// Takes the path of a `file://` URL, which must be absolute.
    pub(crate) fn new(path: &str) -> Result<Folder, ObjectError> {
        let root = PathBuf::from(path);
        if !root.is_absolute() {
            return Err(ObjectError::Settings("its folder must be absolute: file:///folder".into()));
        }
        Ok(Folder { root, place: format!("file://{path}") })
    }

    fn path(&self, name: &str) -> Result<PathBuf, ObjectError> {
        if is_name(name.trim_end_matches('/')) {
            Ok(self.root.join(name))
        } else {
            Err(ObjectError::Malformed { place: self.place.clone(), reason: "a name is not plain" })
        }
    }

    fn check(&self, until: Instant) -> Result<(), ObjectError> {
        if Instant::now() < until { Ok(()) } else { Err(ObjectError::TimedOut { place: self.place.clone() }) }
    }

    fn write(&self, path: &Path, bytes: &[u8], until: Instant) -> Result<bool, ObjectError> {
        let failed = |source| ObjectError::File { action: "write", path: path.display().to_string(), source };
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(failed)?;
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!(".new-{}-{number}", std::process::id()));
        let written = || -> Result<bool, ObjectError> {
            let mut file = File::create(&temporary).map_err(failed)?;
            for part in bytes.chunks(STEP) {
                self.check(until)?;
                file.write_all(part).map_err(failed)?;
            }
            file.sync_data().map_err(failed)?;
            match fs::hard_link(&temporary, path) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                // Some file systems have no links. Objects never change, so the last one may win.
                Err(_) => fs::rename(&temporary, path).map(|()| true).map_err(failed),
            }
        };
        let outcome = written();
        let _ = fs::remove_file(&temporary);
        outcome
    }

    fn collect(&self, folder: &Path, prefix: &str, found: &mut Vec<ListedObject>) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let Ok(part) = entry.file_name().into_string() else { continue };
            let name = format!("{prefix}{part}");
            let metadata = match entry.metadata() {
                // A temporary file may be gone by now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            if !is_name(&name) {
                continue;
            }
            if metadata.is_dir() {
                self.collect(&entry.path(), &format!("{name}/"), found)?;
            } else if metadata.is_file() {
                let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let modified = modified.map(|passed| passed.as_secs() as i64);
                found.push(ListedObject { name, size: metadata.len(), modified });
            }
        }
        Ok(())
    }
}

impl ObjectStore for Folder {
    fn get(&self, name: &str, limit: u64, until: Instant) -> Result<Option<Vec<u8>>, ObjectError> {
        self.check(until)?;
        let path = self.path(name)?;
        let failed = |source| ObjectError::File { action: "read", path: path.display().to_string(), source };
        let mut file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(failed)?,
        };
        let size = file.metadata().map_err(failed)?.len();
        if size > limit {
            return Err(ObjectError::Malformed { place: self.place.clone(), reason: "an object is too large" });
        }
        let mut bytes = Vec::with_capacity(size as usize);
        loop {
            self.check(until)?;
            let room = (limit + 1).saturating_sub(bytes.len() as u64).min(STEP as u64);
            if (&mut file).take(room).read_to_end(&mut bytes).map_err(failed)? == 0 {
                break;
            }
        }
        if bytes.len() as u64 > limit {
            Err(ObjectError::Malformed { place: self.place.clone(), reason: "an object is too large" })
        } else {
            Ok(Some(bytes))
        }
    }

    fn put_new(&self, name: &str, bytes: &[u8], until: Instant) -> Result<bool, ObjectError> {
        let path = self.path(name)?;
        if path.is_file() {
            return Ok(false);
        }
        self.write(&path, bytes, until)
    }

    fn size(&self, name: &str, until: Instant) -> Result<Option<u64>, ObjectError> {
        self.check(until)?;
        let path = self.path(name)?;
        match fs::metadata(&path) {
            Ok(metadata) => Ok(metadata.is_file().then_some(metadata.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(ObjectError::File { action: "read", path: path.display().to_string(), source }),
        }
    }

    fn list(&self, prefix: &str, until: Instant) -> Result<Vec<ListedObject>, ObjectError> {
        self.check(until)?;
        // A folder that is not there is a disk that is not mounted, not one without objects.
        let failed = |source| ObjectError::File { action: "list", path: self.root.display().to_string(), source };
        fs::metadata(&self.root).map_err(failed)?;
        let folder = self.path(prefix)?;
        let mut found = Vec::new();
        self.collect(&folder, prefix, &mut found).map_err(failed)?;
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    fn remove(&self, name: &str, until: Instant) -> Result<(), ObjectError> {
        self.check(until)?;
        let path = self.path(name)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ObjectError::File { action: "remove", path: path.display().to_string(), source: error })
            }
            _ => Ok(()),
        }
    }

    fn place(&self) -> &str {
        &self.place
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn objects_are_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::new(folder.path().to_str().unwrap()).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        assert_eq!(store.get("a/b", 10, soon).unwrap(), None);
        assert!(store.put_new("a/b", b"first", soon).unwrap());
        assert!(!store.put_new("a/b", b"second", soon).unwrap());
        assert!(store.put_new("a/c/d", b"", soon).unwrap());
        fs::write(folder.path().join("a/.new-1-1"), "left by a kill").unwrap();
        assert_eq!(store.get("a/b", 5, soon).unwrap().unwrap(), b"first");
        assert_eq!(store.get("a/c/d", 5, soon).unwrap().unwrap(), b"");
        assert!(matches!(store.get("a/b", 4, soon), Err(ObjectError::Malformed { .. })));
        assert_eq!((store.size("a/b", soon).unwrap(), store.size("a/x", soon).unwrap()), (Some(5), None));
        let names: Vec<String> = store.list("a/", soon).unwrap().into_iter().map(|object| object.name).collect();
        assert_eq!(names, ["a/b", "a/c/d"]);
        assert!(store.list("x/", soon).unwrap().is_empty());
        assert!(matches!(store.get("../a", 5, soon), Err(ObjectError::Malformed { .. })));
        assert!(matches!(store.get("a/b", 5, Instant::now()), Err(ObjectError::TimedOut { .. })));
    }

    #[test]
    fn objects_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::new(folder.path().to_str().unwrap()).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        store.put_new("a/b", b"first", soon).unwrap();
        assert!(store.list("a/", soon).unwrap()[0].modified.is_some_and(|time| time > 1_700_000_000));
        store.remove("a/b", soon).unwrap();
        store.remove("a/b", soon).unwrap();
        assert_eq!(store.list("a/", soon).unwrap(), []);
        assert!(matches!(store.remove("../x", soon), Err(ObjectError::Malformed { .. })));
        assert!(matches!(store.remove("a", soon), Err(ObjectError::File { action: "remove", .. })), "a folder");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = Folder::new(folder.path().join("gone").to_str().unwrap()).unwrap();
        let soon = Instant::now() + Duration::from_secs(60);
        assert!(matches!(store.list("a/", soon), Err(ObjectError::File { action: "list", .. })));
    }
}
