//! A file system of its own, small enough to fill up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A mounted file system that goes away when dropped.
pub struct TinyDisk {
    directory: TempDir,
}

impl TinyDisk {
    /// Mounts one of `kilobytes`; `None` where that is not allowed (only root may, and not
    /// everywhere).
    pub fn mount(kilobytes: u32) -> Option<TinyDisk> {
        let directory = TempDir::new().unwrap();
        let options = format!("size={kilobytes}k");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(directory.path())
            .output()
            .is_ok_and(|output| output.status.success());
        mounted.then(|| TinyDisk { directory })
    }

    /// The directory it is mounted at.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file until nothing more fits, and returns it.
    pub fn fill(&self) -> PathBuf {
        use std::io::Write;
        let filler = self.path().join("filler");
        let mut file = fs::File::create(&filler).unwrap();
        for block in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0x5a; block]).is_ok() {}
        }
        filler
    }

    /// Makes the file system read-only, or writable again.
    pub fn set_read_only(&self, read_only: bool) {
        let mode = if read_only { "remount,ro" } else { "remount,rw" };
        let status = Command::new("mount").args(["-o", mode]).arg(self.path()).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}
