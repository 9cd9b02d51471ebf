//! A folder of the text index whose files get to the disk when the system finds the time, or somebody
//! [sees to it](make_durable): waiting for the disk takes several times as long as all the rest of a small sync.
//!
//! A process that is killed loses nothing by it. A power cut may leave files of the text index half-written; they have
//! checked ends, so that the next who opens them finds out, and the index is built anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

use crate::error::Result;
use crate::store::disk::layout;
use crate::store::sqlite::db;
use crate::store::text::index::TextIndex;

/// The folder at a path.
#[derive(Clone, Debug)]
pub(crate) struct Unhurried {
    inner: MmapDirectory,
    folder: PathBuf,
}

impl Unhurried {
    pub(crate) fn open(folder: &Path) -> Result<Unhurried> {
        let inner = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        Ok(Unhurried { inner, folder: folder.to_path_buf() })
    }
}

struct UnhurriedFile(File);

impl Write for UnhurriedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnhurriedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for Unhurried {
    fn open_write(&self, path: &Path) -> std::result::Result<WritePtr, OpenWriteError> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.folder.join(path));
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_path_buf()),
            _ => OpenWriteError::wrap_io_error(error, path.to_path_buf()),
        })?;
        Ok(BufWriter::new(Box::new(UnhurriedFile(file))))
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        replace(&self.folder.join(path), content)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn get_file_handle(&self, path: &Path) -> std::result::Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> std::result::Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> std::result::Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> std::result::Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn acquire_lock(&self, lock: &Lock) -> std::result::Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

/// Puts a file in the place of another. Only the holder of the writer's lock comes here, and never twice at once for the same
/// file.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, content)?;
    fs::rename(new, path)
}

/// Waits until the disk has what was written to the store at `root` since `since`. No lock is needed: whoever writes
/// meanwhile is not hindered.
pub(crate) fn make_durable(root: &Path, since: SystemTime) -> Result<()> {
    let Some(data) = layout::current_data(root)? else { return Ok(()) };
    let folder = data.join("text");
    for name in TextIndex::open(&folder)?.files()? {
        let file = folder.join(name);
        let is_new = fs::metadata(&file).and_then(|metadata| metadata.modified()).is_ok_and(|time| time >= since);
        // One that a merge has replaced meanwhile need not be kept.
        if is_new && let Ok(file) = File::open(&file) {
            let _ = file.sync_data();
        }
    }
    MmapDirectory::open(&folder)
        .map_err(tantivy::TantivyError::from)?
        .sync_directory()
        .map_err(|source| layout::unwritable(&folder, source))?;
    let db = db::open(&data)?;
    let _ = db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::sync;
    use crate::sync::{Memory, SyncOptions, sync_few};

    #[test]
    fn what_did_not_wait_for_the_disk_is_all_there() {
        let workspace = TestWorkspace::plain("//- /a.py\ndef first(): pass\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let since = SystemTime::now();
        for number in 0..20 {
            workspace.write("b.py", &format!("def number_{number}(): pass\n"));
            let listing = Arc::new(engine.list().unwrap());
            assert!(sync_few(&engine, listing, &mut Memory::default(), &NoProgress).unwrap().0.published);
            let snapshot = engine.snapshot().unwrap().unwrap();
            assert_eq!(snapshot.symbols_named(&format!("number_{number}")).unwrap().len(), 1);
        }
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
        make_durable(engine.store_root(), since).unwrap();
        let names: Vec<_> = fs::read_dir(layout::current_data(engine.store_root()).unwrap().unwrap().join("text"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(!names.iter().any(|name| name.ends_with(".new")), "{names:?}");
        assert_eq!(engine.store_problems().unwrap(), Vec::<String>::new());
        make_durable(&workspace.home().join("nothing"), since).unwrap();
    }
}
