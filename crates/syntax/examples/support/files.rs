//! The files of a folder, for the examples that run over real code.

use std::path::{Path, PathBuf};

/// Files of a folder that are left out.
pub(crate) struct Without {
    pub(crate) folders: &'static [&'static str],
    /// Files of more bytes than this.
    pub(crate) above_bytes: u64,
}

impl Without {
    /// Adds all other files in and below `folder`, or `folder` itself if it is a file.
    pub(crate) fn walk(&self, folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
        if folder.is_file() {
            files.push(folder.to_path_buf());
            return Ok(());
        }
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type()?;
            if kind.is_dir() && !self.folders.iter().any(|folder| name == *folder) {
                self.walk(&entry.path(), files)?;
            } else if kind.is_file() && entry.metadata()?.len() <= self.above_bytes {
                files.push(entry.path());
            }
        }
        Ok(())
    }
}
