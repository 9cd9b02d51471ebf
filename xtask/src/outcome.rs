//! Results of chores, and the repository they work on.

use std::path::{Path, PathBuf};

/// The result of a chore; any error is shown to the person who runs it.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
