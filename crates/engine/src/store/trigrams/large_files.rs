//! Filters of files that are too large to be indexed, in a process that answers many questions.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::model::{ContentId, FileStat};
use crate::store::trigrams::{RequiredTrigrams, may_match};

/// Files beyond this many have no filter.
const MAX_FILES: usize = 4096;

/// The state of a file that a filter was made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ContentStamp {
    /// A file of a directory.
    File(FileStat),
    /// An object of git.
    Object(ContentId),
}

/// The filter of a file; `None` if the file cannot have one.
type FileFilter = Option<Arc<[u8]>>;

/// Filters by path.
#[derive(Default)]
pub(crate) struct LargeFileFilters {
    /// Absent in a process that answers one question.
    by_path: Option<Mutex<FxHashMap<String, (ContentStamp, FileFilter)>>>,
}

impl LargeFileFilters {
    /// Keeps filters.
    pub(crate) fn keeping() -> LargeFileFilters {
        LargeFileFilters { by_path: Some(Mutex::default()) }
    }

    /// Returns whether filters are kept.
    pub(crate) fn is_keeping(&self) -> bool {
        self.by_path.is_some()
    }

    /// Returns whether a file in this state may have the trigrams; `None` if no filter was made of
    /// this state.
    pub(crate) fn may_match(&self, path: &str, stamp: ContentStamp, required: &RequiredTrigrams) -> Option<bool> {
        let kept = self.locked()?.get(path).filter(|(of, _)| *of == stamp).map(|(_, filter)| filter.clone());
        kept.map(|filter| filter.is_none_or(|bits| may_match(&bits, required)))
    }

    /// Keeps the filter of a file, or that it has none.
    pub(crate) fn insert(&self, path: &str, stamp: ContentStamp, bits: Option<Vec<u8>>) {
        let Some(mut kept) = self.locked() else { return };
        if kept.len() < MAX_FILES || kept.contains_key(path) {
            kept.insert(path.to_string(), (stamp, bits.map(Arc::from)));
        }
    }

    fn locked(&self) -> Option<MutexGuard<'_, FxHashMap<String, (ContentStamp, FileFilter)>>> {
        self.by_path.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
