//! Opens files for reading, whether they are indexed or not.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::{ContentId, SkipReason, Target};
use crate::scan::{self, RawContent, SkippedPath, is_at_or_below};
use crate::store::Snapshot;

/// Larger objects of git, which can only be read as a whole, are not opened.
const MAX_OBJECT_BYTES: u64 = 64 << 20;

impl Engine {
    /// Opens the file at `path`: one of the view, or one that is only not worth indexing, such as a
    /// lock file or a very large one. For everything else that is there the reason is returned why
    /// it is not opened: ignored, secret, a link.
    pub fn open_content(&self, snapshot: &Snapshot, path: &str) -> Result<std::result::Result<RawContent, SkipReason>> {
        let id = match snapshot.version_at(path) {
            Some(version) => ContentId::from_slice(&snapshot.file_info(version)?.content_id),
            None => match self.unindexed(path)? {
                Ok(id) => id,
                Err(reason) => return Ok(Err(reason)),
            },
        };
        match self.source.reader().open(path, id, u64::MAX) {
            Ok(Some(content)) => Ok(Ok(content)),
            Ok(None) => Err(Error::FileChanged { path: path.to_string() }),
            Err(reason) => Ok(Err(reason)),
        }
    }

    /// Returns what is not worth indexing below a folder, but there: lock files, images, folders of
    /// dependencies. What ignore files name is not among it.
    pub fn unindexed_below(&self, folder: &str) -> Result<Vec<SkippedPath>> {
        use SkipReason::{BuiltIn, NestedRepository, Symlink, TooLarge};
        let is_shown = |reason: &SkipReason| matches!(reason, BuiltIn(_) | TooLarge(_) | Symlink | NestedRepository);
        let mut skipped = self.list()?.skipped;
        skipped.retain(|skipped| {
            let is_below = folder.is_empty() || is_at_or_below(&skipped.path, folder);
            let is_git = skipped.path == ".git" || skipped.path.ends_with("/.git");
            is_below && !is_git && is_shown(&skipped.reason)
        });
        Ok(skipped)
    }

    /// Returns the id, in a commit, of a file that is not in the view, or the reason why it may not
    /// be read.
    fn unindexed(&self, path: &str) -> Result<std::result::Result<Option<ContentId>, SkipReason>> {
        let listing = self.list()?;
        let skipped = listing.skipped.iter().find(|skipped| skipped.path == path);
        let above = || listing.skipped.iter().find(|skipped| is_at_or_below(path, &skipped.path));
        let is_listed = || listing.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
        match skipped.or_else(above) {
            Some(skipped) if skipped.path == path && !skipped.is_dir && is_open(&skipped.reason) => {}
            Some(skipped) => return Ok(Err(skipped.reason.clone())),
            None if is_listed() => {}
            None => return Err(Error::FileNotFound { path: path.to_string(), reason: None, suggestions: Vec::new() }),
        }
        let Target::Commit { id, .. } = &self.target else { return Ok(Ok(None)) };
        Ok(match scan::blob_at(&self.workspace, id, path)? {
            Some((_, size)) if size > MAX_OBJECT_BYTES => Err(SkipReason::TooLarge(size)),
            Some((id, _)) => Ok(Some(id)),
            None => Err(SkipReason::NotAFile),
        })
    }
}

/// Returns whether a file that is skipped for this reason may still be read.
fn is_open(reason: &SkipReason) -> bool {
    match reason {
        SkipReason::BuiltIn(rule) => !scan::is_private(rule),
        SkipReason::TooLarge(_) | SkipReason::LongLines | SkipReason::ParseTimeout => true,
        _ => false,
    }
}
