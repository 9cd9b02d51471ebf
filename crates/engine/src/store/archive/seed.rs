//! A new store begins with a copy of the store of another clone of its repository, so that its
//! first sync parses only what differs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::files;
use crate::progress::{Progress, Stage};
use crate::store::archive::export_import::{Destination, Imported, header_of, other_files, settle_safely};
use crate::store::archive::header::DATABASE;
use crate::store::disk::layout::{self, LOCK_TIMEOUT};
use crate::store::handle::Store;
use crate::store::sqlite::{db, meta};
use crate::store::text::index::{self, TextIndex};

/// The longest wait for a writer of the other store. Indexing without a copy is right, too.
const PATIENCE: Duration = Duration::from_secs(2);

impl Store {
    /// Fills the store, which has no index yet, with a copy of the one at `from`. The view of the
    /// checkout at `root` there becomes the one of this workspace.
    pub(crate) fn seed(
        &self,
        from: &Path,
        root: &Path,
        destination: &Destination<'_>,
        progress: &dyn Progress,
    ) -> Result<Imported> {
        // A store with an index is never seeded, so no two stores wait for each other.
        let _other = layout::lock_writer(from, PATIENCE, progress)?;
        let _lock = layout::lock_writer(&self.root, LOCK_TIMEOUT, progress)?;
        self.check_replaceable(false)?;
        let there = layout::current_data(from)?.ok_or_else(|| Error::NotIndexed { path: root.to_path_buf() })?;
        let data = layout::next_data(&self.root)?;
        let seeded = copy(&there, &data, root, destination, progress).and_then(|imported| {
            layout::claim(&self.root, &self.identity)?;
            layout::make_current(&self.root, &data)?;
            Ok(imported)
        });
        if seeded.is_err() && !matches!(layout::current_data(&self.root), Ok(Some(current)) if current == data) {
            let _ = fs::remove_dir_all(&data);
        }
        seeded
    }
}

/// Copies a data folder, checks the copy and fits its views to the destination.
fn copy(
    there: &Path,
    data: &Path,
    root: &Path,
    destination: &Destination<'_>,
    progress: &dyn Progress,
) -> Result<Imported> {
    let db = db::open_for_reading(there)?;
    let text_index = TextIndex::open(there)?;
    if !text_index.stamp()?.is_complete(&db)? {
        return Err(Error::Corrupt { path: there.to_path_buf(), detail: index::TORN.into() });
    }
    let header = header_of(&db, destination.workspace, Some(root.to_string_lossy().into_owned()))?;
    let sources = other_files(there, &text_index, meta::get(&db, meta::VECTOR_FILE)?)?;
    let unwritable = |source| files::unwritable(data, source);
    for folder in ["text", "vectors"] {
        fs::create_dir_all(data.join(folder)).map_err(unwritable)?;
    }
    let target = data.join(DATABASE);
    let Some(name) = target.to_str() else {
        return Err(Error::InvalidInput("the name of the data directory is not UTF-8".into()));
    };
    progress.report(Stage::Copying, 0, sources.len() + 1);
    db.execute("VACUUM INTO ?1", [name])?;
    for (at, (name, source)) in sources.iter().enumerate() {
        if progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        progress.report(Stage::Copying, at + 1, sources.len() + 1);
        fs::copy(source, data.join(name)).map_err(unwritable)?;
    }
    settle_safely(data, data, header, destination)
}
