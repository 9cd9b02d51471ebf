//! Sizes of the files of a view, for a reader that has given its snapshot back.

use std::sync::Arc;

use crate::cache::locked;
use crate::model::VersionId;
use crate::store::read::file_info::FileInfo;
use crate::store::read::snapshot::{Snapshot, ViewState};
use crate::store::sqlite::connection::Db;
use crate::store::sqlite::db;

/// The files of a view, which hold no transaction open.
#[derive(Clone)]
pub struct FileSizes {
    state: Arc<ViewState>,
}

/// The size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSize {
    /// Bytes.
    pub bytes: u64,
    /// Lines; 0 of files that are no text.
    pub lines: u32,
}

impl FileSizes {
    /// Returns the size of the file at each of `paths`; `None` where the view has none, or the
    /// store cannot be read any more.
    pub fn of(&self, paths: &[&str]) -> Vec<Option<FileSize>> {
        let mut db = None;
        paths.iter().map(|path| self.one(path, &mut db)).collect()
    }

    fn one(&self, path: &str, db: &mut Option<Db>) -> Option<FileSize> {
        let files = &self.state.files;
        let at = files.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        let info = self.info(files[at].1, db)?;
        Some(FileSize { bytes: info.bytes, lines: info.lines })
    }

    /// Most files of an answer are remembered; the database is opened for the others alone.
    fn info(&self, version: VersionId, db: &mut Option<Db>) -> Option<Arc<FileInfo>> {
        let infos = &self.state.caches.infos;
        if let Some(info) = locked(infos).get(&version) {
            return Some(info);
        }
        if db.is_none() {
            *db = db::open_for_reading(&self.state.data).ok();
        }
        let info = Arc::new(FileInfo::read(db.as_ref()?, version).ok()?);
        locked(infos).insert(version, Arc::clone(&info), 1);
        Some(info)
    }
}

impl Snapshot {
    /// Returns the sizes of the view's files.
    pub fn file_sizes(&self) -> FileSizes {
        FileSizes { state: Arc::clone(&self.state) }
    }
}

#[cfg(test)]
mod tests {
    use codecompass_testkit::TestWorkspace;

    use super::*;
    use crate::config::Config;
    use crate::engine::Engine;
    use crate::progress::NoProgress;
    use crate::sync;
    use crate::sync::SyncOptions;

    #[test]
    fn sizes_are_known_without_the_snapshot() {
        let workspace = TestWorkspace::plain("//- /a.py\nx = 1\ny = 2\n//- /b.py\nz = 3\n");
        let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
        let (snapshot, _) = sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
        let sizes = snapshot.file_sizes();
        drop(snapshot);
        let size = |bytes, lines| Some(FileSize { bytes, lines });
        assert_eq!(sizes.of(&["b.py", "a.py", "c.py"]), [size(6, 1), size(12, 2), None]);
        assert_eq!(sizes.of(&["a.py"]), [size(12, 2)], "from memory");
    }
}
