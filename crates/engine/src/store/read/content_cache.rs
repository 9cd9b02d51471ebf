//! Contents of files that stay in memory between the questions of a process that answers many: its
//! text searches then read the disk only for what is new.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::Recent;
use crate::model::VersionId;

/// The memory that contents may take, as much as the sources of a large framework have.
const MAX_BYTES: usize = 64 << 20;
/// Larger files are read each time.
const MAX_FILE_BYTES: usize = 1 << 20;

/// Raw contents of file versions.
#[derive(Default)]
pub(crate) struct ContentCache {
    /// Absent in a process that answers one question.
    recent: Option<Mutex<Recent<VersionId, KeptContent>>>,
}

/// The content of a file version.
#[derive(Clone)]
pub(crate) enum KeptContent {
    /// UTF-8.
    Text(Arc<str>),
    /// Anything else.
    Bytes(Arc<[u8]>),
}

impl KeptContent {
    /// Returns all bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            KeptContent::Text(text) => text.as_bytes(),
            KeptContent::Bytes(bytes) => bytes,
        }
    }
}

impl ContentCache {
    /// A cache that keeps contents.
    pub(crate) fn keeping() -> ContentCache {
        ContentCache { recent: Some(Mutex::new(Recent::new(MAX_BYTES))) }
    }

    /// Returns whether contents are kept.
    pub(crate) fn is_keeping(&self) -> bool {
        self.recent.is_some()
    }

    /// Returns the content of a version, if it is kept.
    pub(crate) fn get(&self, version: VersionId) -> Option<KeptContent> {
        self.locked()?.get(&version)
    }

    /// Returns the content of a version as text, if it is kept and is UTF-8.
    pub(crate) fn text(&self, version: VersionId) -> Option<Arc<str>> {
        match self.get(version)? {
            KeptContent::Text(text) => Some(text),
            KeptContent::Bytes(_) => None,
        }
    }

    /// Keeps the content of a version, unless it is large.
    pub(crate) fn insert(&self, version: VersionId, content: &[u8]) {
        if content.len() > MAX_FILE_BYTES || !self.is_keeping() {
            return;
        }
        let kept = match std::str::from_utf8(content) {
            Ok(text) => KeptContent::Text(text.into()),
            Err(_) => KeptContent::Bytes(content.into()),
        };
        if let Some(mut recent) = self.locked() {
            recent.insert(version, kept, content.len());
        }
    }

    fn locked(&self) -> Option<MutexGuard<'_, Recent<VersionId, KeptContent>>> {
        self.recent.as_ref().map(|recent| recent.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_contents_are_not_kept() {
        let cache = ContentCache::keeping();
        cache.insert(VersionId(1), b"fn main() {}");
        cache.insert(VersionId(2), &vec![b'x'; MAX_FILE_BYTES + 1]);
        cache.insert(VersionId(3), b"\xff\xfe");
        assert_eq!(cache.text(VersionId(1)).as_deref(), Some("fn main() {}"));
        assert!(cache.get(VersionId(2)).is_none());
        assert!(cache.get(VersionId(3)).is_some() && cache.text(VersionId(3)).is_none());
        let none = ContentCache::default();
        none.insert(VersionId(1), b"a");
        assert!(none.get(VersionId(1)).is_none() && !none.is_keeping());
    }
}
