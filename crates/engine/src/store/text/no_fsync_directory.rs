//! A folder of the text index whose files get to the disk when the system finds the time, or when
//! [`make_durable`](crate::store::text::durability::make_durable) is called: waiting for the disk
//! takes several times as long as all the rest of a small sync.
//!
//! A process that is killed loses nothing by it. A power cut may leave files of the text index
//! half-written; they have checked ends, so that the next process that opens them finds out, and
//! the index is built anew.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

/// The folder at a path.
#[derive(Clone, Debug)]
pub(crate) struct NoFsyncDirectory {
    inner: MmapDirectory,
    folder: PathBuf,
}

impl NoFsyncDirectory {
    pub(crate) fn open(folder: &Path) -> Result<NoFsyncDirectory, OpenDirectoryError> {
        let inner = MmapDirectory::open(folder)?;
        Ok(NoFsyncDirectory { inner, folder: folder.to_path_buf() })
    }
}

struct NoFsyncFile(File);

impl Write for NoFsyncFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for NoFsyncFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for NoFsyncDirectory {
    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.folder.join(path));
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OpenWriteError::FileAlreadyExists(path.to_path_buf()),
            _ => OpenWriteError::wrap_io_error(error, path.to_path_buf()),
        })?;
        Ok(BufWriter::new(Box::new(NoFsyncFile(file))))
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        replace(&self.folder.join(path), content)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.inner.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

/// Puts a file in the place of another. Only the holder of the writer's lock comes here, and never
/// twice at once for the same file.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, content)?;
    fs::rename(new, path)
}
