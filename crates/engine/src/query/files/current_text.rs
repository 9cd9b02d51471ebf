//! The text that an answer is about.

use std::sync::Arc;

use crate::config::IndexConfig;
use crate::error::{Error, Result};
use crate::model::ContentId;
use crate::query::files::paths::file_not_found;
use crate::scan::Source;
use crate::store::Snapshot;

/// Returns the text that the snapshot's facts of `path` were made from.
pub(crate) fn current_text(snapshot: &Snapshot, source: &Source, config: &IndexConfig, path: &str) -> Result<Arc<str>> {
    let version = snapshot.version_at(path).ok_or_else(|| file_not_found(snapshot, path))?;
    if let Some(text) = snapshot.content_cache().text(version) {
        return Ok(text);
    }
    let expected = ContentId::from_slice(&snapshot.file_info(version)?.content_id);
    let text = source.text(path, expected, config);
    text.map(Arc::from).ok_or_else(|| Error::FileChanged { path: path.to_string() })
}
